"""CoNLL-U: what is read of a file, and what is refused."""

from pathlib import Path

import conllu
import pytest
from hypothesis import HealthCheck, given, settings
from tests.text.drawn import texts

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats import read_conllu, write_conllu
from encoder_atlas.text.layers import Sentence

# A multiword token (2-3), an empty node before the first word and one inside, a word with a space, "_" for a
# tag that one word lacks, and a sentence without heads or tags.
FILE = """\
# newdoc id = letters
# newpar
# sent_id = l-1
# text = We don't = see 10 000.
0.1\t_\t_\t_\t_\t_\t_\t_\t_\t_
1\tWe\twe\tPRON\tPRP\tCase=Nom\t4\tnsubj\t4:nsubj\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\t_\t_\t4\tadvmod:neg\t_\t_
4\tsee\tsee\tVERB\tVB\t_\t0\troot\t_\t_
4.1\tthem\t_\t_\t_\t_\t_\t_\t_\t_
5\t10 000\t10 000\tNUM\tCD\t_\t4\tobj\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_


# newdoc
1\tOh\t_\tINTJ\t_\t_\t_\t_\t_\t_
2\t!\t_\tPUNCT\t_\t_\t_\t_\t_\t_
"""


def written(folder: Path, content: str) -> Path:
    path = folder / "t.conllu"
    path.write_bytes(content.encode())
    return path


def test_what_is_read(tmp_path: Path) -> None:
    assert read_conllu(written(tmp_path, FILE)) == [
        Sentence(
            id="l-1",
            words=("We", "do", "n't", "see", "10 000", "."),
            tags=("PRP", "VBP", "_", "VB", "CD", "."),
            upos=("PRON", "AUX", "PART", "VERB", "NUM", "PUNCT"),
            heads=(4, 4, 4, 0, 4, 4),
            deprels=("nsubj", "aux", "advmod:neg", "root", "obj", "punct"),
            document="letters",
        ),
        Sentence(id="t:1", words=("Oh", "!"), upos=("INTJ", "PUNCT"), document=""),
    ]


def agrees(path: Path) -> int:
    """Compare with the package conllu, which knows nothing of layers; the number of words compared."""
    theirs = conllu.parse(path.read_text(encoding="utf-8"))
    ours = read_conllu(path)
    assert len(ours) == len(theirs)
    for sentence, other in zip(ours, theirs, strict=True):
        words = [token for token in other if isinstance(token["id"], int)]
        assert list(sentence.words) == [token["form"] for token in words]
        assert list(sentence.tags or ["_"] * len(words)) == [token["xpos"] or "_" for token in words]
        assert list(sentence.upos or ["_"] * len(words)) == [token["upos"] or "_" for token in words]
        assert list(sentence.heads or [None] * len(words)) == [token["head"] for token in words]
        assert list(sentence.deprels or ["_"] * len(words)) == [token["deprel"] or "_" for token in words]
        assert sentence.id == other.metadata.get("sent_id", sentence.id)
    return sum(len(sentence.words) for sentence in ours)


def test_the_package_conllu_reads_the_same(tmp_path: Path) -> None:
    assert agrees(written(tmp_path, FILE)) == 8


@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@given(texts())
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_package_conllu_reads_what_is_written(tmp_path: Path, found: list[Sentence]) -> None:
    path = tmp_path / "t.conllu"
    # conllu takes U+0085 and U+2028 for line ends; files that hold them are read by us alone
    if not any(set("".join(sentence.words)) & {"\u0085", "\u2028", "\u00a0"} for sentence in found):
        write_conllu(found, path)
        assert agrees(path) == sum(len(sentence.words) for sentence in found)


@pytest.mark.real
@pytest.mark.parametrize(("split", "tokens"), [("dev", 25149), ("test", 25097)])
def test_the_package_conllu_reads_the_same_of_a_treebank(real_data: Path, split: str, tokens: int) -> None:
    assert agrees(real_data / "ewt" / f"en_ewt-ud-{split}.conllu") == tokens


@pytest.mark.real
def test_files_of_the_shared_task_are_read(real_data: Path) -> None:
    files = sorted((real_data / "oracles" / "conll17").glob("*.conllu"))
    assert len(files) == 6
    for path in files:
        assert agrees(path) >= 10


ROW = "1\ta\t_\tX\tXX\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("# sent_id = 1\n1\ta\t_\n", "line 2: 3 columns separated by tabs where 10 are due"),
        (ROW.replace("\t", " "), "line 1: 1 columns separated by tabs"),
        (ROW + ROW, "line 2, column ID: '1' where word 2 is due"),
        (ROW.replace("1", "2", 1), "line 1, column ID: '2' where word 1 is due"),
        (ROW.replace("1", "²", 1), "line 1, column ID: '²'"),
        (ROW.replace("1", "1" * 5000, 1), "line 1, column ID"),
        (ROW.replace("1", "1.1", 1), "line 1, column ID: '1.1' where word 1 is due"),
        (ROW + "2-3\tbc" + "\t_" * 8 + "\n", "line 2: the sentence ends before word 3"),
        ("0.1\tb" + "\t_" * 8 + "\n", "line 1: the sentence ends before word 1"),
        (ROW + "3-4\tbc" + "\t_" * 8 + "\n", "line 2, column ID: '3-4' where word 2 is due"),
        (ROW.replace("XX", ""), "line 1, column XPOS: the cell is empty; write _"),
        (ROW.replace("0", "x"), "line 1, column HEAD: 'x' is no word's number"),
        (ROW.replace("0", "-1"), "line 1, column HEAD: '-1'"),
        (ROW.replace("0", "1"), "sentence from line 1: 0 words have head 0"),
        (ROW + ROW.replace("1", "2", 1).replace("0", "3"), "sentence from line 1: word 2 has head 3"),
        (ROW + "# sent_id = 2\n" + ROW, "line 2: a comment inside a sentence. Is an empty line missing"),
        ("# only a comment\n", "has no sentences"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"t\.conllu.*{message}"):
        read_conllu(written(tmp_path, content))
