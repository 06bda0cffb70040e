import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from encoder_atlas.deepview.neighbourhoods import (
    Agreement,
    agreement,
    agreement_of_ranks,
    classes_alone,
    neighbour_ranks,
    shuffled_within,
)
from encoder_atlas.errors import DataError, SettingsError

RNG = np.random.default_rng(11)


def literal_q_nn(a: np.ndarray, b: np.ndarray) -> list[float]:
    """The definition, word by word: for every k and point, sort all others and intersect."""
    n, shares = len(a), []
    for k in range(1, n):
        common = 0
        for i in range(n):
            others = [j for j in range(n) if j != i]
            near_a = sorted(others, key=lambda j, i=i: (float(np.linalg.norm(a[i] - a[j])), j))[:k]
            near_b = sorted(others, key=lambda j, i=i: (float(np.linalg.norm(b[i] - b[j])), j))[:k]
            common += len(set(near_a) & set(near_b))
        shares.append(common / (n * k))
    return shares


def co_ranking_q_nn(a: np.ndarray, b: np.ndarray) -> list[float]:
    """Lee and Verleysen's way: the block of the co-ranking matrix up to k."""
    ranks_a, ranks_b = neighbour_ranks(a), neighbour_ranks(b)
    n = len(a)
    counts = np.zeros((n, n), dtype=int)
    for i in range(n):
        for j in range(n):
            if i != j:
                counts[ranks_a[i, j], ranks_b[i, j]] += 1
    return [counts[1 : k + 1, 1 : k + 1].sum() / (n * k) for k in range(1, n)]


@pytest.mark.parametrize("n", [3, 4, 17])
def test_q_nn_equals_both_literal_twins(n: int) -> None:
    a = RNG.normal(size=(n, 6))
    b = a[:, :2] + RNG.normal(size=(n, 2))
    assert agreement(a, b).q_nn == pytest.approx(literal_q_nn(a, b))
    assert agreement(a, b).q_nn == pytest.approx(co_ranking_q_nn(a, b))


def test_q_nn_equals_the_definition_with_ties_and_duplicates() -> None:
    a = RNG.integers(0, 3, size=(15, 2)).astype(float)
    b = np.concatenate([a[5:], a[:5]])
    assert len(np.unique(a, axis=0)) < 15
    assert agreement(a, b).q_nn == pytest.approx(literal_q_nn(a, b))


def test_scikit_learn_finds_the_same_neighbours() -> None:
    a, b = RNG.normal(size=(60, 5)), RNG.normal(size=(60, 2))
    for k in (1, 7, 30, 59):
        near_a, near_b = (
            NearestNeighbors(n_neighbors=k).fit(points).kneighbors(return_distance=False) for points in (a, b)
        )
        common = [len(np.intersect1d(first, second)) for first, second in zip(near_a, near_b, strict=True)]
        assert agreement(a, b).q_nn[k - 1] == pytest.approx(np.mean(common) / k)


# On a line at 0 1 3 6 10, and with the last two places swapped. The others of each point, nearest first
# (point 2 of A is 3 away from points 0 and 3: the earlier row is nearer):
#   A  0: 1 2 3 4   1: 0 2 3 4   2: 1 0 3 4   3: 2 4 1 0   4: 3 2 1 0
#   B  0: 1 2 4 3   1: 0 2 4 3   2: 1 0 4 3   3: 4 2 1 0   4: 2 3 1 0
# So many of the first k are common: k = 1: 1 1 1 0 0; k = 2: 2 2 2 2 2; k = 3: 2 2 2 3 3; k = 4: all.
A = np.array([[0.0], [1], [3], [6], [10]])
B = np.array([[0.0], [1], [3], [10], [6]])


