"""CoNLL-2012: all its layers, and what is refused in which column."""

from pathlib import Path

import nltk
import pytest
from hypothesis import HealthCheck, given, settings
from tests.text.drawn import sentences
from tests.text.formats.nltk_trees import phrases

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats import read_conll2012, write_conll2012
from encoder_atlas.text.layers import Frame, Sentence, Span, Tree

# Two documents, one of them in two parts. Entities without "*" and over several words; a lemma without a
# frameset, which is no predicate; mentions that nest, cross, end together and are one word; spoken "/.".
FILE = """\
#begin document (bc/news/00/n_0000); part 000
bc/news/00/n_0000   0   0   Mali   NNP   (TOP(S(NP(NML*   -   -   -   -   (GPE)   (ARG0*   *   (1|(3
bc/news/00/n_0000   0   1   's   POS   *)   -   -   -   -   *   *   *   1)
bc/news/00/n_0000   0   2   friends   NNS   *)   friend   -   1   -   *   *)   *   3)|(4
bc/news/00/n_0000   0   3   say   VBP   (VP*   say   01   1   ann   *   (V*)   *   4)
bc/news/00/n_0000   0   4   -LRB-   -LRB-   (SBAR(S*   -   -   -   -   (DATE*   (ARG1*   (ARGM-TMP*)   -
bc/news/00/n_0000   0   5   it   PRP   (NP*)   -   -   -   -   *)   *   *   (1)
bc/news/00/n_0000   0   6   rains   VBZ   (VP*))))   rain   02   1   -   *   *)   (V*)   -
bc/news/00/n_0000   0   7   /.   .   *))   -   -   -   -   *   *   *   -

bc/news/00/n_0000   0   0   No   UH   (TOP(INTJ*))   -   -   -   -   *   -

#end document
#begin document (bc/news/00/n_0000); part 001
bc/news/00/n_0000   1   0   Go   VB   (TOP(VP*))   go   go.01   -   -   *   (V*)   -
#end document
"""
NAME = "bc/news/00/n_0000"


def written(folder: Path, content: str) -> Path:
    path = folder / "t.gold_conll"
    path.write_bytes(content.encode())
    return path


def spans(*found: tuple[int, int, str]) -> tuple[Span, ...]:
    return tuple(Span(*span) for span in found)


def test_what_is_read(tmp_path: Path) -> None:
    first, second, third = read_conll2012(written(tmp_path, FILE))
    tags = ("NNP", "POS", "NNS", "VBP", "-LRB-", "PRP", "VBZ", ".")
    phrases = spans(
        (0, 8, "TOP"),
        (0, 8, "S"),
        (0, 3, "NP"),
        (0, 2, "NML"),
        (3, 7, "VP"),
        (4, 7, "SBAR"),
        (4, 7, "S"),
        (5, 6, "NP"),
        (6, 7, "VP"),
    )
    assert first == Sentence(
        id=f"{NAME}:0",
        words=("Mali", "'s", "friends", "say", "(", "it", "rains", "."),
        tags=tags,
        entities=spans((0, 1, "GPE"), (4, 6, "DATE")),
        tree=Tree(phrases, tags),
        frames=(
            Frame(3, "say.01", spans((0, 3, "ARG0"), (3, 4, "V"), (4, 7, "ARG1"))),
            Frame(6, "rain.02", spans((4, 5, "ARGM-TMP"), (6, 7, "V"))),
        ),
        mentions=spans((0, 2, "1"), (0, 3, "3"), (2, 4, "4"), (5, 6, "1")),
        document=NAME,
    )
    assert (second.id, second.frames, second.entities, second.mentions) == (f"{NAME}:1", (), (), ())
    assert (third.id, third.document) == (f"{NAME}; part 001:0", f"{NAME}; part 001")
    assert third.frames == (Frame(0, "go.01", spans((0, 1, "V"))),)


def test_what_is_written_is_read_by_position(tmp_path: Path) -> None:
    found = read_conll2012(written(tmp_path, FILE))
    path = tmp_path / "t2.conll"
    write_conll2012(found, path)
    assert read_conll2012(path) == found
    lines = path.read_text().split("\n")
    assert lines[0] == "#begin document (bc/news/00/n_0000); part 000"
    assert lines[1].split("\t")[3:7] == ["Mali", "NNP", "(TOP(S(NP(NML*", "-"]
    assert lines[1].split("\t")[10:] == ["(GPE*)", "(ARG0*", "*", "(3|(1"]
    assert lines[5].split("\t")[3] == "-LRB-"
    assert lines.count("#end document") == 2
    assert "# sent_id" not in path.read_text()  # the ids are those that the reader gives


