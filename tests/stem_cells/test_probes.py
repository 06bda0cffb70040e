"""Link and centroid probes against loops, on drawn and on worked examples."""

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from nltk import Tree as NltkTree

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.estimates import percent
from encoder_atlas.stem_cells.attention import Looks, WordValues, read_heads
from encoder_atlas.stem_cells.centroids import Item, centroid_hits, majority_hits, span_items
from encoder_atlas.stem_cells.head_hits import HeadHits, best_counts, best_heads, make_hits
from encoder_atlas.stem_cells.links import (
    Link,
    gold_links,
    link_hits,
    offset_looks,
    offset_of,
    root_control,
)
from encoder_atlas.stem_cells.probes import (
    LEXICAL,
    MAJORITY,
    OFFSETS,
    RANDOM,
    SLICES,
    HeadProbes,
    ProbeSettings,
    baseline_probes,
    probe_heads,
)
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree

# "she gave him tea yesterday"
WORKED = Sentence(
    id="1",
    words=("she", "gave", "him", "tea", "yesterday"),
    heads=(2, 0, 2, 2, 2),
    deprels=("nsubj", "root", "iobj", "obj", "obl:tmod"),
    frames=(
        Frame(1, "give.01", (Span(0, 1, "ARG0"), Span(1, 2, "V"), Span(2, 3, "ARG2"), Span(3, 5, "ARG1"))),
    ),
)
# One head's looks: [CLS] → gave; she → gave; gave → tea; him → [CLS]; tea → him; yesterday → gave.
WORKED_LOOKS = np.array([[[2, 2, 4, 0, 3, 2]]], dtype=np.int16)
ONLY_WORDS = np.array([[[2, 2, 4, 1, 3, 2]]], dtype=np.int16)


def worked_looks() -> Looks:
    return Looks(WORKED_LOOKS, ONLY_WORDS, np.array([0, 6]))


def found(hits: HeadHits) -> dict[str, bool]:
    return {hits.labels[label]: bool(hit) for label, hit in zip(hits.label, hits.hits[0, 0], strict=True)}


def test_links_of_a_worked_sentence() -> None:
    dep, srl = gold_links([WORKED], "dep"), gold_links([WORKED], "srl")
    assert srl == [Link(0, "ARG0", 1, 1, 2), Link(0, "ARG2", 3, 3, 2), Link(0, "ARG1", 4, 5, 2)]
    either = {"nsubj": True, "root": True, "iobj": False, "obj": True, "obl": True}
    assert found(link_hits(worked_looks(), dep)) == either
    forward = either | {"root": False, "obj": False}  # [CLS] → gave, and gave → tea, run against the links
    assert found(link_hits(worked_looks(), dep, direction="forward")) == forward
    assert found(link_hits(worked_looks(), dep, cls="out")) == either
    assert found(link_hits(worked_looks(), srl, cls="out")) == {"ARG0": True, "ARG2": False, "ARG1": True}
    assert [link.label for link in gold_links([WORKED], "dep", subtypes=True)][-1] == "obl:tmod"


@pytest.mark.parametrize("cls", ["in", "out"])
@pytest.mark.parametrize("direction", ["either", "forward"])
def test_links_against_a_loop(language: AnnotatedCorpus, encoder: Encoder, cls: str, direction: str) -> None:
    sentences = language.split("dev")
    looks, _ = read_heads(encoder, [s.words for s in sentences])
    for layer in ("dep", "srl"):
        links = gold_links(sentences, layer)
        hits = link_hits(looks, links, cls=cls, direction=direction)
        assert len(links) > 20
        for (sentence, label, start, end, head), number, own in zip(
            links, hits.label, np.moveaxis(hits.hits, 2, 0), strict=True
        ):
            assert hits.labels[number] == label
            for place, hit in np.ndenumerate(own):
                table = looks.with_cls if cls == "in" or head == 0 else looks.words_only
                at = table[place][looks.first[sentence] :]
                wanted = False
                for word in range(start, end + 1):
                    wanted |= at[word] == head or (direction == "either" and at[head] == word)
                assert hit == wanted


