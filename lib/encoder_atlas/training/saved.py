"""The files of a saved model: its encoder, its heads, and a description; written and checked."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

import pandas as pd
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load, save_file
from torch import nn

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import EncoderError, StoreError
from encoder_atlas.training.settings import FitSettings, Mode

DESCRIPTION = "fitted.json"
ENCODER = "encoder"
HEADS = "heads.safetensors"
REFIT = "delete the folder and fit the model again"

Described = TypeVar("Described", bound="Saved")


class Saved(BaseModel):
    """What the description of any saved model holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    seed: int
    settings: FitSettings
    encoder_name: str
    encoder_fingerprint: str
    heads_sha256: str
    history: list[dict[str, int | float | str]]


class Description(Saved):
    """What ``fitted.json`` holds: all of a `FittedModel` that is not a weight."""

    mode: Mode
    label_names: dict[str, tuple[str, ...]]


def write_model(
    folder: Path,
    encoder: Encoder,
    heads: nn.ModuleDict,
    history: pd.DataFrame,
    describe: Callable[..., Saved],
) -> None:
    """Write a whole model into ``folder``, new or empty: safetensors and JSON, no pickle.

    The description is written last: a folder cut short has none, and `read_model` refuses it.

    Args:
        describe: makes the description from its parts that every model has, seed and settings apart.

    Raises:
        StoreError: if the folder holds something.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StoreError(f"{folder} is no empty folder: a fitted model is written into a new or empty one")
    encoder.save(folder / ENCODER)
    save_file(heads.state_dict(), folder / HEADS)
    description = describe(
        encoder_name=encoder.name,
        encoder_fingerprint=encoder.fingerprint,
        heads_sha256=hashlib.sha256((folder / HEADS).read_bytes()).hexdigest(),
        history=history.to_dict(orient="records"),
    )
    (folder / DESCRIPTION).write_text(description.model_dump_json(indent=1), encoding="utf-8")


def read_model(
    folder: Path, kind: type[Described], make_heads: Callable[[Described, int], nn.ModuleDict]
) -> tuple[Described, Encoder, nn.ModuleDict]:
    """What `write_model` wrote, on the CPU: description, encoder and heads; every file is checked.

    Args:
        kind: of the description.
        make_heads: new heads as described, for representations of the width given.

    Raises:
        EncoderError: if the folder holds no such model, or a file of it is missing, damaged or swapped.
    """
    saved = _read_description(folder, kind)
    encoder = replace(load_encoder(str(folder.resolve() / ENCODER)), name=saved.encoder_name)
    if encoder.fingerprint != saved.encoder_fingerprint:
        raise EncoderError(f"{folder / ENCODER} is not the encoder that was saved there: {REFIT}")
    heads = make_heads(saved, encoder.hidden)
    _read_heads(heads, folder / HEADS, saved.heads_sha256)
    return saved, encoder, heads


def _read_description(folder: Path, kind: type[Described]) -> Described:
    path = folder / DESCRIPTION
    try:
        return kind.model_validate_json(path.read_bytes())
    except OSError:
        raise EncoderError(
            f"{folder} holds no fitted model (no {DESCRIPTION}; its writing may have been cut short): {REFIT}"
        ) from None
    except ValidationError as error:
        finding = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, finding["loc"])) or "the file"
        raise EncoderError(
            f"{path} is damaged ({where}: {finding['msg']}), or of another kind of model: {REFIT}"
        ) from None


def _read_heads(heads: nn.ModuleDict, path: Path, sha256: str) -> None:
    try:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise EncoderError(
                f"{path} is damaged or was swapped (its sha256 is not the recorded one): {REFIT}"
            )
        heads.load_state_dict(load(content))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise EncoderError(f"{path} does not hold the model's heads ({error}): {REFIT}") from None
