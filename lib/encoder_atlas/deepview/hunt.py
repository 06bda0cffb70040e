"""The chapter's search for manipulated sentences: which are hidden, among which, and what came of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from matplotlib.figure import Figure
from torch import nn

from encoder_atlas.deepview.attacks import Attack, add_url, strongest
from encoder_atlas.deepview.cases import Represent, represent_now, shown_texts
from encoder_atlas.deepview.game import search_game
from encoder_atlas.deepview.search import adversarial_search
from encoder_atlas.deepview.search_report import plot_search, search_effect, search_savings, search_summary
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.deepview.sweep import measure_now
from encoder_atlas.errors import DataError
from encoder_atlas.show import SearchGame
from encoder_atlas.text import Task
from encoder_atlas.training import FittedModel

ATTACKED = 100  # sentences that are manipulated, so that draws hide different ones


@dataclass(frozen=True, eq=False)
class Ordinary:
    """The sentences among which one is hidden."""

    texts: tuple[str, ...]
    labels: Int[np.ndarray, "points"]
    points: Float[np.ndarray, "points hidden"]
    from_train: int


def ordinary_sentences(
    model: FittedModel, task: Task, represent: Represent = represent_now, sample_size: int = 0
) -> Ordinary:
    """All of dev and, where these are fewer than ``sample_size``, all of train.

    A model knows the sentences that it was taught, and is surer of them than of others: sentences of train
    make a hidden one easier to find. The paper draws its 5,000 from both.

    Raises:
        DataError: too few even with train.
    """
    splits = ["dev"] if len(task.split("dev")) >= sample_size else ["dev", "train"]
    texts = [text for split in splits for text in shown_texts(task, split)]
    if len(texts) < sample_size:
        raise DataError(
            f"task {task.name!r} has {len(texts)} sentences in dev and train, and one is to be hidden among "
            f"{sample_size}: lower search_points"
        )
    points = np.concatenate([represent(model, task, split) for split in splits])
    labels = np.concatenate([task.labels(split) for split in splits])
    return Ordinary(tuple(texts), labels, points, len(texts) - len(task.split("dev")))


@dataclass(frozen=True, eq=False)
class Hunt:
    """Manipulated sentences, what they were made from, and the ordinary ones among which they are hidden."""

    manipulation: str
    head: nn.Module
    class_names: tuple[str, ...]
    ordinary: Ordinary
    texts: tuple[str, ...]
    """The manipulated sentences."""
    labels: Int[np.ndarray, "hidden"]
    made_from: tuple[int | None, ...]
    """Row of each one's original among the ordinary sentences, or None where it is not among them."""
    points: Float[np.ndarray, "hidden dim"]
    originals: Float[np.ndarray, "hidden dim"]
    """Points of the sentences as they were before."""

    @property
    def _hidden(self) -> dict[str, Any]:
        n = len(self.ordinary.texts)
        return {"adversarial": list(range(n, n + len(self.texts))), "made_from": list(self.made_from)}

    def search(
        self,
        settings: DeepViewSettings,
        *,
        sample_size: int,
        draws: int,
        measured: Callable[..., pd.DataFrame] = measure_now,
    ) -> "HuntResult":
        """Run `adversarial_search` on the manipulated sentences, and again on the same ones unchanged.

        Args:
            measured: a function like `measure_now` that may remember what it measured.
        """
        how: dict[str, Any] = {"sample_size": sample_size, "draws": draws, "measured": measured}
        unchanged = replace(self, points=self.originals)
        return HuntResult(
            self.manipulation, self.attacked(settings, **how), unchanged.attacked(settings, **how)
        )

    def attacked(
        self,
        settings: DeepViewSettings,
        *,
        sample_size: int,
        draws: int,
        measured: Callable[..., pd.DataFrame] = measure_now,
    ) -> pd.DataFrame:
        """`adversarial_search` of the manipulated sentences alone, without its control."""
        points = np.concatenate([self.ordinary.points, self.points])
        how = {"settings": settings, "sample_size": sample_size, "draws": draws, **self._hidden}
        return measured(adversarial_search, self.head, points, **how)

    def game(self, settings: DeepViewSettings, *, sample_size: int) -> SearchGame:
        """One draw of the search for a reader to play."""
        return search_game(
            self.head,
            np.concatenate([self.ordinary.points, self.points]),
            [*self.ordinary.texts, *self.texts],
            np.concatenate([self.ordinary.labels, self.labels]),
            self.class_names,
            settings,
            sample_size=sample_size,
            title="Find the manipulated sentence",
            **self._hidden,
        )


