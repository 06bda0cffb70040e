"""The parser against scores and losses written out, its trees, and attachment against another evaluator."""

import importlib.util
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from encoder_atlas.errors import DataError
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.formats.conllu import read_conllu
from encoder_atlas.text.layers import Sentence
from encoder_atlas.training.decoders import DecoderSettings, DependencyDecoder, attachment
from encoder_atlas.training.decoders.dependencies import are_trees

WIDTH = 6
LABELS = ["det", "nsubj", "root"]
MASK = torch.tensor([[True, True, True], [True, False, False]])
SENTENCES = [
    Sentence("a", ("the", "dog", "barks"), heads=(2, 3, 0), deprels=("det", "nsubj", "root")),
    Sentence("b", ("Yes",), heads=(0,), deprels=("discourse",)),
]

Tree = Literal["maximum", "projective", "greedy"]


def parser(tree: Tree = "maximum", seed: int = 0) -> DependencyDecoder:
    torch.manual_seed(seed)
    made = DependencyDecoder(WIDTH, LABELS, DecoderSettings(arc_width=5, label_width=4, tree=tree))
    for biaffine in (made.arcs, made.relations):
        torch.nn.init.normal_(biaffine.weight)
    return made.eval()


def vectors(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, WIDTH, generator=torch.Generator().manual_seed(seed))


def literal_arc(made: DependencyDecoder, dependent: torch.Tensor, head: torch.Tensor) -> float:
    a = torch.cat([made.arc_dependent[:2](dependent), torch.ones(1)])
    return float(a @ made.arcs.weight[0] @ made.arc_head[:2](head))


def literal_relation(
    made: DependencyDecoder, dependent: torch.Tensor, head: torch.Tensor, label: int
) -> float:
    a = torch.cat([made.label_dependent[:2](dependent), torch.ones(1)])
    b = torch.cat([made.label_head[:2](head), torch.ones(1)])
    return float(a @ made.relations.weight[label] @ b)


@torch.no_grad()
def test_scores_are_those_of_every_pair_by_itself() -> None:
    made, states = parser(), vectors(2, 3)
    arcs = made.arc_scores(states, MASK)
    for row, words in enumerate((3, 1)):
        nodes = [made.root, *states[row]]
        for word in range(words):
            for head in range(words + 1):
                if head == word + 1:
                    assert arcs[row, word, head] == -torch.inf
                else:
                    expected = literal_arc(made, states[row, word], nodes[head])
                    assert arcs[row, word, head].item() == pytest.approx(expected, abs=1e-5)
    assert (arcs[1, 0, 2:] == -torch.inf).all()


@torch.no_grad()
def test_the_loss_written_out() -> None:
    """Heads of all four words; relations of three, as "discourse" is unknown."""
    made, states = parser(), vectors(2, 3)
    arcs = made.arc_scores(states, MASK)
    rows = [(0, word, head) for word, head in enumerate((2, 3, 0))] + [(1, 0, 0)]
    expected = sum(
        float(cross_entropy(arcs[row, word][None], torch.tensor([head]))) for row, word, head in rows
    )
    named = 0.0
    for word, (head, label) in enumerate(((2, 0), (3, 1), (0, 2))):
        node = states[0, head - 1] if head else made.root
        logits = torch.tensor([[literal_relation(made, states[0, word], node, i) for i in range(3)]])
        named += float(cross_entropy(logits, torch.tensor([label])))
    loss = made.loss(states, MASK, made.targets(SENTENCES))
    assert loss.item() == pytest.approx(expected / 4 + named / 3, abs=1e-5)


def test_padding_changes_no_gradient() -> None:
    made, states = parser(), vectors(2, 3).requires_grad_()
    targets = made.targets(SENTENCES)
    (gradient,) = torch.autograd.grad(made.loss(states, MASK, targets), states)
    assert gradient.isfinite().all() and not gradient[1, 1:].any()
    other = states.detach().clone()
    other[1, 1:] = 7.0
    assert torch.allclose(made.loss(other, MASK, targets), made.loss(states, MASK, targets))


@pytest.mark.parametrize("tree", ["maximum", "projective"])
def test_what_is_read_out_is_a_tree_with_one_root(tree: Tree) -> None:
    lengths = torch.randint(1, 12, (40,), generator=torch.Generator().manual_seed(0))
    mask = torch.arange(12) < lengths[:, None]
    found = parser(tree).decode(vectors(40, 12), mask)
    sentences = tuple(Sentence(str(i), ("x",) * len(own["heads"]), **own) for i, own in enumerate(found))
    assert [len(one.words) for one in sentences] == lengths.tolist()
    AnnotatedCorpus("trees", {"train": sentences}, "Trees that a parser made.")  # refuses what is no tree


