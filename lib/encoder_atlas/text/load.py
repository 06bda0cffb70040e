"""From a setting to a task."""

from collections.abc import Callable

from encoder_atlas.text.files import load_files
from encoder_atlas.text.generated import load_generated
from encoder_atlas.text.packaged import load_packaged
from encoder_atlas.text.spec import Source, TaskSpec
from encoder_atlas.text.task import Task

SOURCES: dict[Source, Callable[[TaskSpec], Task]] = {
    "packaged": load_packaged,
    "files": load_files,
    "generated": load_generated,
}


def load_task(spec: TaskSpec) -> Task:
    """Load the text that ``spec`` names and sample it down to the sizes it asks for.

    Raises:
        DataError: if the text is missing, damaged or cannot make a task of these sizes.
    """
    return SOURCES[spec.source](spec).sampled({"train": spec.train, "dev": spec.dev}, spec.seed)
