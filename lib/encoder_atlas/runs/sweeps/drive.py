"""Drive many runs: hand jobs to an engine, look at what their files say, try again what may yet succeed."""

import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from encoder_atlas.progress import bar, note
from encoder_atlas.runs.failures import BUSY, KINDS, LOST, TIMED_OUT, Failure, keep_failure
from encoder_atlas.runs.sweeps.jobs import Job

# How long to wait when all that is left is being run by others.
IDLE_SECONDS = 2.0
WHY = {
    LOST: "it ended without a word: its machine was lost, or it was killed",
    TIMED_OUT: "it took longer than it may (--time)",
}


@dataclass(frozen=True)
class Ended:
    """A job whose process is gone. ``code``: its exit code, or LOST or TIMED_OUT; ``log``: what it said."""

    job: Job
    code: int
    log: Path


@runtime_checkable
class Engine(Protocol):
    """Where jobs are run."""

    @property
    def room(self) -> int:
        """How many jobs could be started now."""
        ...

    def under_way(self, jobs: Sequence[Job]) -> list[Job]:
        """Those that an earlier driver handed over and that still wait or run; the engine now minds them."""
        ...

    def start(self, jobs: Sequence[Job]) -> None:
        """Start jobs, ``room`` of them at most."""
        ...

    def ended(self) -> list[Ended]:
        """Jobs that have ended since this was last asked; waits a moment for one."""
        ...

    def stop(self) -> None:
        """The driver goes: end what would not outlive it."""
        ...


@dataclass
class Counts:
    """How many jobs are done, running, failed; what is left waits."""

    total: int
    done: int = 0
    failed: int = 0
    running: int = 0

    def __str__(self) -> str:
        return f"{self.done} done, {self.running} running, {self.failed} failed"

    @property
    def waiting(self) -> int:
        return self.total - self.done - self.failed - self.running


@dataclass
class _Driver:
    engine: Engine
    retries: int
    counts: Counts
    shown: Any
    doing: Callable[[Collection[str]], str]
    waiting: deque[Job] = field(default_factory=deque)
    # Running jobs, each with how often it had failed before.
    running: dict[str, int] = field(default_factory=dict)
    said: str = ""

    def begin(self, jobs: Sequence[Job]) -> None:
        """Sort jobs into done, failed, under way and waiting."""
        left = []
        for job in jobs:
            state = job.state(self.retries)
            self.counts.done += state == "done"
            self.counts.failed += state == "failed"
            left += [job] if state in ("running", "waiting") else []
        # The time left is reckoned from what is done from here on.
        self.shown.initial = self.shown.n = self.counts.done + self.counts.failed
        adopted = {job.name for job in self.engine.under_way(left)}
        self.running = {job.name: _attempts(job) for job in left if job.name in adopted}
        self.waiting.extend(job for job in left if job.name not in adopted)

    def start_some(self) -> None:
        """Hand over as many waiting jobs as there is room for, but none that another driver runs."""
        chosen: list[Job] = []
        for _ in range(len(self.waiting)):
            if len(chosen) >= self.engine.room:
                break
            job = self.waiting.popleft()
            state = job.state(self.retries)
            if state == "waiting":
                chosen.append(job)
            elif state == "running":
                self.waiting.append(job)
            else:
                self._count(job, failed=state == "failed")
        if chosen:
            self.running.update({job.name: _attempts(job) for job in chosen})
            self.engine.start(chosen)
        elif not self.running and self.waiting:
            time.sleep(IDLE_SECONDS)

    def settle(self, ended: Ended) -> None:
        """Say what became of a job from its files; where they say nothing, it is taken as lost."""
        job, before = ended.job, self.running.pop(ended.job.name)
        if job.run.finished:
            return self._count(job, failed=False)
        if ended.code == BUSY:
            return self.waiting.append(job)
        failure = job.run.failure
        if failure is None or failure.attempts == before:
            failure = keep_failure(job.run.failure_file, _unsaid(ended))
        if failure.final or failure.attempts > self.retries:
            return self._count(job, failed=True)
        note(f"{job.name} ({job.said}): {failure.kind}; it is tried again")
        return self.waiting.append(job)

    def show(self) -> None:
        self.counts.running = len(self.running)
        said = f"{self.counts}{self.doing(self.running)}"
        if said != self.said:
            self.said = said
            self.shown.set_postfix_str(self.said)

    def _count(self, job: Job, *, failed: bool) -> None:
        if failed and (failure := job.run.failure):
            note(f"{job.name} ({job.said}) failed: {failure.message.splitlines()[0]}")
        self.counts.failed += failed
        self.counts.done += not failed
        self.shown.update(1)


def drive(
    what: str,
    jobs: Sequence[Job],
    engine: Engine,
    retries: int = 0,
    doing: Callable[[Collection[str]], str] = lambda running: "",
) -> Counts:
    """Run the jobs that are not done; gives how many are done and failed in the end.

    The bar is named ``what``; ``doing`` may say more about the running jobs, given their names.

    A job that fails in a way that may pass (its kernel or machine died, its time was up) is tried again up to
    ``retries`` times. Whatever ends this function ends no job's result: the same call goes on from there.
    """
    counts = Counts(len(jobs))
    with bar(what, total=len(jobs), unit="job") as shown:
        driver = _Driver(engine, retries, counts, shown, doing)
        try:
            driver.begin(jobs)
            while driver.waiting or driver.running:
                driver.start_some()
                driver.show()
                for ended in engine.ended() if driver.running else []:
                    driver.settle(ended)
            driver.show()
        finally:
            engine.stop()
    return counts


def _attempts(job: Job) -> int:
    return job.run.failure.attempts if job.run.failure else 0


def _unsaid(ended: Ended) -> Failure:
    """The failure of a job that could not write one itself."""
    code = ended.code if ended.code in KINDS else LOST
    if ended.code == 0:
        why = "it ended well, but its notebook is not there: did sources change meanwhile? Start it again"
    elif ended.code < 0:
        why = f"killed by signal {-ended.code}"
    else:
        why = WHY.get(ended.code, f"exit code {ended.code}")
    said = tail(ended.log)
    return Failure(
        code=code,
        notebook=ended.job.run.source.name,
        message=f"{why}\nIts log: {ended.log}" + (f"\n{said}" if said else ""),
    )


def tail(log: Path, characters: int = 2000) -> str:
    """The last lines of a log, without the bars that were drawn over each other."""
    try:
        with log.open("rb") as stream:  # the end alone: a book asks for it every second
            stream.seek(max(0, log.stat().st_size - characters))
            text = stream.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(line.rpartition("\r")[2] for line in text.split("\n")).strip()