def test_fixed_offsets() -> None:
    looks = offset_looks([WORKED.words, ["one"]], furthest=2)
    assert looks.with_cls.shape == (1, 4, 8)
    assert [offset_of(head, 2) for head in (1, 2, 3, 4)] == [-2, -1, 1, 2]
    assert looks.with_cls[0, 2].tolist() == [-1, 2, 3, 4, 5, -1, -1, -1]
    assert looks.with_cls[0, 0].tolist() == [-1, -1, -1, 1, 2, 3, -1, -1]
    hits = link_hits(looks, gold_links([WORKED], "dep"))
    # she–gave and gave–him lie one apart, gave–tea two, gave–yesterday three; no offset finds the root.
    one = [True, False, True, False, False]
    two = [False, False, False, True, False]
    assert hits.hits[0].tolist() == [two, one, one, two]
    forward = link_hits(looks, gold_links([WORKED], "dep"), direction="forward").hits[0]
    assert forward.tolist() == [two, [False, False, True, False, False], [True] + [False] * 4, [False] * 5]


def test_root_control_of_a_worked_sentence() -> None:
    # One word that is no root looks at [CLS], and [CLS] looks at the root: by the rule of the probe, a link.
    forward = root_control(worked_looks(), [WORKED], "forward")
    assert forward.to_frame().to_dict("records") == [{"layer": 1, "head": 1, "root": 0.0, "others": 25.0}]
    control = root_control(worked_looks(), [WORKED])
    assert control.to_frame().to_dict("records") == [{"layer": 1, "head": 1, "root": 100.0, "others": 25.0}]
    root, others = control.counts(0, 0)
    assert root.to_numpy().tolist() == [[1, 1]] and others.to_numpy().tolist() == [[1, 4]]


@pytest.mark.parametrize("direction", ["either", "forward"])
def test_root_control_finds_the_roots_of_the_probe_and_counts_others_like_a_loop(
    language: AnnotatedCorpus, encoder: Encoder, direction: Literal["either", "forward"]
) -> None:
    sentences = language.split("test")
    looks, _ = read_heads(encoder, [s.words for s in sentences])
    control = root_control(looks, sentences, direction)
    hits = link_hits(looks, gold_links(sentences, "dep"), direction=direction)
    np.testing.assert_array_equal(control.root, hits.hits[:, :, hits.label == hits.labels.index("root")])
    for number, sentence in enumerate(sentences):
        first = looks.first[number]
        for layer, head in np.ndindex(*control.root.shape[:2]):
            row = looks.with_cls[layer, head, first : looks.first[number + 1]].tolist()
            linked = {word for word, to in enumerate(row) if word and to == 0}
            linked |= {row[0]} - {0} if direction == "either" else set()
            rest = linked - {(sentence.heads or ()).index(0) + 1}
            assert control.others[layer, head, number] == len(rest)


def test_a_head_that_rests_on_cls_finds_every_root(language: AnnotatedCorpus) -> None:
    sentences = language.split("test")
    first = np.concatenate([[0], np.cumsum([len(s.words) + 1 for s in sentences])])
    rests = Looks(np.zeros((1, 1, first[-1]), np.int16), np.ones((1, 1, first[-1]), np.int16), first)
    hits = link_hits(rests, gold_links(sentences, "dep"))
    assert hits.accuracy("root")[0, 0] == 100
    assert root_control(rests, sentences).to_frame()[["root", "others"]].to_numpy().tolist() == [[100, 100]]


def literal_nearest(vectors: np.ndarray, labels: list[str], leave_out: bool) -> list[bool]:
    hits = []
    for i, x in enumerate(vectors):
        best, answer = -np.inf, None
        for name in sorted(set(labels)):
            members = [v for j, v in enumerate(vectors) if labels[j] == name and not (leave_out and i == j)]
            if members:
                centre = np.mean(members, axis=0)
                cosine = centre @ x / np.linalg.norm(centre) / np.linalg.norm(x)
                if cosine > best:
                    best, answer = cosine, name
        hits.append(answer == labels[i])
    return hits


