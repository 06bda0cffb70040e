"""The grid of heads, Python side: what it packs, what it refuses, what it draws where nothing moves."""

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle

from encoder_atlas.errors import DataError
from encoder_atlas.show import HeadGrid, HeadScores, HeadStep, HeadWords, plot_head_grid

Build = Callable[..., HeadScores]
VALUES = np.linspace(0, 1, 24).reshape(2, 3, 4)
CHOSEN = VALUES > 0.5


def small(**changes: Any) -> HeadScores:
    return replace(HeadScores(["a", "b"], VALUES, [HeadStep(0.5, CHOSEN)]), **changes)


def unpacked_bits(grid: HeadGrid, shape: tuple[int, ...]) -> np.ndarray:
    return (
        np.unpackbits(np.frombuffer(grid.selected, "u1"), count=int(np.prod(shape)))
        .reshape(shape)
        .astype(bool)
    )


def test_packing_round_trip(scores_of: Build) -> None:
    given = scores_of()
    backwards = replace(given, steps=tuple(reversed(given.steps)))
    grid = HeadGrid(backwards, at=0.3)
    assert (grid.grid, grid.steps, grid.step) == ([6, 12], [0.1, 0.2, 0.3, 0.5], 2)
    assert np.frombuffer(grid.scores, "<f4").reshape(4, 6, 12) == pytest.approx(given.values, rel=1e-6)
    assert (unpacked_bits(grid, (4, 4, 6, 12)) == np.stack([step.selected for step in given.steps])).all()
    tables = np.frombuffer(grid.performance, "<f4").reshape(4, 4, 4)
    assert tables == pytest.approx(np.array([step.performance for step in given.steps]), rel=1e-6)
    scores = np.frombuffer(grid.dissociation, "<f4").reshape(4, 4)
    assert scores == pytest.approx(np.array([step.dissociation for step in given.steps]), rel=1e-5)


def test_gates_of_several_runs(gate_runs: list[HeadScores]) -> None:
    grid = HeadGrid(gate_runs, scale="value")
    assert grid.runs == ["run 1", "run 2", "run 3"]
    expected = np.array([[step.scores for step in run.steps] for run in gate_runs])
    assert np.frombuffer(grid.scores, "<f4").reshape(expected.shape) == pytest.approx(expected, rel=1e-6)
    tables = np.frombuffer(grid.performance, "<f4").reshape(3, 3, 3, 2)
    assert np.isnan(tables[:, :, 0, 1]).all()
    assert tables[2, 0, 2, 0] == pytest.approx(88.0 + 0.9 + 3)
    assert grid.dissociation == b""
    grid.run = 3  # all of them
    with pytest.raises(DataError, match="run 4 is not one of 0 … 3"):
        grid.run = 4


def test_a_step_without_a_table_is_not_measured() -> None:
    measured = HeadStep(0.1, CHOSEN, np.full((2, 2), 90.0), np.array([1.0, 2.0]))
    grid = HeadGrid(small(steps=[measured, HeadStep(0.5, CHOSEN)]))
    assert np.isnan(np.frombuffer(grid.performance, "<f4")[4:]).all()
    assert np.isnan(np.frombuffer(grid.dissociation, "<f4")[2:]).all()


def test_without_steps_there_is_no_set() -> None:
    grid = HeadGrid(small(steps=()))
    assert (grid.steps, grid.selected, grid.performance) == ([], b"", b"")
    assert len(plot_head_grid(small(steps=()))) == 2
    plt.close("all")


