"""What is judged is what the claim says, sample by sample."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.neighbors import KNeighborsClassifier
from torch import nn

from encoder_atlas.deepview import (
    Case,
    TaskSpace,
    Transfer,
    claim_samples,
    comparison_claims,
    glue_claims,
    search_claims,
    space_claims,
    transfer_claims,
)
from encoder_atlas.runs.claims import Claims
from encoder_atlas.text import Task

ROOT = Path(__file__).parents[2]
CONTROL = "PT, labels shuffled"


def sweep(lambdas: tuple[float, ...], samples: int = 2) -> pd.DataFrame:
    rows = [
        (setting, task, seed, sample, lambda_, level + lambda_ / 2 + sample / 100, level)
        for setting, level in [("PT", 0.1), ("FT", 0.0), ("MT", 0.05), (CONTROL, 0.2)]
        for task in ("reviews", "other")
        for seed in (1, 0)
        for sample in range(samples)
        for lambda_ in lambdas
    ]
    columns = ["setting", "task", "seed", "sample", "lambda_", "q_knn", "q_data"]
    return pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=0)


def head(sign: float) -> nn.Linear:
    """Class 1 where the one coordinate is positive, or negative for ``sign`` -1."""
    linear = nn.Linear(1, 2, bias=False)
    linear.weight.data = torch.tensor([[-sign], [sign]])
    return linear


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """PT is wrong on the last of three texts, FT and MT on none."""
    frame = pd.DataFrame({"text": ["a", "b", "c"], "label": [0, 1, 1], "id": ["0", "1", "2"]})
    train = pd.DataFrame({"text": ["x", "y"], "label": [0, 1], "id": ["3", "4"]})
    splits = {"train": train, "dev": frame}
    task = Task("reviews", "single", ("text",), ("no", "yes"), "accuracy", splits, "Made up.")
    right, wrong = np.array([[-1.0], [1], [1]], np.float32), np.array([[-1.0], [1], [-1]], np.float32)
    points = {"PT": wrong, "FT": right, "MT": right}
    return [Case(setting, task, 0, head(1.0), found) for setting, found in points.items()]


def test_accuracies_and_errors_by_hand(cases: list[Case]) -> None:
    found = claim_samples(cases, "reviews", sweep((1.0, 0.8, 0.0)))
    assert found["deepview-accuracy"].tolist() == [0, 0, 1]
    assert found["deepview-mt-keeps-accuracy"].tolist() == [0, 0, 0]
    assert np.allclose(found["deepview-pt-lambda1-high"], [0.6, 0.61, 0.6, 0.61])
    assert np.allclose(found["deepview-pt-drop"], 0.1)
    assert np.allclose(found["deepview-shuffled-lambda0-low"], [0.2, 0.21, 0.2, 0.21])
    assert np.allclose(found["deepview-contrast-lambda1"], 0.1)
    assert np.allclose(found["deepview-mt-lambda1-low"], [0.55, 0.56, 0.55, 0.56])
    assert np.allclose(found["deepview-qdata-drop"], 0)


def test_other_lambdas_leave_only_the_accuracies(cases: list[Case]) -> None:
    assert set(claim_samples(cases, "reviews", sweep((0.5,)))) == {
        "deepview-accuracy",
        "deepview-mt-keeps-accuracy",
    }


GLUE = ("sst2", "cola", "mrpc", "qqp", "qnli", "mnli", "rte")


def glue_sweep() -> pd.DataFrame:
    """PT errs by a tenth on the first task, two tenths on the second, …; seed and sample add to it."""
    rows = [
        (setting, task, seed, sample, lambda_, level / 10 + seed / 100 + sample / 1000 + (setting != "PT"), 0)
        for level, task in enumerate(GLUE, start=1)
        for setting in ("PT", "FT")
        for lambda_ in (1.0, 0.8)
        for seed in (0, 1)
        for sample in (0, 1)
    ]
    columns = ["setting", "task", "seed", "sample", "lambda_", "q_knn", "q_data"]
    return pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=0)


def test_claims_on_seven_tasks_by_hand(make_case: Callable[..., Case]) -> None:
    labels = np.array([0, 1, 0, 1])
    answers = {("FT", 0): [0, 0, 1, 1], ("FT", 1): [0, 1, 1, 1], ("MT", 0): labels, ("MT", 1): [1, 1, 0, 1]}
    cases = [
        make_case(setting, "rte", seed=seed, labels=labels, predicted=np.array(predicted))
        for (setting, seed), predicted in answers.items()
    ]
    found = glue_claims(cases, glue_sweep())
    # SST-2, QQP, QNLI and MNLI err by 0.1, 0.4, 0.5 and 0.6: 0.4 in the mean.
    assert np.allclose(found["deepview-pt-glue-mean"], [0.4, 0.401, 0.41, 0.411])
    # FT is right about 2, 1, 0 and 2 of two, MT about 1, 2, 2 and 2.
    assert np.allclose(found["deepview-rte-gain"], [-0.5, 0.5, 1, 0])
    without_cola = glue_sweep().query("task != 'cola'")
    assert set(glue_claims(cases, without_cola)) == {"deepview-pt-glue-mean"}
    assert not glue_claims(cases, without_cola.query("task != 'qqp'"))
    assert not glue_claims(cases, glue_sweep().query("lambda_ == 0.8 and task != 'cola'"))


def test_every_claim_of_the_chapter_is_recorded_by_one_of_these() -> None:
    listed = {claim.id for claim in Claims.load(ROOT / "book/claims.yaml").of("01_deepview").claims}
    source = (ROOT / "lib/encoder_atlas/deepview/claims.py").read_text(encoding="utf-8")
    assert listed == set(re.findall(r'"(deepview-[a-z0-9-]+)"', source))


def test_a_single_sample_has_no_interval(cases: list[Case]) -> None:
    one = sweep((1.0, 0.8, 0.0), samples=1).query("seed == 0")
    assert "deepview-pt-drop" not in claim_samples(cases, "reviews", one)


def test_search_by_hand() -> None:
    def reads(by_map: list[float]) -> pd.DataFrame:
        rows = [
            (draw, order, read)
            for draw, found in enumerate(by_map)
            for order, read in [("map", found), ("entropy", 6.0), ("random", 50.5)]
        ]
        return pd.DataFrame(rows, columns=["draw", "order", "read"])

    found = search_claims(reads([4, 90]), reads([10, 80]))
    assert found["deepview-search-beats-random"].tolist() == [46.5, -39.5]
    assert found["deepview-search-within-five"].tolist() == [1, 0]
    assert found["deepview-search-beats-entropy"].tolist() == [2, -84]
    assert found["deepview-search-attack-effect"].tolist() == [6, -10]


def space(predicted: list[int]) -> TaskSpace:
    task = np.array([0, 0, 1])
    votes = KNeighborsClassifier(1).fit(np.zeros((2, 1)), [0, 1])
    return TaskSpace(("a", "b"), votes, np.zeros((3, 1)), task, np.arange(3), np.array(predicted))


def test_spaces_by_hand() -> None:
    found = space_claims(space([0, 0, 0]), space([0, 1, 1]))
    assert found["deepview-tasks-apart"].tolist() == [0.5, 0.5, -0.5]
    assert found["deepview-tasks-apart-by-training"].tolist() == [0, 1, -1]


def test_transfer_by_hand() -> None:
    correct = {
        "inference": np.array([[True, True, False]]),
        "unrelated": np.array([[False, True, False]]),
        "fine-tuned on the target": np.array([[True, False, True]]),
    }
    found = transfer_claims(Transfer("small", correct, {}, source="inference", unrelated="unrelated"))
    assert found["deepview-transfer-gain"].tolist() == [0, 1, -1]
    assert found["deepview-transfer-control"].tolist() == [1, 0, 0]


def test_comparison_by_hand() -> None:
    pairs = {
        "MT (1) vs FT (1)": 0.5,
        "MT (1) vs PT (0.8)": 0.3,
        "FT (1) vs PT (0.8)": 0.4,
        "FT (1) vs PT (1)": 0.1,
    }
    rows = [
        (pair, space, sample, reading, level + sample / 10, 0.7, 0.6)
        for pair, level in pairs.items()
        for space in ("map", "original")
        for sample in (0, 1)
        for reading in ("definition", "released")
    ]
    columns = ["pair", "space", "sample", "reading", "q_local", "auc", "auc_classes"]
    found = comparison_claims(pd.DataFrame(rows, columns=columns))
    assert np.allclose(found["deepview-mt-ft-nearest"], 0.2)
    assert np.allclose(found["deepview-lambda-nearer"], 0.3)
    assert np.allclose(found["deepview-mt-ft-beyond-classes"], 0.1)
    assert all(len(samples) == 2 for samples in found.values())
