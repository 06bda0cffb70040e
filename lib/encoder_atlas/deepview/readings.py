"""Where the paper's text and the authors' released program differ: what each of them gives, by number."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import pandas as pd

from encoder_atlas.deepview.cases import Case
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.deepview.sweep import measure_now, sweep_cases
from encoder_atlas.deepview.tables import ERRORS
from encoder_atlas.errors import DataError
from encoder_atlas.estimates import mean_sd

OURS = "as in this chapter"
OTHER_READINGS: Mapping[str, Mapping[str, Any]] = {
    "n + 1 steps instead of n (program)": {"segment_reading": "released"},
    "d_S summed along the path (text)": {"control": "path"},
    "no division by the largest value (text)": {"blend": "none"},
    "both: Eq. (1) to the letter (text)": {"control": "path", "blend": "none"},
    "Q_data: points against the background (text)": {"q_data": "background"},
}
"""What a reading changes of the settings; in brackets whose it is, the paper's text or its program."""


def compare_readings(
    cases: Sequence[Case],
    settings: DeepViewSettings,
    lambda_: float = 0.8,
    samples: int = 1,
    sample_size: int = 250,
    measured: Callable[..., pd.DataFrame] = measure_now,
) -> pd.DataFrame:
    """Measure every case under the settings as they are and under each other reading, on the same points.

    Columns: reading, and those of `sweep_cases`. λ = 0.8 is where both terms of Eq. (1) speak.

    Raises:
        SettingsError, DataError: see `sweep_cases`.
    """
    tables = {
        reading: sweep_cases(
            cases, settings.model_copy(update=dict(change)), (lambda_,), samples, sample_size, measured
        )
        for reading, change in {OURS: {}, **OTHER_READINGS}.items()
    }
    return pd.concat(tables, names=["reading"]).reset_index(level="reading").reset_index(drop=True)


def readings_table(compared: pd.DataFrame, digits: int = 1) -> pd.DataFrame:
    """A row a reading, a column a setting and error: percent, mean ± sd over samples and seeds.

    Args:
        compared: what `compare_readings` gives, of one task.

    Raises:
        DataError: no measurement, or those of several tasks, which would be averaged unseen.
    """
    if len(set(compared["task"])) != 1:
        raise DataError("a table of readings is of one task: choose its rows of the comparison")
    cells: dict[str, dict[tuple[str, str], str]] = {}
    for key, rows in compared.groupby(["reading", "setting"], sort=False):
        reading, setting = cast(tuple[str, str], key)
        for measure, name in ERRORS.items():
            text = mean_sd(100 * rows[measure].to_numpy(), digits)
            cells.setdefault(reading, {})[setting, name] = text
    table = pd.DataFrame.from_dict(cells, orient="index").rename_axis("reading")
    return table.set_axis(pd.MultiIndex.from_tuples(list(table.columns)), axis=1)
