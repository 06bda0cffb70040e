"""Real processes on one store: killed at every stage, and two at once."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import encoder_atlas
from encoder_atlas.runs.store import Store

# argv: the store's root, the stage in which to stand still, and a file that says "there".
CHILD = """
import json, sys, time
from pathlib import Path
from encoder_atlas.runs import store as module

root, stage, there = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

def stand_still(here):
    if here == stage:
        there.touch()
        time.sleep(600)

def build(folder):
    stand_still("before the first file")
    with (folder / "value.json").open("w") as stream:
        stream.write('"o')
        stream.flush()
        stand_still("in the middle of a file")
        stream.write('ne"')
    (folder / "more.txt").write_text("more")
    stand_still("before the manifest")

write_manifest = module.write_manifest

def write_and_stand(folder, manifest):
    write_manifest(folder, manifest)
    stand_still("before the rename")

module.write_manifest = write_and_stand
load = lambda folder: json.loads((folder / "value.json").read_text())
assert module.Store(root).get("score", {"seed": 1}, build, load) == "one"
stand_still("after the rename")
"""

# argv: the store's root, a file with one line for each build, and a folder for the signs "ready" and "go".
RACER = """
import json, os, sys, time
from pathlib import Path
from encoder_atlas.runs.store import Store

root, log, gate = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
store = Store(root)
(gate / f"ready{os.getpid()}").touch()
while not (gate / "go").exists():
    time.sleep(0.01)

def build(folder):
    with log.open("a") as stream:
        stream.write("built\\n")
    time.sleep(0.5)
    (folder / "value.json").write_text(json.dumps("one"))

load = lambda folder: json.loads((folder / "value.json").read_text())
assert store.get("score", {"seed": 1}, build, load) == "one"
"""

KEY = {"seed": 1}
STAGES = [
    "before the first file",
    "in the middle of a file",
    "before the manifest",
    "before the rename",
    "after the rename",
]


def child(script: str, *arguments: Path | str) -> "subprocess.Popen[bytes]":
    library = str(Path(encoder_atlas.__path__[0]).parent)
    environment = {**os.environ, "PYTHONPATH": library}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)


def wait_for(*paths: Path) -> None:
    for _ in range(6000):
        if all(path.exists() for path in paths):
            return
        time.sleep(0.01)
    pytest.fail(f"no sign of {paths}")


def get(store: Store, key: dict[str, int], *, built_before: bool) -> str:
    def build(folder: Path) -> None:
        assert not built_before
        (folder / "value.json").write_text('"one"')

    return store.get("score", key, build, lambda folder: (folder / "value.json").read_text())


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_run_leaves_the_store_whole(tmp_path: Path, stage: str) -> None:
    root, there = tmp_path / "store", tmp_path / "there"
    with child(CHILD, root, stage, there) as process:
        wait_for(there)
        process.send_signal(signal.SIGKILL)
    finished = stage == "after the rename"
    assert len(list((root / ".tmp").iterdir())) == (0 if finished else 1)
    store = Store(root)
    assert len(store.entries()) == (1 if finished else 0) and store.check() == []
    with warnings.catch_warnings(action="error"):
        assert get(store, KEY, built_before=finished) == '"one"'
    assert list((root / ".tmp").iterdir()) == []


def test_a_run_that_is_still_at_work_keeps_its_files(tmp_path: Path) -> None:
    root, there = tmp_path / "store", tmp_path / "there"
    with child(CHILD, root, "in the middle of a file", there) as process:
        wait_for(there)
        get(Store(root), {"seed": 2}, built_before=False)
        assert len(list((root / ".tmp").iterdir())) == 1
        process.kill()


def test_of_two_runs_one_builds_and_the_other_waits(tmp_path: Path) -> None:
    log, go = tmp_path / "log", tmp_path / "go"
    racers = [child(RACER, tmp_path / "store", log, tmp_path) for _ in range(2)]
    wait_for(*(tmp_path / f"ready{racer.pid}" for racer in racers))
    go.touch()
    said = [racer.communicate(timeout=120)[1].decode() for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0], said
    assert log.read_text() == "built\n"


def test_a_waiting_run_builds_when_the_first_is_killed(tmp_path: Path) -> None:
    root, there = tmp_path / "store", tmp_path / "there"
    with child(CHILD, root, "before the manifest", there) as first:
        wait_for(there)
        with child(CHILD, root, "never", tmp_path / "unused") as second:
            assert second.stderr is not None
            said = b""
            while b"waiting for another run that has score-" not in said:
                chunk = os.read(second.stderr.fileno(), 4096)
                assert chunk, f"ended without waiting: {said}"
                said += chunk
            first.send_signal(signal.SIGKILL)
            second.communicate(timeout=120)
            assert second.returncode == 0
    assert get(Store(root), KEY, built_before=True) == '"one"'
