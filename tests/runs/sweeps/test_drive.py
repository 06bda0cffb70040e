"""Drivers believe files alone: what is done stays done, what may pass is tried again, the rest is not."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.small_project import driver_command, environment, finished_runs, make_project, write_sweep

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.failures import BUSY, LOST, TIMED_OUT, Failure, keep_failure
from encoder_atlas.runs.lease import Lock
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.sweeps import drive as drive_module
from encoder_atlas.runs.sweeps import local
from encoder_atlas.runs.sweeps.drive import Counts, Ended, drive
from encoder_atlas.runs.sweeps.jobs import Job, expand
from encoder_atlas.runs.sweeps.local import LocalEngine
from encoder_atlas.runs.sweeps.spec import load_sweep


def jobs_of(project: Project, count: int = 3) -> list[Job]:
    return expand(load_sweep(write_sweep(project.root, grid={"seeds": list(range(count))}), project), project)


def finish(job: Job) -> None:
    job.run.folder.mkdir(parents=True, exist_ok=True)
    job.run.record.write_text("{}")
    job.run.notebook.write_text("{}")


class Scripted:
    """An engine whose jobs end as they are told to, one after another."""

    room = 2

    def __init__(self, project: Project, ends: dict[int, list[int]]) -> None:
        self.ends, self.project, self.started = ends, project, []
        self.running: list[Job] = []
        self.stopped = False

    def under_way(self, jobs: Sequence[Job]) -> list[Job]:
        return []

    def start(self, jobs: Sequence[Job]) -> None:
        self.started += [job.values["seeds"] for job in jobs]
        self.running += jobs

    def ended(self) -> list[Ended]:
        job = self.running.pop(0)
        left = self.ends.get(job.values["seeds"], [])
        code = left.pop(0) if left else 0
        if code == 0:
            finish(job)
        elif code in (2, 3, 4, 5):
            failure = Failure(code=code, notebook="n.ipynb", cell=2 if code == 3 else None, message="no")
            keep_failure(job.run.failure_file, failure)
        return [Ended(job, code, self.project.root / "log")]

    def stop(self) -> None:
        self.stopped = True


def driven(
    project: Project, ends: dict[int, list[int]], retries: int = 1
) -> tuple[Scripted, Counts, list[Job]]:
    engine, jobs = Scripted(project, ends), jobs_of(project)
    counts = drive("trial", jobs, engine, retries)
    assert engine.stopped
    return engine, counts, jobs


def test_what_is_done_is_not_started(project: Project) -> None:
    finish(jobs_of(project)[1])
    engine, counts, _ = driven(project, {})
    assert engine.started == [0, 2]
    assert (counts.done, counts.failed, counts.waiting) == (3, 0, 0)
    assert driven(project, {})[0].started == []


@pytest.mark.parametrize("code", [2, 3])
def test_a_raising_cell_is_final(project: Project, code: int) -> None:
    engine, counts, jobs = driven(project, {1: [code]}, retries=5)
    assert engine.started == [0, 1, 2]
    assert (counts.done, counts.failed) == (2, 1)
    failure = jobs[1].run.failure
    assert failure is not None and failure.code == code and failure.attempts == 1
    assert driven(project, {}, retries=5)[0].started == []


@pytest.mark.parametrize("code", [4, 5, LOST, TIMED_OUT, -9])
def test_what_may_pass_is_tried_again_so_often(project: Project, code: int) -> None:
    engine, counts, _ = driven(project, {1: [code]})
    assert sorted(engine.started) == [0, 1, 1, 2]
    assert counts.done == 3
    for job in jobs_of(project):
        job.run.notebook.unlink()
        job.run.failure_file.unlink(missing_ok=True)
    engine, counts, jobs = driven(project, {1: [code] * 9}, retries=2)
    assert engine.started.count(1) == 3
    assert (counts.done, counts.failed) == (2, 1)
    failure = jobs[1].run.failure
    assert failure is not None and failure.attempts == 3
    assert driven(project, {}, retries=2)[0].started == []
    assert driven(project, {}, retries=3)[0].started == [1]


def test_an_end_without_a_word_is_told_with_the_log(project: Project) -> None:
    (project.root / "log").write_text("bar 1\rbar 2\nthe last words\n")
    _, _, jobs = driven(project, {0: [LOST], 1: [1]}, retries=0)
    for job, said in zip(jobs, ("its machine was lost", "exit code 1"), strict=False):
        failure = job.run.failure
        assert failure is not None and failure.kind == "lost"
        assert "the last words" in failure.message and "bar 1" not in failure.message
        assert said in failure.message


def test_a_run_that_another_process_has_is_waited_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive_module, "IDLE_SECONDS", 0.0)
    engine, counts, _ = driven(project, {1: [BUSY, BUSY]}, retries=0)
    assert engine.started.count(1) == 3
    assert counts.done == 3
    for job in jobs_of(project):
        job.run.notebook.unlink()
    first = jobs_of(project)[0]
    held = Lock(first.run.lock)
    held.acquire()

    def let_go(seconds: float) -> None:
        finish(first)
        held.release()

    monkeypatch.setattr(drive_module.time, "sleep", let_go)
    engine, counts, _ = driven(project, {})
    assert sorted(engine.started) == [1, 2]
    assert counts.done == 3


def shell(script: str) -> Callable[[Job], list[str]]:
    """A stand-in for `atlas run`: a line of shell that writes what a finished run leaves."""
    done = 'echo "{}" > "$0"; echo "{}" > "$1"'
    return lambda job: ["sh", "-c", script.replace("DONE", done), str(job.run.record), str(job.run.notebook)]


def test_the_machine_is_shared_out(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3, 5")
    monkeypatch.setattr(local, "cores", lambda: 8)
    said = 'echo "$CUDA_VISIBLE_DEVICES $OMP_NUM_THREADS"; sleep 0.3; DONE'
    jobs = jobs_of(project, 4)
    project.runs.mkdir(parents=True)
    counts = drive("trial", jobs, LocalEngine(tmp_path, command=shell(said)))
    assert counts.done == 4
    shown = sorted((tmp_path / f"{job.name}.log").read_text().strip() for job in jobs)
    assert shown == ["3 4", "3 4", "5 4", "5 4"]
    with pytest.raises(SettingsError, match="there are GPUs for 2 jobs at once"):
        LocalEngine(tmp_path, 3)
    assert LocalEngine(tmp_path, processes=2).environment(0)["CUDA_VISIBLE_DEVICES"] == "3,5"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert LocalEngine(tmp_path).room == 4
    assert "CUDA_VISIBLE_DEVICES" not in LocalEngine(tmp_path).environment(0)


def test_a_job_that_takes_too_long_is_stopped(project: Project, tmp_path: Path) -> None:
    (job, *_) = jobs = jobs_of(project, 1)
    project.runs.mkdir(parents=True)
    counts = drive("trial", jobs, LocalEngine(tmp_path, minutes=0.005, command=shell("exec sleep 60")))
    assert counts.failed == 1
    failure = job.run.failure
    assert failure is not None and failure.kind == "timed out" and "--time" in failure.message


COUNT, RAISES, DIES = 20, 4, 5


@pytest.mark.slow
def test_a_killed_driver_loses_nothing(tmp_path: Path) -> None:
    """20 jobs, one raising and one whose kernel is killed; the driver is killed half-way."""
    log = tmp_path / "ended.txt"
    project = make_project(
        tmp_path / "project",
        f"assert seeds != {RAISES}, 'not this one'",
        f"import os, signal\nif seeds == {DIES}: os.kill(os.getpid(), signal.SIGKILL)",
        f"with open({str(log)!r}, 'a') as log:\n    log.write(f'{{seeds}}\\n')",
    )
    write_sweep(project.root, grid={"seeds": list(range(COUNT))})
    run = driver_command(project, "local")
    told = {**environment(), "CUDA_VISIBLE_DEVICES": ""}
    driver = subprocess.Popen(
        run, env=told, cwd=project.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 200
    while len(seeds_of(log)) < COUNT // 3:
        assert time.monotonic() < end and driver.poll() is None
        time.sleep(0.1)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    time.sleep(1)
    before = len(seeds_of(log))
    time.sleep(1)
    assert len(seeds_of(log)) <= before + 4  # jobs end with their driver; kernels may take a second
    done = subprocess.run(run, env=told, cwd=project.root, capture_output=True, text=True, timeout=400)
    assert done.stdout.strip() == "18 done, 0 running, 2 failed", done.stderr
    assert set(seeds_of(log)) == set(range(COUNT)) - {RAISES, DIES}
    assert list(finished_runs(project).values()) == [1] * (COUNT - 2)
    assert not [path for path in project.runs.iterdir() if path.is_dir()]
    failures = [json.loads(path.read_text()) for path in sorted(project.runs.glob("*.failure.json"))]
    found = sorted((each["code"], each["cell"], each["attempts"]) for each in failures)
    assert found == [(3, 3, 1), (4, None, 2)]


def seeds_of(log: Path) -> list[int]:
    return [int(line) for line in log.read_text().split()] if log.exists() else []
