"""A lock is seen from other machines, and ends with its owner however that ends."""

import json
import os
import shutil
import threading
import time
from pathlib import Path

import pytest
from filelock import Timeout

from encoder_atlas.runs.lease import LEASE_SECONDS, Lock, is_held
from encoder_atlas.runs.store import Store


def elsewhere(path: Path, age: float) -> Path:
    """The lease of an owner on another machine, touched ``age`` seconds ago."""
    lease = path.with_suffix(".lease")
    lease.write_text(json.dumps("another-machine 12 ab"))
    then = time.time() - age
    os.utime(lease, (then, then))
    return lease


def test_who_holds_it_keeps_others_out_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "name.lock"
    assert not is_held(path)
    with Lock(path).held():
        assert is_held(path)
        with pytest.raises(Timeout):
            Lock(path).acquire(timeout=0.0)
    assert not is_held(path)
    assert not path.with_suffix(".lease").exists()


def test_a_lease_of_another_machine_counts_while_it_is_fresh(tmp_path: Path) -> None:
    path = tmp_path / "name.lock"
    lease = elsewhere(path, LEASE_SECONDS / 2)
    assert is_held(path)
    with pytest.raises(Timeout):
        Lock(path).acquire(timeout=0.3, poll_interval=0.1)
    assert "another-machine" in lease.read_text()
    elsewhere(path, LEASE_SECONDS + 5)
    with Lock(path).held(timeout=0.0):
        assert "another-machine" not in lease.read_text()
    assert not lease.exists()


def test_a_lease_of_this_machine_without_its_lock_is_a_dead_owners(tmp_path: Path) -> None:
    path = tmp_path / "name.lock"
    first = Lock(path)
    first.acquire()
    first._lock.release()  # what the system does when a process is killed
    with Lock(path).held(timeout=0.0):
        first.release()
        assert is_held(path)


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_of_two_that_see_a_dead_owner_one_takes_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """The first puts its lease there between the second's look and the second's rename."""
    path = tmp_path / "name.lock"
    lease = elsewhere(path, LEASE_SECONDS + 5)
    second, look = Lock(path), Lock._alive
    first = json.dumps("a-third-machine 5 cd")

    def look_and_lose(self: Lock, owner: str | None) -> bool:
        alive = look(self, owner)
        if not alive:
            lease.write_text(first)
        return alive

    def unsupported(*_: object) -> None:
        raise OSError("no hard links here")

    monkeypatch.setattr(Lock, "_alive", look_and_lose)
    if not links:
        monkeypatch.setattr("encoder_atlas.runs.lease.os.link", unsupported)
    with pytest.raises(Timeout):
        second.acquire(timeout=0.0)
    assert lease.read_text() == first
    assert {file.name for file in tmp_path.iterdir()} <= {"name.lock", "name.lease"}


def test_a_held_lease_is_kept_fresh(tmp_path: Path) -> None:
    path = tmp_path / "name.lock"
    with Lock(path, seconds=0.6).held():
        lease = path.with_suffix(".lease")
        os.utime(lease, (1, 1))
        end = time.monotonic() + 10
        while lease.stat().st_mtime == 1:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_of_two_that_made_one_entry_the_second_takes_the_firsts(tmp_path: Path) -> None:
    """An owner that slept for longer than its lease finds the entry there when it wakes up."""

    def make(folder: Path) -> None:
        (folder / "value.txt").write_text("one")

    def make_and_sleep(folder: Path) -> None:
        (folder / "value.txt").write_text("two")
        shutil.copytree(tmp_path / "first" / "score", tmp_path / "second" / "score")

    def load(folder: Path) -> str:
        return (folder / "value.txt").read_text()

    assert Store(tmp_path / "first").get("score", {"seed": 0}, make, load) == "one"
    second = Store(tmp_path / "second")
    assert second.get("score", {"seed": 0}, make_and_sleep, load) == "one"
    assert len(second.entries()) == 1 and second.check() == []


def test_the_store_waits_for_another_machine_and_takes_over_from_a_dead_one(tmp_path: Path) -> None:
    def get(seed: int) -> str:
        return Store(tmp_path).get(
            "score",
            {"seed": seed},
            lambda folder: (folder / "value.txt").write_text("made"),
            lambda folder: (folder / "value.txt").read_text(),
        )

    assert get(0) == "made"
    (entry,) = Store(tmp_path).entries()
    lock = tmp_path / ".locks" / f"{entry.kind}-{entry.hash}.lock"
    Store(tmp_path).remove(entry.hash)
    lease = elsewhere(lock, LEASE_SECONDS / 2)
    done = threading.Thread(target=get, args=(0,))
    done.start()
    time.sleep(0.5)
    assert Store(tmp_path).entries() == []
    then = time.time() - LEASE_SECONDS - 5
    os.utime(lease, (then, then))
    done.join(timeout=30)
    assert len(Store(tmp_path).entries()) == 1
