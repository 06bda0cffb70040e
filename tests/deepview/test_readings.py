"""Other readings are other settings, measured on the same points."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.deepview import (
    OTHER_READINGS,
    Case,
    DeepViewSettings,
    compare_readings,
    quality_sweep,
    readings_table,
)
from encoder_atlas.errors import DataError

SETTINGS = DeepViewSettings(n_neighbors=8, segments=3, resolution=10)


def test_each_reading_is_a_sweep_under_its_own_settings(make_case: Callable[..., Case]) -> None:
    cases = [make_case("PT", wrong=0.4), make_case("FT", wrong=0.1)]
    compared = compare_readings(cases, SETTINGS, 0.8, samples=2, sample_size=30)
    assert compared["reading"].drop_duplicates().tolist() == ["as in this chapter", *OTHER_READINGS]
    assert set(compared.groupby(["reading", "setting"]).size()) == {2}
    for reading, change in OTHER_READINGS.items():
        own = compared.loc[compared["reading"].eq(reading) & compared["setting"].eq("FT")]
        settings = SETTINGS.model_copy(update=dict(change))
        direct = quality_sweep(cases[1].head, cases[1].points, settings, (0.8,), 2, 30).to_frame()
        assert np.allclose(own[["q_knn", "q_data"]], direct[["q_knn", "q_data"]])


def test_the_table_by_hand() -> None:
    rows = [
        ("ours", "FT", "mood", 0.10, 0.02),
        ("ours", "FT", "mood", 0.20, 0.04),
        ("other", "FT", "mood", 0.30, 0.06),
        ("other", "FT", "mood", 0.30, 0.06),
    ]
    compared = pd.DataFrame(rows, columns=["reading", "setting", "task", "q_knn", "q_data"])
    table = readings_table(compared)
    assert table["FT", "Q_kNN"].to_dict() == {"ours": "15.0 ± 7.1", "other": "30.0 ± 0.0"}
    assert table["FT", "Q_data"].to_dict() == {"ours": "3.0 ± 1.4", "other": "6.0 ± 0.0"}
    with pytest.raises(DataError, match="of one task"):
        readings_table(compared.assign(task=["a", "b", "a", "b"]))
    with pytest.raises(DataError, match="of one task"):
        readings_table(compared.iloc[:0])
