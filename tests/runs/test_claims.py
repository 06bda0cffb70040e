"""Claims: the rule decides, the interval is judged whole, and every slip is named."""

import json
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.estimates import Estimate
from encoder_atlas.runs.claims import ClaimRecorder, ClaimRecords, Claims, Rule, Verdict, claims_page
from encoder_atlas.runs.claims.records import ClaimRecord

HIGH, CONTROL = "deepview-high", "deepview-control"

numbers = st.integers(-6, 6).map(float)
rules = st.one_of(
    st.builds(Rule, op=st.sampled_from([">", ">=", "<", "<="]), threshold=numbers),
    st.tuples(numbers, numbers)
    .filter(lambda pair: pair[0] < pair[1])
    .map(lambda pair: Rule(op="between", threshold=pair)),
)


def content() -> dict[str, Any]:
    """A file of two claims."""
    paper = {"name": "DeepView <1>", "reference": "roberts2024targeted", "notebook": "01_deepview"}
    high = {
        "id": HIGH,
        "paper": "deepview",
        "where": "Table 4",
        "statement": "Q_kNN is high | <b>very</b>",
        "printed": {"value": 0.368, "unit": "error"},
        "rule": {"op": ">", "threshold": 0.1},
        "why": "the *lowest* printed is 0.104",
        "profile": "quick",
    }
    control = {**high, "id": CONTROL, "source": "ours", "profile": "open", "printed": None}
    return {"papers": {"deepview": paper}, "claims": [high, control]}


def load(tmp_path: Path, rows: dict[str, Any]) -> Claims:
    (tmp_path / "claims.yaml").write_text(yaml.safe_dump(rows))
    return Claims.load(tmp_path / "claims.yaml")


@pytest.fixture
def claims(tmp_path: Path) -> Claims:
    return load(tmp_path, content())


@pytest.fixture
def recorder(claims: Claims, tmp_path: Path) -> ClaimRecorder:
    return ClaimRecorder(claims, "quick", tmp_path / "runs" / "claims.json")


def literal_verdict(rule: Rule, low: float, high: float) -> Verdict:
    """Try the ends, the thresholds within, and a point between each two of these."""
    bounds = rule.threshold if isinstance(rule.threshold, tuple) else (rule.threshold,)
    fixed = sorted({Fraction(low), Fraction(high), *(Fraction(b) for b in bounds if low <= b <= high)})
    points = fixed + [(left + right) / 2 for left, right in pairwise(fixed)]
    satisfied = {
        ">": lambda x: x > bounds[0],
        ">=": lambda x: x >= bounds[0],
        "<": lambda x: x < bounds[0],
        "<=": lambda x: x <= bounds[0],
        "between": lambda x: bounds[0] <= x <= bounds[-1],
    }[rule.op]
    outcomes = {bool(satisfied(point)) for point in points}
    if outcomes == {True}:
        return Verdict.REPRODUCED
    return Verdict.NOT_REPRODUCED if outcomes == {False} else Verdict.WITHIN_NOISE


