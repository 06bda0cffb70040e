"""Heads on the first token, the mean and the pooler, measured alike."""

from collections.abc import Callable

import pytest

from encoder_atlas.deepview import DeepViewSettings
from encoder_atlas.deepview.poolings import PoolingComparison, compare_poolings
from encoder_atlas.encoders import Pooling, load_encoder
from encoder_atlas.errors import EncoderError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit
from encoder_atlas.training.settings import Mode

SETTINGS = DeepViewSettings(n_neighbors=8, segments=3, allow_one_class=True)


def fit_head(
    task: Task, mode: str, seed: int, *, pooling: Pooling, encoder: str = "tiny:bert"
) -> FittedModel:
    settings = FitSettings(frozen_epochs=2, max_length=24, pooling=pooling)
    return fit(load_encoder(encoder), [task], settings, mode=mode, seed=seed, device="cpu")


@pytest.fixture(scope="module")
def compared(made_task: Callable[..., Task]) -> PoolingComparison:
    tasks = [made_task("mood"), made_task("link", classes=3, pairs=True)]
    how = {"seeds": (0, 1), "samples": 2, "sample_size": 30}
    return compare_poolings(fit_head, tasks, SETTINGS, **how)


def test_a_measurement_a_row(compared: PoolingComparison) -> None:
    frame = compared.to_frame()
    assert len(frame) == 3 * 2 * 2 * 2 * 2
    assert list(frame.columns) == [
        "pooling", "task", "seed", "sample", "lambda_", "q_knn", "q_data", "accuracy",
    ]  # fmt: skip
    assert set(frame["pooling"]) == {"cls", "mean", "pooler"}
    own = frame.query("pooling == 'mean' and task == 'link' and seed == 1")["accuracy"].unique()
    scores = compared.scores.query("setting == 'mean' and task == 'link' and seed == 1")
    assert own.tolist() == scores["value"].tolist()


def test_a_row_a_task_and_pooling(compared: PoolingComparison) -> None:
    table = compared.table()
    assert table.index.tolist() == [
        (task, pooling) for pooling in ("cls", "mean", "pooler") for task in ("mood", "link")
    ]
    assert table.columns.tolist()[0] == ("accuracy", "")
    assert ("Q_kNN", "λ = 0.8") in table.columns
    errors = compared.sweep.query("setting == 'cls' and task == 'mood' and lambda_ == 1")["q_data"]
    assert table.loc[("mood", "cls"), ("Q_data", "λ = 1")] == (
        f"{100 * errors.mean():.1f} ± {100 * errors.std():.1f}"
    )


def test_an_encoder_without_a_pooler_says_so(made_task: Callable[..., Task]) -> None:
    def without(task: Task, mode: Mode, seed: int, *, pooling: Pooling) -> FittedModel:
        return fit_head(task, mode, seed, pooling=pooling, encoder="tiny:distilbert")

    with pytest.raises(EncoderError, match="use 'cls' or 'mean'"):
        compare_poolings(without, [made_task("mood")], SETTINGS, sample_size=30)
