"""SemEval-2010 Task 8: how two nominals of a sentence are related (Hendrickx et al. 2010)."""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.edges.build import Edge, EdgeSentence, Words
from encoder_atlas.text.find import beside
from encoder_atlas.text.formats.lines import Line, read_blocks

RELATIONS = (
    "Cause-Effect",
    "Component-Whole",
    "Content-Container",
    "Entity-Destination",
    "Entity-Origin",
    "Instrument-Agency",
    "Member-Collection",
    "Message-Topic",
    "Product-Producer",
)
OTHER = "Other"
# Which nominal comes first in the relation's name, as cause or product; e1 stands first in the sentence.
DIRECTIONS = ("(e1,e2)", "(e2,e1)")
LABEL_NAMES = (*(f"{name}{direction}" for name in RELATIONS for direction in DIRECTIONS), OTHER)

FILES = {"train": "TRAIN_FILE.TXT", "test": "TEST_FILE_FULL.TXT"}
DEV_PERCENT = 15  # of train: there is no official dev, and the authors of edge probing take as much
SENTENCE = re.compile(r'\s*([0-9]+)\s+"(.*)"\s*')
TAG = re.compile(r"<(/?)(e[12])>")
WORD = re.compile(r"\w+(?:[-'’.]\w+)*|[^\w\s]")


def read_semeval(folder: Path) -> dict[str, list[EdgeSentence]]:
    """The official files, at any depth of a folder, as "train", "dev" and, if it is there, "test".

    The task has no dev: 15 % of its train are taken, by a checksum of their words, so that they are the same
    everywhere.

    Raises:
        DataError: if the folder or TRAIN_FILE.TXT is missing or there twice, or as ``read_semeval_file``.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder{beside(folder)}: give the one that holds {FILES['train']}.")
    every = read_semeval_file(_file(folder, "train", needed=True) or folder)
    dev = [zlib.crc32(" ".join(one.words).encode()) % 100 < DEV_PERCENT for one in every]
    splits = {
        "train": [one for one, there in zip(every, dev, strict=True) if not there],
        "dev": [one for one, there in zip(every, dev, strict=True) if there],
    }
    test = _file(folder, "test", needed=False)
    return splits if test is None else splits | {"test": read_semeval_file(test)}


def _file(folder: Path, split: str, *, needed: bool) -> Path | None:
    found = [path for path in sorted(folder.rglob("*")) if path.name.upper() == FILES[split]]
    if len(found) > 1:
        raise DataError(f"{folder} has {found[0]} and {found[1]}: keep one.")
    if needed and not found:
        raise DataError(f"{folder} has no {FILES[split]}, at no depth: it comes with SemEval-2010 Task 8.")
    return found[0] if found else None


def read_semeval_file(path: Path) -> list[EdgeSentence]:
    """Read one file: blocks of a numbered sentence in quotes, its relation, and an optional comment.

    Words are runs of letters and digits, with hyphens, apostrophes and dots inside them, and single marks; a
    nominal's tags always end a word.

    Raises:
        DataError: naming file and line of the first thing that is wrong.
    """
    sentences = [_sentence(path, block) for block in read_blocks(path)]
    if not sentences:
        raise DataError(f"{path} has no sentences.")
    seen: set[str] = set()
    for one in sentences:
        if one.id in seen:
            raise DataError(f"{path}: the sentence {one.id.rpartition(':')[2]} is there twice.")
        seen.add(one.id)
    return sentences


def _sentence(path: Path, block: list[Line]) -> EdgeSentence:
    where = f"{path}, line {block[0].number}"
    found = SENTENCE.fullmatch(block[0].text)
    if found is None:
        raise DataError(f'{where}: expected a number and a sentence in quotes, such as 7 "The <e1>…".')
    if len(block) < 2:
        raise DataError(f"{where}: the sentence has no relation on the next line.")
    if len(block) > 3 or (len(block) == 3 and not block[2].text.startswith("Comment")):
        raise DataError(f"{path}, line {block[2].number}: expected a comment, then an empty line.")
    label = block[1].text.strip()
    if label not in LABEL_NAMES:
        raise DataError(
            f"{path}, line {block[1].number}: there is no relation {label!r}; {near(label, LABEL_NAMES)}."
        )
    words, spans = _words(found[2], where)
    return EdgeSentence(f"{path.name}:{found[1]}", words, (Edge(spans["e1"], spans["e2"], (label,)),))


def _words(text: str, where: str) -> tuple[tuple[str, ...], dict[str, Words]]:
    """The words between the tags, and the spans that these mark."""
    words: list[str] = []
    starts: dict[str, int] = {}
    spans: dict[str, Words] = {}
    for piece, closing, name in _pieces(text):
        words += WORD.findall(piece)
        if closing and name in starts:
            spans[name] = (starts[name], len(words))
        elif name:
            starts[name] = len(words)
    for name in ("e1", "e2"):
        if len(re.findall(f"</?{name}>", text)) != 2 or name not in spans or spans[name][0] == spans[name][1]:
            raise DataError(f"{where}: one nominal must stand between <{name}> and </{name}>.")
    return tuple(words), spans


def _pieces(text: str) -> Iterator[tuple[str, str, str]]:
    """Text up to each tag, whether the tag closes ("/"), and its name; the text after the last with ""."""
    end = 0
    for tag in TAG.finditer(text):
        yield text[end : tag.start()], tag[1], tag[2]
        end = tag.end()
    yield text[end:], "", ""
