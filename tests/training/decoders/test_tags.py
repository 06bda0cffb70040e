"""Tags: loss by hand, and what is not known."""

import math

import pytest
import torch

from encoder_atlas.text.layers import Sentence
from encoder_atlas.training.decoders import DecoderSettings, TagDecoder
from encoder_atlas.training.decoders.losses import UNKNOWN

SENTENCES = [Sentence("a", ("x", "y"), tags=("DT", "NN")), Sentence("b", ("z",), tags=("XX",))]
MASK = torch.tensor([[True, True], [True, False]])


def decoder() -> TagDecoder:
    """Two tags; the first number of a vector is the logit of DT, the second that of NN."""
    made = TagDecoder(2, ["DT", "NN"], DecoderSettings())
    made.load_state_dict({"linear.weight": torch.eye(2), "linear.bias": torch.zeros(2)})
    return made


def test_targets_and_loss_by_hand() -> None:
    """The tag XX is unknown and adds nothing: the mean is over the two words of the first sentence."""
    tags = decoder()
    targets = tags.targets(SENTENCES)
    assert targets.tolist() == [[0, 1], [UNKNOWN, UNKNOWN]]
    vectors = torch.tensor([[[2.0, 0.0], [0.0, 0.0]], [[5.0, 0.0], [9.0, 9.0]]])
    expected = (math.log(1 + math.exp(-2)) + math.log(2)) / 2
    assert tags.loss(vectors, MASK, targets).item() == pytest.approx(expected, abs=1e-6)


def test_a_batch_of_unknown_tags_has_no_loss() -> None:
    tags = decoder()
    loss = tags.loss(torch.randn(1, 1, 2), torch.tensor([[True]]), tags.targets(SENTENCES[1:]))
    assert loss.item() == 0


def test_decoding_and_scoring() -> None:
    """Two of three right; the unknown tag counts as wrong."""
    tags = decoder()
    vectors = torch.tensor([[[2.0, 0.0], [0.0, 1.0]], [[5.0, 0.0], [9.0, 9.0]]])
    found = tags.decode(vectors, MASK)
    assert found == [{"tags": ("DT", "NN")}, {"tags": ("DT",)}]
    annotated = [Sentence(one.id, one.words, **own) for one, own in zip(SENTENCES, found, strict=True)]
    assert tags.score(SENTENCES, annotated) == {"accuracy": pytest.approx(2 / 3)}
