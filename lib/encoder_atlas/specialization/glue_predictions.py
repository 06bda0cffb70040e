"""Test predictions of a model of GLUE's tasks, as its evaluation server takes them (the paper's Table 5)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from encoder_atlas.errors import DataError
from encoder_atlas.text.glue_server import TEST_SETS, Prediction, glue_test_texts, write_submission
from encoder_atlas.training.examples import Texts
from encoder_atlas.training.scores import predictions


@runtime_checkable
class Predicts(Protocol):
    """A model of several tasks: a `FittedModel`, or an `IATModel`."""

    @property
    def label_names(self) -> Mapping[str, tuple[str, ...]]: ...

    def logits(self, task_name: str, texts: Texts) -> Float[np.ndarray, "points classes"]: ...

    def predict_scores(self, task_name: str, texts: Texts) -> Float[np.ndarray, " points"]: ...


def glue_predictions(model: Predicts, path: Path) -> dict[str, list[Prediction]]:
    """What the model says on the test set of every GLUE task that it has a head for.

    Args:
        model: its tasks are called as their corpora are here ("cola", "sst2", …); classes by their names, a
            task without names of classes (STS-B) gives scores.
        path: holds a folder for each task, of whatever dashes and case (CoLA, SST-2, …), as GLUE distributes
            them; the diagnostic set lies with MNLI, or in a folder "diagnostic" or "ax".

    Raises:
        DataError: a folder or table that is missing; see `glue_test_texts`.
    """
    found: dict[str, list[Prediction]] = {}
    for name, known in TEST_SETS.items():
        if known.task not in model.label_names:
            continue
        texts = glue_test_texts(_folder(path, name), name)
        names = model.label_names[known.task]
        if names:
            found[name] = [names[i] for i in predictions(model.logits(known.task, texts))]
        else:
            found[name] = model.predict_scores(known.task, texts).tolist()
    return found


def submit(
    model: Predicts, path: Path, target: Path, *, absent: Literal["refuse", "constant"] = "refuse"
) -> list[str]:
    """Predict all test sets below ``path`` and write the server's zip; gives the tables that were filled.

    Raises:
        DataError: see `glue_predictions` and `write_submission`.
    """
    return write_submission(glue_predictions(model, path), target, absent=absent)


def _folder(path: Path, name: str) -> Path:
    known = TEST_SETS[name]
    wanted = [known.task, "diagnostic", "ax"] if name == "AX" else [known.task]
    folders = [child for child in sorted(path.iterdir()) if child.is_dir()] if path.is_dir() else []
    plain = {folder.name.lower().replace("-", ""): folder for folder in folders}
    for folder in (plain[word] for word in wanted if word in plain):
        if (folder / known.file).exists():
            return folder
    raise DataError(
        f"the test set of {name} is in no folder below {path}: {known.file} is looked for in a folder called "
        f"{' or '.join(map(repr, wanted))}"
    )
