"""Files of bracketed trees, as the Penn Treebank has them."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.lines import SPACE, cell, write_lines
from encoder_atlas.text.formats.trees import bracketed, check_labels, escaped, parse_trees, unescaped
from encoder_atlas.text.layers import Sentence, check_sentence
from encoder_atlas.text.utf8 import read_utf8


def read_brackets(path: Path, *, keep_functions: bool = False, keep_traces: bool = False) -> list[Sentence]:
    """Read words, tags and trees, one sentence a tree, on one line or several.

    Words are read with the brackets that -LRB- and its like stand for. Of labels such as NP-SBJ-1 only the
    phrase is kept, and traces are removed, unless ``keep_functions`` or ``keep_traces`` says otherwise (see
    ``trees.parse_trees``).

    Raises:
        DataError: naming file, line and column where the brackets go wrong.
    """
    text = read_utf8(path)
    sentences: list[Sentence] = []
    line, counted = 1, 0
    fault = partial(_fault, path, text)
    for grown in parse_trees(text, fault, keep_functions=keep_functions, keep_traces=keep_traces):
        line, counted = line + text.count("\n", counted, grown.begin), grown.begin
        words = tuple(map(unescaped, grown.words))
        sentence = Sentence(f"{path.stem}:{len(sentences)}", words, tags=grown.tree.tags, tree=grown.tree)
        check_sentence(sentence, f"{path}, tree from line {line}")
        sentences.append(sentence)
    if not sentences:
        raise DataError(f"{path} has no trees.")
    return sentences


def _fault(path: Path, text: str, at: int, what: str) -> DataError:
    """The error for what is wrong at a character."""
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return DataError(f"{path}, line {line}, column {column}: {what}.")


def write_brackets(sentences: Iterable[Sentence], path: Path) -> None:
    """Write words and trees, one line a tree; ids, documents and other layers have no place in this format.

    Raises:
        DataError: if a sentence has no tree, if a word or label would not come back as it is, or if the file
            cannot be written.
    """
    write_lines(map(tree_line, sentences), path)


def tree_line(sentence: Sentence) -> str:
    """A sentence's tree on one line, its words escaped.

    Raises:
        DataError: if it has no tree, or a word or label would not come back as it is.
    """
    where = f"Sentence {sentence.id!r}"
    if sentence.tree is None:
        raise DataError(f"{where}: its tree is not known. Write only sentences that have the layer 'con'.")
    words = [safe_word(word, where) for word in sentence.words]
    check_labels((*(span.label for span in sentence.tree.spans), *sentence.tree.tags), where)
    return bracketed(words, sentence.tree)


def safe_word(word: str, where: str) -> str:
    """A word as it stands between brackets and spaces.

    Raises:
        DataError: if it holds white space or, as text, an escape such as -LRB-.
    """
    written = cell(escaped(word), "word", where, SPACE)
    if unescaped(written) != word:
        raise DataError(
            f"{where}: word {word!r} would be read as {unescaped(written)!r}: it cannot be written."
        )
    return written