@pytest.mark.parametrize("centroids", ["leave one out", "same items"])
def test_centroids_against_a_loop(language: AnnotatedCorpus, encoder: Encoder, centroids: str) -> None:
    sentences = language.split("dev")
    _, values = read_heads(encoder, [s.words for s in sentences])
    for layer in ("pos", "ner", "con"):
        items = span_items(sentences, layer)
        hits = centroid_hits(values, items, centroids=centroids)
        labels = [item.label for item in items]
        for at, head in np.ndindex(2, 2):
            vectors = [
                values.values[at, values.first[n] + start : values.first[n] + end, head].mean(
                    0, dtype=np.float64
                )
                for n, _, start, end in items
            ]
            wanted = literal_nearest(np.stack(vectors), labels, centroids == "leave one out")
            assert hits.hits[at, head].tolist() == wanted
        assert len(set(labels)) > 2


def test_leaving_one_out_by_hand() -> None:
    """a at 0° and 44°, b at 50° and 120°, c alone at 200°; whole centroids at 22°, 85° and 200°.

    Without itself, a's second has a's centroid at 0° and goes to b (41° off), b's first has b's at 120° and
    goes to a. With itself, a's second goes to a (22° off), b's first, 28° from a's, still to a.
    """
    degrees = np.deg2rad([0, 44, 50, 120, 200])
    vectors = np.stack([np.cos(degrees), np.sin(degrees)], axis=1).astype(np.float32)
    values = WordValues(vectors[None, :, None], vectors, np.array([0, 5]))
    items = [Item(0, label, at, at + 1) for at, label in enumerate("aabbc")]
    assert centroid_hits(values, items).hits[0, 0].tolist() == [True, False, False, True, False]
    same = centroid_hits(values, items, centroids="same items").hits[0, 0]
    assert same.tolist() == [True, True, False, True, True]
    assert centroid_hits(values, items, of="embeddings").hits[0, 0].tolist() == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert centroid_hits(values, items, of="slices").hits.shape == (1, 1, 5)
    assert centroid_hits(values, items[4:]).hits.tolist() == [[[False]]]
    zero = WordValues(values.values * 0, vectors, values.first)
    with pytest.raises(DataError, match="only zeros"):
        centroid_hits(zero, items)


def test_phrases_are_those_of_height_three(language: AnnotatedCorpus) -> None:
    text = "(S (NP (NP (DT the) (NN cat)) (PP (IN on) (NP (NNS mats)))) (VP (VBZ sleeps) (ADVP (RB well))))"
    spans = (
        (0, 6, "S"), (0, 4, "NP"), (0, 2, "NP"), (2, 4, "PP"), (3, 4, "NP"), (4, 6, "VP"), (5, 6, "ADVP"),
    )  # fmt: skip
    words, tags = zip(*NltkTree.fromstring(text).pos(), strict=True)
    sentence = Sentence(id="1", words=words, tree=Tree(tuple(Span(*span) for span in spans), tags))
    items = [(item.label, list(words[item.start : item.end])) for item in span_items([sentence], "con")]
    lowest = NltkTree.fromstring(text).subtrees(lambda tree: tree.height() == 3)
    assert items == [(tree.label(), tree.leaves()) for tree in lowest]
    unary = Sentence(id="2", words=("tea",), tree=Tree((Span(0, 1, "S"), Span(0, 1, "NP")), ("NN",)))
    assert [item.label for item in span_items([unary], "con")] == ["NP"]


def drawn_hits(seed: int, sentences: int = 30) -> HeadHits:
    rng = np.random.default_rng(seed)
    labels = rng.choice(["x", "y", "z"], size=200, p=[0.6, 0.37, 0.03])
    sentence = rng.integers(sentences, size=200).tolist()
    return make_hits(rng.random((3, 2, 200)) < 0.5, labels.tolist(), sentence, sentences)


