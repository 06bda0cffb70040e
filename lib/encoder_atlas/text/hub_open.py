"""A data set of the hub, through the library `datasets`: fetched, from its cache, or from a local copy."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from encoder_atlas.errors import DataError
from encoder_atlas.progress import stage
from encoder_atlas.text.hub_corpora import HubCorpus

if TYPE_CHECKING:
    from datasets import Dataset

OFFLINE = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")


def open_hub(
    corpus: HubCorpus, instead: str, *, path: Path | None = None, revision: str | None = None
) -> Mapping[str, "Dataset"]:
    """All splits of a data set; the code that some repositories carry is never run.

    Args:
        instead: what to do where the hub cannot be reached, in sentences.
        path: a local copy of the repository, which is read instead.
        revision: commit, branch or tag; None takes the newest.

    Raises:
        DataError: if the hub cannot be reached, the data set or its configuration is missing, or it cannot be
            read.
    """
    name = named(corpus, path, revision)
    with _quiet_datasets() as load_dataset, stage(f"read {corpus}"):
        try:
            return load_dataset(str(path or corpus.repository), corpus.configuration, revision=revision)
        except FileNotFoundError as error:  # also what `datasets` raises for a repository that there is not
            raise DataError(f"{name} is not there: {_line(error)}.") from error
        except ConnectionError as error:
            raise DataError(f"{name} cannot be reached: {_line(error)}. {_offline()}{instead}") from error
        except Exception as error:  # the library has no base class for what it raises
            raise DataError(f"{name} cannot be read: {_line(error)}.") from error


def named(corpus: HubCorpus, path: Path | None, revision: str | None) -> str:
    """A data set as errors and notes say it."""
    at = f" at revision {revision}" if revision else ""
    return f"{path} (a local copy of {corpus})" if path else f"{corpus} on the hub{at}"


@contextmanager
def _quiet_datasets() -> Iterator[Any]:
    """``load_dataset`` without its bars, which would stand on the book's pages."""
    import datasets

    bars = not datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        yield datasets.load_dataset
    finally:
        if bars:
            datasets.enable_progress_bars()


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _offline() -> str:
    """Whether the reader has forbidden the network."""
    found = [name for name in OFFLINE if os.environ.get(name, "").upper() in ("1", "ON", "YES", "TRUE")]
    return f"{found[0]} is set, so only what was fetched before can be read. " if found else ""
