"""Small decision maps, made by hand."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float, Int
from numpy import ndarray
from playwright.sync_api import Page

from encoder_atlas.show import DecisionMap, SearchGame


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


def page_state(widget: DecisionMap) -> dict[str, Any]:
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
    """Open a page, from a file, that holds the given maps and no kernel."""

    def open_them(*widgets: DecisionMap, theme: str = "light") -> Page:
        state = json.dumps([page_state(widget) for widget in widgets]).replace("</", "<\\/")
        page = (Path(__file__).parent / "harness.html").read_text("utf-8").replace("STATE", state)
        file = tmp_path / "maps.html"
        file.write_text(page.replace("THEME", theme), "utf-8")
        offline_page.goto(file.as_uri())
        offline_page.wait_for_selector("body[data-ready]")
        return offline_page

    return open_them