def test_the_page_carries_little(scores_of: Build) -> None:
    tasks = ["MNLI", "QQP", "QNLI", "AG", "SST-2"]
    given = scores_of(tasks, layers=24, heads=16)
    many = [replace(given.steps[0], value=alpha) for alpha in np.arange(1, 20) / 20]
    state = HeadGrid(replace(given, steps=many)).get_state()
    data = sum(len(value) for value in state.values() if isinstance(value, bytes))
    assert data < 16_000, "the data of BERT-large at 19 steps"
    assert len(state["_esm"]) + len(state["_css"]) < 45_000


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("tasks: none given", {"tasks": []}),
        ("tasks: 'a' comes more than once", {"tasks": ["a", "a"]}),
        ("tasks: one has no name", {"tasks": ["a", " "]}),
        (
            r"values have shape \(2, 3, 4\); wanted \(tasks, layers, heads\) with 3 tasks",
            {"tasks": list("abc")},
        ),
        ("wanted .* at least one head", {"values": np.zeros((2, 3, 0)), "steps": ()}),
        ("steps: the value 0.5 comes more than once", {"steps": [HeadStep(0.5, CHOSEN)] * 2}),
        ("a step's value is NaN", {"steps": [HeadStep(float("nan"), CHOSEN)]}),
        (
            r"selected of the step 0.5 has shape \(2, 3, 3\); wanted \(2, 3, 4\)",
            {"steps": [HeadStep(0.5, CHOSEN[:, :, :3])]},
        ),
        (
            r"performance of the step 0.5 has shape \(2, 3\); wanted \(2, 2\)",
            {"steps": [HeadStep(0.5, CHOSEN, np.zeros((2, 3)))]},
        ),
        (
            "performance of the step 0.5 holds an infinite",
            {"steps": [HeadStep(0.5, CHOSEN, np.full((2, 2), np.inf))]},
        ),
        (
            "dissociation of the step 0.5 is NaN or infinite for task 'b'",
            {"steps": [HeadStep(0.5, CHOSEN, dissociation=np.array([1.0, np.nan]))]},
        ),
        (
            "performance is nowhere above 0.9: give percent",
            {"steps": [HeadStep(0.5, CHOSEN, np.array([[0.9, np.nan], [0.8, 0.7]]))]},
        ),
        ("measures: 'x' comes more than once", {"measures": ["x", "x"]}),
    ],
)
def test_bad_input(message: str, changes: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=message):
        HeadGrid(small(**changes))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -0.1])
def test_bad_scores_are_named(bad: float) -> None:
    values = VALUES.copy()
    values[1, 2, 3] = bad
    with pytest.raises(DataError, match=rf"values: task 'b', layer 3, head 4 is {bad:g}; .* \(1 are not\)"):
        HeadGrid(small(values=values))
    with pytest.raises(DataError, match=r"scores of the step 0\.5: task 'b', layer 3, head 4"):
        HeadGrid(small(steps=[HeadStep(0.5, CHOSEN, scores=values)]))
    with pytest.raises(DataError, match="values: task 'b'"):
        plot_head_grid(small(values=values))


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("runs: '1' comes more than once", {"run": "1"}),
        ("runs '1' and '2' hold different tasks", {"tasks": ["a", "c"]}),
        ("runs '1' and '2' differ in layers or heads", {"values": VALUES[:, :2], "steps": ()}),
        ("have different steps", {"steps": [HeadStep(0.4, CHOSEN)]}),
        ("were measured on different things", {"measures": ["x"]}),
        ("values of run '2': task 'a'", {"values": VALUES - 1}),
    ],
)
def test_runs_must_be_alike(message: str, changes: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=message):
        HeadGrid([small(run="1"), small(**({"run": "2"} | changes))])


def test_settings_that_do_not_fit() -> None:
    with pytest.raises(DataError, match="at least one run"):
        HeadGrid([])
    with pytest.raises(DataError, match=r"no step at α = 0.3; there are 0.5"):
        HeadGrid(small(), at=0.3)
    with pytest.raises(DataError, match=r"scale 'value' is for scores in \[0, 1\], and one is 2"):
        HeadGrid(small(values=2 * VALUES), scale="value")
    with pytest.raises(DataError, match="scale 'log' is neither"):
        plot_head_grid(small(), scale="log")
    grid = HeadGrid(small())
    for name, value in (("step", 1), ("run", 1), ("head", [3, 0]), ("head", [0, 4]), ("head", [1])):
        with pytest.raises(DataError, match=r"is not (one of 0 …|a layer and a head)"):
            setattr(grid, name, value)
    grid.head = [2, 3]


