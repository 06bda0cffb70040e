"""Attention as links, Python side: what it packs, what it refuses, what it draws where nothing moves."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.show import AttentionLinks, LinkModel
from encoder_atlas.show.link_models import strongest
from encoder_atlas.text.layers import Sentence

LinksOf = Callable[..., LinkModel]


def test_looks_are_packed_strongest_first(link_sentences: Sequence[Sentence], links_of: LinksOf) -> None:
    models = [links_of(), links_of("after", 1)]
    widget = AttentionLinks(link_sentences, models, title="Links")
    looks = np.frombuffer(widget.looks, np.uint8).reshape(2, 2, 2, 2, 2, 6, 3)
    for at, model in enumerate(models):
        for number, attention in enumerate(model.attention):
            n = attention.shape[-1]
            for layer, head, word in np.ndindex(2, 2, n):
                row = attention[layer, head, word]
                order = sorted(range(n), key=lambda to: -row[to])[:3]
                place = (layer, head, word)
                assert looks[at, number, 0][place].tolist() == order
                assert looks[at, number, 1][place] / 255 == pytest.approx(row[order], abs=0.002)
    assert widget.gold[0][:2] == [["dep", "nsubj", 1, 1, 2], ["dep", "root", 2, 2, 0]]
    assert widget.gold[0][4:] == [["dep", "obl", 5, 5, 2], ["srl", "ARG0", 1, 1, 2], ["srl", "ARG1", 3, 4, 2]]
    assert widget.best[1]["dep"]["nsubj"] == [0, 0, 97.2]
    assert (widget.tasks, widget.task, widget.grid, widget.cls) == (["dep", "srl"], "dep", [2, 2], True)
    assert strongest(np.ones((1, 1, 2, 2)), 4).shape == (2, 1, 1, 4, 3)


def test_label_and_head_shown_first(link_sentences: Sequence[Sentence], links_of: LinksOf) -> None:
    widget = AttentionLinks(link_sentences, [links_of()], label="obj")
    assert (widget.task, widget.label, widget.head) == ("dep", "obj", [1, 1])
    widget = AttentionLinks(link_sentences, [links_of()], label="ARG1")
    assert (widget.task, widget.label, widget.head, widget.cls) == ("srl", "ARG1", [1, 1], False)
    with pytest.raises(
        DataError, match="no sentence has a link with the label 'obb'; did you mean 'obl' or 'obj'"
    ):
        AttentionLinks(link_sentences, [links_of()], label="obb")
    with pytest.raises(DataError, match="sentence 2 is not one of 0 … 1"):
        widget.sentence = 2
    with pytest.raises(DataError, match="head \\[2, 0\\] is not"):
        widget.head = [2, 0]


def test_what_cannot_be_drawn(link_sentences: Sequence[Sentence], links_of: LinksOf) -> None:
    model = links_of()
    long = Sentence(id="9", words=("a",) * 41, heads=(0,) + (1,) * 40, deprels=("x",) * 41)
    bare = Sentence(id="8", words=("a",))
    sideways = [model.attention[0], model.attention[1][:, :1]]
    cases = [
        ([], [model], "at least one sentence and one model"),
        ([long], [model], "sentence '9' has 41 words"),
        ([bare], [model], "sentence '8' has neither dependencies nor roles"),
        (link_sentences, [model, model], "each needs a name of its own"),
        (link_sentences[:1], [model], "has attention in 2 sentences, not 1"),
        (link_sentences, [replace(model, attention=sideways)], "sentence '2': attention has shape"),
        (link_sentences, [replace(model, attention=[2 * a for a in model.attention])], "between 0 and 1"),
    ]
    for sentences, models, message in cases:
        with pytest.raises(DataError, match=message):
            AttentionLinks(sentences, models)


def test_picture(link_sentences: Sequence[Sentence], links_of: LinksOf) -> None:
    dollars = [replace(link_sentences[0], words=("$a$", "$", "x", "y", "z")), link_sentences[1]]
    widget = AttentionLinks(dollars, [links_of()], title="$t$", label="root")
    bundle = widget._repr_mimebundle_()
    assert bundle is not None and base64.b64decode(bundle[0]["image/png"]).startswith(b"\x89PNG")
    widget.cls = False
    assert widget.picture().startswith(b"\x89PNG")