def test_five_points_by_hand() -> None:
    found = agreement(A, B)
    assert neighbour_ranks(A)[2].tolist() == [2, 1, 0, 3, 4]
    assert found.q_nn == pytest.approx([3 / 5, 1, 12 / 15, 1])
    assert found.baseline == pytest.approx([1 / 4, 2 / 4, 3 / 4, 1])
    assert found.lcmc == pytest.approx([0.35, 0.5, 0.05, 0])
    assert found.k_max == 2
    assert found.q_local == pytest.approx((0.6 + 1) / 2)
    assert found.auc == pytest.approx((0.6 + 1 + 0.8 + 1) / 4)
    r_nx = [(4 * 0.6 - 1) / 3, 1, (4 * 0.8 - 3) / 1]
    assert found.r_nx == pytest.approx(r_nx)
    assert found.auc_ln_k == pytest.approx(sum(r / k for k, r in enumerate(r_nx, 1)) / (1 + 1 / 2 + 1 / 3))


def test_the_released_notebook_by_hand() -> None:
    found = agreement(A, B, reading="released")
    assert found.baseline == pytest.approx([1 / 3, 2 / 3, 1, 4 / 3])
    assert found.k_max == 2
    assert found.q_local == pytest.approx(0.6 / 2), "Q(2) is left out, and the sum divided by 2 all the same"
    assert found.q_nn == pytest.approx(agreement(A, B).q_nn)


def test_the_zero_of_table_3_comes_from_an_empty_sum() -> None:
    """FT vs PT(1) prints K_max = 1 and Q_local = 0.00: so does any pair whose curve is highest at once."""
    q_nn = np.array([0.7, 0.6, 0.7, 0.8, 0.9, 1.0])
    released, ours = Agreement(q_nn, "released"), Agreement(q_nn)
    assert (released.k_max, released.q_local) == (1, 0.0)
    assert (ours.k_max, ours.q_local) == (1, 0.7)
    # MT vs PT(1) prints K_max = 2 and 0.08, which is half of Q(1): so Q(1) was 0.16.
    two = Agreement(np.array([0.16, 0.4, 0.4, 0.6, 0.8, 1.0]), "released")
    assert (two.k_max, two.q_local) == (2, pytest.approx(0.08))


@pytest.mark.parametrize("space", ["euclidean", "cosine"])
def test_equal_spaces_agree_wholly(space: str) -> None:
    points = RNG.normal(size=(30, 4))
    found = agreement(points, 3 * points, space)
    assert (found.q_nn == 1).all()
    assert found.lcmc == pytest.approx(1 - np.arange(1, 30) / 29)
    assert (found.k_max, found.q_local, found.auc) == (1, 1, 1)
    assert found.auc_ln_k == pytest.approx(1)


def test_unrelated_spaces_agree_by_chance() -> None:
    found = agreement(RNG.normal(size=(400, 5)), RNG.normal(size=(400, 5)))
    assert np.abs(found.lcmc).max() < 0.02
    assert found.auc == pytest.approx(400 / (2 * 399), abs=0.01)
    assert found.auc_ln_k == pytest.approx(0, abs=0.02)


def test_reversed_neighbourhoods_agree_as_little_as_can_be() -> None:
    ranks = neighbour_ranks(RNG.normal(size=(20, 3)))
    turned = np.where(ranks > 0, 20 - ranks, 0)
    ks = np.arange(1, 20)
    assert agreement_of_ranks(ranks, turned).q_nn == pytest.approx(np.maximum(0, 2 * ks - 19) / ks)


def test_a_point_is_not_its_own_neighbour_even_among_duplicates() -> None:
    ranks = neighbour_ranks(np.array([[1.0, 1], [1, 1], [1, 1], [4, 0]]))
    assert np.diag(ranks).tolist() == [0, 0, 0, 0]
    assert ranks[2].tolist() == [1, 2, 0, 3], "equal distances: the earlier row is nearer"
    assert (np.sort(ranks, axis=1) == np.arange(4)).all()


