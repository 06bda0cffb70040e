from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from torch import nn

from encoder_atlas.deepview import as_classifier
from encoder_atlas.errors import DataError, SettingsError

POINTS = np.random.default_rng(0).normal(size=(7, 5))


class Squares(nn.Module):
    """A head that is no Sequential."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(5, 3)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.out(rows**2)


def torch_heads() -> dict[str, nn.Module]:
    torch.manual_seed(0)
    return {
        "linear": nn.Linear(5, 3),
        "mlp": nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 2)),
        "deep linear": nn.Sequential(nn.Linear(5, 4), nn.Linear(4, 3)),
        "behind dropout": nn.Sequential(
            nn.Dropout(0.5), nn.Sequential(nn.Linear(5, 4), nn.Tanh()), nn.Linear(4, 3)
        ),
        "wide": nn.Sequential(nn.Linear(5, 80), nn.ReLU(), nn.Linear(80, 70), nn.ReLU(), nn.Linear(70, 3)),
        "own": Squares(),
        "no first linear": nn.Sequential(nn.Tanh(), nn.Linear(5, 3)),
    }


@pytest.mark.parametrize("name", list(torch_heads()))
def test_a_torch_head_gives_its_softmax(name: str) -> None:
    head = torch_heads()[name]
    expected = torch.softmax(head.eval()(torch.from_numpy(POINTS).float()), dim=-1).detach().numpy()
    head.train()
    probabilities = as_classifier(head).probabilities(POINTS)
    assert probabilities.dtype == np.float64
    np.testing.assert_allclose(probabilities, expected, atol=1e-6)
    assert head.training, "the caller's module must stay as it was"


def test_what_is_lifted_is_all_that_is_affine() -> None:
    heads = torch_heads()
    widths = {name: as_classifier(head).lift(POINTS).shape[1] for name, head in heads.items()}
    assert widths == {
        "linear": 3,
        "mlp": 4,
        "deep linear": 3,
        "behind dropout": 4,
        "wide": 80,
        "own": 5,
        "no first linear": 5,
    }


def test_later_training_does_not_reach_the_classifier() -> None:
    head = nn.Linear(5, 3)
    classifier = as_classifier(head)
    before = classifier.probabilities(POINTS)
    nn.init.zeros_(head.weight)
    assert np.array_equal(classifier.probabilities(POINTS), before)


@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_regression_answers_as_its_predict_proba(classes: int) -> None:
    estimator = LogisticRegression().fit(POINTS, np.arange(7) % classes)
    classifier = as_classifier(estimator)
    np.testing.assert_allclose(classifier.probabilities(POINTS), estimator.predict_proba(POINTS), atol=1e-12)
    assert classifier.lift(POINTS).shape == (7, classes)


def test_other_estimators_and_functions_answer_for_themselves() -> None:
    estimator = MLPClassifier((4,), max_iter=5, random_state=0)
    with pytest.warns(UserWarning, match="iterations"):
        estimator.fit(POINTS, np.arange(7) % 3)
    expected = np.asarray(estimator.predict_proba(POINTS))
    np.testing.assert_allclose(as_classifier(estimator).probabilities(POINTS), expected, atol=1e-12)
    np.testing.assert_allclose(
        as_classifier(estimator.predict_proba).probabilities(POINTS), expected, atol=1e-12
    )


def test_a_fitted_model_with_one_task_stands_for_its_head() -> None:
    head = nn.Linear(5, 3)
    one = SimpleNamespace(heads=nn.ModuleDict({"sst2": head}), head=lambda name: head)
    np.testing.assert_allclose(
        as_classifier(one).probabilities(POINTS), as_classifier(head).probabilities(POINTS)
    )
    two = SimpleNamespace(heads=nn.ModuleDict({"sst2": head, "cola": head}), head=lambda name: head)
    with pytest.raises(SettingsError, match="heads for sst2, cola"):
        as_classifier(two)


def test_work_in_place_does_not_reach_the_points() -> None:
    def negate(points: np.ndarray) -> np.ndarray:
        points *= -1
        return np.full((len(points), 2), 0.5)

    for classifier in (negate, nn.Sequential(nn.ReLU(inplace=True), nn.Linear(5, 2)).double()):
        points = POINTS.copy()
        as_classifier(classifier).probabilities(points)
        assert np.array_equal(points, POINTS)


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        ("bert", "str is no classifier"),
        (LogisticRegression(), "LogisticRegression is not fitted"),
        (LinearSVC().fit(POINTS, np.arange(7) % 2), "LinearSVC has no predict_proba"),
        (nn.Sequential(nn.Linear(5, 2), nn.Softmax(dim=-1)), "ends in a softmax"),
    ],
)
def test_what_gives_no_probabilities_is_refused(classifier: object, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        as_classifier(classifier)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.full((7, 2), np.nan), "no probability distribution in rows 0, 1"),
        (np.full((7, 2), 0.7), r"sum to 1"),
        (np.tile([1.2, -0.2], (7, 1)), r"\[1.2, -0.2\]"),
        (np.ones((7, 1)), r"shape \(7, 1\)"),
        (np.full(7, 0.5), r"shape \(7,\)"),
        (np.full((3, 2), 0.5), "for 7 points"),
    ],
)
def test_answers_that_are_no_probabilities_are_refused(answer: np.ndarray, message: str) -> None:
    with pytest.raises(DataError, match=message):
        as_classifier(lambda points: answer).probabilities(POINTS)


def test_heads_with_one_logit_or_broken_weights_are_refused() -> None:
    with pytest.raises(DataError, match=r"at least two logits a point, not \(7, 1\)"):
        as_classifier(nn.Linear(5, 1)).probabilities(POINTS)
    head = nn.Linear(5, 2)
    nn.init.constant_(head.weight, float("nan"))
    with pytest.raises(DataError, match="no probability distribution"):
        as_classifier(head).probabilities(POINTS)


@pytest.mark.parametrize("head", [nn.Linear(4, 2), LogisticRegression().fit(POINTS[:, :4], np.arange(7) % 2)])
def test_points_of_another_width_are_refused(head: object) -> None:
    with pytest.raises(DataError, match="points have 5 columns, but the classifier takes 4"):
        as_classifier(head).probabilities(POINTS)
