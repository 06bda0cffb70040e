"""Small decision maps and grids of heads, made by hand."""

import base64
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from anywidget import AnyWidget
from jaxtyping import Bool, Float, Int
from numpy import ndarray
from playwright.sync_api import Page

from encoder_atlas.show import (
    DecisionMap,
    HeadScores,
    HeadStep,
    LayerPanel,
    LayerStory,
    LayerTimeline,
    LinkModel,
    MovedWord,
    SearchGame,
)
from encoder_atlas.text.layers import Frame as RoleFrame
from encoder_atlas.text.layers import Sentence, Span


@dataclass(frozen=True)
class Frame:
    """Stands in for a wing's frame: the attributes of ``MapFrame`` and nothing else."""

    lambda_: float
    embedding: Float[ndarray, "points 2"]
    extent: tuple[float, float, float, float]
    grid_class: Int[ndarray, "rows cols"]
    grid_certainty: Float[ndarray, "rows cols"]
    predicted: Int[ndarray, " points"]
    background: Int[ndarray, " points"]
    neighbours: Int[ndarray, "points k"]
    q_knn: float
    q_data: float

    def but(self, **changes: Any) -> "Frame":
        return replace(self, **changes)


def make_frame(lambda_: float, points: int = 40, n_classes: int = 2, seed: int = 0) -> Frame:
    """Classes side by side, drawn into each other as λ grows; a smooth background of upright bands."""
    predicted = np.arange(points) % n_classes
    spread = np.random.default_rng(seed).normal(size=(points, 2))
    embedding = spread * (0.5 + lambda_) + np.stack([3.0 * predicted, 0.4 * predicted], axis=1)
    low, high = embedding.min(axis=0) - 0.5, embedding.max(axis=0) + 0.5
    across = np.linspace(low[0], high[0], 30)
    band = np.tile((across + 1.5) / 3, (25, 1))
    grid_class = np.clip(np.floor(band), 0, n_classes - 1).astype(int)
    certainty = np.clip(2 * np.abs(band - np.round(band)), 0, 1)
    background = np.clip(np.floor((embedding[:, 0] + 1.5) / 3), 0, n_classes - 1).astype(int)
    apart = np.linalg.norm(embedding[:, None] - embedding[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return Frame(
        lambda_=lambda_,
        embedding=embedding,
        extent=(float(low[0]), float(high[0]), float(low[1]), float(high[1])),
        grid_class=grid_class,
        grid_certainty=certainty,
        predicted=predicted,
        background=background,
        neighbours=np.argsort(apart, axis=1)[:, :6],
        q_knn=0.1 * lambda_,
        q_data=0.05,
    )


@pytest.fixture
def frame() -> Frame:
    return make_frame(0.8)


@pytest.fixture
def frames() -> list[Frame]:
    return [make_frame(lambda_) for lambda_ in (0.0, 0.4, 0.8, 1.0)]


ATTACK = "<img src=x onerror=alert(1)> is shown as text"


def make_map(frames: list[Frame], **changes: Any) -> DecisionMap:
    """A map of the frames' 40 points; every tenth label is not what the classifier predicts."""
    labels = frames[0].predicted.copy()
    labels[::10] = 1 - labels[::10]
    texts = [
        f"sentence {index} about a {'dull' if label else 'fine'} film" for index, label in enumerate(labels)
    ]
    texts[7] = ATTACK
    settings: dict[str, Any] = {
        "ids": [f"dev:{index}" for index in range(len(labels))],
        "title": "Forty points",
    }
    return DecisionMap(frames, texts, labels, ["negative", "positive"], **(settings | changes))


@pytest.fixture
def decision_map(frames: list[Frame]) -> DecisionMap:
    return make_map(frames)


@pytest.fixture
def map_of() -> Callable[..., DecisionMap]:
    return make_map


def make_game(frame: Frame, hidden: int, **changes: Any) -> SearchGame:
    """A search on the map of 40 points: left and right half of what is uncertain are its two regions."""
    rows, cols = frame.grid_class.shape
    left, right, bottom, top = frame.extent
    regions = np.where(frame.grid_certainty < 0.5, np.where(np.arange(cols) < cols / 2, 1, 2), 0)
    col = np.rint((frame.embedding[:, 0] - left) / (right - left) * (cols - 1)).astype(int)
    row = np.rint((frame.embedding[:, 1] - bottom) / (top - bottom) * (rows - 1)).astype(int)
    region = regions[row, col]
    shown = make_map([frame])
    settings: dict[str, Any] = {
        "regions": regions,
        "region": region,
        "order": np.argsort(np.where(region, region, 3), kind="stable"),
        "title": "Forty points, one of them hidden",
    }
    labels = np.frombuffer(shown.labels, "u1").astype(int)
    return SearchGame(frame, shown.texts, labels, shown.class_names, hidden=hidden, **(settings | changes))


@pytest.fixture
def game_of() -> Callable[..., SearchGame]:
    return make_game


ALPHAS = (0.1, 0.2, 0.3, 0.5)
TASKS = ("SST-2", "QNLI", "MNLI", "AG News")


def top_heads(
    scores: Float[ndarray, "tasks layers heads"], alpha: float
) -> Bool[ndarray, "tasks layers heads"]:
    """The int(α·L·H) largest of each task, one by one."""
    chosen = np.zeros(scores.shape, dtype=bool)
    n_heads = scores[0].size
    for task, heads in enumerate(scores):
        order = sorted(range(n_heads), key=lambda i: -heads.flat[i])
        for i in order[: int(alpha * n_heads)]:
            chosen[task].flat[i] = True
    return chosen


def make_scores(
    tasks: Sequence[str] = TASKS, layers: int = 6, heads: int = 12, seed: int = 0, **changes: Any
) -> HeadScores:
    """Importance that the tasks share in part, each on a scale of its own, pruned at four α."""
    rng = np.random.default_rng(seed)
    shared = rng.gamma(1.5, size=(layers, heads))
    values = np.stack(
        [scale * (shared + rng.gamma(2.0, size=(layers, heads))) for scale in range(1, len(tasks) + 1)]
    )
    values *= 0.01
    steps = []
    for alpha in ALPHAS:
        table = 100 - 60 * alpha * rng.uniform(0.2, 1.2, size=(len(tasks), len(tasks)))
        np.fill_diagonal(table, 98 - 110 * alpha)
        others = table.sum(axis=0) - np.diag(table)
        dissociation = others / max(1, len(tasks) - 1) - np.diag(table)
        steps.append(HeadStep(alpha, top_heads(values, alpha), table, dissociation, note=f"note at {alpha}"))
    return replace(HeadScores(list(tasks), values, steps), **changes)


def make_gates(run: str, seed: int) -> HeadScores:
    """Gates at three coefficients: many shut, many open, each step with gates of its own."""
    rng = np.random.default_rng(seed)
    names = ["POS", "NER", "all five"]
    open_ = np.random.default_rng(7).normal(size=(3, 4, 6))
    steps = []
    for value, shift in ((0.0001, 0.9), (0.001, 0.3), (0.01, -0.2)):
        gates = np.clip(0.5 + open_ + 0.4 * rng.normal(size=open_.shape) + shift, 0, 1)
        table = np.array([[90.0, np.nan], [np.nan, 70.0], [88.0, 66.0]]) + shift + seed
        steps.append(HeadStep(value, gates > 1e-3, table, scores=gates))
    return HeadScores(names, steps[0].scores, steps, measures=["POS", "NER"], run=run)


@pytest.fixture
def scores_of() -> Callable[..., HeadScores]:
    return make_scores


@pytest.fixture
def gate_runs() -> list[HeadScores]:
    return [make_gates(f"run {seed}", seed) for seed in (1, 2, 3)]


def page_state(widget: AnyWidget) -> dict[str, Any]:
    """What a static page keeps of a widget: its state as JSON, its bytes as base64."""
    state = {
        name: value
        for name, value in widget.get_state().items()
        if name not in ("layout", "tooltip", "tabbable")
    }
    buffers = {name: value for name, value in state.items() if isinstance(value, bytes | memoryview)}
    plain = {name: value for name, value in state.items() if name not in buffers}
    return plain | {"buffers": {name: base64.b64encode(value).decode() for name, value in buffers.items()}}


@pytest.fixture
def open_maps(offline_page: Page, tmp_path: Path) -> Callable[..., Page]:
    """Open a page, from a file, that holds the given widgets and no kernel."""

    def open_them(*widgets: AnyWidget, theme: str = "light") -> Page:
        state = json.dumps([page_state(widget) for widget in widgets]).replace("</", "<\\/")
        page = (Path(__file__).parent / "harness.html").read_text("utf-8").replace("STATE", state)
        file = tmp_path / "maps.html"
        file.write_text(page.replace("THEME", theme), "utf-8")
        offline_page.goto(file.as_uri())
        offline_page.wait_for_selector("body[data-ready]")
        return offline_page

    return open_them


def wcag_contrast(first: str, second: str) -> float:
    """WCAG 2 contrast of two ``rgb(r, g, b)``."""

    def luminance(colour: str) -> float:
        rgb = np.array([int(value) for value in re.findall(r"\d+", colour)[:3]]) / 255
        return float(
            np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
        )

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture
def contrast() -> Callable[[str, str], float]:
    return wcag_contrast


LAYER_MODELS, LAYER_TEXTS = ("MNLI", "parsing"), ("in domain", "Wikipedia")


def make_story(**changes: Any) -> LayerStory:
    """Similarity of two models on two texts, accuracy over frozen layers, four points in training, words."""
    similar, frozen, training, words = [], [], [], []
    for at, model in enumerate(LAYER_MODELS):
        for other, text in enumerate(LAYER_TEXTS):
            for layer in range(5):
                value = 1 - (0.02 + 0.03 * at - 0.01 * other) * layer**2
                similar.append((model, text, layer, value, value - 0.01, value + 0.01))
                training += [
                    (model, text, share, layer, 1 - (1 - value) * share) for share in (0.0, 0.1, 0.4, 1.0)
                ]
                context = (f"{text}: before ", f"word{layer}", f" after, of {model}")
                moved = MovedWord(f"word{layer}", layer, 0.1 * layer, 0.05 * layer, 0.2, 9, [context])
                words += [
                    replace(moved, model=model, text=text),
                    replace(moved, word="the", shift=0.01, model=model, text=text),
                ]
        frozen += [(model, layer, 80.0 + at - layer) for layer in range(0, 5, 2)]
    columns = ["series", "layer", "value", "low", "high"]
    named = pd.DataFrame(similar, columns=["model", "text", *columns[1:]])
    given: dict[str, Any] = {
        "panels": [
            LayerPanel(
                "Similarity", named.rename(columns={"text": "series"}), "RSA, base against tuned", "a note"
            ),
            LayerPanel("Freezing", pd.DataFrame(frozen, columns=columns[:3]), "accuracy (%)"),
        ],
        "timeline": LayerTimeline(
            "During training",
            pd.DataFrame(training, columns=["model", "text", "share", "layer", "value"]),
            "RSA",
        ),
        "words": words,
    }
    return LayerStory(**(given | changes))


@pytest.fixture
def story() -> LayerStory:
    return make_story()


@pytest.fixture
def story_of() -> Callable[..., LayerStory]:
    return make_story


LINK_SENTENCES = (
    Sentence(
        id="1",
        words=("she", "gave", "him", "tea", "today"),
        heads=(2, 0, 2, 2, 2),
        deprels=("nsubj", "root", "iobj", "obj", "obl:tmod"),
        frames=(RoleFrame(1, "give.01", (Span(0, 1, "ARG0"), Span(1, 2, "V"), Span(2, 4, "ARG1"))),),
    ),
    Sentence(id="2", words=("dogs", "bark"), heads=(2, 0), deprels=("nsubj", "root"), frames=()),
)


def make_links(name: str = "before", seed: int = 0) -> LinkModel:
    """Attention of two layers of two heads. Head (0, 0) looks at the head of each word, [CLS] for the root;
    head (0, 1) rests on [CLS] and looks at the next word after that; the others at random."""
    rng = np.random.default_rng(seed)
    attention = []
    for sentence in LINK_SENTENCES:
        n = len(sentence.words) + 1
        weights = 0.1 * rng.dirichlet(np.ones(n), size=(2, 2, n))
        for word, head in enumerate(sentence.heads or (), start=1):
            weights[0, 0, word, head] += 0.9
            weights[0, 1, word, 0] += 0.6
            weights[0, 1, word, min(word + 1, n - 1)] += 0.3
        attention.append(weights)
    best = pd.DataFrame(
        {"label": ["nsubj", "obj"], "layer": [1, 2], "head": [1, 2], "accuracy": [97.25, 40.0]}
    )
    return LinkModel(name, attention, {"dep": best, "srl": best.assign(label=["ARG0", "ARG1"])})


@pytest.fixture
def link_sentences() -> Sequence[Sentence]:
    return LINK_SENTENCES


@pytest.fixture
def links_of() -> Callable[..., LinkModel]:
    return make_links