@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@given(sentences())
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nltk_reads_the_column_of_phrases_that_is_written(tmp_path: Path, sentence: Sentence) -> None:
    path = tmp_path / "t.conll"
    write_conll2012([sentence], path)
    lines = path.read_text(encoding="utf-8").split("\n")
    rows = [line.split("\t") for line in lines if line[:1] not in ("#", "")]
    text = "".join(row[5].replace("*", f" ({row[4]} w)") for row in rows)
    tree = nltk.Tree.fromstring(text)
    assert sentence.tree
    assert list(phrases(tree)) == [tuple(span) for span in sentence.tree.spans]
    assert [tag for _, tag in tree.pos()] == list(sentence.tree.tags)


def test_documents_without_a_begin_line_and_layers_that_are_not_known(tmp_path: Path) -> None:
    # columns of roles, though nobody looked for predicates
    wiki = "Aria\t0\t{}\t{}\t_\t_\t_\t_\t_\t_\t*\t*\t*\t{}\n"
    content = wiki.format(0, "An", "(0") + wiki.format(1, "aria", "0)") + "\n" + wiki.format(0, "It", "(0)")
    first, second = read_conll2012(written(tmp_path, content))
    assert first == Sentence(
        "Aria:0", ("An", "aria"), entities=(), mentions=spans((0, 2, "0")), document="Aria"
    )
    assert (second.id, second.layers) == ("Aria:1", ("ner", "coref"))


def test_ids_of_other_corpora_stand_in_a_comment(tmp_path: Path) -> None:
    sentence = Sentence("my id", ("a",))
    write_conll2012([sentence], tmp_path / "t.conll")
    assert "\n# sent_id = my id\n" in (tmp_path / "t.conll").read_text()
    assert read_conll2012(tmp_path / "t.conll") == [sentence]


def rows(*cells: str) -> str:
    """Rows with the given cells from the tag on; sense and speaker are added."""
    found = []
    for number, row in enumerate(cells):
        tag, parse, lemma, frameset, entity, *rest = row.split(" ")
        found.append(
            " ".join(("d", "0", str(number), "w", tag, parse, lemma, frameset, "- -", entity, *rest))
        )
    return "\n".join(found) + "\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("d 0 0 w X (TOP*) - - - - *\n", "line 1: 11 columns; CoNLL-2012 has 12, and one more a predicate"),
        (
            rows("X (TOP* - - * -", "X *) - - * * -"),
            "line 2: 13 columns where the first row",
        ),
        (rows("X (TOP*) - - * -") * 2, "line 2, column 3 \\(number\\): '0' does not count on; an empty line"),
        (rows("X (TOP* - - * -"), "line 1, column 6 \\(parse\\): 1 brackets of this column are never closed"),
        (rows("X (TOP*)) - - * -"), "line 1, column 6 \\(parse\\): '\\(TOP\\*\\)\\)' closes more brackets"),
        (rows("X TOP*) - - * -"), "line 1, column 6 \\(parse\\): 'TOP\\*\\)' is no part of a bracketing"),
        (rows("X (TOP*) - - (A -"), "line 1, column 11 \\(entities\\): 1 brackets"),
        (rows("X (A(B*)) - - (A(B*)) -"), "sentence from line 1, entities: .* overlap"),
        (
            rows("X (TOP* - - * -", "X *) a 01 * -"),
            "line 2, column 8 \\(frameset\\): 1 predicates .* 0 columns",
        ),
        (
            rows("X (TOP*) - - * (V*) -"),
            "line 1, column 8 \\(frameset\\): 0 predicates .* 1 columns",
        ),
        (rows("X (TOP*) a 01 * (V -"), "line 1, column 12 \\(roles\\): 1 brackets"),
        (rows("X (TOP*) - - * (1"), "line 1, column 12 \\(mentions\\): this mention of 1 never ends"),
        (
            rows("X (TOP*) - - * 1)"),
            "line 1, column 12 \\(mentions\\): '1\\)' ends a mention of 1 that",
        ),
        (rows("X (TOP*) - - * 1"), "line 1, column 12 \\(mentions\\): '1' is no part of a mention"),
        (rows("X (TOP*) - - * (1)|"), "line 1, column 12 \\(mentions\\)"),
        (rows("X (A* - - * -", "X *)(B*) - - * -"), "line 2, column 6 \\(parse\\)"),
        (rows("X (A*) - - * -", "X (B*) - - * -"), "sentence from line 1: the tree's first phrase must span"),
        (
            "#begin document x\n" + rows("X (TOP*) - - * -"),
            "line 1: write '#begin document",
        ),
        ("#begin document (x); part 000\n#end document\n", "has no sentences"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_column(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"t\.gold_conll.*{message}"):
        read_conll2012(written(tmp_path, content))
