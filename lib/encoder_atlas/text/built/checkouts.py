"""Where the parts of a built corpus are: in a reader's own checkouts, or downloaded."""

from collections.abc import Mapping
from pathlib import Path

from encoder_atlas.errors import DataError
from encoder_atlas.text.built.download import download
from encoder_atlas.text.built.recipe import Part, read_recipe


def checkouts(given: Mapping[Part, Path | None], cache: Path | None) -> dict[Part, Path]:
    """The folder of each part of English Web Treebank.

    Args:
        given: the folders that a reader has; what is None is downloaded.
        cache: where downloads go; None forbids them.

    Raises:
        DataError: if a folder is not there, is not given and may not be downloaded, or cannot be.
    """
    places = {}
    for part, repository in read_recipe("ewt").parts.items():
        folder = given[part]
        if folder is None and cache is None:
            raise DataError(
                f"The part {part!r} is missing: give --{part} FOLDER, a checkout of {repository.repository} "
                f"at commit {repository.commit[:12]}, or --download."
            )
        if folder is not None and not folder.is_dir():
            raise DataError(
                f"There is no folder {folder}: --{part} is a checkout of {repository.repository}."
            )
        places[part] = folder or download(repository, cache or Path())
    return places
