"""The files of a saved model beside its encoder: what they hold, written and checked."""

import hashlib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load, save_file
from torch import nn

from encoder_atlas.errors import EncoderError
from encoder_atlas.training.settings import FitSettings, Mode

DESCRIPTION = "fitted.json"
HEADS = "heads.safetensors"
REFIT = "delete the folder and fit the model again"


class Description(BaseModel):
    """What ``fitted.json`` holds: all that is not a weight."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    mode: Mode
    seed: int
    settings: FitSettings
    label_names: dict[str, tuple[str, ...]]
    encoder_name: str
    encoder_fingerprint: str
    heads_sha256: str
    history: list[dict[str, int | float | str]]


def read_description(folder: Path) -> Description:
    """The description of the model in ``folder``.

    Raises:
        EncoderError: if there is none, or it is not one.
    """
    path = folder / DESCRIPTION
    try:
        return Description.model_validate_json(path.read_bytes())
    except OSError:
        raise EncoderError(
            f"{folder} holds no fitted model (no {DESCRIPTION}; its writing may have been cut short): {REFIT}"
        ) from None
    except ValidationError as error:
        finding = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, finding["loc"])) or "the file"
        raise EncoderError(f"{path} is damaged ({where}: {finding['msg']}): {REFIT}") from None


def write_heads(heads: nn.ModuleDict, folder: Path) -> str:
    """Write the weights of ``heads``; returns the sha256 of the file."""
    save_file(heads.state_dict(), folder / HEADS)
    return hashlib.sha256((folder / HEADS).read_bytes()).hexdigest()


def read_heads(heads: nn.ModuleDict, folder: Path, sha256: str) -> None:
    """Fill ``heads`` with the weights that ``write_heads`` wrote.

    Raises:
        EncoderError: if the file is missing, is not the one that was written, or does not fit ``heads``.
    """
    path = folder / HEADS
    try:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise EncoderError(
                f"{path} is damaged or was swapped (its sha256 is not the recorded one): {REFIT}"
            )
        heads.load_state_dict(load(content))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise EncoderError(f"{path} does not hold the model's heads ({error}): {REFIT}") from None
