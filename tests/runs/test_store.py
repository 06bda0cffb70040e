"""The store: made once, whole or not at all, checked at every load, and never a pickle."""

import errno
import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from encoder_atlas.errors import StoreError
from encoder_atlas.runs.store import Store, StoreWarning
from encoder_atlas.runs.store_files import MANIFEST
from encoder_atlas.runs.store_root import ABANDONED_SECONDS, HOST

KEY = {"task": "movie-reviews", "seed": 3}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def writes(text: str = "one", name: str = "value.json") -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(text))

    return build


def reads(folder: Path) -> str:
    return json.loads((folder / "value.json").read_text())


def refuses(folder: Path) -> None:
    raise AssertionError("built again")


def only_folder(store: Store) -> Path:
    (entry,) = store.entries()
    return store.root / entry.kind / entry.hash


def leftovers(store: Store) -> list[Path]:
    return list((store.root / ".tmp").iterdir())


def test_an_entry_is_built_once_and_then_loaded(store: Store) -> None:
    assert store.get("score", KEY, writes(), reads) == "one"
    assert store.get("score", KEY, refuses, reads) == "one"
    assert Store(store.root).get("score", KEY, refuses, reads) == "one"
    assert leftovers(store) == []


def test_another_key_kind_or_code_is_another_entry(store: Store) -> None:
    store.get("score", KEY, writes("first"), reads)
    assert store.get("score", {**KEY, "seed": 4}, writes("second"), reads) == "second"
    assert store.get("model", KEY, writes("third"), reads) == "third"
    assert store.get("score", KEY, writes("fourth"), reads, code=["encoder_atlas.errors"]) == "fourth"
    assert len(store.entries()) == 4


def test_the_manifest_holds_the_key_in_full_and_every_file(store: Store) -> None:
    store.get(
        "score", KEY, writes(name="deep/value.json"), lambda folder: None, code=["encoder_atlas.errors"]
    )
    manifest = json.loads((only_folder(store) / MANIFEST).read_text())
    assert manifest["address"]["key"] == KEY
    assert list(manifest["address"]["code"]) == ["encoder_atlas.errors"]
    assert manifest["files"]["deep/value.json"]["size"] == 5
    assert manifest["versions"]["numpy"] == np.__version__
    assert manifest["seconds"] >= 0


def test_tables_come_back_with_index_and_types(store: Store) -> None:
    made = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [0.5, np.nan]}, index=["first", "second"])
    first = store.table("table", KEY, lambda: made)
    again = store.table("table", KEY, lambda: pytest.fail("computed again"))
    pd.testing.assert_frame_equal(first, made)
    pd.testing.assert_frame_equal(again, made)


def test_a_table_of_mixed_things_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match=r"cannot be stored.*column a"):
        store.table("table", KEY, lambda: pd.DataFrame({"a": [1, "x"]}))
    assert store.entries() == []


def test_arrays_come_back_whatever_their_layout(store: Store) -> None:
    made = {"turned": np.arange(6.0).reshape(2, 3).T, "flags": np.array([True, False]), "one": np.array(2.0)}
    store.arrays("array", KEY, lambda: made)
    again = store.arrays("array", KEY, lambda: pytest.fail("computed again"))
    assert again.keys() == made.keys()
    for name, array in made.items():
        np.testing.assert_array_equal(again[name], array)


def test_arrays_of_objects_are_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="arrays cannot be stored"):
        store.arrays("array", KEY, lambda: {"texts": np.array(["x"], dtype=object)})


def changed(folder: Path) -> None:
    (folder / "value.json").write_text(json.dumps("two"))


def truncated(folder: Path) -> None:
    (folder / "value.json").write_text('"on')


def missing(folder: Path) -> None:
    (folder / "value.json").unlink()


def replaced_by_a_folder(folder: Path) -> None:
    missing(folder)
    (folder / "value.json").mkdir()


def added(folder: Path) -> None:
    (folder / "other.bin").write_bytes(b"x")


def no_manifest(folder: Path) -> None:
    (folder / MANIFEST).unlink()


def broken_manifest(folder: Path) -> None:
    (folder / MANIFEST).write_text("{")


