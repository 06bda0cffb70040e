"""Files with a tag a word: Universal NER, CoNLL-2003, and others."""

from pathlib import Path

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats import read_iob, write_iob
from encoder_atlas.text.formats.tags import Scheme
from encoder_atlas.text.layers import Sentence, Span

NER = """\
# newdoc id = ans
# sent_id = ans-1
# text = in Tampa Bay #
1\tin\tO\t-\t-
2-3\tTampaBay\tO\t-\t-
2\tTampa\tB-LOC\t-\tann
3\tBay\tI-LOC\t-\tann
4\t#\tO\t-\t-

# sent_id = ans-2
1\tBye\tO\t-\t-
"""
CONLL2003 = """\
-DOCSTART- -X- -X- O

EU NNP I-NP I-ORG
# NN I-NP O
German JJ I-NP I-MISC

-DOCSTART- -X- -X- O

Peter NNP I-NP I-PER
Paul NNP B-NP B-PER
"""


def written(folder: Path, content: str) -> Path:
    path = folder / "t.iob2"
    path.write_bytes(content.encode())
    return path


def test_universal_ner(tmp_path: Path) -> None:
    assert read_iob(written(tmp_path, NER)) == [
        Sentence("ans-1", ("in", "Tampa", "Bay", "#"), entities=(Span(1, 3, "LOC"),), document="ans"),
        Sentence("ans-2", ("Bye",), entities=(), document="ans"),
    ]


def test_conll_2003(tmp_path: Path) -> None:
    first, second = (Span(0, 1, "ORG"), Span(2, 3, "MISC")), (Span(0, 1, "PER"), Span(1, 2, "PER"))
    assert read_iob(written(tmp_path, CONLL2003)) == [
        Sentence("t:0", ("EU", "#", "German"), entities=first, document="t/0"),
        Sentence("t:1", ("Peter", "Paul"), entities=second, document="t/1"),
    ]


def test_words_and_tags_in_other_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "# text = x\nB-A\tc\t1\tNew York\nO\tc\t2\t#\n")
    assert read_iob(path, columns=(-1, 0))[0].words == ("New York", "#")
    path = written(tmp_path, "1\tEU\tO\tB-ORG\t-\n")
    assert read_iob(path, columns=(1, 3))[0].entities == (Span(0, 1, "ORG"),)


def test_two_columns_with_tabs_keep_odd_spaces_in_words(tmp_path: Path) -> None:
    path = written(tmp_path, "10\u00a0000\tB-NUM\nNew York\tI-NUM\n")
    assert read_iob(path)[0].words == ("10\u00a0000", "New York")


def test_what_is_written(tmp_path: Path) -> None:
    sentences = read_iob(written(tmp_path, NER))
    write_iob(sentences, tmp_path / "again.iob2")
    plain = NER.replace("2-3\tTampaBay\tO\t-\t-\n", "").replace("\tann", "\t-")
    expected = plain.replace("# sent_id = ans-2\n", "# sent_id = ans-2\n# text = Bye\n") + "\n"
    assert (tmp_path / "again.iob2").read_text() == expected


@pytest.mark.parametrize(
    ("content", "scheme", "message"),
    [
        (
            "a O\n\nb I-X\nc B-X\nd B-Y\n",
            None,
            "line 3: I-X at the beginning: in IOB2 a span begins",
        ),
        ("a B-X\nb O\n", "bioes", "line 2: B-X before O: in BIOES a span ends with E-X"),
        ("a B-X\n\nb O\n", "bioes", "line 1: B-X before the end of the sentence"),
        ("a O\nb E-X\n", None, "line 2: E-X after O: in BIOES a span begins with B-X"),
        ("a O\nb X\n", None, "line 2: 'X' is no tag"),
        ("a\n", None, "line 1: 'a' is no tag"),
        ("a O\n# text = b c\n", None, "line 2: a comment inside a sentence"),
        ("1\ta\tO\t-\t-\n3\tb\tO\t-\t-\n", None, "line 2, column ID: '3' where word 2 is due"),
        ("1\ta\tO\t-\t-\n2\tb\tO\t-\n", None, "line 2: 4 columns separated by tabs where 5 are due"),
        ("1\ta\tO\t-\t-\n2\t\tO\t-\t-\n", None, "line 2, column FORM: the cell is empty"),
        ("a\tO\n\tO\n", None, "sentence from line 1: word 1 is empty"),
        ("-DOCSTART- O\n", None, "has no sentences"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, content: str, scheme: Scheme | None, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_iob(written(tmp_path, content), scheme)


def test_columns_that_a_row_lacks_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, "a b O\n")
    with pytest.raises(DataError, match=r"line 1: 3 columns, too few for word and tag in \(0, 3\)"):
        read_iob(path, columns=(0, 3))


@pytest.mark.real
@pytest.mark.parametrize(
    ("split", "sentences", "tokens", "entities"),
    [("dev", 2001, 25149, (399, 224, 343)), ("test", 2077, 25097, (317, 322, 449))],
)
def test_files_of_universal_ner(
    real_data: Path, split: str, sentences: int, tokens: int, entities: tuple[int, ...]
) -> None:
    found = read_iob(real_data / "uner_ewt" / f"en_ewt-ud-{split}.iob2")
    labels = [span.label for sentence in found for span in sentence.entities or ()]
    assert (len(found), sum(len(one.words) for one in found)) == (sentences, tokens)
    assert tuple(map(labels.count, ("LOC", "ORG", "PER"))) == entities
    assert len(labels) == sum(entities)
