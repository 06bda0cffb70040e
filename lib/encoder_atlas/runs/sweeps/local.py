"""The local engine: a pool of processes on this machine, its cores shared out and its GPUs handed out."""

import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.execute import PARENT
from encoder_atlas.runs.failures import TIMED_OUT
from encoder_atlas.runs.project import STORE_VARIABLE, Project
from encoder_atlas.runs.sweeps.drive import Ended
from encoder_atlas.runs.sweeps.jobs import Job

GPUS = "CUDA_VISIBLE_DEVICES"
# Every library that brings threads of its own.
THREADS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
# How long a job that is told to stop may take to remove its scratch.
GRACE_SECONDS = 10


class LocalEngine:
    """Runs so many jobs at once, each in a process of its own that ends when this one ends."""

    def __init__(
        self,
        logs: Path,
        jobs: int | None = None,
        *,
        minutes: float | None = None,
        processes: int = 1,
        project: Project | None = None,
        command: Callable[[Job], list[str]] = Job.command,
    ) -> None:
        """
        Args:
            logs: folder for what jobs print.
            jobs: how many at once; by default one a GPU, or where there is none one for two cores.
            minutes: how long one may take.
            processes: of each job; every one has a GPU.
            project: whose jobs they are; by default that of the working folder.
            command: what runs a job.

        Raises:
            SettingsError: for more jobs at once than GPUs.
        """
        self._gpus = visible_gpus()
        shares = len(self._gpus) // processes if self._gpus else 0
        self._slots = list(range(jobs or shares or max(1, cores() // (2 * processes))))
        if self._gpus and len(self._slots) > shares:
            raise SettingsError(
                f"--jobs {len(self._slots)}: there are GPUs for {shares} jobs at once ({len(self._gpus)}, "
                f"and {processes} a job); give fewer, or set {GPUS} to nothing to do without"
            )
        self._threads = max(1, cores() // len(self._slots))
        self._project = project
        self._gpus_a_job, self._logs, self._minutes, self._command = processes, logs, minutes, command
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._ended: queue.Queue[tuple[Job, int, int]] = queue.Queue()

    @property
    def room(self) -> int:
        return len(self._slots)

    def under_way(self, jobs: Sequence[Job]) -> list[Job]:
        """None: jobs on this machine end with the driver that started them."""
        return []

    def start(self, jobs: Sequence[Job]) -> None:
        self._logs.mkdir(parents=True, exist_ok=True)
        for job in jobs:
            slot = self._slots.pop(0)
            with self.log(job).open("ab") as log:
                process = subprocess.Popen(
                    self._command(job),
                    env={**os.environ, **self.environment(slot)},
                    cwd=self._project and self._project.root,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            self._processes[job.name] = process
            threading.Thread(target=self._wait, args=(job, process, slot), daemon=True).start()

    def environment(self, slot: int) -> dict[str, str]:
        """What tells the job in a slot its share of the machine."""
        own = self._gpus[slot * self._gpus_a_job : (slot + 1) * self._gpus_a_job]
        gpus = {GPUS: ",".join(own)} if own else {}
        store = {STORE_VARIABLE: str(self._project.store)} if self._project else {}
        return dict.fromkeys(THREADS, str(self._threads)) | gpus | store | {PARENT: str(os.getpid())}

    def ended(self) -> list[Ended]:
        found = []
        try:
            found.append(self._ended.get(timeout=1))
            while True:
                found.append(self._ended.get_nowait())
        except queue.Empty:
            pass
        for job, _, slot in found:
            self._slots.append(slot)
            del self._processes[job.name]
        return [Ended(job, code, self.log(job)) for job, code, _ in found]

    def stop(self) -> None:
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            _end(process)

    def _wait(self, job: Job, process: "subprocess.Popen[bytes]", slot: int) -> None:
        try:
            code = process.wait(None if self._minutes is None else 60 * self._minutes)
        except subprocess.TimeoutExpired:
            process.terminate()
            _end(process)
            code = TIMED_OUT
        self._ended.put((job, code, slot))

    def log(self, job: Job) -> Path:
        """What a job has printed."""
        return self._logs / f"{job.name}.log"


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def visible_gpus() -> list[str]:
    """The names of the NVIDIA GPUs that may be used, without loading torch to ask."""
    chosen = os.environ.get(GPUS)
    if chosen is not None:
        return [name.strip() for name in chosen.split(",") if name.strip()]
    if shutil.which("nvidia-smi") is None:
        return []
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    return [str(number) for number, line in enumerate(listed.splitlines()) if line.startswith("GPU ")]


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
