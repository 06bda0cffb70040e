"""DSE, CRA and their fits by hand, against loops, and against scipy on the paper's own pairs."""

import inspect
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.printed import printed_dissociation
from encoder_atlas.specialization.similarity import cra, dse, fit_frame, fit_similarity

POINTS = {
    "a": np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]]),
    "b": np.array([[2.0, 0.0], [1.0, 0.0], [-3.0, -4.0]]),
}


def test_dse_by_hand() -> None:
    # Cosines 1, 0 and -1.
    assert dse(POINTS).to_numpy().tolist() == [[1, 0], [0, 1]]


def test_dse_against_a_loop() -> None:
    random = np.random.default_rng(0)
    points = {task: random.normal(size=(7, 5)).astype(np.float32) for task in "abc"}
    for a, b in combinations("abc", 2):
        cosines = [
            float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))
            for x, y in zip(points[a], points[b], strict=True)
        ]
        assert dse(points).loc[a, b] == pytest.approx(np.mean(cosines), abs=1e-6)
        assert dse(points).loc[b, a] == dse(points).loc[a, b]


def test_cra_by_hand() -> None:
    line = {"a": np.array([[0.0], [1.0], [3.0]]), "b": np.array([[0.0], [-2.0], [1.0]])}
    # Distances (1, 3, 2) and (2, 1, 3) of the pairs 12, 13, 23: ranks agree in none, r = -0.5.
    assert cra(line, "euclidean").loc["a", "b"] == pytest.approx(-0.5)
    assert cra(line, "euclidean", "cosine").loc["a", "b"] == pytest.approx((2 + 3 + 6) / 14)


@pytest.mark.parametrize("second", ["spearman", "pearson"])
def test_cra_against_loops_over_pairs_of_sentences(second: str) -> None:
    random = np.random.default_rng(1)
    points = {task: random.normal(size=(6, 8)) for task in "ab"}
    vectors = {
        task: [1 - np.corrcoef(rows[i], rows[j])[0, 1] for i, j in combinations(range(6), 2)]
        for task, rows in points.items()
    }
    if second == "spearman":
        vectors = {task: np.argsort(np.argsort(values)).tolist() for task, values in vectors.items()}
    expected = np.corrcoef(vectors["a"], vectors["b"])[0, 1]
    assert cra(points, second=second).loc["a", "b"] == pytest.approx(expected)  # pyright: ignore[reportArgumentType]


def test_turning_the_axes_changes_dse_and_not_cra() -> None:
    rows = np.random.default_rng(2).normal(size=(20, 4))
    turned = {"a": rows, "b": rows @ np.linalg.qr(np.random.default_rng(3).normal(size=(4, 4)))[0]}
    assert cra(turned, "euclidean").loc["a", "b"] == pytest.approx(1)
    assert dse(turned).to_numpy()[0, 1] < 0.9


def test_a_fit_on_the_papers_pairs_is_scipys() -> None:
    pairs = printed_dissociation().pairs()
    random = np.random.default_rng(0)
    tasks = list(printed_dissociation().tasks)
    noise = random.normal(size=(5, 5))
    similarity = pd.DataFrame(noise + noise.T, index=tasks, columns=tasks)
    fit = fit_similarity(similarity, pairs, "made up")
    expected = pearsonr(fit.pairs["similarity"], pairs["d"])
    assert (fit.r, fit.p) == pytest.approx(tuple(expected))
    assert fit.low < fit.r < fit.high
    x = fit.pairs["similarity"].to_numpy()
    slope, intercept = np.polyfit(x, pairs["d"].to_numpy(), 1)
    assert (fit.slope, fit.intercept) == pytest.approx((slope, intercept))
    assert fit_frame([fit])["pairs"].tolist() == [10]


def test_similarity_that_falls_with_dissociation() -> None:
    pairs = printed_dissociation().pairs()
    tasks = list(printed_dissociation().tasks)
    similarity = pd.DataFrame(np.eye(5), index=tasks, columns=tasks)
    for row in pairs.to_dict(orient="records"):
        similarity.loc[row["a"], row["b"]] = similarity.loc[row["b"], row["a"]] = 1 - row["d"] / 20
    fit = fit_similarity(similarity, pairs, "perfect")
    assert fit.r == pytest.approx(-1)
    assert fit.slope == pytest.approx(-20) and fit.intercept == pytest.approx(20)
    # Of 120 ways to rename the tasks only the true one does as well.
    assert fit.p_mantel == pytest.approx(1 / 120)
    # One-sided: where it is as strong the other way round, all ways have an r at least as negative.
    assert fit_similarity(1 - similarity, pairs, "the other way").p_mantel == 1


def test_what_cannot_be_compared() -> None:
    with pytest.raises(SettingsError, match=r"two tasks or more, not \['a'\]"):
        dse({"a": POINTS["a"]})
    with pytest.raises(DataError, match=r"'b' has representations of shape \(2, 2\), 'a' of \(3, 2\)"):
        dse({"a": POINTS["a"], "b": POINTS["b"][:2]})
    with pytest.raises(DataError, match="a: sentence 1 has a zero vector"):
        dse({"a": np.array([[1.0, 0.0], [0.0, 0.0]]), "b": POINTS["b"][:2]})
    with pytest.raises(DataError, match="b: the vector of sentence 2 is not finite"):
        dse({**POINTS, "b": np.where(POINTS["b"] < -3, np.nan, POINTS["b"])})
    with pytest.raises(DataError, match="2 sentences: at least 3 are needed"):
        cra({task: rows[:2] for task, rows in POINTS.items()})
    with pytest.raises(DataError, match="no differing euclidean distances"):
        cra({"a": np.ones((3, 2)), "b": POINTS["b"]}, "euclidean")
    with pytest.raises(SettingsError, match="CRA does not know 'cosin'; did you mean 'cosine'"):
        inspect.unwrap(cra)(POINTS, "cosin")


def test_what_cannot_be_fitted() -> None:
    pairs = printed_dissociation().pairs()
    tasks = list(printed_dissociation().tasks)
    same = pd.DataFrame(np.ones((5, 5)), index=tasks, columns=tasks)
    with pytest.raises(DataError, match="three pairs of tasks or more, and not all alike"):
        fit_similarity(same, pairs, "constant")
    with pytest.raises(DataError, match="three pairs of tasks or more"):
        fit_similarity(same, pairs.iloc[:2], "two")
    with pytest.raises(DataError, match="no similarity was measured for 'SST-2'"):
        fit_similarity(same.iloc[:4, :4], pairs, "four")
