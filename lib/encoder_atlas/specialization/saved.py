"""Predictions without heads on disk, with what chose the heads: safetensors and JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.pruning import Pruned

ARRAYS, REST = "heads.safetensors", "pruned.json"
OF_TASKS = ("metrics", "kinds", "label_names", "chance")


def write_pruned(
    pruned: Pruned, folder: Path, arrays: Mapping[str, np.ndarray] | None = None, **rest: Any
) -> None:
    """Write ``pruned`` into ``folder``, which is made where it is missing, with more arrays and values."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {"sets": np.stack(list(pruned.sets.values())), **(arrays or {})}
    for task in pruned.tasks:
        found |= {f"predicted.{task}": pruned.predicted[task], f"labels.{task}": pruned.labels[task]}
    save_file({name: np.ascontiguousarray(array) for name, array in found.items()}, folder / ARRAYS)
    rest |= {"seed": pruned.seed, "split": pruned.split, "sets": list(pruned.sets), "tasks": pruned.tasks}
    rest |= {name: dict(getattr(pruned, name)) for name in OF_TASKS}
    (folder / REST).write_text(json.dumps(rest, indent=1), encoding="utf-8")


def read_pruned(folder: Path) -> tuple[Pruned, dict[str, np.ndarray], dict[str, Any]]:
    """What ``write_pruned`` wrote: the predictions, all arrays, and all of the JSON file.

    Raises:
        DataError: a file is missing or damaged.
    """
    try:
        rest = json.loads((folder / REST).read_bytes())
        arrays = load_file(folder / ARRAYS)
        pruned = Pruned(
            seed=rest["seed"],
            split=rest["split"],
            sets=dict(zip(rest["sets"], arrays["sets"], strict=True)),
            metrics=rest["metrics"],
            kinds=rest["kinds"],
            label_names={task: tuple(names) for task, names in rest["label_names"].items()},
            chance=rest["chance"],
            labels={task: arrays[f"labels.{task}"] for task in rest["tasks"]},
            predicted={task: arrays[f"predicted.{task}"] for task in rest["tasks"]},
        )
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise DataError(f"{folder} holds no pruned predictions ({error}): measure them again") from None
    return pruned, arrays, rest
