"""Folders of annotated text: which files are taken for which split."""

from pathlib import Path

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text.formats.folder import FORMATS, SPLITS, read_folder, split_files, split_named

ROW = "1\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n"
CONLL = "#begin document ({0}); part 000\n{0} 0 0 {0} X (TOP*) - - - - * -\n\n#end document\n"


def put(folder: Path, files: dict[str, str]) -> Path:
    """Files, each with a sentence of one word."""
    for name, word in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((CONLL if name.endswith("conll") else ROW).format(word))
    return folder


def words(folder: Path, corpus: str) -> dict[str, list[str]]:
    return {
        split: [word for sentence in found for word in sentence.words]
        for split, found in read_folder(folder, corpus).items()
    }


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train.conllu", "train"),
        ("en_ewt-ud-train.conllu", "train"),
        ("train-1of4.jsonl", "train"),
        ("eng.testa", "testa"),
        ("Development", "development"),
        ("dev_from_train.txt", "dev"),
        ("conll-2012-test", "test"),
        ("constraint.txt", None),
        ("latest.txt", None),
    ],
)
def test_the_split_that_a_name_holds(name: str, split: str | None) -> None:
    assert split_named(name) == split


def test_a_file_a_split(tmp_path: Path) -> None:
    folder = put(tmp_path, {"train.conllu": "a", "valid.conllu": "b", "train.md": "c", "notes.conllu": "d"})
    assert words(folder, "conllu") == {"train": ["a"], "dev": ["b"]}


def test_an_exact_name_goes_before_one_that_holds_the_word(tmp_path: Path) -> None:
    folder = put(tmp_path, {"train.conllu": "a"})
    (folder / "old-train.conllu").write_text("damaged")
    assert words(folder, "conllu") == {"train": ["a"]}


def test_parts_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in range(1, 12):
        (tmp_path / f"train-{number}of11.conllu").write_text(ROW.format(f"w{number}"))
    assert words(tmp_path, "conllu") == {"train": [f"w{number}" for number in range(1, 12)]}


def test_folders_as_ontonotes_has_them(tmp_path: Path) -> None:
    inside = "data/{}/annotations/bc/cctv/00"
    english, chinese = inside.format("english"), inside.format("chinese")
    files = {
        f"train/{english}/cctv_0001.v4_gold_conll": "b",
        f"train/{english}/cctv_0000.v4_gold_conll": "a",
        f"train/{english}/cctv_0000.v4_auto_conll": "x",
        f"train/{chinese}/cctv_0000.v4_gold_conll": "z",
        f"development/{english}/cctv_0002.v4_gold_conll": "c",
        f"test/{english}/cctv_0003.v4_gold_conll": "d",
        f"conll-2012-test/{english}/cctv_0003.v4_gold_conll": "d",
    }
    assert words(put(tmp_path, files), "conll2012") == {"train": ["a", "b"], "dev": ["c"], "test": ["d"]}


def test_many_files_are_read_behind_a_bar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, {f"train/{number}.conll": f"w{number}" for number in range(25)})
    assert len(words(tmp_path, "conll2012")["train"]) == 25
    assert "read train" in capsys.readouterr().err


def test_every_format_is_known_by_its_files(tmp_path: Path) -> None:
    assert {"conllu", "iob", "brackets", "conll2012", "layers"} == set(FORMATS)
    for corpus, one in FORMATS.items():
        for ending in one.endings:
            folder = tmp_path / f"{corpus}{ending}"
            folder.mkdir()
            name = f"eng{ending}" if ending in (".train", ".testa", ".testb") else f"dev.x{ending}"
            (folder / name).write_text("")
            found = [split_files(folder, names, one.endings) for names in SPLITS.values()]
            assert [path for paths in found for path in paths] == [folder / name]


@pytest.mark.parametrize(
    ("files", "corpus", "message"),
    [
        ({"train.conllu": "a"}, "conll", "no format 'conll' for files; did you mean 'conllu'"),
        (
            {"a.conllu": "a"},
            "conllu",
            "has no files of train, dev or test for format 'conllu'",
        ),
        (
            {"a-train.conllu": "a", "b-train.conllu": "b"},
            "conllu",
            "a-train.conllu and b-train.conllu for one split",
        ),
        ({"train-1of3.conllu": "a", "train-3of3.conllu": "b"}, "conllu", "no part 2 of 3 of train.conllu"),
        ({"train-1of2.conllu": "a", "train.conllu": "b"}, "conllu", "keep one, or number its parts"),
        ({"train-1of2.conllu": "a", "train-2of3.conllu": "b"}, "conllu", "keep one, or number its parts"),
        ({"train-1of2.conllu": "a", "train-01of2.conllu": "b"}, "conllu", "keep one, or number its parts"),
        ({"train-0of1.conllu": "a"}, "conllu", "no part 1 of 1"),
        (
            {"a-dev/a.conllu": "a", "b-dev/a.conllu": "b"},
            "conllu",
            "the folders a-dev and b-dev for",
        ),
        ({"train/a.md": "a"}, "conllu", "train has no files that end with .conllu or .conll"),
    ],
)
def test_what_is_unclear_is_refused(tmp_path: Path, files: dict[str, str], corpus: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_folder(put(tmp_path, files), corpus)


def test_a_missing_folder_and_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    with pytest.raises(DataError, match=r"corpos is not there; did you mean 'corpus'"):
        read_folder(tmp_path / "corpos", "conllu")
    (tmp_path / "train.conllu").touch()
    with pytest.raises(DataError, match=r"train\.conllu is a file: give the folder that holds it"):
        read_folder(tmp_path / "train.conllu", "conllu")


def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", forbidden)
    with pytest.raises(DataError, match="cannot be read: Permission denied"):
        read_folder(tmp_path, "conllu")
