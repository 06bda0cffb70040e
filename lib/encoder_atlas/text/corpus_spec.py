"""Which annotated corpus a run uses, as a setting."""

from typing import Literal

from encoder_atlas.text.layers import Layer
from encoder_atlas.text.source_spec import SourceSpec

CorpusSource = Literal["files", "generated", "built"]


class CorpusSpec(SourceSpec, frozen=True):
    """Where sentences with layers come from and how many of them are used.

    Attributes:
        name: what the corpus is called in tables, figures and the store.
        source: "files" (on your disk), "generated" (written by a grammar), or "built" (joined from public
            corpora by `atlas data build`).
        corpus: with files their format: "conllu", "iob", "brackets", "conll2012" or "layers"; else
            the name of the corpus.
        path: with files the folder that holds train, dev and test.
        train, dev, test: sentences of each split; None takes all, of generated text a default number.
        seed: seed of the sample, and of the sentences of generated text.
        domain: of generated text, what it is about.
        layers: only sentences that have all of these are used.
    """

    FOLDER = "a folder with files of train, dev and test"

    source: CorpusSource
    layers: tuple[Layer, ...] = ()