def test_best_head_is_chosen_on_dev_and_scored_on_test() -> None:
    dev, test = drawn_hits(0), drawn_hits(1)
    best = best_heads(dev, test, minimum=20)
    assert best["label"].tolist() == ["x", "y"]
    for row in best.to_dict("records"):
        chosen = max(np.ndindex(3, 2), key=lambda place: dev.accuracy(row["label"])[place])
        assert (row["layer"] - 1, row["head"] - 1) == chosen
        assert row["accuracy"] == test.accuracy(row["label"])[chosen]
        assert row["same_items"] == test.accuracy(row["label"]).max()
        (counts,) = best_counts(test, best, [row["label"]])
        assert percent(counts) == pytest.approx(row["accuracy"])
        assert len(counts) == 30 and counts["total"].sum() == row["n"] == test.n[row["label"]]
    with pytest.raises(DataError, match="no label has 500 items"):
        best_heads(dev, test, minimum=500)
    with pytest.raises(DataError, match="no head was chosen for the label 'z'"):
        best_counts(test, best, ["z"])
    with pytest.raises(DataError, match="no item has the label 'w'"):
        test.accuracy("w")
    with pytest.raises(SettingsError, match="minimum=0"):
        best_heads(dev, test, 0)


def test_all_probes_of_an_encoder(language: AnnotatedCorpus, encoder: Encoder, tmp_path: Path) -> None:
    dev, test = language.split("dev"), language.split("test")
    settings = ProbeSettings(minimum=2)
    probes = probe_heads(encoder, dev, test, settings=settings)
    baselines = baseline_probes(encoder, dev, test, settings=settings)
    assert {name: set(one.test) for name, one in baselines.items()} == {
        OFFSETS: {"dep", "srl"},
        LEXICAL: {"pos", "ner", "con"},
        SLICES: {"pos", "ner", "con"},
        MAJORITY: {"pos", "ner", "con"},
        RANDOM: {"pos", "ner", "con", "dep", "srl"},
    }
    for layer in ("pos", "ner", "dep", "con", "srl"):
        best = probes.best(layer)
        labels = best["label"].tolist()
        scores = [percent(counts) for counts in probes.counts(layer, labels)]
        assert scores == pytest.approx(best["accuracy"].tolist())
        shared = [one.best(layer)["label"].tolist() for one in baselines.values() if layer in one.test]
        assert all(own == labels for own in shared)
    assert set(baselines[MAJORITY].best("pos")["accuracy"]) == {0.0, 100.0}
    probes.save(tmp_path / "probes")
    again = HeadProbes.load(tmp_path / "probes")
    assert again.minimum == 2
    pd.testing.assert_frame_equal(again.best("srl"), probes.best("srl"))
    assert again.root is not None and probes.root is not None
    pd.testing.assert_frame_equal(again.root.to_frame(), probes.root.to_frame())
    with pytest.raises(DataError, match="holds no probes"):
        HeadProbes.load(tmp_path)


def test_what_cannot_be_probed(language: AnnotatedCorpus, encoder: Encoder) -> None:
    bare = [Sentence(id="1", words=("a", "b"))]
    with pytest.raises(DataError, match="there are no links"):
        probe_heads(encoder, bare, bare, ["dep"])
    with pytest.raises(DataError, match="nothing to label"):
        probe_heads(encoder, bare, bare, ["ner"])
    with pytest.raises(DataError, match="no probe for the layer 'pso'; did you mean 'pos'"):
        probe_heads(encoder, bare, bare, ["pso"])
    with pytest.raises(DataError, match="nothing to label"):
        majority_hits([], 1)
    with pytest.raises(DataError, match="no roots"):
        root_control(worked_looks(), bare)
    with pytest.raises(SettingsError, match="cls='off'"):
        link_hits(worked_looks(), gold_links([WORKED], "dep"), cls="off")
    with pytest.raises(SettingsError, match="furthest=0"):
        offset_looks([["a"]], 0)
    with pytest.raises(DataError, match="was not probed"):
        probe_heads(encoder, language.split("dev"), language.split("test"), ["dep"]).best("srl")