def test_greedy_takes_each_words_best_head() -> None:
    made, states = parser("greedy"), vectors(5, 9)
    mask = torch.ones(5, 9, dtype=torch.bool)
    found = made.decode(states, mask)
    assert [own["heads"] for own in found] == [
        tuple(row) for row in made.arc_scores(states, mask).argmax(-1).tolist()
    ]


def test_greedy_heads_that_make_a_tree_are_the_best_tree() -> None:
    """Where each word's best head makes a tree no other is better, and no search is needed."""
    heads = torch.tensor([[2, 0, 2, 0], [2, 1, 0, 0], [0, 0, 0, 0], [0, 1, 2, 3], [0, 0, 1, 0]])
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 0]]).bool()
    assert are_trees(heads, mask).tolist() == [True, False, True, True, False]
    deep = torch.arange(100)[None]  # a chain as deep as it is long
    assert are_trees(deep, torch.ones(1, 100, dtype=torch.bool)).all()
    assert not are_trees(deep.roll(-1) + 1, torch.ones(1, 100, dtype=torch.bool)).any()


def test_attachment_by_hand() -> None:
    """Words 1 and 3 have the right head; of these 1 has the right relation but for its subtype."""
    gold = Sentence("a", ("x", "y", "z"), heads=(2, 0, 2), deprels=("nsubj:pass", "root", "obj"))
    found = replace(gold, heads=(2, 1, 2), deprels=("nsubj", "root", "iobj"))
    right = attachment(gold, found)
    assert right["uas"].tolist() == [True, False, True]
    assert right["las"].tolist() == [True, False, False]
    assert attachment(gold, found, subtypes=True)["las"].tolist() == [False, False, False]
    assert parser().score([gold], [found]) == {"uas": pytest.approx(2 / 3), "las": pytest.approx(1 / 3)}


@pytest.mark.parametrize(
    ("heads", "message"), [((2, 1), "head 0"), ((0, 0), "exactly one root"), ((2, 3, 2, 0), "circle")]
)
def test_gold_trees_that_are_none_are_refused(heads: tuple[int, ...], message: str) -> None:
    sentence = Sentence("a", ("x",) * len(heads), heads=heads, deprels=("dep",) * len(heads))
    with pytest.raises(DataError, match=message):
        AnnotatedCorpus("bad", {"train": (sentence,)}, "Not a tree.")


def other_evaluator() -> ModuleType:
    """The evaluation script of CoNLL 2018 as the package stanza carries it; stanza itself is not imported."""
    try:
        files = distribution("stanza").files or []
    except PackageNotFoundError:
        pytest.skip("needs the evaluation script of CoNLL 2018: pip install --no-deps stanza")
    (path,) = (file for file in files if file.name == "conll18_ud_eval.py")
    spec = importlib.util.spec_from_file_location("conll18_ud_eval", str(path.locate()))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_conllu(sentences: tuple[Sentence, ...] | list[Sentence]) -> str:
    return "".join(
        "".join(
            f"{i}\t{word}\t_\tX\t_\t_\t{head}\t{deprel}\t_\t_\n"
            for i, (word, head, deprel) in enumerate(
                zip(one.words, one.heads or (), one.deprels or (), strict=True), start=1
            )
        )
        + "\n"
        for one in sentences
    )


@pytest.mark.real
def test_scores_are_those_of_the_shared_tasks_own_script(real_data: Path, tmp_path: Path) -> None:
    """All 2,001 sentences of EWT dev against trees in which heads and relations were changed."""
    evaluator = other_evaluator()
    gold = read_conllu(real_data / "ewt" / "en_ewt-ud-dev.conllu")
    random = np.random.default_rng(0)
    found = [disturbed(sentence, random) for sentence in gold]
    for name, sentences in (("gold", gold), ("found", found)):
        (tmp_path / name).write_text(as_conllu(sentences), encoding="utf-8")
    theirs = evaluator.evaluate(
        *(evaluator.load_conllu_file(str(tmp_path / name)) for name in ("gold", "found"))
    )
    ours = parser().score(gold, found)
    assert 0.5 < ours["las"] < ours["uas"] < 0.95
    assert ours["uas"] == pytest.approx(theirs["UAS"].f1, abs=1e-12)
    assert ours["las"] == pytest.approx(theirs["LAS"].f1, abs=1e-12)


def disturbed(sentence: Sentence, random: np.random.Generator) -> Sentence:
    """A third of the words without dependents get another head; relations change or lose subtypes."""
    heads, n = list(sentence.heads or ()), len(sentence.words)
    leaves = set(range(1, n + 1)) - set(heads)
    inner = sorted(set(range(1, n + 1)) - leaves)
    for word in sorted(leaves):
        if inner and random.random() < 0.33:
            heads[word - 1] = int(random.choice(inner))
    relations = [
        str(random.choice(["nsubj", "obl:tmod", "nmod"])) if random.random() < 0.2 else one.partition(":")[0]
        for one in sentence.deprels or ()
    ]
    return replace(sentence, heads=tuple(heads), deprels=tuple(relations))