def test_figure_frames_what_is_singled_out(scores_of: Build) -> None:
    given = scores_of()
    axes = plot_head_grid(given, 0.3, title="$ and α")
    assert len(axes) == 5
    for ax, chosen in zip(axes, given.steps[2].selected, strict=False):
        frames = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
        corners = {(int(frame.get_y()), int(frame.get_x())) for frame in frames}
        assert corners == {(int(layer), int(head)) for layer, head in np.argwhere(chosen)}
        bottom, top = ax.get_ylim()
        assert bottom < top, "layer 1 lies at the bottom"
    counts = given.steps[2].selected.sum(axis=0)
    written = {
        (round(text.get_position()[1] - 0.5), round(text.get_position()[0] - 0.5)): text.get_text()
        for text in axes[-1].texts
    }
    assert all(
        written.get((int(y), int(x)), "") == (str(n) if n else "") for (y, x), n in np.ndenumerate(counts)
    )
    plt.close("all")


def test_colours_of_a_task_reach_from_zero_to_its_largest() -> None:
    (first, second, _) = plot_head_grid(small())
    shades = [np.asarray(ax.collections[0].get_array()).reshape(3, 4) for ax in (first, second)]
    assert shades[0] == pytest.approx(VALUES[0] / VALUES[0].max())
    assert shades[1] == pytest.approx(VALUES[1])
    plt.close("all")


def test_runs_become_colours(gate_runs: list[HeadScores]) -> None:
    axes = plot_head_grid(gate_runs[:2], 0.001, scale="value")
    gates = [run.steps[1].scores for run in gate_runs[:2]]
    for task, ax in enumerate(axes[:3]):
        shown = np.asarray(ax.images[0].get_array())
        for channel, run in enumerate(gates):
            assert run is not None
            assert shown[..., channel] == pytest.approx(run[task])
        assert (shown[..., 2] == 0).all(), "there is no third run"
        both = gate_runs[0].steps[1].selected[task] & gate_runs[1].steps[1].selected[task]
        assert len(ax.patches) == both.sum()
    plt.close("all")


def test_pictures_that_cannot_be_drawn(gate_runs: list[HeadScores]) -> None:
    four = [replace(gate_runs[0], run=name) for name in "abcd"]
    with pytest.raises(DataError, match="4 runs do not fit into one picture"):
        plot_head_grid(four)
    assert HeadGrid(four).picture().startswith(b"\x89PNG"), "one of four can be"
    with pytest.raises(DataError, match=r"no step at α = 0.2; there are 0\.5"):
        plot_head_grid(small(), 0.2)


def test_overlap_is_of_the_rows_that_count() -> None:
    values, chosen = np.concatenate([VALUES, VALUES[:1]]), np.concatenate([CHOSEN, ~CHOSEN[:1]])
    three = HeadScores(["a", "b", "a+b"], values, [HeadStep(0.5, chosen)], counted=2)
    counted = np.asarray(plot_head_grid(three)[-1].collections[0].get_array()).reshape(3, 4)
    assert counted == pytest.approx(CHOSEN.sum(axis=0) / 2)
    assert HeadGrid(three).sharing == 2 and HeadGrid(small()).sharing == 2
    with pytest.raises(DataError, match="counted=4: there are 3 rows"):
        HeadGrid(replace(three, counted=4))
    plt.close("all")


def test_one_task_overlaps_with_none() -> None:
    alone = HeadScores(["a"], VALUES[:1], [HeadStep(0.5, CHOSEN[:1])])
    assert len(plot_head_grid(alone)) == 1
    plt.close("all")


def test_png_for_pages_that_cannot_move(gate_runs: list[HeadScores]) -> None:
    words = HeadWords(step="L0 coefficient", score="gate", selected="kept")
    grid = HeadGrid(gate_runs, words=words, scale="value", title="gates, $ and all")
    pictures = set()
    for run, step in ((0, 0), (0, 2), (1, 2), (3, 2)):
        grid.run, grid.step = run, step
        bundle = grid._repr_mimebundle_()
        assert bundle is not None
        pictures.add(bundle[0]["image/png"])
        assert base64.b64decode(bundle[0]["image/png"]).startswith(b"\x89PNG\r\n")
    assert len(pictures) == 4
    assert not plt.get_fignums()
