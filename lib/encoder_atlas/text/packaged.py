"""Tasks of real text that installed packages carry."""

from collections.abc import Callable

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.films import movie_reviews, subjectivity
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.speeches import convention_speeches
from encoder_atlas.text.task import Task

PACKAGED: dict[str, Callable[[TaskSpec], Task]] = {
    "movie-reviews": movie_reviews,
    "subjectivity": subjectivity,
    "convention-speeches": convention_speeches,
}


def load_packaged(spec: TaskSpec) -> Task:
    """The corpus of an installed package that the spec names.

    Raises:
        DataError: if there is no such corpus, or its package is missing or damaged.
    """
    if spec.corpus not in PACKAGED:
        raise DataError(f"There is no packaged corpus {spec.corpus!r}; {near(spec.corpus, PACKAGED)}.")
    return PACKAGED[spec.corpus](spec)
