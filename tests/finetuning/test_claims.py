"""Claims of the chapter from made-up measurements whose answers are plain."""

import numpy as np
import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import Counts
from encoder_atlas.finetuning.claims import (
    ablation_claims,
    early_claim,
    printed_claims,
    probe_claims,
    similarity_claims,
)
from encoder_atlas.finetuning.edge_probes import EdgeProbes
from encoder_atlas.finetuning.edge_result import EdgeProbeResult

OWN = {"inference": "pairs", "answers": "questions", "parsing": "trees"}
# Similarity to Base at the embeddings and four layers, on the model's own text.
LAYERS = {
    "inference": [1.0, 1.0, 0.9, 0.8, 0.5],
    "answers": [1.0, 1.0, 1.0, 0.9, 0.7],
    "parsing": [1.0, 0.9, 0.8, 0.6, 0.3],
}


def similarity(samples: int = 2) -> pd.DataFrame:
    """Other text is half as far away as a model's own."""
    rows = [
        (model, text, "pieces", sample, layer, value if text == OWN[model] else (1 + value) / 2)
        for model, values in LAYERS.items()
        for text in OWN.values()
        for sample in range(samples)
        for layer, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["model", "text", "tokens", "sample", "layer", "similarity"])


def test_similarity_by_hand() -> None:
    found = similarity_claims(similarity(), OWN)
    # Of inference the upper two layers moved by .2 and .5, the lower by 0 and .1.
    assert found["ft-top-inference"] == pytest.approx([0.3, 0.3])
    assert found["ft-domain-inference"] == pytest.approx([0.25, 0.25])
    # Over four layers parsing moved by .1 + .2 + .4 + .7, inference by .8, answers by .4.
    assert found["ft-parsing-deeper"] == pytest.approx([0.6 / 4] * 2)
    assert found["ft-parsing-deeper-answers"] == pytest.approx([1.0 / 4] * 2)
    assert found["ft-domain-parsing"] == pytest.approx([0.35, 0.35])
    assert not {"ft-words-inference", "ft-seed-control"} & set(found)


def test_domain_by_itself_is_text_of_the_same_name() -> None:
    pairs = OWN["inference"]
    science = similarity().query("text == @pairs").assign(text=f"{pairs}:science", similarity=0.7)
    found = similarity_claims(pd.concat([similarity(), science]), OWN)
    # Its own text moved by .5 in the top layer, the two of other models by .25, this one by .3.
    assert found["ft-words-inference"] == pytest.approx([0.2, 0.2])
    assert found["ft-domain-inference"] == pytest.approx([0.5 - (0.25 + 0.25 + 0.3) / 3] * 2)


def test_printed_scores_are_of_the_corpora_that_they_were_printed_for() -> None:
    runs = [pd.DataFrame({"right": right, "total": [1] * 4}) for right in ([1, 1, 1, 0], [1, 1, 1, 1])]
    whole = {"inference": runs, "answers": runs[:1]}
    found = printed_claims(whole, {"inference": "mnli", "answers": "question-answering"})
    assert list(found) == ["ft-mnli"] and found["ft-mnli"].value == pytest.approx(87.5)


def test_another_seed_is_nearer_than_base() -> None:
    twin = similarity().query("model == 'parsing' and text == 'trees'").assign(similarity=0.9)
    assert similarity_claims(similarity(), OWN, twin)["ft-seed-control"] == pytest.approx([0.6, 0.6])


def test_special_tokens_and_missing_texts() -> None:
    special = similarity().assign(tokens="[CLS]", similarity=0.0)
    assert similarity_claims(pd.concat([similarity(), special]), OWN)["ft-top-inference"][0] == pytest.approx(
        0.3
    )
    with pytest.raises(DataError, match="'answers' was not held against another on 'questions'"):
        similarity_claims(similarity().query("text != 'questions'"), OWN)
    with pytest.raises(DataError, match="similarity"):
        similarity_claims(similarity().drop(columns="similarity"), OWN)


def test_half_of_the_way_is_read_between_two_points() -> None:
    # The top layer is .2 away at .4 of the steps, .4 at .8, and .5 at the end: .25 at the half, half of all.
    time = pd.DataFrame({"share": [0.0, 0.4, 0.8, 1.0], "similarity": [1.0, 0.8, 0.6, 0.5]})
    time = time.assign(model="m", text="t", sample=0, layer=2)
    assert early_claim(time)["ft-early"] == pytest.approx([0.5])
    assert len(early_claim(time.assign(similarity=1.0))["ft-early"]) == 0


def probe(task: str, view: str, right: int) -> EdgeProbeResult:
    """``right`` of ten sentences with one target each, of which "a" is said to hold."""
    counts = np.array([[[int(i < right), 1, 1]] for i in range(10)])
    no = np.zeros(0)
    return EdgeProbeResult(task, view, ("a",), 0, "dev", counts, 0.0, 0.0, no, no, 1.0)


def probes(mix: int, top: int, lexical: int) -> EdgeProbes:
    values = {"mix": mix, "top": top, "lexical": lexical}
    return EdgeProbes(tuple(probe(task, view, n) for task in ("dep", "pos") for view, n in values.items()))


def test_probes_by_hand() -> None:
    models = {"Base": probes(9, 7, 5), "random": probes(4, 4, 4), "parsing": probes(9, 10, 5)}
    found = probe_claims(models, "Base", "random", resamples=200)
    assert found["ft-probes-read"].value == pytest.approx(40)
    assert found["ft-probes-learned"].value == pytest.approx(50)
    unchanged = found["ft-not-forgotten-parsing"]
    # The same sentences are right before and after: no resample shows a difference.
    assert [unchanged.value, unchanged.low, unchanged.high] == pytest.approx([0, 0, 0])
    assert found["ft-parsing-top"].value == pytest.approx(30)
    assert found["ft-probe-pos"].value == pytest.approx(90)
    assert not {"ft-not-stronger-parsing", "ft-not-forgotten-answers", "ft-probe-entities"} & set(found)


def counts(right: int) -> Counts:
    return pd.DataFrame({"right": [1.0] * right + [0.0] * (20 - right), "total": [1.0] * 20})


def test_ablations_by_hand() -> None:
    whole = {"inference": counts(18), "parsing": counts(16)}
    ablated = {
        "inference": {("frozen", 2): counts(17), ("frozen", 4): counts(10)},
        "parsing": {
            ("frozen", 2): counts(12),
            ("frozen", 4): counts(8),
            ("truncated", 2): counts(14),
            ("truncated", 0): counts(4),
        },
    }
    found = ablation_claims(whole, ablated, 4)
    # Freezing all costs 40 points, the lower half 5: half of 40 is 15 more.
    assert found["ft-freeze-half-inference"].value == pytest.approx(15)
    # Parsing loses 4 of the 8 that it gains, inference 1 of 8.
    assert found["ft-freeze-parsing"].value == pytest.approx(37.5)
    # 70 %, where half way from 20 to 80 is 50.
    assert found["ft-truncate"].value == pytest.approx(20)
    assert "ft-freeze-half-answers" not in found


def test_no_gain_leaves_nothing_to_share() -> None:
    same = {("frozen", 2): counts(10), ("frozen", 4): counts(10)}
    found = ablation_claims(
        {"inference": counts(10), "parsing": counts(10)}, {"inference": same, "parsing": same}, 4
    )
    assert set(found) == {"ft-freeze-half-inference"}