@given(rules, numbers, numbers)
def test_the_verdict_equals_trying_every_point(rule: Rule, one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert rule.verdict(low, high) == literal_verdict(rule, low, high)


@pytest.mark.parametrize(
    ("op", "threshold", "low", "high", "verdict"),
    [
        (">", 0.1, 0.2, 0.4, Verdict.REPRODUCED),
        (">", 0.1, 0.05, 0.4, Verdict.WITHIN_NOISE),
        (">", 0.1, 0.0, 0.09, Verdict.NOT_REPRODUCED),
        (">", 0.1, 0.1, 0.1, Verdict.NOT_REPRODUCED),
        (">=", 0.1, 0.1, 0.1, Verdict.REPRODUCED),
        ("<=", 0.05, 0.0, 0.05, Verdict.REPRODUCED),
        ("<", 0.05, 0.0, 0.05, Verdict.WITHIN_NOISE),
        ("between", (0.15, 0.39), 0.15, 0.39, Verdict.REPRODUCED),
        ("between", (0.15, 0.39), 0.1, 0.2, Verdict.WITHIN_NOISE),
        ("between", (0.15, 0.39), 0.1, 0.5, Verdict.WITHIN_NOISE),
        ("between", (0.15, 0.39), 0.4, 0.5, Verdict.NOT_REPRODUCED),
    ],
)
def test_verdicts_worked_by_hand(
    op: Any, threshold: float | tuple[float, float], low: float, high: float, verdict: Verdict
) -> None:
    assert Rule(op=op, threshold=threshold).verdict(low, high) == verdict


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rule": {"op": "between", "threshold": 0.1}}, "'between' needs two thresholds"),
        ({"rule": {"op": ">", "threshold": [0.1, 0.2]}}, "every other rule one"),
        ({"rule": {"op": "between", "threshold": [0.2, 0.2]}}, "0.2 is not below 0.2"),
        ({"rule": {"op": "=", "threshold": 0.1}}, "rule.op"),
        ({"rule": {"op": ">", "threshold": float("nan")}}, "finite"),
        ({"id": "Deep View"}, "claims.0.id"),
        ({"paper": "depview"}, "no paper 'depview'; did you mean 'deepview'"),
        ({"profile": "huge"}, "claims.0.profile"),
        ({"source": "ours"}, "no printed number"),
        ({"statement": ""}, "claims.0.statement"),
        ({"colour": "green"}, "claims.0.colour"),
        ({"id": CONTROL}, f"two claims are called '{CONTROL}'"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    rows = content()
    rows["claims"][0].update(change)
    with pytest.raises(SettingsError, match=re.escape(message)):
        load(tmp_path, rows)


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        Claims.load(tmp_path / "claims.yaml")
    (tmp_path / "claims.yaml").write_text("claims: [")
    with pytest.raises(SettingsError, match="is no YAML"):
        Claims.load(tmp_path / "claims.yaml")


def test_records_are_judged_saved_and_read_back(recorder: ClaimRecorder) -> None:
    assert recorder.record(HIGH, 0.3, 0.2, 0.4, n=250, seeds=1) == Verdict.REPRODUCED
    saved = ClaimRecords.load(recorder.path)
    assert saved == recorder.recorded
    assert (saved.profile, saved.records[HIGH].value) == ("quick", 0.3)
    assert list(recorder.path.parent.iterdir()) == [recorder.path]


def test_a_second_record_replaces_the_first_and_a_new_run_starts_anew(recorder: ClaimRecorder) -> None:
    recorder.record(HIGH, 0.3, 0.2, 0.4, n=250, seeds=1)
    assert recorder.record(HIGH, 0.01, 0, 0.02, n=250, seeds=1) == Verdict.NOT_REPRODUCED
    ClaimRecorder(recorder.claims, "quick", recorder.path)
    assert ClaimRecords.load(recorder.path).records == {}


def test_a_claim_for_a_larger_profile_is_not_tested(recorder: ClaimRecorder) -> None:
    assert recorder.record(CONTROL, 0.3, 0.2, 0.4, n=250, seeds=1) == Verdict.NOT_TESTED


def test_an_unknown_claim_names_the_near_match(recorder: ClaimRecorder) -> None:
    with pytest.raises(
        SettingsError, match="no claim is called 'deepview-hihg'; did you mean 'deepview-high'"
    ):
        recorder.record("deepview-hihg", 0.3, 0.2, 0.4, n=250, seeds=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": float("nan")}, "value"),
        ({"high": float("inf")}, "high"),
        ({"low": 0.4, "high": 0.2}, "low=0.4 is above high=0.2"),
        ({"value": 0.5}, "outside its interval"),
        ({"n": 0}, "n: "),
        ({"seeds": 0}, "seeds: "),
        ({"level": 95.0}, "level: "),
    ],
)
def test_impossible_records_are_refused(
    recorder: ClaimRecorder, change: dict[str, Any], message: str
) -> None:
    measured = {"value": 0.3, "low": 0.2, "high": 0.4, "n": 250, "seeds": 1, **change}
    with pytest.raises(DataError, match=f"claim deepview-high: .*{message}"):
        recorder.record(HIGH, **measured)
    assert ClaimRecords.load(recorder.path).records == {}


def test_samples_give_the_bootstrap_interval(recorder: ClaimRecorder) -> None:
    """Against resampling written out; the two draw other numbers, so they agree to about a standard error."""
    samples = np.random.default_rng(0).random(200) < 0.3
    assert recorder.record_samples(HIGH, samples, seeds=2) == Verdict.REPRODUCED
    record = recorder.recorded.records[HIGH]
    generator = np.random.default_rng(1)
    means = [generator.choice(samples, len(samples)).mean() for _ in range(4000)]
    assert record.value == samples.mean() and (record.n, record.seeds) == (200, 2)
    np.testing.assert_allclose([record.low, record.high], np.percentile(means, [2.5, 97.5]), atol=0.01)
    recorder.record_samples(HIGH, samples, seeds=2)
    assert recorder.recorded.records[HIGH] == record


def test_samples_that_are_all_alike_make_an_interval_of_no_width(recorder: ClaimRecorder) -> None:
    recorder.record_samples(HIGH, [0.1] * 7)
    record = recorder.recorded.records[HIGH]
    assert record.low == pytest.approx(0.1) and record.high == pytest.approx(0.1)


@pytest.mark.parametrize("samples", [[], [0.3], [0.1, float("nan")], [0.1, float("inf")]])
def test_samples_that_make_no_interval_are_refused(recorder: ClaimRecorder, samples: list[float]) -> None:
    with pytest.raises(DataError, match="at least two samples"):
        recorder.record_samples(HIGH, samples)


def test_all_of_a_chapter_are_recorded_at_once(recorder: ClaimRecorder) -> None:
    recorder.record_all({HIGH: Estimate(0.3, 0.2, 0.4, n=250)}, seeds=2)
    assert recorder.recorded.records == {HIGH: ClaimRecord(value=0.3, low=0.2, high=0.4, n=250, seeds=2)}
    samples = np.array([0.1, 0.2, 0.6])
    recorder.record_all({CONTROL: samples, HIGH: samples[:1]}, seeds=3)
    record = recorder.recorded.records[CONTROL]
    assert (record.value, record.n, record.seeds) == (pytest.approx(0.3), 3, 3)
    assert recorder.recorded.records[HIGH].value == 0.3, "one sample has no interval: nothing is recorded"


def test_the_table_of_a_chapter(recorder: ClaimRecorder) -> None:
    recorder.record(HIGH, 0.3, 0.2, 12.34, n=250, seeds=3, level=0.9)
    first, second = recorder.table().to_dict("records")
    assert first == {
        "claim": "Q_kNN is high | <b>very</b>",
        "paper": "DeepView <1>, Table 4",
        "printed": "0.368 error",
        "rule": "> 0.1",
        "ours": "0.300 [0.200, 12.3] (90%)",
        "n / seeds": "250 / 3",
        "verdict": "✔ reproduced",
    }
    assert (second["paper"], second["ours"]) == ("ours, a control", "–")
    assert second["verdict"] == "○ not tested here"
    html = recorder._repr_html_()
    assert "&lt;b&gt;very&lt;/b&gt;" in html and "<b>" not in html


def rendered(page: str) -> str:
    return MarkdownIt("commonmark").enable("table").render(page)


def test_the_page_counts_groups_and_escapes(recorder: ClaimRecorder) -> None:
    recorder.record(HIGH, 0.3, 0.2, 0.4, n=250, seeds=1)
    page = claims_page(recorder.claims, {"01_deepview": recorder.path})
    assert (
        "**1** ✔ reproduced · **0** ✘ not reproduced · **0** ≈ within noise · **1** ○ not tested here" in page
    )
    assert "profile `quick`" in page
    assert "[Its chapter](../notebooks/01_deepview.ipynb)" in page and "{cite:t}`roberts2024targeted`" in page
    html = rendered(page)
    assert "<h2>DeepView &lt;1&gt;</h2>" in html
    assert "<td>Q_kNN is high | &lt;b&gt;very&lt;/b&gt;</td>" in html
    assert "the *lowest* printed" in html
    assert page == claims_page(recorder.claims, {"01_deepview": recorder.path})


@given(st.text(st.sampled_from("a1 \\`*_{}[]<>#|$~&!@^-+.:\n'\"()"), min_size=1).filter(str.strip))
def test_any_text_shows_as_itself(text: str) -> None:
    rows = content()
    rows["claims"][0]["statement"] = text
    claims = Claims.model_validate(rows)
    html = rendered(claims_page(claims, {}))
    cell = re.search(r"<tbody>\s*<tr>\s*<td>(.*?)</td>", html, flags=re.DOTALL)
    assert cell is not None and "<" not in cell[1]
    shown = cell[1].replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    assert shown == " ".join(text.split())


def test_a_page_without_runs_links_nowhere(claims: Claims) -> None:
    page = claims_page(claims, {})
    assert "Nothing was run" in page and ".ipynb" not in page and "**2** ○ not tested here" in page


def test_records_of_claims_that_are_gone_are_named(recorder: ClaimRecorder, tmp_path: Path) -> None:
    recorder.record(HIGH, 0.3, 0.2, 0.4, n=250, seeds=1)
    rows = content()
    del rows["claims"][0]
    with pytest.raises(SettingsError, match="no claim is called 'deepview-high'"):
        claims_page(load(tmp_path, rows), {"01_deepview": recorder.path})


@pytest.mark.parametrize("text", ["", "[]", '{"profile": "quick"}'])
def test_a_broken_record_file_is_named(claims: Claims, tmp_path: Path, text: str) -> None:
    (tmp_path / "claims.json").write_text(text)
    with pytest.raises(DataError, match=r"claims.json.*run the notebook again"):
        claims_page(claims, {"01_deepview": tmp_path / "claims.json"})
    with pytest.raises(DataError, match="cannot be read"):
        ClaimRecords.load(tmp_path / "none.json")


def test_a_record_file_that_was_changed_by_hand_is_checked(recorder: ClaimRecorder) -> None:
    recorder.record(HIGH, 0.3, 0.2, 0.4, n=250, seeds=1)
    saved = json.loads(recorder.path.read_text())
    saved["records"][HIGH]["value"] = 0.5
    recorder.path.write_text(json.dumps(saved))
    with pytest.raises(DataError, match="outside its interval"):
        ClaimRecords.load(recorder.path)