@dataclass(frozen=True)
class HuntResult:
    """The draws of a search, and those of its control; tables of `AdversarialSearch`."""

    manipulation: str
    attacked: pd.DataFrame
    unchanged: pd.DataFrame

    def table(self) -> pd.DataFrame:
        """Sentences read by each order; how many fewer the map needs; how many fewer for the attack.

        One row a number: mean with its 95 % bootstrap interval over draws, and for the numbers read the
        median and the share found within 5, 10 and 20.
        """
        parts = {
            "read": search_summary(self.attacked),
            "saved by the map against": search_savings(self.attacked),
            "saved for being manipulated": search_effect(self.attacked, self.unchanged),
        }
        parts = {(self.manipulation, what): table for what, table in parts.items()}
        return pd.concat(parts, names=["manipulation", "sentences", "order"])

    def figure(self) -> Figure:
        """The share found against sentences read."""
        return plot_search(self.attacked, f"sentence ({self.manipulation})")


def hunt_note(hunts: Sequence[Hunt]) -> str:
    """What a reader should know of the searches: which sentences stand around, and which were at hand."""
    ordinary = hunts[0].ordinary
    around = f"{len(ordinary.texts) - ordinary.from_train:,} sentences of dev"
    if ordinary.from_train:
        around += f" and {ordinary.from_train:,} of train, which the model was taught"
    counts = ", ".join(f"{len(hunt.texts)} by {hunt.manipulation} ({_classes_of(hunt)})" for hunt in hunts)
    note = f"Ordinary sentences are drawn from {around}. Manipulated ones: {counts}."
    if len(hunts) == 1:
        note += (
            " AdvGLUE's rows, which the paper uses, are not packaged with this book and take no part in this "
            "run; `-p adversarial=FILE`, the path of AdvGLUE's `dev_ann.json`, searches for them too."
        )
    return note


def _classes_of(hunt: Hunt) -> str:
    """As Markdown, in which names from data stand as they are."""
    names = [hunt.class_names[kind].replace("`", "'") for kind in np.unique(hunt.labels)]
    return " and ".join(f"`{name}`" for name in names)


def url_hunt(
    model: FittedModel, task: Task, ordinary: Ordinary, attack: Attack = add_url, attempts: int = 5
) -> Hunt:
    """Attack sentences of dev of one class with the worst of several random addresses, as in section 5.2.

    The class is the first that dev has: of reviews the negative ones, as in the paper. Of a pair the second
    text is attacked. The worst address is the one that takes most probability from the class.
    """
    kind = task.labels("dev").min()
    rows = np.flatnonzero(task.labels("dev") == kind)[:ATTACKED]
    texts = [task.texts("dev")[row] for row in rows]

    def harm(attacked: list[str]) -> Float[np.ndarray, "texts"]:
        return 1 - model.predict_proba(task.name, _with_last(texts, attacked))[:, kind]

    attacked = _with_last(texts, strongest(attack, [_last(text) for text in texts], harm, attempts))
    return Hunt(
        manipulation="a random address",
        head=model.head(task.name),
        class_names=task.label_names,
        ordinary=ordinary,
        texts=tuple(text if isinstance(text, str) else " / ".join(text) for text in attacked),
        labels=task.labels("dev")[rows],
        made_from=tuple(rows.tolist()),
        points=model.represent(attacked),
        originals=ordinary.points[rows],
    )


def advglue_hunt(model: FittedModel, task: Task, ordinary: Ordinary, rows: pd.DataFrame) -> Hunt:
    """Hide the rows of AdvGLUE whose original is known: without it there is no control.

    Args:
        rows: what `text.adversarial.load_adversarial` gives for this kind of task.

    Raises:
        DataError: no row has its original, as in AdvGLUE's dev.json.
    """
    columns = [column for column in rows if f"original_{column}" in rows]
    originals = [f"original_{column}" for column in columns]
    rows = rows.loc[rows[originals].notna().all(axis=1)]
    if rows.empty:
        raise DataError(
            "none of the adversarial rows says what it was made from, so there is no control: give AdvGLUE's "
            "dev_ann.json instead of dev.json"
        )
    places = {text.lower(): row for row, text in reversed(list(enumerate(ordinary.texts)))}
    before = _joined(rows, originals)
    return Hunt(
        manipulation="AdvGLUE",
        head=model.head(task.name),
        class_names=task.label_names,
        ordinary=ordinary,
        texts=tuple(_joined(rows, columns)),
        labels=rows["label"].to_numpy(np.int64),
        made_from=tuple(places.get(text.lower()) for text in before),
        points=model.represent(_texts(rows, columns)),
        originals=model.represent(_texts(rows, originals)),
    )


def _texts(rows: pd.DataFrame, columns: Sequence[str]) -> Any:
    texts = [tuple(row) for row in rows[list(columns)].itertuples(index=False)]
    return texts if len(columns) > 1 else [text for (text,) in texts]


def _joined(rows: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    return [" / ".join(row) for row in rows[list(columns)].itertuples(index=False)]


def _last(text: str | tuple[str, str]) -> str:
    return text if isinstance(text, str) else text[-1]


def _with_last(texts: Sequence[Any], last: Sequence[str]) -> Any:
    return [new if isinstance(text, str) else (text[0], new) for text, new in zip(texts, last, strict=True)]
