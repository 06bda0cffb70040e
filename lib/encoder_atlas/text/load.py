"""From settings to tasks."""

from collections import Counter
from collections.abc import Callable, Sequence

from encoder_atlas.errors import DataError
from encoder_atlas.text.files import load_files
from encoder_atlas.text.generated import load_generated
from encoder_atlas.text.hub import load_hub
from encoder_atlas.text.overlap import disjoint
from encoder_atlas.text.packaged import load_packaged
from encoder_atlas.text.spec import Source, TaskSpec
from encoder_atlas.text.task import Task

SOURCES: dict[Source, Callable[[TaskSpec], Task]] = {
    "packaged": load_packaged,
    "files": load_files,
    "hub": load_hub,
    "generated": load_generated,
}


def load_task(spec: TaskSpec) -> Task:
    """Load the text that ``spec`` names and sample it down to the sizes it asks for.

    Raises:
        DataError: if the text is missing, damaged or cannot make a task of these sizes.
    """
    return SOURCES[spec.source](spec).sampled({"train": spec.train, "dev": spec.dev}, spec.seed)


def load_tasks(specs: Sequence[TaskSpec]) -> dict[str, Task]:
    """Load tasks that one model will be taught together: by name, in the order given.

    Raises:
        DataError: as ``load_task``; if two have one name; if dev text of one is training text of another.
    """
    repeated = [name for name, times in Counter(spec.name for spec in specs).items() if times > 1]
    if repeated:
        raise DataError(f"Two tasks are named {repeated[0]!r}: give each a name of its own.")
    tasks = [load_task(spec) for spec in specs]
    disjoint(tasks)
    return {task.name: task for task in tasks}
