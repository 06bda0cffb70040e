"""Edge probes of one encoder: several tasks, views and seeds over one reading of the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.finetuning.edge_batches import unique_sentences
from encoder_atlas.finetuning.edge_probe import edge_probe
from encoder_atlas.finetuning.edge_result import EdgeProbeResult
from encoder_atlas.finetuning.edge_settings import VIEWS, ProbeSettings, View
from encoder_atlas.finetuning.states import layer_states
from encoder_atlas.progress import bar
from encoder_atlas.text.edges import EdgeTask


@dataclass(frozen=True, eq=False)
class EdgeProbes:
    """What all probes of one encoder found."""

    results: tuple[EdgeProbeResult, ...]

    def of(self, task: str, view: str) -> list[EdgeProbeResult]:
        """The results of a task and view, one a seed.

        Raises:
            DataError: there are none.
        """
        found = [result for result in self.results if (result.task, result.view) == (task, view)]
        if not found:
            known = {f"{result.task}, {result.view}" for result in self.results}
            raise DataError(f"no probe of {task}, {view}; {near(f'{task}, {view}', known)}")
        return found

    def to_frame(self) -> pd.DataFrame:
        """One row a task, view and seed, with the columns of `EdgeProbeResult.to_frame`."""
        return pd.concat([result.to_frame() for result in self.results], ignore_index=True)

    def layer_weights(self) -> pd.DataFrame:
        """One row a mix and layer: task, seed, layer, weight."""
        return pd.concat([result.layer_weights() for result in self.results], ignore_index=True)

    def per_label(self) -> pd.DataFrame:
        """One row a task, view, seed and label, with the columns of `EdgeProbeResult.per_label`."""
        tables = []
        for result in self.results:
            names = {"task": result.task, "view": result.view, "seed": result.seed}
            tables.append(pd.DataFrame(names, index=range(len(result.label_names))).join(result.per_label()))
        return pd.concat(tables, ignore_index=True)

    def save(self, folder: Path) -> None:
        """Write it into ``folder``: a folder a result."""
        for number, result in enumerate(self.results):
            result.save(folder / str(number))

    @classmethod
    def load(cls, folder: Path) -> "EdgeProbes":
        """Read what ``save`` wrote. Raises DataError where a file is missing or damaged."""
        # Others may keep files of their own in the folder.
        folders = sorted(
            (path for path in folder.iterdir() if path.is_dir()), key=lambda path: int(path.name)
        )
        return cls(tuple(EdgeProbeResult.load(path) for path in folders))


def edge_probes(
    encoder: Encoder,
    tasks: Sequence[EdgeTask],
    views: Sequence[View] = VIEWS,
    settings: ProbeSettings | None = None,
    *,
    seeds: Sequence[int] = (0,),
    split: str = "dev",
    device: str = "auto",
) -> EdgeProbes:
    """Probe an encoder for every task, view and seed; each sentence is read once, whatever tasks it serves.

    Args:
        views: take the place of ``settings.view``.
        split: the split of every task that is measured.

    Raises:
        SettingsError: no task, view or seed, a layer that the encoder does not have, and as `edge_probe`.
        DataError: as `edge_probe`.
    """
    if not tasks or not views or not seeds:
        raise SettingsError("edge probes need at least one task, one view and one seed")
    how = settings or ProbeSettings()
    each = [ProbeSettings.model_validate(how.model_dump() | {"view": view}) for view in views]
    for one in each:  # before any text is read
        one.layer(encoder.n_layers + 1)
    splits = [task.split(name) for task in tasks for name in dict.fromkeys(("train", "dev", split))]
    states = layer_states(encoder, unique_sentences(splits))
    runs = [(task, one, seed) for task in tasks for one in each for seed in seeds]
    results = []
    with bar("Edge probes", len(runs), "probe") as shown:
        for task, one, seed in runs:
            results.append(edge_probe(states, task, one, seed=seed, split=split, device=device))
            shown.update(1)
    return EdgeProbes(tuple(results))
