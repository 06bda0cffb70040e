"""RSA against loops and independent libraries, its invariances, and what it refuses."""

from typing import Any

import numpy as np
import pytest
from rsatoolbox.data.dataset import Dataset
from rsatoolbox.rdm.calc import calc_rdm
from rsatoolbox.rdm.compare import compare
from scipy.stats import ortho_group, pearsonr

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import DataError, EncoderError
from encoder_atlas.finetuning import cka, rsa, rsa_by_text, token_sample
from encoder_atlas.finetuning.tokens import CLS, PIECE, SEP, states_at, token_rows

SENTENCES = [
    f"the {a} {b} saw a {c}" for a in ("old", "new") for b in ("cat", "dog") for c in ("house", "hat")
]


@pytest.fixture(scope="module")
def states() -> tuple[np.ndarray, np.ndarray]:
    """Two models whose layers are more and more unlike; all vectors lean one way, as in real encoders."""
    random = np.random.default_rng(0)
    base = random.normal(size=(3, 130, 12)) + 2.0
    moved = base + np.array([0.0, 0.5, 2.0])[:, None, None] * random.normal(size=base.shape)
    return base.astype(np.float32), moved.astype(np.float32)


def looped(a: np.ndarray, b: np.ndarray) -> float:
    """Every pair of points by itself."""
    a, b = a.astype(float), b.astype(float)
    cosine = lambda x, i, j: x[i] @ x[j] / np.sqrt(x[i] @ x[i]) / np.sqrt(x[j] @ x[j])  # noqa: E731
    pairs = [(i, j) for i in range(len(a)) for j in range(i)]
    found: Any = pearsonr([cosine(a, i, j) for i, j in pairs], [cosine(b, i, j) for i, j in pairs])
    return float(found.statistic)


def test_every_pair_by_itself(states: tuple[np.ndarray, np.ndarray]) -> None:
    expected = [looped(*layers) for layers in zip(*states, strict=True)]
    np.testing.assert_allclose(rsa(*states), expected, atol=1e-9)


def test_rsatoolbox_agrees(states: tuple[np.ndarray, np.ndarray]) -> None:
    # It has no cosine kernel; on rows whose mean is zero its correlation distance is one minus the cosine.
    centred = [x.astype(float) - x.mean(axis=2, keepdims=True, dtype=float) for x in states]
    for layer, found in enumerate(rsa(*centred)):
        rdms: list[Any] = [calc_rdm(Dataset(x[layer]), method="correlation") for x in centred]
        assert found == pytest.approx(compare(rdms[0], rdms[1], method="corr").item(), abs=1e-6)


