"""Reviews as the Large Movie Review Dataset has them: a folder a class, a file a review."""

from pathlib import Path

import pytest

from encoder_atlas.errors import DataError
from encoder_atlas.text import Task, TaskSpec, load_task

REVIEWS = {
    "train/pos/0_9.txt": "Fine film.<br />Really\u0085so\u2028.",
    "train/pos/10_7.txt": "Bright.",
    "train/neg/0_3.txt": "Dull.\r\n",
    "train/unsup/0_0.txt": "Unread.",
    "train/urls_pos.txt": "not a review",
    "test/pos/0_10.txt": "Good.",
    "test/neg/0_2.txt": "Bad.",
}


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    """A small folder in the distributed form."""
    for name, text in REVIEWS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path


def load(path: Path) -> Task:
    return load_task(TaskSpec(name="imdb", source="files", corpus="imdb", path=path))


def test_folders_are_classes_and_files_are_texts(reviews: Path) -> None:
    task = load(reviews)
    assert task.texts("train") == ["Dull.\r\n", "Fine film.<br />Really\u0085so\u2028.", "Bright."]
    assert task.labels("train").tolist() == [0, 1, 1]
    assert task.texts("dev") == ["Bad.", "Good."]
    assert task.labels("dev").tolist() == [0, 1]
    assert "read from train and test;" in task.source_note


def test_a_split_by_itself_is_no_corpus(reviews: Path) -> None:
    with pytest.raises(DataError, match=r"has no train.tsv or .*train_sample.parquet"):
        load(reviews / "train")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train/pos/0_9.txt", b"caf\xe9", r"pos/0_9.txt, line 1: byte 0xe9 is not UTF-8"),
        ("train/neg/0_3.txt", b" \n", r"train, neg/0_3.txt, column 'text': the text is empty"),
    ],
)
def test_bad_files_are_named(reviews: Path, name: str, content: bytes, message: str) -> None:
    (reviews / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        load(reviews)


def test_missing_classes_and_doubled_splits_are_named(reviews: Path) -> None:
    (reviews / "test" / "pos" / "0_10.txt").rename(reviews / "test" / "pos" / "0_10.text")
    with pytest.raises(DataError, match=r"test has no folder 'pos' with a .txt file"):
        load(reviews)
    (reviews / "train.jsonl").write_text('{"text": "x", "label": 1}')
    with pytest.raises(DataError, match=r"has train.jsonl and train: keep one"):
        load(reviews)
