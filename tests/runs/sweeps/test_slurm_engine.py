"""The Slurm engine beside a queue that says what a test wants; tests/slurm has a real one."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.small_project import write_sweep

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.failures import LOST, TIMED_OUT
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.sweeps import slurm as slurm_module
from encoder_atlas.runs.sweeps.jobs import Job, expand
from encoder_atlas.runs.sweeps.slurm import SlurmEngine, SlurmSettings, Submission, Submissions, work
from encoder_atlas.runs.sweeps.spec import load_sweep

SBATCH = "#!/bin/sh\ncp $1 {folder}/handed-over.sh\necho 'Submitted batch job 7'\n"
SQUEUE = "#!/bin/sh\ncat {folder}/queue.txt\n"


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of what `squeue` prints."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE), ("srun", "#!/bin/sh\n")):
        (programs / name).write_text(text.format(folder=tmp_path))
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "queue.txt"


@pytest.fixture
def jobs(project: Project) -> list[Job]:
    return expand(load_sweep(write_sweep(project.root), project), project)


def engine_of(project: Project, **settings: object) -> SlurmEngine:
    return SlurmEngine(project.root / "sweep", SlurmSettings.model_validate(settings), seconds=0.0)


def say(queue: Path, engine: SlurmEngine, *states: str) -> None:
    """The queue shows the engine's last array with these states."""
    name = engine._submissions().arrays[-1].name
    numbers = range(len(states)) if len(states) > 1 else ["N/A"]
    queue.write_text(
        "".join(f"{name}|{number}|{state}\n" for number, state in zip(numbers, states, strict=True))
    )


def test_jobs_end_as_the_queue_says(project: Project, queue: Path, jobs: list[Job]) -> None:
    engine = engine_of(project)
    engine.start(jobs)
    say(queue, engine, "RUNNING", "PENDING", "COMPLETING")
    assert engine.ended() == []
    say(queue, engine, "RUNNING", "TIMEOUT", "NODE_FAIL")
    assert [(ended.job.name, ended.code) for ended in engine.ended()] == [
        (jobs[1].name, TIMED_OUT),
        (jobs[2].name, LOST),
    ]
    queue.write_text("")  # what is long over is forgotten
    assert [ended.job.name for ended in engine.ended()] == [jobs[0].name]
    assert engine.ended() == []


def test_a_queue_that_does_not_answer_says_nothing(project: Project, queue: Path, jobs: list[Job]) -> None:
    engine = engine_of(project)
    engine.start(jobs)
    queue.unlink(missing_ok=True)
    assert engine.ended() == []
    say(queue, engine, *["RUNNING"] * 3)
    assert engine.ended() == []


def test_a_second_driver_finds_what_the_first_handed_over(
    project: Project, queue: Path, jobs: list[Job]
) -> None:
    first = engine_of(project)
    assert first.under_way(jobs) == []
    first.start(jobs)
    say(queue, first, "RUNNING", "FAILED", "PENDING")
    assert [job.name for job in engine_of(project).under_way(jobs)] == [jobs[0].name, jobs[2].name]
    # A job that was handed over again counts by its last array; one alone is no array to Slurm.
    first.start([jobs[1]])
    say(queue, first, "PENDING")
    assert [job.name for job in engine_of(project).under_way(jobs)] == [jobs[1].name]


def test_what_two_drivers_hand_over_at_one_moment_is_all_written_down(
    project: Project, queue: Path, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one reads, and is slow to write; the other comes meanwhile."""
    first, second = engine_of(project), engine_of(project)
    read, begun = first._submissions, threading.Event()

    def read_slowly() -> Submissions:
        found = read()
        begun.set()
        time.sleep(0.5)
        return found

    monkeypatch.setattr(first, "_submissions", read_slowly)
    (project.root / "sweep").mkdir()
    both = [
        threading.Thread(target=engine._write_down, args=(Submission(name=name, jobs=(job.name,)),))
        for engine, name, job in ((first, "a", jobs[0]), (second, "b", jobs[1]))
    ]
    both[0].start()
    assert begun.wait(10)
    both[1].start()
    for one in both:
        one.join(timeout=30)
    assert [array.name for array in second._submissions().arrays] == ["a", "b"]


def test_the_cluster_is_asked_for_what_was_given(project: Project, queue: Path, jobs: list[Job]) -> None:
    asked = {"partition": "gpu", "account": "me", "memory": "16G", "gpus": 1, "minutes": 90, "cpus": 4}
    engine_of(project, **asked, at_once=2, flags={"constraint": "a100"}).start(jobs)
    handed = (queue.parent / "handed-over.sh").read_text()
    for line in (
        "--array=0-2%2", "--partition=gpu", "--account=me", "--mem=16G", "--gpus-per-node=1", "--time=90",
        "--cpus-per-task=4", "--constraint=a100",
    ):  # fmt: skip
        assert f"#SBATCH {line}\n" in handed


def test_what_cannot_be_asked_for_is_named(project: Project, queue: Path, jobs: list[Job]) -> None:
    with pytest.raises(SettingsError, match="Slurm does not take these jobs"):
        (queue.parent / "bin" / "sbatch").write_text("#!/bin/sh\necho 'invalid account' >&2\nexit 1\n")
        engine_of(project).start(jobs)


def test_a_node_waits_for_a_job_that_another_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(slurm_module.time, "sleep", waits.append)
    mark, log = tmp_path / "mark", tmp_path / "log"
    script = (
        f"import pathlib, sys; mark = pathlib.Path({str(mark)!r}); there = mark.exists(); mark.touch(); "
        "print('in', there); sys.exit(3 if there else 6)"
    )
    assert work([sys.executable, "-c", script], str(log)) == 3
    assert len(waits) == 1
    assert log.read_text() == "in False\nin True\n"
