"""What names an entry: equal content gives equal hashes, and nothing else does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from encoder_atlas.errors import StoreError
from encoder_atlas.runs import sources
from encoder_atlas.runs.sources import code_digest, source_digest
from encoder_atlas.runs.store_keys import Address, summary

leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
keys = st.dictionaries(
    st.text(), st.recursive(leaves, lambda inner: st.lists(inner, max_size=3), max_leaves=5)
)


class Settings(BaseModel):
    rate: float
    path: Path | None = None


@given(keys)
def test_order_does_not_matter_and_files_keep_the_hash(key: dict[str, Any]) -> None:
    address = Address.of("score", key)
    turned = Address.of("score", dict(reversed(key.items())))
    assert address.hash == turned.hash
    assert Address.model_validate_json(address.model_dump_json()).hash == address.hash


@given(keys, keys)
def test_other_content_has_another_hash(one: dict[str, Any], two: dict[str, Any]) -> None:
    same = repr(sorted(one.items())) == repr(sorted(two.items()))
    assert (Address.of("score", one).hash == Address.of("score", two).hash) == same


def test_models_and_numpy_numbers_count_as_what_they_hold() -> None:
    plain = Address.of("score", {"settings": {"rate": 0.5, "path": None}, "n": 3, "sizes": [1, 2]})
    rich = Address.of("score", {"settings": Settings(rate=0.5), "n": np.int64(3), "sizes": (1, 2)})
    assert rich == plain and rich.hash == plain.hash


def test_true_one_and_one_point_nought_differ() -> None:
    assert len({Address.of("score", {"a": value}).hash for value in (True, 1, 1.0, "1")}) == 4


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (float("nan"), "key.settings.rate is nan"),
        ({1, 2}, r"key.settings.rate is \{1, 2\}"),
        ([1, float("inf")], r"key.settings.rate\[1\] is inf"),
        (np.ones(2), "key.settings.rate is array"),
        ({1: "a"}, "key.settings.rate: the name 1 is no text"),
    ],
)
def test_what_json_has_no_place_for_is_named(value: object, where: str) -> None:
    with pytest.raises(StoreError, match=where):
        Address.of("score", {"settings": {"rate": value}})


def test_nan_in_a_model_is_refused() -> None:
    with pytest.raises(StoreError, match="rate is nan"):
        Address.of("score", {"settings": Settings(rate=float("nan"))})


@pytest.mark.parametrize("kind", ["", "Score", "a/b", "..", "damaged", "a--b", "a b", "score\n"])
def test_odd_kinds_are_refused(kind: str) -> None:
    with pytest.raises(StoreError, match="kind="):
        Address.of(kind, {})


def test_long_keys_are_cut() -> None:
    assert summary({"a": "x" * 100}, width=10) == "a=xxxxxxx…"


def write_package(folder: Path) -> None:
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "inner" / "map.js").write_text("let a")
    (folder / "notes.md").write_text("any")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose import would raise; digests are not kept between tests."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sources, "source_digest", sources.source_digest.__wrapped__)
    write_package(tmp_path / "some_package")
    return tmp_path / "some_package"


def test_the_digest_follows_code_and_nothing_else(package: Path) -> None:
    before = sources.source_digest("some_package")
    (package / "notes.md").write_text("other")
    (package / "inner" / "map.cpython-311.pyc").write_bytes(b"x")
    assert sources.source_digest("some_package") == before
    (package / "inner" / "map.js").write_text("let b")
    changed = sources.source_digest("some_package")
    assert changed != before
    (package / "inner" / "map.js").rename(package / "inner" / "other.js")
    assert sources.source_digest("some_package") not in (before, changed)


def test_part_of_a_package_is_not_touched_by_the_rest(package: Path) -> None:
    inner = sources.source_digest("some_package.inner")
    (package / "module.py").write_text("a = 1")
    assert sources.source_digest("some_package.inner") == inner
    module = sources.source_digest("some_package.module")
    (package / "module.py").write_text("a = 2")
    assert sources.source_digest("some_package.module") != module


def test_several_names_in_any_order() -> None:
    names = ["encoder_atlas.errors", "encoder_atlas.runs", "filelock"]
    assert code_digest(names) == code_digest([*reversed(names), "filelock"])
    assert code_digest(names) != code_digest(names[:2])


@pytest.mark.parametrize(
    "name", ["", "no_such_package", "encoder_atlas.no_such", "encoder_atlas.errors.AtlasError"]
)
def test_unknown_code_is_named(name: str) -> None:
    with pytest.raises(StoreError, match=f"code='{name}' is no package or module"):
        source_digest(name)
