"""Damaged files are refused with a DataError, whatever the damage: no reader falls over."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats import (
    read_brackets,
    read_conll2012,
    read_conllu,
    read_iob,
    read_layered_jsonl,
    write_brackets,
    write_conll2012,
    write_conllu,
    write_iob,
    write_layered_jsonl,
)
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree

TAGS = ("DT", "NN", "VBZ", "-LRB-", ".")
TREE = Tree((Span(0, 5, "TOP"), Span(0, 5, "S"), Span(0, 2, "NP"), Span(2, 4, "VP")), TAGS)
SENTENCES = [
    Sentence(
        id=f"web-{number}",
        words=("The", "dög", "barks", "(", "."),
        tags=TAGS,
        upos=("DET", "NOUN", "VERB", "PUNCT", "PUNCT"),
        heads=(2, 3, 0, 3, 3),
        deprels=("det", "nsubj", "root", "punct", "punct"),
        entities=(Span(0, 2, "ANIMAL"), Span(2, 3, "ACT")),
        tree=TREE,
        frames=(Frame(2, "bark.01", (Span(0, 2, "ARG0"), Span(2, 3, "V"))),),
        mentions=(Span(0, 2, "1"), Span(0, 1, "2")),
        document=("web", "news")[number % 2],
    )
    for number in range(3)
]
FORMATS: dict[str, tuple[Callable[[list[Sentence], Path], None], Callable[[Path], list[Sentence]]]] = {
    "conllu": (write_conllu, read_conllu),
    "iob2": (write_iob, read_iob),
    "bioes": (lambda found, path: write_iob(found, path, "bioes"), read_iob),
    "mrg": (write_brackets, read_brackets),
    "conll2012": (write_conll2012, read_conll2012),
    "jsonl": (write_layered_jsonl, read_layered_jsonl),
}
DAMAGES = ("flip", "cut", "drop column", "swap lines", "drop line", "repeat line", "join lines", "insert")
ODD = (
    "\u2028",
    "\ufeff",
    "\r",
    "\t",
    " ",
    "(",
    ")",
    "_",
    "-",
    "0",
    "9" * 400,
    "#",
    "\x00",
    "|",
    '"',
    "{",
    "[",
)


def damaged(content: bytes, damage: str, seed: int) -> bytes:
    """The content with one damage of a kind, at a place that the seed decides."""
    source = random.Random(seed)
    if damage == "flip":
        at = source.randrange(len(content))
        return content[:at] + bytes([content[at] ^ 1 << source.randrange(8)]) + content[at + 1 :]
    if damage == "cut":
        return content[: source.randrange(len(content))]
    if damage == "insert":
        at = source.randrange(len(content))
        return content[:at] + source.choice(ODD).encode() + content[at:]
    lines = content.split(b"\n")
    at, other = source.randrange(len(lines)), source.randrange(len(lines))
    if damage == "drop column":
        cells = lines[at].split(b"\t")
        del cells[source.randrange(len(cells))]
        lines[at] = b"\t".join(cells)
    elif damage == "swap lines":
        lines[at], lines[other] = lines[other], lines[at]
    elif damage == "drop line":
        del lines[at]
    elif damage == "repeat line":
        lines.insert(other, lines[at])
    elif at + 1 < len(lines):
        lines[at : at + 2] = [lines[at] + lines[at + 1]]
    return b"\n".join(lines)


@pytest.mark.parametrize("name", FORMATS)
@given(st.lists(st.tuples(st.sampled_from(DAMAGES), st.integers(0, 10**6)), min_size=1, max_size=3))
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_but_a_data_error(tmp_path: Path, name: str, damages: list[tuple[str, int]]) -> None:
    write, read = FORMATS[name]
    path = tmp_path / f"t.{name}"
    write(SENTENCES, path)
    content = path.read_bytes()
    for damage, seed in damages:
        content = damaged(content or b"\n", damage, seed)
    path.write_bytes(content)
    try:
        read(path)
    except DataError as error:
        assert str(error).startswith(str(path))


@pytest.mark.parametrize("name", FORMATS)
@given(
    st.binary(max_size=60)
    | st.text(alphabet='ab()*|_-#\t\n 01O.B=\u2028{}[]":,', max_size=60).map(str.encode)
)
@example(b"\xef\xbb\xbf")
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_files_of_another_kind_altogether(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / f"t.{name}"
    path.write_bytes(content)
    try:
        FORMATS[name][1](path)
    except DataError as error:
        assert str(error).startswith(str(path))