def test_distances_may_be_given() -> None:
    points = RNG.normal(size=(12, 3))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert (neighbour_ranks(distances, "precomputed") == neighbour_ranks(points)).all()


def test_the_order_of_the_points_makes_no_difference() -> None:
    a, b = RNG.normal(size=(25, 4)), RNG.normal(size=(25, 2))
    order = RNG.permutation(25)
    assert agreement(a[order], b[order]).q_nn == pytest.approx(agreement(a, b).q_nn)
    assert agreement(b, a).q_nn == pytest.approx(agreement(a, b).q_nn)


def test_shuffling_within_classes_keeps_the_classes_and_nothing_else() -> None:
    groups = np.repeat([0, 1], 50)
    points = RNG.normal(size=(100, 3)) + 50 * groups[:, None]
    ranks = neighbour_ranks(points)
    kept = agreement_of_ranks(ranks, shuffled_within(ranks, groups, seed=0))
    assert kept.q_nn[48] == 1, "the 49 others of the class are the 49 nearest in both"
    assert kept.q_nn[:10] == pytest.approx(np.arange(1, 11) / 49, abs=0.03)
    assert (shuffled_within(ranks, np.arange(100), seed=0) == ranks).all()


def test_classes_alone_is_what_shuffling_within_classes_gives() -> None:
    sizes = (60, 90, 150)
    groups = np.repeat([0, 1, 2], sizes)
    # Each class in a direction of its own and far out: seen from one class, the others' points lie in
    # whatever order chance gave them.
    far = 1000 * np.eye(3)[groups]
    ranks = neighbour_ranks(np.hstack([far, RNG.normal(size=(300, 5))]))
    found = [agreement_of_ranks(ranks, shuffled_within(ranks, groups, seed)).q_nn for seed in range(5)]
    small = slice(0, 59)
    assert np.mean(found, axis=0)[small] == pytest.approx(classes_alone(sizes).q_nn[small], abs=0.01)
    assert classes_alone(sizes).q_nn[-1] == pytest.approx(1)


def test_classes_alone_gives_the_numbers_that_the_paper_prints_for_mt_against_ft() -> None:
    found = classes_alone((250, 250))
    assert (round(found.q_local, 2), round(found.auc, 2)) == (0.50, 0.69)
    assert found.k_max == 249


def test_classes_alone_needs_classes() -> None:
    for sizes in ((5,), (1, 8)):
        with pytest.raises(DataError, match="at least two classes of at least two points"):
            classes_alone(sizes)


def test_frame_has_a_row_for_every_k() -> None:
    table = agreement(A, B).to_frame()
    assert list(table.columns) == ["k", "q_nn", "lcmc", "baseline"]
    assert table["k"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("a", "b", "space", "message"),
    [
        (A, B[:4], "euclidean", "the same points are needed in both spaces, but there are 5 and 4"),
        (A[:2], B[:2], "euclidean", "2 points are too few: at least 3"),
        (A, np.where(B == 3, np.nan, B), "euclidean", "NaN or infinity in row 2"),
        (A, B, "cosine", "length zero have no direction, in row 0"),
        (A, B, "precomputed", r"square matrix, not of shape \(5, 1\)"),
        (np.triu(np.ones((3, 3))), np.eye(3), "precomputed", "not symmetric"),
        (-np.eye(3), np.eye(3), "precomputed", "negative in rows 0, 1, 2"),
        (np.array([["a"], ["b"], ["c"]]), B[:3], "euclidean", "points must be numbers"),
    ],
)
def test_spaces_that_cannot_be_compared(a: np.ndarray, b: np.ndarray, space: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        agreement(a, b, space)


def test_names_that_mean_nothing() -> None:
    with pytest.raises(SettingsError, match="did you mean 'euclidean'"):
        neighbour_ranks(A, "euclid")
    with pytest.raises(SettingsError, match="did you mean 'released'"):
        agreement(A, B, reading="release")
