"""``atlas data`` as a reader meets it: a process, its output and its exit code."""

from pathlib import Path

import pytest
from tests.runs.test_cli import atlas
from tests.text.built.checkouts import DOCUMENTS, SPLITS, iob, write_skeletons, write_treebank


@pytest.mark.parametrize("command", [[], ["ls"], ["show"], ["check"], ["build"]])
def test_every_command_has_help(command: list[str]) -> None:
    done = atlas("data", *command, "--help")
    assert done.returncode == 0
    assert "Usage" in done.stdout


def test_corpora_are_listed_with_their_ways() -> None:
    done = atlas("data", "ls")
    assert done.returncode == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "files, hub" in lines["sst2"] and "train 67,349, dev 872" in lines["sst2"]
    assert "annotated" in lines["ewt"] and "built, files" in lines["ewt"]
    assert {"ontonotes", "advglue", "wikitext2", "movie-reviews", "toy-reviews"} <= set(lines)


def test_a_card_is_shown_whole() -> None:
    shown = atlas("data", "show", "ewt").stdout
    for text in (
        "CC BY-SA 4.0",
        "from built: Joined on your machine",
        "test: tokens 25,097",
        "SHA-256 8167ceca",
    ):
        assert text in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "sst-2"], "No corpus is called 'sst-2'; did you mean 'sst2'"),
        (["check", "movie-review"], "did you mean 'movie-reviews'"),
        (
            ["check", "mrpc"],
            "'mrpc' is read from files: give --path FOLDER. A folder with train.tsv and dev.tsv",
        ),
        (["check", "mrpc", "--path", "nowhere"], "There is no file or folder nowhere"),
        (["build", "gum"], "There is no corpus 'gum' to build; known: ewt"),
        (["build", "ewt", "--ud", "."], "The part 'ner' is missing: give --ner FOLDER"),
    ],
)
def test_mistakes_are_exit_2_with_one_line(arguments: list[str], said: str) -> None:
    done = atlas("data", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_check_that_fails_says_what_and_exits_2(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text("{}")
    done = atlas("data", "check", "advglue", "--path", str(tmp_path))
    assert done.returncode == 2
    assert "dev.json: other content: SHA-256 44136fa355b3…" in done.stdout
    assert "2 of these are not as the cards say" in done.stderr


def test_of_a_folder_of_corpora_those_that_are_there_are_checked(tmp_path: Path) -> None:
    (tmp_path / "WNLI").mkdir()
    done = atlas("data", "check", "--path", str(tmp_path))
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("sst2 ")] == ["–"]
    assert any(line.startswith("wnli") and "has no train.tsv" in line for line in lines)
    assert any(line.split() == ["toy-reviews", "ok", "train:", "1,000", "rows"] for line in lines)


def test_ewt_is_built_and_what_differs_is_said(tmp_path: Path) -> None:
    write_treebank(tmp_path / "ud", DOCUMENTS)
    write_skeletons(tmp_path / "propbank", DOCUMENTS)
    (tmp_path / "ner").mkdir()
    for split, names in SPLITS.items():
        text = "".join(iob(name, DOCUMENTS[name]) for name in names)
        (tmp_path / "ner" / f"en_ewt-ud-{split}.iob2").write_text(text)
    given = [f"--{part}={tmp_path / part}" for part in ("ud", "ner", "propbank")]
    done = atlas("data", "build", "ewt", *given, "-o", str(tmp_path / "out"))
    assert done.returncode == 0
    assert "tags of trees and treebank agree on 100.0 % of the words" in done.stdout
    assert "train: 2 sentences, expected 12,543" in done.stdout
    assert (tmp_path / "out" / "train.jsonl").is_file()
    again = atlas("data", "build", "ewt", *given, "-o", str(tmp_path / "ud"))
    assert again.returncode == 2
    assert "is there and is no earlier build" in again.stderr
