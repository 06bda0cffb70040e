"""Which edge task a run uses, as a setting."""

from typing import Literal

from encoder_atlas.text.source_spec import SourceSpec

EdgeSource = Literal["files", "generated"]


class EdgeSpec(SourceSpec, frozen=True):
    """Where an edge task comes from and how many targets of it are used.

    Tasks of annotated sentences need no spec of their own: ``of_corpus`` makes them of a corpus.

    Attributes:
        name: what the task is called in tables, figures and the store.
        source: "files" (on your disk) or "generated" (written by a grammar).
        corpus: with files "edges" (JSON, one sentence a line) or "semeval-2010-8"; with generated
            "proto-roles" or "relations".
        path: with files the folder that holds them.
        train, dev, test: targets of each split; None takes all, of generated text a default number.
        seed: seed of the sample, and of the sentences of generated text.
        domain: of generated text, what it is about; None takes "business".
    """

    FOLDER = "the folder that holds the files"

    source: EdgeSource
    domain: Literal["business", "science"] | None = None