def manifest_of_another_key(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["address"]["key"]["seed"] = 4
    (folder / MANIFEST).write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (changed, "value.json has changed"),
        (truncated, "value.json has 3 bytes where 5 were written"),
        (missing, "value.json is missing"),
        (replaced_by_a_folder, "value.json is missing"),
        (added, "other.bin was not there"),
        (no_manifest, "entry.json is missing"),
        (broken_manifest, "entry.json cannot be read"),
        (manifest_of_another_key, "entry.json belongs to another entry"),
    ],
)
def test_a_damaged_entry_is_set_aside_named_and_made_again(
    store: Store, harm: Callable[[Path], None], reason: str
) -> None:
    store.get("score", KEY, writes(), reads)
    folder = only_folder(store)
    harm(folder)
    assert [(found.hash, reason in found.reason) for found in store.check()] == [(folder.name, True)]
    with pytest.warns(StoreWarning, match=reason):
        assert store.get("score", KEY, writes(), reads) == "one"
    (kept,) = (store.root / "damaged").iterdir()
    assert kept.name.startswith(f"score-{folder.name}")
    assert store.check() == []


def test_hidden_files_of_desktops_do_no_harm(store: Store) -> None:
    store.get("score", KEY, writes(), reads)
    (only_folder(store) / ".DS_Store").write_bytes(b"x")
    with warnings.catch_warnings(action="error"):
        assert store.get("score", KEY, refuses, reads) == "one"


def torch_file(folder: Path) -> None:
    torch.save({"a": torch.ones(1)}, folder / "weights.safetensors")


def link(folder: Path) -> None:
    (folder / "value.json").symlink_to("/etc/hostname")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda folder: torch.save({}, folder / "pytorch_model.bin"), "pytorch_model.bin.*never a pickle"),
        (lambda folder: (folder / "x.pkl").write_bytes(pickle.dumps(1)), "x.pkl.*never a pickle"),
        (lambda folder: (folder / "x.txt").write_bytes(pickle.dumps(1)), "x.txt.*never a pickle"),
        (lambda folder: (folder / ".x.pkl").write_bytes(pickle.dumps(1)), "x.pkl.*never a pickle"),
        (lambda folder: np.save(folder / "x.npy", np.ones(1)), "x.npy.*never a pickle"),
        (torch_file, "weights.safetensors.*never a pickle"),
        (link, "value.json is no plain file"),
        (writes(name=MANIFEST), "store's own file"),
        (lambda folder: None, "no file"),
    ],
)
def test_only_plain_known_files_get_in(store: Store, build: Callable[[Path], object], message: str) -> None:
    with pytest.raises(StoreError, match=message):
        store.get("score", KEY, build, reads)
    assert store.entries() == [] and leftovers(store) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, FileNotFoundError])
def test_what_interrupts_a_build_leaves_nothing_and_is_raised(
    store: Store, error: type[BaseException]
) -> None:
    def build(folder: Path) -> None:
        writes()(folder)
        raise error("stop")

    with pytest.raises(error, match="stop"):
        store.get("score", KEY, build, reads)
    assert store.entries() == [] and leftovers(store) == []
    assert store.get("score", KEY, writes(), reads) == "one"


@pytest.mark.parametrize(
    "full",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        Exception("I/O error: No space left on device (os error 28)"),
    ],
)
def test_a_full_disk_is_named_with_the_way_out(store: Store, full: Exception) -> None:
    def build(folder: Path) -> None:
        (folder / "half.json").write_bytes(b"0" * 300_000)
        raise full

    with pytest.raises(StoreError) as caught:
        store.get("score", KEY, build, reads)
    for part in (str(store.root), "0.3 MB", "MB are free", "atlas store clear", "ENCODER_ATLAS_STORE"):
        assert part in str(caught.value)
    assert store.entries() == [] and leftovers(store) == []


def test_a_disk_that_fills_up_at_the_manifest_leaves_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path, manifest: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("encoder_atlas.runs.store.write_manifest", full)
    with pytest.raises(StoreError, match="no space left"):
        store.get("score", KEY, writes(), reads)
    assert store.entries() == [] and leftovers(store) == []


