from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from encoder_atlas.deepview import DeepView, DeepViewSettings, draw_sample, embed
from encoder_atlas.deepview.comparison import (
    PAIRS,
    ModelComparison,
    compare_models,
    compare_views,
    pair_name,
)
from encoder_atlas.deepview.comparison_table import comparison_table, printed_comparison
from encoder_atlas.deepview.neighbourhoods import agreement
from encoder_atlas.errors import DataError, SettingsError

Blobs = tuple[np.ndarray, np.ndarray]
Models = dict[str, tuple[LogisticRegression, np.ndarray]]


@pytest.fixture(scope="module")
def models(blobs: Blobs) -> Models:
    """Three classifiers of the same 60 points, seen in three ways; PT's hold noise besides."""
    points, groups = blobs
    noise = np.random.default_rng(0).normal(size=(60, 40)) * 20
    seen = {"FT": points, "MT": points @ np.diag([1, 2, 1, 1, 1]), "PT": np.hstack([points, noise])}
    return {name: (LogisticRegression(C=0.01).fit(rows, groups), rows) for name, rows in seen.items()}


@pytest.fixture(scope="module")
def views(models: Models, small_settings: DeepViewSettings) -> dict[str, DeepView]:
    return {
        name: DeepView(classifier, small_settings).fit(points, show_progress=False)
        for name, (classifier, points) in models.items()
    }


@pytest.fixture(scope="module")
def comparison(models: Models, small_settings: DeepViewSettings) -> ModelComparison:
    return compare_models(
        {name: classifier for name, (classifier, _) in models.items()},
        {name: points for name, (_, points) in models.items()},
        small_settings,
        samples=2,
        sample_size=40,
        seed=5,
    )


def test_every_pair_is_compared_in_both_spaces_over_all_samples(comparison: ModelComparison) -> None:
    curves = comparison.to_frame()
    names = [pair_name(*pair) for pair in PAIRS]
    assert list(dict.fromkeys(curves["pair"])) == names
    assert set(curves.groupby(["pair", "space", "sample"]).size()) == {39}
    assert len(curves) == 5 * 2 * 2 * 39
    assert curves["q_nn"].between(0, 1).all()
    assert curves["lcmc"].to_numpy() == pytest.approx((curves["q_nn"] - curves["k"] / 39).to_numpy())


def test_the_numbers_are_those_of_the_maps_and_distances(
    comparison: ModelComparison, models: Models, small_settings: DeepViewSettings
) -> None:
    together = np.hstack([models[name][1] for name in ("MT", "FT", "PT")])
    rows = draw_sample(together, 40, seed=5, sample=1)
    settled = {
        name: DeepView(classifier, small_settings).fit(points[rows], show_progress=False)
        for name, (classifier, points) in models.items()
    }
    ft, pt = settled["FT"], settled["PT"]
    blended = 0.2 * pt.discriminative / pt.discriminative.max() + 0.8 * pt.control / pt.control.max()
    expected = {
        "original": agreement(ft.control, blended, "precomputed"),
        "map": agreement(
            embed(ft.control / ft.control.max(), small_settings), embed(blended, small_settings)
        ),
    }
    curves = comparison.to_frame().query("pair == 'FT (1) vs PT (0.8)' and sample == 1")
    for space, found in expected.items():
        assert curves.loc[curves["space"].eq(space), "q_nn"].to_numpy() == pytest.approx(found.q_nn)


def test_more_is_shared_between_like_models_than_classes_explain(comparison: ModelComparison) -> None:
    summary = comparison.summary().query("space == 'original' and reading == 'definition'")
    like = summary.loc[summary["pair"].eq("MT (1) vs FT (1)")]
    unlike = summary.loc[summary["pair"].eq("FT (1) vs PT (1)")]
    assert like["auc"].mean() > like["auc_classes"].mean() + 0.05
    assert like["auc_ln_k"].mean() > unlike["auc_ln_k"].mean()