def test_blocks_make_no_difference(
    states: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rsa(*states)
    monkeypatch.setattr("encoder_atlas.finetuning.similarity.BLOCK", 7)
    np.testing.assert_allclose(rsa(*states), whole, atol=1e-12)


def test_by_hand() -> None:
    # Cosines in a: 0, 1/√2, 1/√2; in b: 1/√2, 0, 1/√2. Their deviations from the mean are (−2, 1, 1) and
    # (1, −2, 1) in the same unit: (−2 − 2 + 1) / 6.
    a = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    b = np.array([[[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]]])
    assert rsa(a, b) == pytest.approx([-0.5])


def test_turning_and_scaling_change_nothing(states: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = (x.astype(float) for x in states)
    rotation = ortho_group.rvs(12, random_state=1)
    np.testing.assert_allclose(rsa(a, a), 1, atol=1e-12)
    np.testing.assert_allclose(rsa(a, -3.5 * a @ rotation), 1, atol=1e-9)
    np.testing.assert_allclose(rsa(0.1 * a @ rotation, b), rsa(a, b), atol=1e-9)
    lengths = np.random.default_rng(2).uniform(0.1, 9, size=(3, 130, 1))  # cosines know no lengths
    np.testing.assert_allclose(rsa(lengths * a, b), rsa(a, b), atol=1e-9)
    stretched = a * np.linspace(0.1, 5, 12)
    assert (rsa(stretched, a) < 0.99).all()


def test_nearly_parallel_vectors_keep_their_digits() -> None:
    # In the upper layers of BERT cosines lie between .95 and 1: sums of squares then cancel.
    random = np.random.default_rng(3)
    a = (random.normal(size=(1, 80, 10)) * 0.01 + 5).astype(np.float32)
    b = a + (0.005 * random.normal(size=a.shape)).astype(np.float32)
    assert rsa(a, b)[0] == pytest.approx(looped(a[0], b[0]), abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("zero", "the second model, layer 2: the vector of point 5 is zero and has no cosine: leave it out"),
        ("nan", "the first model, layer 1: the vector of point 4 is not finite"),
        ("few", "2 points: at least 3 are needed"),
        (
            "points",
            "must be seen at the same points: they have 3 layers × 130 points and 3 layers × 129 points",
        ),
        ("same", "the second model, layer 0: all pairs of points are equally alike"),
    ],
)
def test_what_cannot_be_compared(states: tuple[np.ndarray, np.ndarray], change: str, message: str) -> None:
    a, b = (x.copy() for x in states)
    if change == "zero":
        b[2, 5] = 0
    elif change == "nan":
        a[1, 4, 3] = np.nan
    elif change == "few":
        a, b = a[:, :2], b[:, :2]
    elif change == "points":
        b = b[:, 1:]
    else:
        b[:] = b[:, :1]
    with pytest.raises(DataError, match=message):
        rsa(a, b)


@pytest.fixture(scope="module")
def base() -> Encoder:
    return load_encoder("tiny:bert")


@pytest.fixture(scope="module")
def other() -> Encoder:
    return load_encoder("tiny:bert", seed=1)


def test_a_sample_holds_each_piece_once_and_no_special_token(base: Encoder) -> None:
    rows = token_rows(base, SENTENCES)
    pieces = int((rows.kind == PIECE).sum())
    every = token_sample(rows, pieces, seed=0)
    assert sorted(every) == np.flatnonzero(rows.kind == PIECE).tolist()
    ids = np.array([i for row in rows.ids for i in row])
    special = base.tokenizer.all_special_ids
    assert not np.isin(ids[every], special).any()
    assert token_sample(rows, 9, seed=0).tolist() == every[:9].tolist()
    assert token_sample(rows, 9, seed=1).tolist() != every[:9].tolist()
    with pytest.raises(
        DataError, match=f"{pieces + 1} tokens cannot be drawn from the text, which has {pieces}"
    ):
        token_sample(rows, pieces + 1, seed=0)


@pytest.mark.parametrize("kind", ["bert", "roberta", "gpt2", "deberta-v2"])
def test_states_are_those_of_each_text_alone(kind: str) -> None:
    encoder = load_encoder(f"tiny:{kind}")
    texts = ["a cat", "the old dog saw a very long house", "hats"]
    rows = token_rows(encoder, texts)
    found = states_at(encoder, rows, np.arange(len(rows.row)), batch_size=2)
    alone = [
        encoder.model(**encoder.tokenize([text]), output_hidden_states=True).hidden_states for text in texts
    ]
    expected = [np.concatenate([one[layer][0].detach().numpy() for one in alone]) for layer in range(3)]
    np.testing.assert_allclose(found, np.stack(expected), atol=1e-5)


def test_kinds_of_texts(base: Encoder) -> None:
    alone, pairs, words = (
        token_rows(base, texts)
        for texts in (["a cat saw it"], [("a cat", "saw it")], [["a", "cat", "saw", "it"]])
    )
    assert alone.words == pairs.words == words.words == ("a", "cat", "saw", "it")
    assert pairs.texts == ("a cat | saw it",)
    assert alone.ids == words.ids
    assert sum(pairs.types[0]) > 0, "the second of a pair has token type 1"
    assert [(rows.kind == SEP).sum() for rows in (alone, pairs, words)] == [1, 2, 1]
    assert [(rows.kind == CLS).sum() for rows in (alone, pairs, words)] == [1, 1, 1]
    # "cat" is two pieces, "##t" the second.
    assert alone.word[alone.kind == PIECE].tolist() == [0, 1, 1, 2, 2, 3]


def test_long_texts_are_refused_cut_when_asked_or_windowed(base: Encoder) -> None:
    long = "cat " * 90
    with pytest.raises(
        DataError, match=r"'news' holds a text of 182 tokens .* takes 128: split it, or give max"
    ):
        token_rows(base, ["a cat", long], name="'news'")
    assert [len(ids) for ids in token_rows(base, ["a cat", long], max_length=20).ids] == [5, 20]
    windows = token_rows(base, [["cat"] * 90])
    assert len(windows.ids) > 1 and (windows.kind == PIECE).sum() == 180


def test_texts_that_cannot_be_read(base: Encoder) -> None:
    for texts, message in (
        ([], "the text holds no sentence"),
        (["a", ("a", "b")], "mixes pairs and sentences"),
        ([("a", "cat", "saw")], r"\(tuple\): a text is a string, a pair .* or a list of words"),
        (["a", " "], "holds ' ', which is empty in part"),
    ):
        with pytest.raises(DataError, match=message):
            token_rows(base, texts)


def test_by_text_is_rsa_of_the_sampled_states(base: Encoder, other: Encoder) -> None:
    texts = {"plain": SENTENCES, "pairs": list(zip(SENTENCES, SENTENCES[::-1], strict=True))}
    found = rsa_by_text(
        base, {"same": base, "other": other}, texts, tokens=30, samples=2, seed=4, special=True
    )
    columns = ["model", "text", "tokens", "sample", "points", "layer", "similarity", "cka"]
    assert found.columns.tolist() == columns
    np.testing.assert_allclose(found.query("model == 'same'")["similarity"], 1, atol=1e-9)
    rows = token_rows(base, texts["pairs"])
    for sample in (0, 1):
        points = token_sample(rows, 30, seed=4 + sample)
        pair = states_at(base, rows, points), states_at(other, rows, points)
        own = found.query("model == 'other' and text == 'pairs' and tokens == 'pieces' and sample == @sample")
        assert own["layer"].tolist() == [0, 1, 2]
        np.testing.assert_allclose(own["similarity"], rsa(*pair), atol=1e-6)
        np.testing.assert_allclose(own["cka"], cka(*pair), atol=1e-6)
    special = found.query("model == 'other' and text == 'pairs' and tokens != 'pieces'")
    # All eight [CLS] make one sample; the sixteen [SEP] too.
    assert special.groupby("tokens")["points"].agg(["size", "first"]).values.tolist() == [[2, 8], [2, 16]]


def test_models_that_do_not_fit(base: Encoder) -> None:
    with pytest.raises(DataError, match="RSA needs models, texts and samples"):
        rsa_by_text(base, {}, {"a": SENTENCES})
    stranger = load_encoder("tiny:bert")
    stranger.tokenizer.add_tokens(["cats"])
    with pytest.raises(EncoderError, match="stranger has other tokens than the base"):
        rsa_by_text(base, {"stranger": stranger}, {"a": SENTENCES}, tokens=9)
    with pytest.raises(DataError, match="5000 tokens cannot be drawn from text 'short'"):
        rsa_by_text(base, {"same": base}, {"short": SENTENCES})
