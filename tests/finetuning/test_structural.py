"""Structural probes: forward and losses against loops, and states that hold trees by construction."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from matplotlib.patches import Arc

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.finetuning import (
    LayerStates,
    StructuralSettings,
    linear_chain,
    plot_structural,
    plot_trees,
    probe_trees,
    structural_probes,
    structural_table,
)
from encoder_atlas.finetuning.structural_measures import tree_depths, tree_distances
from encoder_atlas.finetuning.structural_model import TreeData, TreeProbes
from encoder_atlas.text.layers import Sentence

LONGEST = 7
QUICK = StructuralSettings(rank=None, lr=0.03, epochs=25, batch_size=8)


def drawn(number: int, words: int, random: np.random.Generator) -> Sentence:
    """A sentence of unique words with a random tree."""
    heads, order = [0] * words, random.permutation(words)
    for place in range(1, words):
        heads[order[place]] = int(order[random.integers(place)]) + 1
    names = tuple(f"w{number}x{place}" for place in range(words))
    return Sentence(str(number), names, upos=("X",) * words, heads=tuple(heads), deprels=("x",) * words)


def made_states(sentences: list[Sentence]) -> LayerStates:
    """Layer 0 is noise. Layer 1 marks for each word the words on its way up: there ‖h_i - h_j‖² is the tree
    distance and ‖h_i‖² the depth. Each word has two pieces, whose mean is that vector."""
    random = np.random.default_rng(0)
    words = [word for sentence in sentences for word in sentence.words]
    marks = np.zeros((len(words), LONGEST), dtype=np.float32)
    row = 0
    for sentence in sentences:
        heads = sentence.heads
        assert heads is not None
        for word in range(len(heads)):
            up = word
            while heads[up]:
                marks[row, up] = 1
                up = heads[up] - 1
            row += 1
    off = random.normal(size=marks.shape).astype(np.float32)
    exact = np.stack([marks + off, marks - off], axis=1).reshape(-1, LONGEST)
    noise = random.normal(size=exact.shape).astype(np.float32)
    lengths = [len(sentence.words) for sentence in sentences]
    return LayerStates(
        states=np.stack([noise, exact]),
        word=np.repeat(np.arange(len(words)), 2),
        sentence=np.repeat(np.arange(len(sentences)), lengths),
        pieces=tuple(word for word in words for _ in range(2)),
        words=tuple(words),
    )


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    random = np.random.default_rng(1)
    return [drawn(number, int(random.integers(5, LONGEST + 1)), random) for number in range(90)]


def test_distances_depths_and_losses_equal_loops(sentences: list[Sentence]) -> None:
    some = [*sentences[:3], Sentence("one", ("w",), upos=("X",), heads=(0,), deprels=("root",))]
    random = np.random.default_rng(2)
    words = [random.normal(size=(2, len(s.words), 5)).astype(np.float32) for s in some]
    torch.manual_seed(0)
    net, data = TreeProbes(2, 5, 3), TreeData(some, words, torch.device("cpu"))
    trees = data.take([2, 0, 3, 1])
    apart, up = (found.detach().numpy() for found in net(trees.words))
    losses = np.zeros((2, 2))
    for row, number in enumerate([2, 0, 3, 1]):
        heads, length = some[number].heads, len(some[number].words)
        assert heads is not None
        for layer in range(2):
            a, b = (part[layer].detach().numpy() for part in (net.distance, net.depth))
            h = words[number][layer]
            for i in range(length):
                depth = ((h[i] @ b) ** 2).sum()
                assert up[layer, row, i] == pytest.approx(depth, abs=1e-5)
                losses[1, layer] += abs(depth - tree_depths(heads)[i]) / length / 4
                for j in range(length):
                    distance = (((h[i] - h[j]) @ a) ** 2).sum()
                    assert apart[layer, row, i, j] == pytest.approx(distance, abs=1e-5)
                    losses[0, layer] += abs(distance - tree_distances(heads)[i, j]) / length**2 / 4
    np.testing.assert_allclose(net.losses(trees).detach().numpy(), losses, rtol=1e-4)


@pytest.mark.parametrize("schedule", ["linear", "plateau"])
def test_trees_are_found_where_they_are_and_not_in_noise(sentences: list[Sentence], schedule: str) -> None:
    train, dev, test = sentences[:50], sentences[50:70], sentences[70:]
    how = QUICK.model_copy(update={"schedule": schedule})
    found = probe_trees(made_states(sentences), train, test, how, dev=dev, device="cpu")
    measures = found.to_frame()[["uuas", "root", "dspr", "nspr"]].to_numpy()
    assert (measures[1] > 0.9).all()
    # Not near 0: each row of distances holds the word's own 0, which noise too gets right.
    assert (measures[0] < 0.65).all()
    again = probe_trees(made_states(sentences), train, test, how, dev=dev, device="cpu")
    assert again.to_frame().equals(found.to_frame())


def test_an_encoder_is_probed_at_every_layer(sentences: list[Sentence]) -> None:
    encoder = load_encoder("tiny:bert")
    how = StructuralSettings(rank=4, epochs=2)
    found = structural_probes(encoder, sentences[:12], sentences[12:20], how, device="cpu")
    table = found.to_frame()
    assert list(table["layer"]) == [0, 1, 2] and set(table["name"]) == {"tiny:bert"}
    assert len(found.tree(7, 2)) == found.edges[7] == len(sentences[19].words) - 1


def test_what_cannot_be_probed_is_refused(sentences: list[Sentence]) -> None:
    encoder, some = load_encoder("tiny:bert"), sentences[:4]
    bare = replace(some[0], heads=None, deprels=None)
    with pytest.raises(DataError, match="'0' has no dependency tree"):
        structural_probes(encoder, some, [bare])
    with pytest.raises(DataError, match="sentences to learn from"):
        structural_probes(encoder, [], some)
    plateau = StructuralSettings(schedule="plateau")
    with pytest.raises(SettingsError, match="'plateau' needs dev"):
        probe_trees(made_states(some), some, some, plateau, device="cpu")
    with pytest.raises(DataError, match="no states of the sentence"):
        probe_trees(made_states(some), some, sentences[4:6], device="cpu")
    broken = replace(
        made_states(some), states=np.full((2, 2 * sum(len(s.words) for s in some), 7), np.nan, "f4")
    )
    with pytest.raises(SettingsError, match=r"loss of nan: lower lr \(0.003\)"):
        probe_trees(broken, some, some, device="cpu")


def test_trees_are_drawn_one_panel_each_right_and_wrong_apart(sentences: list[Sentence]) -> None:
    sentence = Sentence("s", ("$1", "is", "it"), upos=("X",) * 3, heads=(2, 0, 2), deprels=("x",) * 3)
    figure = plot_trees(sentence, {"Base": [(0, 1), (0, 2)], "tuned": [(0, 1), (2, 1)]})
    first, second = figure.axes
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["Base: 1 of 2 edges", "tuned: 2 of 2 edges"]
    styles = [[arc.get_linestyle() for arc in ax.patches if isinstance(arc, Arc)] for ax in (first, second)]
    assert styles == [["solid"] * 3 + ["dashed"], ["solid"] * 4]
    with pytest.raises(DataError, match=r"Base: edge \(0, 3\) is outside the 3 words of 's'"):
        plot_trees(sentence, {"Base": [(0, 3)]})
    with pytest.raises(DataError, match="no recovered tree"):
        plot_trees(sentence, {})


def test_layers_are_drawn_with_their_bands_and_the_chain(sentences: list[Sentence]) -> None:
    encoder = load_encoder("tiny:bert")
    found = structural_probes(encoder, sentences[:12], sentences[12:20], StructuralSettings(epochs=1))
    chain = linear_chain(sentences[12:20])
    axes = plot_structural({"Base": found}, chain).axes
    for ax, measure in zip(axes, ("uuas", "root", "dspr", "nspr"), strict=True):
        layers, dotted = ax.lines
        np.testing.assert_array_equal(layers.get_ydata(), found.to_frame()[measure])
        np.testing.assert_array_equal(dotted.get_ydata(), [chain.to_frame()[measure].item()] * 2)
    table = structural_table({"Base": found, "chain": chain})
    right, edges = chain.edges_right.sum(), chain.edges.sum()
    assert str(table.loc["chain", "UUAS"]).startswith(f"{100 * right / edges:.1f} [")
