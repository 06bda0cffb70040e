"""The project's `data/` folder: grammars, word lists and cards of corpora, for people to read and edit."""

from pathlib import Path

from encoder_atlas.errors import DataError


def project_data(relative: str) -> Path:
    """A file or folder under the project's `data/`, which stands beside `lib/` in a clone.

    Raises:
        DataError: if it is not there, as after an installation that copied the package out of its clone.
    """
    path = Path(__file__).resolve().parents[3] / "data" / relative
    if not path.exists():
        raise DataError(
            f"{path} is missing. Encoder Atlas runs from its clone: install it there with "
            "'pip install -e .', and restore the folder with 'git checkout data' if it was removed."
        )
    return path
