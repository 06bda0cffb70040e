"""From a model of several tasks to the server's zip."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.specialization.conftest import score_task, word_task

from encoder_atlas.encoders import load_encoder
from encoder_atlas.errors import DataError
from encoder_atlas.specialization.glue_predictions import glue_predictions, submit
from encoder_atlas.specialization.iat import iat_fit
from encoder_atlas.specialization.iat_settings import IATSettings
from encoder_atlas.specialization.settings import SpecializationSettings
from encoder_atlas.text.glue_server import TEST_SETS, glue_test_texts
from encoder_atlas.training import FitSettings, FittedModel
from encoder_atlas.training.examples import Texts


class Model:
    """Says of every text the class, or the score, that its length gives."""

    def __init__(self) -> None:
        two = ("not_entailment", "entailment")
        self.label_names = {"rte": two[::-1], "wnli": two, "stsb": ()}

    def logits(self, task_name: str, texts: Texts) -> np.ndarray:
        lengths = 10 * self.predict_scores(task_name, texts)
        return np.stack([lengths, np.full_like(lengths, 9.5)], axis=1)

    def predict_scores(self, task_name: str, texts: Texts) -> np.ndarray:
        return np.array([len(second) for _, second in texts], dtype=np.float32) / 10


def write_test_set(folder: Path, name: str) -> None:
    known = TEST_SETS[name]
    folder.mkdir(parents=True)
    rows = (f"{row}\ta text\t{'b' * (9 + row % 2)}" for row in range(known.rows))
    (folder / known.file).write_text("\n".join(["index\tsentence1\tsentence2", *rows]), encoding="utf-8")


def test_predictions_by_hand_and_zipped(tmp_path: Path) -> None:
    for folder, name in (("RTE", "RTE"), ("WNLI", "WNLI"), ("STS-B", "STS-B")):
        write_test_set(tmp_path / folder, name)
    found = glue_predictions(Model(), tmp_path)
    assert {name: rows[:2] for name, rows in found.items()} == {
        "RTE": ["not_entailment", "entailment"],
        "WNLI": ["entailment", "not_entailment"],
        "STS-B": [pytest.approx(0.9), pytest.approx(1.0)],
    }
    filled = submit(Model(), tmp_path, tmp_path / "glue.zip", absent="constant")
    assert filled == [name for name in TEST_SETS if name not in found]
    with zipfile.ZipFile(tmp_path / "glue.zip") as archive:
        assert archive.read("WNLI.tsv").splitlines()[1:3] == [b"0\t1", b"1\t0"]
        assert archive.read("STS-B.tsv").splitlines()[1:3] == [b"0\t0.900", b"1\t1.000"]


def test_a_fitted_model_will_do(model: FittedModel, tmp_path: Path) -> None:
    assert glue_predictions(model, tmp_path) == {}, "its tasks are none of GLUE's"
    with pytest.raises(DataError, match="no predictions for CoLA, SST-2"):
        submit(model, tmp_path, tmp_path / "glue.zip")


def test_scores_of_a_fitted_model_and_of_head_wise_training(tmp_path: Path) -> None:
    tasks = [word_task("tone"), score_task("stsb")]
    write_test_set(tmp_path / "STS-B", "STS-B")
    settings = FitSettings(epochs=1, batch_size=16, max_length=24, keep="last")
    iat = IATSettings(alpha=0.5, delta=0.5, reading="forward")
    measuring = SpecializationSettings(importance_examples=8)
    model = iat_fit(load_encoder("tiny:bert"), tasks, settings, iat, device="cpu", measuring=measuring)
    texts = glue_test_texts(tmp_path / "STS-B", "STS-B")
    for each in (model, model.model):
        found = glue_predictions(each, tmp_path)
        assert list(found) == ["STS-B"]
        assert found["STS-B"] == each.predict_scores("stsb", texts).tolist()
    assert glue_predictions(model, tmp_path) != glue_predictions(model.model, tmp_path), "some heads are shut"


def test_a_test_set_that_is_not_there(tmp_path: Path) -> None:
    write_test_set(tmp_path / "WNLI", "WNLI")
    with pytest.raises(DataError, match=r"test set of (RTE|STS-B) is in no folder below"):
        glue_predictions(Model(), tmp_path)
