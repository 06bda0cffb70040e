"""Which settings of a task's text are refused before anything is read."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from encoder_atlas.text import TaskSpec


def test_lists_and_strings_of_a_yaml_file_are_taken() -> None:
    spec = TaskSpec.model_validate(
        {"name": "t", "source": "files", "path": "~/x", "text_columns": ["a", "b"], "label_column": "c"}
    )
    assert spec.path == Path.home() / "x"
    assert spec.text_columns == ("a", "b")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"source": "file"}, "'packaged', 'files'"),
        ({"source": "files"}, "'files' needs path"),
        (
            {"source": "packaged", "path": "x", "label_column": "y"},
            "path, label_column can be set with source",
        ),
        ({"source": "generated", "train": 1}, "greater than or equal to 2"),
        ({"source": "generated", "train": "many"}, "valid integer"),
        ({"source": "generated", "train": True}, "valid integer"),
        ({"source": "generated", "dev": 0}, "greater than or equal to 1"),
        ({"source": "generated", "seed": -1}, "greater than or equal to 0"),
        ({"source": "generated", "sede": 1}, "Extra inputs"),
        ({"source": "files", "path": "x", "text_columns": ["a", "b", "c"]}, "at most 2"),
        ({"source": "files", "path": "x", "label_names": ["one"]}, "at least 2"),
        ({"source": "generated", "name": ""}, "at least 1 character"),
        ({"source": "generated", "target": "score"}, "target can be set with source 'files'"),
        ({"source": "files", "path": "x", "target": "answer"}, "'class' or 'score'"),
        (
            {"source": "files", "path": "x", "corpus": "sst2", "target": "score"},
            "own files only.*'sst2'",
        ),
        (
            {"source": "files", "path": "x", "target": "score", "label_names": ["a", "b"]},
            "has no classes: leave label_names out",
        ),
        ({"source": "files", "path": "x", "score_range": (0, 1)}, "lowest, highest"),
        ({"source": "files", "path": "x", "target": "score", "score_range": (1, 0)}, "lowest, highest"),
        ({"source": "files", "path": "x", "target": "score", "score_range": (0, "inf")}, "finite number"),
    ],
)
def test_bad_settings_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        TaskSpec.model_validate({"name": "t"} | fields)
