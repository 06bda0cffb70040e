"""The maps of several models of one task, of the same sentences: made together, and shown in several ways."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int
from matplotlib.figure import Figure

from encoder_atlas.deepview.cases import Case, shown_texts
from encoder_atlas.deepview.figures import blends_shown, plot_blends
from encoder_atlas.deepview.settings import DeepViewSettings
from encoder_atlas.deepview.threads import threads_for
from encoder_atlas.deepview.view import DecisionFrame, DeepView
from encoder_atlas.errors import DataError
from encoder_atlas.show import DecisionMap, DecisionMaps

GROUP = "dev sentences"  # maps of the same sentences choose together, wherever they stand on the page


def points_shown(case: Case, rows: Int[np.ndarray, "points"]) -> dict[str, Any]:
    """What every widget says of these rows of the case's split: texts, labels, class_names and ids."""
    texts, ids = shown_texts(case.task, case.split), case.task.split(case.split)["id"]
    return {
        "texts": [texts[row] for row in rows],
        "labels": case.labels[rows],
        "class_names": case.task.label_names,
        "ids": [str(ids.iloc[row]) for row in rows],
    }


@dataclass(frozen=True, eq=False)
class CaseMap:
    """A model's maps over λ, with the sentences that they show."""

    case: Case
    rows: Int[np.ndarray, "points"]
    """Which texts of the case's split are shown."""
    view: DeepView
    frames: tuple[DecisionFrame, ...]

    def at(self, lambda_: float) -> DecisionFrame:
        """The map at one λ.

        Raises:
            DataError: there is none.
        """
        for frame in self.frames:
            if frame.lambda_ == lambda_:
                return frame
        drawn = ", ".join(f"{frame.lambda_:g}" for frame in self.frames)
        raise DataError(f"no map was drawn at λ = {lambda_:g}; there are {drawn}")

    def live(self, lambda_: float, group: str = GROUP) -> DecisionMap:
        """One map with a slider over λ, opened at ``lambda_``."""
        return DecisionMap(
            self.frames,
            **points_shown(self.case, self.rows),
            title=self.case.setting,
            probabilities=self.view.probabilities,
            lambda_=lambda_,
            group=group,
        )

    def beside(self, group: str = GROUP) -> DecisionMaps:
        """The paper's Figure 1, live: from the representation alone, left, to the classifier alone."""
        maps = blends_shown(self.frames)
        sure = dict.fromkeys(maps, self.view.probabilities)
        return DecisionMaps(
            maps,
            **points_shown(self.case, self.rows),
            title=self.case.setting,
            probabilities=sure,
            group=group,
        )

    def figure(self) -> Figure:
        """The same for print."""
        shown = points_shown(self.case, self.rows)
        return plot_blends(self.frames, shown["labels"], shown["class_names"], self.case.setting)


def map_cases(
    cases: Mapping[str, Case],
    settings: DeepViewSettings,
    rows: Int[np.ndarray, "points"],
    lambdas: Mapping[str, Sequence[float]],
) -> dict[str, CaseMap]:
    """Draw the same ``rows`` for every case, at each λ given for it; distances are measured once a case.

    Raises:
        SettingsError, DataError: see `DeepView.fit` and `DeepView.frame`.
    """
    maps = {}
    with threads_for(len(rows)):
        for name, case in cases.items():
            view = DeepView(case.head, settings).fit(case.points[rows])
            maps[name] = CaseMap(case, rows, view, tuple(view.frames(sorted(set(lambdas[name])))))
    return maps


def side_by_side(maps: Mapping[str, CaseMap], lambda_: float, group: str = GROUP) -> DecisionMaps:
    """The paper's Figure 2, live: several models' maps of the same sentences at one λ.

    Raises:
        DataError: no map at this λ.
    """
    first = next(iter(maps.values()))
    return DecisionMaps(
        {f"{name}, λ = {lambda_:g}": one.at(lambda_) for name, one in maps.items()},
        **points_shown(first.case, first.rows),
        title=f"{first.case.task.name}: {' and '.join(maps)}",
        probabilities={f"{name}, λ = {lambda_:g}": one.view.probabilities for name, one in maps.items()},
        group=group,
    )
