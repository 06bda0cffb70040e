"""What a text of a corpus looks like, for those that need no files: rows and sentences as they are."""

import re
from collections.abc import Iterable
from functools import cache

import pandas as pd

from encoder_atlas.text import CorpusCard, Task, TaskSpec, load_task
from encoder_atlas.text.corpora import load_corpus
from encoder_atlas.text.corpus_spec import CorpusSpec
from encoder_atlas.text.edges import EdgeSpec, EdgeTask, load_edges
from encoder_atlas.text.layers import Sentence, Span

AT_HAND = ("packaged", "generated")
FEW = 24  # rows of a generated task
TARGETS = 4  # of those that are shown of a task of spans
DRAWN, WORDS = 50, 9  # of so many annotated sentences one of about so many words is shown


def examples(cards: Iterable[CorpusCard]) -> dict[str, str]:
    """What the corpora look like that can be loaded as they are, by name, as MyST.

    Of a sentence task the first row of dev of each class; of annotated sentences the first short one; of
    spans the first few targets of dev.
    """
    found = {card.name: _example(card.model_dump_json()) for card in cards if card.source in AT_HAND}
    return {name: example for name, example in found.items() if example}


@cache
def _example(card: str) -> str:
    """The example of a card, given as JSON, which can be a key: a book that is built again has it already."""
    read = CorpusCard.model_validate_json(card)
    spec = {**read.ways[0].use, "name": read.name}
    if read.kind == "task":
        # Written on the spot, a few rows are enough; dev does not depend on how many train has.
        few = {"train": FEW, "dev": FEW} if read.source == "generated" else {}
        return _rows(load_task(TaskSpec.model_validate(spec | few)))
    if read.kind == "annotated":
        corpus = load_corpus(CorpusSpec.model_validate(spec | {"train": 1, "dev": DRAWN, "test": 1}))
        return _layers(min(corpus.split("dev"), key=_how_telling))
    if read.kind == "edges":
        return _edges(load_edges(EdgeSpec.model_validate(spec | {"train": FEW, "dev": FEW})))
    return ""


def _edges(task: EdgeTask) -> str:
    """A sentence, then the words of its spans and the labels that hold of them."""
    split = task.split("dev")
    spans = zip(split.span_words(1), split.span_words(2), split.labels, split.targets[:, 0], strict=True)
    lines = []
    for first, second, holds, sentence in list(spans)[:TARGETS]:
        labels = ", ".join(name for name, there in zip(task.label_names, holds, strict=True) if there)
        lines += [
            " ".join(split.sentences[sentence]),
            f"  {' '.join(first)} | {' '.join(second)}: {labels}",
        ]
    return as_written("\n".join(lines))


def _how_telling(sentence: Sentence) -> tuple[bool, int]:
    """Smaller is better: entities and roles, and few words."""
    return not (sentence.entities and sentence.frames), abs(len(sentence.words) - WORDS)


def _layers(sentence: Sentence) -> str:
    """A line a word with tag, head and relation; then phrases, entities and roles."""
    words, spans = sentence.words, sentence.tree.spans if sentence.tree else ()

    def said(span: Span) -> str:
        return f"{' '.join(words[span.start : span.end])} = {span.label}"

    rows = pd.DataFrame({"": range(1, len(words) + 1), "word": words})
    rows = rows.assign(tag=sentence.tags, head=sentence.heads, relation=sentence.deprels)
    lines = [rows.to_string(index=False, justify="left"), ""]
    lines.append("phrases:  " + "; ".join(said(span) for span in spans if span.label not in ("TOP", "S")))
    lines.append("entities: " + "; ".join(map(said, sentence.entities or ())))
    for frame in sentence.frames or ():
        lines.append(f"{frame.roleset}: " + "; ".join(map(said, frame.arguments)))
    return as_written("\n".join(lines))


def _rows(task: Task) -> str:
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
