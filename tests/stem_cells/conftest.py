"""A small corpus with all layers, and annotators of it that are quickly fitted."""

import pytest

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.text import AnnotatedCorpus, CorpusSpec, load_corpus
from encoder_atlas.training import DecoderSettings, FitSettings

SMALL = DecoderSettings(arc_width=8, label_width=8)
QUICK = FitSettings(epochs=2, batch_size=16, lr_encoder=1e-3, keep="last", evaluate="end")


@pytest.fixture(scope="session")
def language() -> AnnotatedCorpus:
    return load_corpus(
        CorpusSpec(name="language", source="generated", corpus="language", train=32, dev=8, test=12)
    )


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return load_encoder("tiny:bert")


@pytest.fixture(scope="session")
def small() -> DecoderSettings:
    return SMALL


@pytest.fixture(scope="session")
def quick() -> FitSettings:
    return QUICK
