"""Predictions without heads, and the importance that chose the heads, on disk: safetensors and JSON."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.pruning import Pruned
from encoder_atlas.specialization.readings import HeadImportance
from encoder_atlas.specialization.settings import SpecializationSettings

ARRAYS, REST = "heads.safetensors", "pruned.json"

Parts = tuple[dict[str, HeadImportance], Pruned, SpecializationSettings]


def write_parts(
    importance: Mapping[str, HeadImportance], pruned: Pruned, settings: SpecializationSettings, folder: Path
) -> None:
    """Write all that a `HeadPruning` holds into ``folder``, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {"sets": np.stack(list(pruned.sets.values()))}
    for task in pruned.tasks:
        arrays[f"predicted.{task}"] = pruned.predicted[task]
        arrays[f"labels.{task}"] = pruned.labels[task]
        arrays[f"importance.{task}"] = importance[task].scores
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / ARRAYS)
    rest = {
        "seed": pruned.seed,
        "split": pruned.split,
        "sets": list(pruned.sets),
        "tasks": {
            task: {
                "metric": pruned.metrics[task],
                "kind": pruned.kinds[task],
                "label_names": pruned.label_names[task],
                "chance": pruned.chance[task],
                "examples": importance[task].examples,
            }
            for task in pruned.tasks
        },
        "settings": settings.model_dump(),
    }
    (folder / REST).write_text(json.dumps(rest, indent=1), encoding="utf-8")


def read_parts(folder: Path) -> Parts:
    """Read what ``write_parts`` wrote.

    Raises:
        DataError: a file is missing or damaged.
    """
    try:
        rest = json.loads((folder / REST).read_bytes())
        arrays = load_file(folder / ARRAYS)
        tasks = rest["tasks"]
        importance = {
            task: HeadImportance(task, arrays[f"importance.{task}"], of["examples"])
            for task, of in tasks.items()
        }
        pruned = Pruned(
            seed=rest["seed"],
            split=rest["split"],
            sets=dict(zip(rest["sets"], arrays["sets"], strict=True)),
            metrics={task: of["metric"] for task, of in tasks.items()},
            kinds={task: of["kind"] for task, of in tasks.items()},
            label_names={task: tuple(of["label_names"]) for task, of in tasks.items()},
            chance={task: of["chance"] for task, of in tasks.items()},
            labels={task: arrays[f"labels.{task}"] for task in tasks},
            predicted={task: arrays[f"predicted.{task}"] for task in tasks},
        )
        # Read as JSON, for strict settings take no list where a tuple stood.
        settings = SpecializationSettings.model_validate_json(json.dumps(rest["settings"]))
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise DataError(
            f"{folder} holds no predictions without heads ({error}): measure them again"
        ) from None
    return importance, pruned, settings
