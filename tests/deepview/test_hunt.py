from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.deepview import (
    DeepViewSettings,
    Hunt,
    adversarial_search,
    advglue_hunt,
    hunt_note,
    ordinary_sentences,
    url_hunt,
)
from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError
from encoder_atlas.text import Task
from encoder_atlas.training import FitSettings, FittedModel, fit

SETTINGS = DeepViewSettings(n_neighbors=8, segments=3, resolution=10, allow_one_class=True)
SIZE: dict[str, Any] = {"sample_size": 20, "draws": 2}


def taught(task: Task) -> FittedModel:
    settings = FitSettings(epochs=1, max_length=24, pooling="mean", keep="last")
    return fit(load_encoder("tiny:bert"), [task], settings, mode="FT", device="cpu")


@pytest.fixture(scope="module")
def task(made_task: Callable[..., Task]) -> Task:
    return made_task("mood")


@pytest.fixture(scope="module")
def model(task: Task) -> FittedModel:
    return taught(task)


@pytest.fixture(scope="module")
def hunt(task: Task, model: FittedModel) -> Hunt:
    return url_hunt(model, task, ordinary_sentences(model, task))


def test_train_stands_around_only_where_dev_is_too_small(task: Task, model: FittedModel) -> None:
    dev = ordinary_sentences(model, task, sample_size=40)
    both = ordinary_sentences(model, task, sample_size=41)
    assert (len(dev.texts), dev.from_train) == (40, 0)
    assert (len(both.texts), both.from_train, both.points.shape) == (80, 40, (80, 32))
    assert both.texts[40].startswith("train mood")
    assert both.labels.tolist() == [*task.labels("dev"), *task.labels("train")]
    with pytest.raises(DataError, match=r"has 80 sentences in dev and train.*lower search_points"):
        ordinary_sentences(model, task, sample_size=81)


def test_addresses_are_put_into_sentences_of_the_first_class(task: Task, hunt: Hunt) -> None:
    assert set(hunt.labels.tolist()) == {0}
    for text, row in zip(hunt.texts, hunt.made_from, strict=True):
        assert row is not None
        assert text.startswith(task.texts("dev")[row])
        assert " http://" in text
    rows = [row for row in hunt.made_from if row is not None]
    assert np.array_equal(hunt.originals, hunt.ordinary.points[rows])


def test_where_dev_lacks_the_first_class_the_next_is_attacked(task: Task, model: FittedModel) -> None:
    dev = task.split("dev").query("label == 1").reset_index(drop=True)
    rare = replace(task, splits=task.splits | {"dev": dev})
    hunt = url_hunt(model, rare, ordinary_sentences(model, rare))
    assert set(hunt.labels.tolist()) == {1}
    assert f"{len(dev)} by a random address (`class 1`)" in hunt_note([hunt])


def test_the_worst_address_is_the_one_that_harms_the_attacked_class_most(
    task: Task, model: FittedModel
) -> None:
    dev = task.split("dev").query("label == 1").reset_index(drop=True)
    rare = replace(task, splits=task.splits | {"dev": dev})
    ordinary = ordinary_sentences(model, rare)

    def of_its_class(attempts: int) -> np.ndarray:
        texts = list(url_hunt(model, rare, ordinary, attempts=attempts).texts)
        return model.predict_proba(task.name, texts)[:, 1]

    assert (of_its_class(5) <= of_its_class(1) + 1e-6).all()


def test_of_a_pair_the_second_text_is_attacked(made_task: Callable[..., Task]) -> None:
    pairs = made_task("link", pairs=True)
    model = taught(pairs)
    text = url_hunt(model, pairs, ordinary_sentences(model, pairs)).texts[0]
    first, second = text.split(" / ", 1)
    assert "http" not in first
    assert "http" in second


def test_a_search_is_that_of_the_same_rows(hunt: Hunt) -> None:
    found = hunt.search(SETTINGS, **SIZE)
    n = len(hunt.ordinary.texts)
    points = np.concatenate([hunt.ordinary.points, hunt.points])
    rows = {"adversarial": range(n, n + len(hunt.texts)), "made_from": hunt.made_from}
    direct = adversarial_search(hunt.head, points, SETTINGS, **SIZE, **rows).to_frame()
    pd.testing.assert_frame_equal(found.attacked, direct)
    hidden = ["draw", "hidden", "points"]
    pd.testing.assert_frame_equal(found.unchanged.filter(hidden), direct.filter(hidden))
    table = found.table()
    assert set(table.index.get_level_values("manipulation")) == {"a random address"}
    assert table.loc[("a random address", "read", "random"), "mean"] == 10.5


def adversarial(task: Task) -> pd.DataFrame:
    """Two rows of known origin, one of which is in dev, and one that a person wrote."""
    original = task.texts("dev")[3]
    return pd.DataFrame(
        {
            "sentence": ["changed a little", "changed a lot", "written from nothing"],
            "original_sentence": [str(original).upper(), "a sentence from elsewhere", None],
            "label": [1, 0, 1],
        }
    )


def test_rows_of_advglue_know_their_originals(task: Task, model: FittedModel) -> None:
    ordinary = ordinary_sentences(model, task)
    hunt = advglue_hunt(model, task, ordinary, adversarial(task))
    assert hunt.texts == ("changed a little", "changed a lot")
    assert hunt.made_from == (3, None)
    assert hunt.labels.tolist() == [1, 0]
    assert hunt.originals[1] == pytest.approx(model.represent(["a sentence from elsewhere"])[0], abs=1e-5)
    assert len(hunt.search(SETTINGS, **SIZE).attacked) == 6
    with pytest.raises(DataError, match=r"dev_ann\.json instead of dev\.json"):
        advglue_hunt(model, task, ordinary, adversarial(task).assign(original_sentence=None))


def test_the_note_says_what_was_at_hand(task: Task, model: FittedModel, hunt: Hunt) -> None:
    alone = hunt_note([hunt])
    assert "from 40 sentences of dev." in alone
    assert "not packaged" in alone
    both = ordinary_sentences(model, task, sample_size=60)
    more = hunt_note([url_hunt(model, task, both), advglue_hunt(model, task, both, adversarial(task))])
    assert "40 sentences of dev and 40 of train, which the model was taught" in more
    assert "2 by AdvGLUE" in more
    assert "not packaged" not in more


def test_a_game_is_played_on_one_of_the_draws(hunt: Hunt) -> None:
    game = hunt.game(SETTINGS, sample_size=20)
    assert len(game.texts) == 20
    assert "http://" in game.texts[game.hidden]
