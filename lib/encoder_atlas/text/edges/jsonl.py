"""Edge-probing targets in JSON, one sentence a line: the form in which jiant keeps its probing tasks."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from encoder_atlas.errors import DataError
from encoder_atlas.text.edges.build import Edge, EdgeSentence
from encoder_atlas.text.formats.lines import Line, read_lines

Label = Annotated[str, Field(pattern=r"\S")]


class Target(BaseModel):
    """One target: spans [start, end exclusive) in words, and its label, or a list of all that hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    span1: tuple[int, int]
    span2: tuple[int, int] | None = None
    label: Label | list[Label]
    info: Any = None


class Record(BaseModel):
    """A line: ``text`` is words with white space between them; what else it holds is not looked at."""

    model_config = ConfigDict(frozen=True, strict=True)

    text: str
    targets: list[Target]


def read_edge_jsonl(path: Path) -> list[EdgeSentence]:
    """Read sentences with their targets, each named after its file and line.

    This is how the authors of edge probing pass on SPR1 (``span1`` the predicate, ``span2`` the argument's
    head word, ``label`` the properties that annotators judged likelier than not, above 3 of 5) and their
    other tasks.

    Raises:
        DataError: naming file, line and field of the first thing that is wrong.
    """
    sentences = [_sentence(path, line) for line in read_lines(path) if line.text.strip()]
    if not sentences:
        raise DataError(f"{path} has no sentences.")
    return sentences


def _sentence(path: Path, line: Line) -> EdgeSentence:
    where = f"{path}, line {line.number}"
    try:
        record = Record.model_validate_json(line.text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise DataError(f"{where}{f', field {field!r}' if field else ''}: {first['msg']}.") from error
    words = tuple(record.text.split())
    if not words:
        raise DataError(f"{where}, field 'text': the sentence has no words.")
    for number, target in enumerate(record.targets):
        for name in ("span1", "span2"):
            _check_span(getattr(target, name), len(words), f"{where}, field 'targets.{number}.{name}'")
    return EdgeSentence(f"{path.name}:{line.number}", words, tuple(map(_edge, record.targets)))


def _check_span(span: tuple[int, int] | None, size: int, where: str) -> None:
    if span is not None and not 0 <= span[0] < span[1] <= size:
        raise DataError(
            f"{where}: [{span[0]}, {span[1]}) is empty or outside the {size} words (from 0, end exclusive)."
        )


def _edge(target: Target) -> Edge:
    labels = (target.label,) if isinstance(target.label, str) else tuple(target.label)
    return Edge(target.span1, target.span2, labels)
