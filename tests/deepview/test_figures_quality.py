"""What the figure of errors shows, read back from the drawn lines."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from encoder_atlas.deepview.figures_quality import plot_errors
from encoder_atlas.errors import DataError


@pytest.fixture
def sweep() -> pd.DataFrame:
    random = np.random.default_rng(0)
    rows = [
        (setting, task, 0, sample, lambda_, *(random.random(2) / 5))
        for setting in ("PT", "FT", "PT, labels shuffled")
        for task in ("SST-2", "reviews")
        for sample in (0, 1, 2)
        for lambda_ in (1.0, 0.8, 0.0)
    ]
    return pd.DataFrame(rows, columns=["setting", "task", "seed", "sample", "lambda_", "q_knn", "q_data"])


def test_a_panel_a_task_and_a_row_for_the_control(sweep: pd.DataFrame) -> None:
    figure = plot_errors(sweep, "q_data", controls=["PT, labels shuffled"])
    first, second, control, _ = figure.axes
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["SST-2", "reviews", "", ""]
    assert [len(ax.lines) for ax in figure.axes] == [2, 2, 1, 1]
    drawn = np.column_stack(first.lines[1].get_data())
    own = sweep.query("setting == 'FT' and task == 'SST-2'")
    for lambda_, error in drawn:
        assert error == pytest.approx(100 * own.loc[own["lambda_"].eq(lambda_), "q_data"].mean())
    assert drawn[:, 0].tolist() == [0, 0.8, 1]
    label = [text.get_text() for text in figure.legends[0].get_texts()]
    assert label == ["PT", "FT", "PT, labels shuffled", "printed in the paper"]
    assert "Q_{data}" in control.get_ylabel()
    assert second.get_ylim()[0] == 0
    plt.close(figure)


def test_printed_numbers_stand_where_the_paper_has_the_task(sweep: pd.DataFrame) -> None:
    figure = plot_errors(sweep)
    marks = [np.concatenate([c.get_offsets() for c in ax.collections[1::2]]) for ax in figure.axes]
    assert len(marks[0]) == 12
    assert [1.0, 36.8] in marks[0].round(6).tolist()
    assert len(marks[1]) == 0
    plt.close(figure)
    bare = plot_errors(sweep, printed=False)
    assert "printed in the paper" not in [text.get_text() for text in bare.legends[0].get_texts()]
    plt.close(bare)


def test_bands_are_one_sd_and_do_not_go_below_zero(sweep: pd.DataFrame) -> None:
    figure = plot_errors(sweep.query("setting == 'PT' and task == 'reviews'"), printed=False)
    band = figure.axes[0].collections[0].get_paths()[0].vertices
    errors = 100 * sweep.query("setting == 'PT' and task == 'reviews' and lambda_ == 0")["q_knn"]
    at_zero = sorted(set(np.asarray(band)[np.asarray(band)[:, 0] == 0][:, 1].round(9)))
    low, high = max(errors.mean() - errors.std(), 0), errors.mean() + errors.std()
    assert at_zero == pytest.approx([low, high])
    plt.close(figure)


def test_what_cannot_be_drawn(sweep: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="did you mean 'PT, labels shuffled'"):
        plot_errors(sweep, controls=["PT, labels shufled"])
    with pytest.raises(DataError, match="nothing but controls"):
        plot_errors(sweep.query("setting == 'PT'"), controls=["PT"])
    with pytest.raises(DataError, match="no error is called"):
        plot_errors(sweep, "q_nn")
    with pytest.raises(DataError, match="holds no measurement"):
        plot_errors(sweep.iloc[:0])
