"""The claims of the book: their thresholds are what they say they are, by the papers' printed tables."""

import re
from pathlib import Path

import numpy as np
import pytest

from encoder_atlas.runs.claims import Claims

BOOK = Path(__file__).parents[2] / "book"
Errors = dict[str, dict[float, list[float]]]

TASKS = ("SST2", "RTE", "COLA", "MRPC", "QQP", "QNLI", "MNLI")
AVERAGED = [TASKS.index(name) for name in ("SST2", "QQP", "QNLI", "MNLI")]
# DeepView on GLUE, Tables 4 to 9: errors by λ, in the order of TASKS.
Q_KNN: Errors = {
    "PT": {
        0: [0, 0.004, 0.016, 0, 0, 0.008, 0.032],
        0.8: [0, 0.004, 0.012, 0, 0, 0.004, 0.088],
        1: [0.368, 0.032, 0.012, 0, 0.28, 0.104, 0.328],
    },
    "FT": {
        0.8: [0.004, 0.016, 0.008, 0.004, 0.012, 0.004, 0.048],
        1: [0.02, 0.036, 0.008, 0.012, 0.024, 0, 0.044],
    },
    "MT": {
        0.8: [0.008, 0.016, 0.004, 0.012, 0.008, 0.004, 0.008],
        1: [0.008, 0.012, 0.008, 0.016, 0.008, 0.004, 0.008],
    },
}
Q_DATA: Errors = {
    "PT": {0.8: [0, 0.01333, 0.027, 0, 0, 0, 0.12], 1: [0.4, 0.013, 0.133, 0, 0.387, 0.107, 0.36]},
    "FT": {0.8: [0, 0.013, 0, 0, 0.013, 0.013, 0.013], 1: [0, 0.013, 0, 0.013, 0.027, 0, 0.013]},
    "MT": {0.8: [0.013, 0.013, 0, 0, 0.013, 0.013, 0], 1: [0.013, 0.027, 0.013, 0, 0.013, 0.013, 0]},
}
# Table 1, in the order of TASKS.
ACCURACY = {
    "PT": [0.80, 0.56, 0.74, 0.68, 0.70, 0.70, 0.47],
    "FT": [0.92, 0.68, 0.81, 0.84, 0.88, 0.91, 0.84],
}


@pytest.fixture(scope="module")
def claims() -> Claims:
    return Claims.load(BOOK / "claims.yaml")


def falls(table: Errors, mode: str) -> np.ndarray:
    """By how much the error falls from λ = 1 to λ = 0.8, by task."""
    return np.subtract(table[mode][1], table[mode][0.8])


def test_every_paper_is_in_the_bibliography_and_every_printed_value_satisfies_its_rule(
    claims: Claims,
) -> None:
    references = (BOOK / "references.bib").read_text(encoding="utf-8")
    for paper in claims.papers.values():
        assert f"{{{paper.reference}," in references
    for claim in claims.claims:
        assert claim.printed is None or claim.rule.holds(claim.printed.value), claim.id


def test_thresholds_at_lambda_one(claims: Claims) -> None:
    frozen, fine, multi = (np.array(Q_KNN[mode][1]) for mode in ("PT", "FT", "MT"))
    lowest, highest = frozen[AVERAGED].min(), max(fine.max(), multi.max())
    assert (lowest, highest) == (0.104, 0.044)
    high, low = claims["deepview-pt-lambda1-high"], claims["deepview-ft-lambda1-low"]
    assert highest < high.rule.bounds[0] < lowest
    assert "0.104" in high.why and "0.044" in high.why
    assert fine.max() == 0.044 and fine.max() < low.rule.bounds[0] and "0.044" in low.why
    difference = (frozen - fine)[AVERAGED]
    contrast = claims["deepview-contrast-lambda1"]
    assert sorted(difference.round(3)) == [0.104, 0.256, 0.284, 0.348]
    assert contrast.rule.bounds[0] < difference.min()
    assert contrast.printed is not None and contrast.printed.value == pytest.approx(difference[0])


@pytest.mark.parametrize(
    ("claim_id", "table", "smallest", "largest"),
    [("deepview-pt-drop", Q_KNN, 0.100, 0.020), ("deepview-qdata-drop", Q_DATA, 0.107, 0.014)],
)
def test_thresholds_of_the_falls(
    claims: Claims, claim_id: str, table: Errors, smallest: float, largest: float
) -> None:
    claim = claims[claim_id]
    assert falls(table, "PT")[AVERAGED].min() == pytest.approx(smallest)
    assert max(falls(table, "FT").max(), falls(table, "MT").max()) == pytest.approx(largest)
    assert 2 * largest < claim.rule.bounds[0] <= smallest / 2
    assert {f"{smallest:.3f}", f"{largest:.3f}"} <= set(re.findall(r"\d\.\d{3}", claim.why))


def test_thresholds_at_lambda_nought_are_one(claims: Claims) -> None:
    trained, shuffled = claims["deepview-pt-lambda0-low"], claims["deepview-shuffled-lambda0-low"]
    highest = np.array(Q_KNN["PT"][0])[AVERAGED].max()
    assert highest == 0.032 < trained.rule.bounds[0] and "0.032" in trained.why
    assert shuffled.rule == trained.rule and shuffled.source == "ours"


def test_the_means_and_gains_that_the_rules_name(claims: Claims) -> None:
    errors = np.array(Q_KNN["PT"][1])[AVERAGED]
    mean, spread = errors.mean().round(2), errors.std(ddof=1).round(2)
    assert claims["deepview-pt-glue-mean"].rule.bounds == pytest.approx((mean - spread, mean + spread))
    gains = np.subtract(ACCURACY["FT"], ACCURACY["PT"]).round(2)
    assert (gains.min(), gains.max()) == (0.07, 0.37) and "0.07 (COLA) to 0.37 (MNLI)" in claims[
        "deepview-accuracy"
    ].why


# The Stem Cell Hypothesis, Tables 7 to 11: mean over labels before training, after one task, after all five.
PROBED = {
    "pos": (73.2, 90.5, 75.5),
    "ner": (80.7, 86.7, 82.7),
    "dep": (79.4, 79.3, 75.2),
    "con": (82.4, 86.6, 83.5),
    "srl": (78.6, 84.7, 83.7),
}


def test_the_differences_of_the_printed_probes(claims: Claims) -> None:
    for number, name in enumerate(("stem-probe-tuned", "stem-probe-joint")):
        gains = {task: means[number + 1] - means[number] for task, means in PROBED.items()}
        printed = {task: claims[f"{name}-{task}"].printed for task in PROBED}
        assert {task: value and value.value for task, value in printed.items()} == pytest.approx(gains)
        mean = claims[name].printed
        assert mean is not None and mean.value == pytest.approx(np.mean(list(gains.values())), abs=0.05)


def test_which_claims_need_more_than_quick(claims: Claims) -> None:
    larger = [claim.id for claim in claims.claims if not claim.testable("quick")]
    assert larger == [
        "deepview-pt-glue-mean",
        "deepview-rte-gain",
        "similarity-dse",
        "similarity-cra",
        "similarity-ahp",
        "similarity-cnm",
        "iat-annealed",
        "ft-mnli",
        "ft-squad",
        "ft-dep",
        "ft-probe-pos",
        "ft-probe-entities",
        "stem-pair-both",
        "stem-dynamic",
        "stem-dynamic-heads",
    ]
    assert not any(claim.testable("tiny") for claim in claims.claims)