def test_both_readings_stand_in_the_summary(comparison: ModelComparison) -> None:
    summary = comparison.summary()
    released = summary.query("reading == 'released'")
    ours = summary.query("reading == 'definition'")
    assert len(released) == len(ours) == 20
    assert released["auc"].to_numpy() == pytest.approx(ours["auc"].to_numpy())
    same = released["k_max"].to_numpy() == ours["k_max"].to_numpy()
    assert (released["q_local"].to_numpy() < ours["q_local"].to_numpy())[same].all()


def test_a_view_against_itself_shows_the_chance_in_umap(views: dict[str, DeepView]) -> None:
    same = (("FT", 1.0), ("FT", 1.0))
    curves = compare_views(views, [same]).to_frame()
    assert curves.query("space == 'original'")["q_nn"].to_numpy().tolist() == [1] * 59
    on_map = curves.query("space == 'map' and k < 20")["q_nn"].to_numpy()
    assert 0.3 < on_map.mean() < 1


def test_table_3_prints_what_it_prints() -> None:
    rows: dict[str, list[Any]] = {
        pair: numbers for pair, *numbers in printed_comparison().itertuples(index=False)
    }
    assert rows["MT (1) vs FT (1)"] == [0.50, 225, 0.69]
    assert rows["FT (1) vs PT (0.8)"][:2] == [0.34, 194]


def test_the_table_has_the_form_of_table_3(comparison: ModelComparison) -> None:
    table = comparison_table(comparison.summary())
    assert list(table.columns) == list(printed_comparison()["pair"])
    rows: dict[Any, Any] = {row: dict(cells) for row, cells in table.iterrows()}
    assert rows["Q_local", "printed"]["FT (1) vs PT (1)"] == "0.00"
    assert list(rows["AUC", "printed"].values()) == ["0.69", "–", "–", "–", "–"]
    original = comparison.summary().query("space == 'original' and reading == 'definition'")
    k_max = original.loc[original["pair"].eq("MT (1) vs FT (1)"), "k_max"]
    cell = f"{k_max.mean():.0f} ± {k_max.std():.0f}"
    assert rows["K_max", "original space"]["MT (1) vs FT (1)"] == cell
    assert ("AUC", "map, released reading") not in rows, "no reading changes the AUC"
    assert ("K_max", "map, classes alone") not in rows, "K_max is the pair's own"
    one = compare_sample(comparison, 0)
    assert "±" not in comparison_table(one.summary()).to_string()


def compare_sample(comparison: ModelComparison, sample: int) -> ModelComparison:
    return ModelComparison(tuple(one for one in comparison.compared if one.sample == sample))


def test_requests_that_cannot_be_met(views: dict[str, DeepView], small_settings: DeepViewSettings) -> None:
    with pytest.raises(SettingsError, match="names 'XT', which is not there"):
        compare_views(views, [(("XT", 1.0), ("FT", 1.0))])
    with pytest.raises(SettingsError, match="outside"):
        compare_views(views, [(("MT", 1.5), ("FT", 1.0))])
    fewer = DeepView(views["FT"].classifier, small_settings).fit(views["FT"].points[:40], show_progress=False)
    with pytest.raises(DataError, match="the same points, but they have FT: 40, MT: 60"):
        compare_views({"FT": fewer, "MT": views["MT"]}, PAIRS[:1])
    unfitted = DeepView(views["FT"].classifier, small_settings)
    with pytest.raises(SettingsError, match="no points yet"):
        compare_views({"FT": unfitted, "MT": views["MT"]}, PAIRS[:1])
    with pytest.raises(DataError, match="no comparison"):
        comparison_table(pd.DataFrame())


def test_models_need_points_of_the_same_sentences(models: Models, small_settings: DeepViewSettings) -> None:
    classifiers = {name: classifier for name, (classifier, _) in models.items()}
    points = {name: rows for name, (_, rows) in models.items()}
    with pytest.raises(SettingsError, match="no points for 'PT'"):
        compare_models(classifiers, {"FT": points["FT"], "MT": points["MT"]}, small_settings)
    with pytest.raises(DataError, match="the same sentences, but they have MT: 60, FT: 50, PT: 60"):
        compare_models(classifiers, points | {"FT": points["FT"][:50]}, small_settings)
