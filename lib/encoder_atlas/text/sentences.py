"""Long texts cut into sentences, and classes thinned out until length says nothing about them."""

import re

import numpy as np
import pandas as pd

from encoder_atlas.text.checks import text_keys

# An end of a sentence with its closing quotes, then white space; or, where a transcript lost the space, a
# small letter before and a capitalised word behind.
END = re.compile(r"""[.!?…]+["'”’)\]]*(?:\s+(?!\s*[a-z])|(?<=[a-z][.!?])(?=[A-Z][a-z]))""")
# What stands before a full stop that ends no sentence: a title, an abbreviation or an initial ("J.", "U.S.").
NO_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Lt|Col|Gen|Sen|Rep|Gov|Rev|Sgt|Prof|Capt|Hon|vs|etc|No)|\b[A-Z])$"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, white space collapsed; a line end always ends one.

    A rule of thumb for edited English: full stop, question or exclamation mark end a sentence unless a small
    letter follows or a title, abbreviation or initial stands before.
    """
    found = []
    for line in text.split("\n"):
        begin = 0
        for end in END.finditer(line):
            if line[end.start()] == "." and NO_END.search(line, begin, end.start()):
                continue
            found.append(line[begin : end.end()])
            begin = end.end()
        found.append(line[begin:])
    return [" ".join(sentence.split()) for sentence in found if sentence.strip()]


def numbered(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with an id from the number of their source row: "row:17"."""
    return rows.assign(id=[f"row:{row}" for row in rows.index])


def sentence_rows(texts: pd.DataFrame) -> pd.DataFrame:
    """One row a sentence of the column "text"; ids say where it stood: "row:17:2" is the third of row 17."""
    rows = texts.assign(text=texts["text"].map(sentences)).explode("text")
    place = rows.groupby(level=0).cumcount()
    ids = [f"row:{row}:{number}" for row, number in zip(rows.index, place, strict=True)]
    return rows.assign(id=ids).loc[rows["text"].notna()]


def without_repeats(rows: pd.DataFrame) -> pd.DataFrame:
    """Of rows with the same text the first; none where the labels differ, since then none is right."""
    keys = pd.Series(text_keys(rows, ["text"]), index=rows.index)
    labels = rows.groupby(keys)["label"].transform("nunique")
    return rows.loc[~keys.duplicated() & (labels == 1)]


def match_lengths(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of both classes, as many of each at every number of words, in the order they came.

    Which rows of the larger class go is drawn at random, always the same way: no seed of a run takes part.
    """
    words = rows["text"].str.split().str.len()
    order = pd.Series(np.random.default_rng(0).permutation(len(rows)), index=rows.index)
    rank = order.groupby([words, rows["label"]]).rank(method="first")
    sizes = pd.crosstab(words, rows["label"]).reindex([0, 1], axis=1, fill_value=0)
    return rows.loc[rank <= words.map(sizes.min(axis=1))]
