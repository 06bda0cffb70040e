"""What names an entry of the store: its kind, its key and the code that makes it."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from encoder_atlas.errors import StoreError
from encoder_atlas.runs.project import digest
from encoder_atlas.runs.sources import source_digest

# Part of every hash: raise it when entries are laid out in another way.
LAYOUT = 1


class Address(BaseModel):
    """Where an entry belongs; two addresses are equal exactly if their hashes are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    key: dict[str, Any]
    code: dict[str, str]

    @classmethod
    def of(cls, kind: str, key: Mapping[str, Any], code: Sequence[str] = ()) -> "Address":
        """``key`` may hold settings models, mappings, lists, numbers, text, truth values and ``None``.

        Raises StoreError for a kind that is no plain name, for anything else in the key, and for code that
        cannot be found.
        """
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", kind) or kind == "damaged":
            raise StoreError(f"kind={kind!r}: use lower-case words joined by '-', and not 'damaged'")
        return cls(kind=kind, key=plain(key, "key"), code={name: source_digest(name) for name in code})

    @property
    def hash(self) -> str:
        """16 hexadecimal digits of the sha256 over all that the address holds."""
        return digest(json.dumps([LAYOUT, self.model_dump()], sort_keys=True, allow_nan=False))[:16]

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.hash}"


def plain(value: Any, where: str) -> Any:
    """The value as JSON has it, so that equal keys are written alike wherever they come from."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump(mode="json"), where)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise StoreError(f"{where}: the name {name!r} is no text")
        return {name: plain(item, f"{where}.{name}") for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, np.generic):
        return plain(value.item(), where)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise StoreError(
        f"{where} is {value!r}: a key holds settings models, mappings, lists, finite numbers, text, "
        "truth values and None"
    )


def summary(key: Mapping[str, Any], width: int = 80) -> str:
    """The key on one line, cut to ``width`` characters.

    >>> summary({"task": "movie-reviews", "settings": {"seed": 3, "rate": 0.1}})
    'task=movie-reviews settings.seed=3 settings.rate=0.1'
    """
    line = " ".join(f"{name}={value}" for name, value in _leaves(key, ""))
    return line if len(line) <= width else line[: width - 1] + "…"


def _leaves(key: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in key.items():
        deeper = isinstance(value, Mapping)
        found += _leaves(value, f"{prefix}{name}.") if deeper else [(prefix + name, value)]
    return found
