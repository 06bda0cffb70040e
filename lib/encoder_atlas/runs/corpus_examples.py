"""What a text of a corpus looks like, for those that need no files: a row of each label, as written."""

import re
from collections.abc import Iterable

from encoder_atlas.text import CorpusCard, Task, TaskSpec, load_task

AT_HAND = ("packaged", "generated")


def examples(cards: Iterable[CorpusCard]) -> dict[str, str]:
    """For each sentence task that can be loaded as it is, the first row of dev of each class, as MyST."""
    found = {}
    for card in cards:
        way = card.ways[0]
        if card.kind == "task" and way.source in AT_HAND:
            found[card.name] = _shown(load_task(TaskSpec.model_validate({**way.use, "name": card.name})))
    return found


def _shown(task: Task) -> str:
    if task.target == "class":
        chosen = task.split("dev").drop_duplicates("label").sort_values("label")
        heads = [task.label_names[label] for label in chosen["label"]]
    else:
        chosen = task.split("dev").head(1)
        heads = chosen["label" if task.target == "score" else "answer_text"].astype(str).tolist()
    rows = zip(*(chosen[name] for name in task.text_columns), strict=True)
    return as_written("\n".join("\n  ".join((head, *row)) for head, row in zip(heads, rows, strict=True)))


def as_written(text: str) -> str:
    """A block in which text of data stands as it is: no backtick of it ends the block."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{{code-block}} text\n:class: wrap\n\n{text}\n{fence}"
