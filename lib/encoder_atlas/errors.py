"""The errors that name a reader's mistake and the way out of it."""

import difflib
from collections.abc import Iterable


class AtlasError(Exception):
    """Base of all errors raised on purpose: its message names the thing and what to do."""


class SettingsError(AtlasError):
    """A parameter, profile or setting that cannot be used."""


class DataError(AtlasError):
    """Text, labels or points that cannot be used."""


class EncoderError(AtlasError):
    """A model folder, weights file or encoder family that cannot be used."""


class StoreError(AtlasError):
    """The store of fitted models and measurements cannot be read or written."""


def near(name: str, known: Iterable[str]) -> str:
    """Name the closest of ``known``, as the tail of a sentence, or list them all.

    >>> near("lamda", ["lambda_", "points"])
    "did you mean 'lambda_'?"
    >>> near("lamda", ["lambda_", "lambdas", "points"])
    "did you mean 'lambdas' or 'lambda_'?"
    >>> near("zzz", ["points", "lambda_"])
    'known: lambda_, points'
    """
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else "known: " + ", ".join(known)
