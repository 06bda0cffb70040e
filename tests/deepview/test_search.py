"""One manipulated sentence among many: what is drawn, how it is counted, what is told of it."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import entr
from sklearn.linear_model import LogisticRegression

from encoder_atlas.deepview import DeepView, DeepViewSettings
from encoder_atlas.deepview.classifier import as_classifier
from encoder_atlas.deepview.game import search_game
from encoder_atlas.deepview.regions import rank_points
from encoder_atlas.deepview.search import AdversarialSearch, Find, adversarial_search, hide
from encoder_atlas.deepview.search_report import (
    plot_search,
    search_curve,
    search_effect,
    search_savings,
    search_summary,
)
from encoder_atlas.errors import DataError, SettingsError

Blobs = tuple[np.ndarray, np.ndarray]
SMALL: dict[str, Any] = {"draws": 2, "sample_size": 30}


@pytest.fixture(scope="module")
def found(blobs: Blobs, logistic: LogisticRegression, small_settings: DeepViewSettings) -> AdversarialSearch:
    """Three searches for one of the last two points."""
    how: dict[str, Any] = {"adversarial": [58, 59], "made_from": [3, 4], "draws": 3, "sample_size": 30}
    return adversarial_search(logistic, blobs[0], small_settings, **how)


def test_every_draw_hides_another_and_counts_within_the_sample(found: AdversarialSearch) -> None:
    hidden = [find.hidden for find in found.finds]
    assert set(hidden[:2]) == {58, 59}
    assert hidden[2] == hidden[0], "two in turn for three draws"
    table = found.to_frame()
    assert list(table.columns) == ["draw", "order", "read", "points", "hidden", "region"]
    assert table["order"].tolist() == ["map", "entropy", "random"] * 3
    assert table["read"].between(1, 30).all()
    assert set(table.query("order == 'random'")["read"]) == {15.5}


def test_counts_equal_those_of_a_map_drawn_by_deepview(
    blobs: Blobs,
    logistic: LogisticRegression,
    small_settings: DeepViewSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    samples = []
    monkeypatch.setattr(
        "encoder_atlas.deepview.search.rank_points",
        lambda shown, *how: samples.append(shown) or rank_points(shown, *how),
    )
    search = adversarial_search(logistic, blobs[0], small_settings, adversarial=[59], **SMALL)
    monkeypatch.undo()
    for draw, (find, shown) in enumerate(zip(search.finds, samples, strict=True)):
        # The sample, drawn again by hand: 29 of the pool without replacement, shuffled together with row 59.
        others = np.random.default_rng([0, draw]).choice(np.arange(59), 29, replace=False)
        rows = np.random.default_rng([0, draw]).permutation(np.append(others, 59))
        at = list(rows).index(59)
        frame = DeepView(logistic, small_settings).fit(blobs[0][rows], show_progress=False).frame(1.0)
        assert np.array_equal(frame.embedding, shown.embedding), "without the paths the map is the same"
        assert np.array_equal(frame.grid_certainty, shown.grid_certainty)
        assert find.by_map == rank_points(frame).reads(at)
        entropy = entr(as_classifier(logistic).probabilities(blobs[0][rows])).sum(axis=1)
        assert find.by_entropy == 1 + int((entropy > entropy[at]).sum())


def test_the_same_seed_finds_the_same_and_other_blends_can_be_searched(
    blobs: Blobs, logistic: LogisticRegression, small_settings: DeepViewSettings
) -> None:
    how: dict[str, Any] = {"adversarial": [59], "lambda_": 0.5, **SMALL}
    first, again = (adversarial_search(logistic, blobs[0], small_settings, **how) for _ in range(2))
    other = adversarial_search(logistic, blobs[0], small_settings, seed=1, **how)
    assert first == again != other


def test_many_points_are_searched_by_their_nearest_alone(
    blobs: Blobs, logistic: LogisticRegression, small_settings: DeepViewSettings
) -> None:
    nearest = small_settings.model_copy(update={"neighbour_route": "nearest"})
    search = adversarial_search(logistic, blobs[0], nearest, adversarial=[59], **SMALL)
    rows = [sample for _, sample in hide(blobs[0], [59], None, 2, 30, seed=0)]
    for find, sample in zip(search.finds, rows, strict=True):
        frame = DeepView(logistic, nearest).fit(blobs[0][sample], show_progress=False).frame(1.0)
        assert find.by_map == rank_points(frame).reads(list(sample).index(59))


def test_the_sentence_it_was_made_from_is_left_out(
    blobs: Blobs, logistic: LogisticRegression, small_settings: DeepViewSettings
) -> None:
    # 59 points are left beside the hidden one, 58 without its source: a sample of 60 needs all 59.
    whole: dict[str, Any] = {"adversarial": [59], "draws": 2, "sample_size": 60}
    adversarial_search(logistic, blobs[0], small_settings, **whole)
    with pytest.raises(DataError, match="a sample of 59 is wanted, but there are only 58"):
        adversarial_search(logistic, blobs[0], small_settings, made_from=[3], **whole)


@pytest.mark.parametrize(
    ("message", "changes", "error"),
    [
        ("no adversarial sentence to hide", {"adversarial": []}, DataError),
        ("row 60 does not exist: there are 60 points", {"adversarial": [60]}, DataError),
        ("row -1 does not exist", {"made_from": [-1]}, DataError),
        ("made_from names 2 rows for 1 adversarial", {"made_from": [1, 2]}, DataError),
        ("draws=1: an interval needs at least two", {"draws": 1}, SettingsError),
        ("lambda_=2.0 is outside", {"lambda_": 2.0}, SettingsError),
        ("threshold=-1 is no certainty", {"threshold": -1.0}, SettingsError),
        ("n_neighbors=10 needs more than 10 points", {"sample_size": 9}, SettingsError),
    ],
)
def test_bad_input(
    blobs: Blobs,
    logistic: LogisticRegression,
    small_settings: DeepViewSettings,
    message: str,
    changes: dict[str, Any],
    error: type[Exception],
) -> None:
    how: dict[str, Any] = {"adversarial": [59], **SMALL} | changes
    with pytest.raises(error, match=message):
        adversarial_search(logistic, blobs[0], small_settings, **how)


def worked() -> pd.DataFrame:
    """Four draws among 19 sentences, made up: the map reads 1, 3, 8, 12, entropy 2, 6, 6, 18."""
    reads = zip((1, 3, 8, 12), (2, 6, 6, 18), strict=True)
    return AdversarialSearch(19, tuple(Find(0, 1, *read) for read in reads)).to_frame()


def test_summary_by_hand() -> None:
    summary = search_summary(worked())
    assert summary.index.tolist() == ["map", "entropy", "random"]
    assert summary["mean"].tolist() == [6, 8, 10]
    assert summary["median"].tolist() == [5.5, 6, 10]
    assert summary["within 5"].tolist() == pytest.approx([0.5, 0.25, 5 / 19])
    assert summary["within 10"].tolist() == pytest.approx([0.75, 0.75, 10 / 19])
    assert summary["within 20"].tolist() == [1, 1, 1]
    assert summary.loc["map", "low"] < 6 < summary.loc["map", "high"]
    assert summary.loc["random", ["low", "high"]].tolist() == [10, 10]


def test_savings_are_paired_by_draw() -> None:
    savings = search_savings(worked())
    # Against entropy: 1, 3, -2, 6; against random: 9, 7, 2, -2.
    assert savings["mean"].to_dict() == {"entropy": 2, "random": 4}
    assert savings.loc["entropy", "low"] >= -2
    assert savings.loc["entropy", "high"] <= 6
    shuffled = search_savings(worked().sample(frac=1, random_state=0))
    pd.testing.assert_frame_equal(shuffled, savings)


def test_the_effect_of_the_attack_is_paired_by_draw() -> None:
    before = AdversarialSearch(19, tuple(Find(0, 1, 4, 10) for _ in range(4))).to_frame()
    effect = search_effect(worked(), before)
    # By the map 4 - 1, 4 - 3, 4 - 8, 4 - 12; by entropy 10 - 2, 10 - 6, 10 - 6, 10 - 18.
    assert effect["mean"].to_dict() == {"map": -2, "entropy": 2}
    assert effect.loc["map", "low"] >= -8
    with pytest.raises(DataError, match="the same number of draws"):
        search_effect(worked(), before.query("draw < 3"))


def test_unchanged_copies_meet_the_same_company(
    blobs: Blobs, logistic: LogisticRegression, small_settings: DeepViewSettings
) -> None:
    points = np.concatenate([blobs[0], blobs[0][:4] + 1, blobs[0][:4]])
    common: dict[str, Any] = {"made_from": [0, 1, 2, 3], "draws": 3, "sample_size": 30, "seed": 0}
    attacked, unchanged = points[:64], points[[*range(60), *range(64, 68)]]
    first, second = (list(hide(rows, [60, 61, 62, 63], **common)) for rows in (attacked, unchanged))
    for (hidden, sample), (twin, company) in zip(first, second, strict=True):
        assert hidden == twin
        assert np.array_equal(sample, company)
        assert hidden - 60 not in sample


def test_a_game_is_one_draw_of_the_search(
    blobs: Blobs, logistic: LogisticRegression, small_settings: DeepViewSettings
) -> None:
    texts, labels = [f"text {i}" for i in range(60)], blobs[1].astype(np.int64)
    how: dict[str, Any] = {"adversarial": [58, 59], "made_from": [3, 4], "sample_size": 30}
    search = adversarial_search(logistic, blobs[0], small_settings, draws=3, **how)
    for draw in (0, 2):
        game = search_game(
            logistic, blobs[0], texts, labels, ["a", "b", "c"], small_settings, draw=draw, **how
        )
        assert game.texts[game.hidden] == f"text {search.finds[draw].hidden}"
        assert list(np.frombuffer(game.order, "<u2")).index(game.hidden) + 1 == search.finds[draw].by_map
        assert np.frombuffer(game.region, "<u2")[game.hidden] == search.finds[draw].region
    with pytest.raises(DataError, match="59 texts for 60 points"):
        search_game(logistic, blobs[0], texts[1:], labels, ["a", "b", "c"], small_settings, **how)


def test_curve_by_hand() -> None:
    curve = search_curve(worked())
    shares = curve.pivot(index="read", columns="order", values="share")
    assert shares["map"].loc[[1, 2, 3, 7, 8, 12, 19]].tolist() == [0.25, 0.25, 0.5, 0.5, 0.75, 1, 1]
    assert shares["random"].loc[[1, 19]].tolist() == pytest.approx([1 / 19, 1])
    bands = curve.query("order == 'map'")
    assert np.all(np.diff(bands[["low", "share", "high"]], axis=1) >= 0)
    # Wilson: 1 of 4 with z = 1.96 is (0.0456, 0.6994); 4 of 4 still has a width.
    assert bands.iloc[0][["low", "high"]].tolist() == pytest.approx([0.0456, 0.6994], abs=1e-4)
    assert bands.iloc[-1]["low"] < 0.6


def test_figure_has_three_lines_and_two_bands() -> None:
    figure = plot_search(worked())
    (ax,) = figure.axes
    assert [line.get_label() for line in ax.lines] == [
        "by the map's uncertain regions",
        "by softmax entropy",
        "in random order",
    ]
    assert np.asarray(ax.lines[0].get_ydata())[[0, 2, 18]].tolist() == [25, 50, 100]
    assert len(ax.collections) == 2
    assert ax.get_title(loc="left") == "One hidden sentence among 19, 4 draws"
    plt.close(figure)


@pytest.mark.parametrize(
    ("message", "table"),
    [
        ("lacks read", worked().drop(columns="read")),
        ("lacks rows", worked().iloc[:0]),
        ("each of map, entropy, random", worked().query("order != 'map'")),
        ("each of map, entropy, random", worked().iloc[1:]),
    ],
)
def test_a_table_of_something_else_is_refused(message: str, table: pd.DataFrame) -> None:
    with pytest.raises(DataError, match=message):
        search_summary(table)