def test_a_store_within_a_build_tells_of_the_full_disk_once(store: Store) -> None:
    def full(folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StoreError) as caught:
        store.get("outer", KEY, lambda folder: store.get("inner", KEY, full, reads), reads)
    assert str(caught.value).count("no space left") == 1


def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for root in (tmp_path / "file", tmp_path / "file" / "store"):
        with pytest.raises(StoreError, match="file is a file; set ENCODER_ATLAS_STORE"):
            Store(root)


def test_a_root_that_may_not_be_written_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *args: object, **options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError, match=r"cannot be used.*Permission denied.*ENCODER_ATLAS_STORE"):
        store.get("score", KEY, writes(), reads)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write to every folder")
def test_a_read_only_root_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(StoreError, match="cannot be used"):
        Store(tmp_path / "store").get("score", KEY, writes(), reads)


def test_looking_writes_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.entries() == [] and store.check() == [] and store.clear() == 0
    assert not store.root.exists()


def test_entries_make_a_table(store: Store) -> None:
    store.get("score", KEY, writes(), reads)
    store.get("model", KEY, writes(), reads)
    broken_manifest(store.root / "model" / store.entries()[0].hash)
    table = pd.DataFrame(store.entries())
    assert list(table["kind"]) == ["model", "score"]
    assert list(table["summary"]) == [
        "damaged: entry.json cannot be read",
        "task=movie-reviews seed=3",
    ]
    assert table["bytes"].iloc[1] == 5


def test_removing_by_the_beginning_of_a_hash(store: Store) -> None:
    for seed in range(17):  # two of 17 hashes begin with the same of 16 digits
        store.get("score", {"seed": seed}, writes(), reads)
    hashes = [entry.hash for entry in store.entries()]
    shared = next(digit for digit in "0123456789abcdef" if sum(h.startswith(digit) for h in hashes) > 1)
    with pytest.raises(StoreError, match="several entries"):
        store.remove(shared)
    for prefix in ("", "xyz"):
        with pytest.raises(StoreError, match="no entry of the store begins"):
            store.remove(prefix)
    assert store.remove(hashes[0]).hash == hashes[0]
    assert [entry.hash for entry in store.entries()] == hashes[1:]


def test_clearing_gives_the_space_back(store: Store) -> None:
    store.get("score", KEY, writes(), reads)
    changed(only_folder(store))
    with pytest.warns(StoreWarning):
        store.get("score", KEY, writes("x" * 10_000), reads)
    assert store.clear() > 10_000
    assert store.entries() == [] and not list(store.root.glob("damaged/*"))
    assert store.get("score", KEY, writes(), reads) == "one"


@pytest.mark.parametrize(
    ("name", "age", "stays"),
    [
        (f"score-0123+{HOST}+1+ab", 0, False),
        ("score-0123+elsewhere+1+ab", 0, True),
        ("score-0123+elsewhere+1+ab", ABANDONED_SECONDS + 60, False),
        ("something", 0, True),
    ],
)
def test_what_dead_runs_left_is_swept(store: Store, name: str, age: float, stays: bool) -> None:
    left = store.root / ".tmp" / name
    left.mkdir(parents=True)
    (left / "half.json").write_text("{")
    then = time.time() - age
    os.utime(left, (then, then))
    store.get("score", KEY, writes(), reads)
    assert left.exists() == stays


def test_what_a_running_build_has_made_is_not_swept(store: Store) -> None:
    def build(folder: Path) -> None:
        writes()(folder)
        assert Store(store.root).get("other", KEY, writes("two"), reads) == "two"

    assert store.get("score", KEY, build, reads) == "one"


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0 or shutil.which("mount") is None,
    reason="a small file system of its own needs root on Linux",
)
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        store = Store(tmp_path / "store")
        with pytest.raises(StoreError, match="no space left"):
            store.arrays("array", KEY, lambda: {"a": np.zeros(100_000)})
        with pytest.raises(StoreError, match="no space left"):
            store.table("table", KEY, lambda: pd.DataFrame({"a": np.random.default_rng(0).random(100_000)}))
        assert store.entries() == [] and leftovers(store) == []
        assert store.get("score", KEY, writes(), reads) == "one"
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
