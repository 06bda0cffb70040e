"""The Slurm engine: jobs are handed to the cluster as arrays, through submitit, and run the same command."""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.execute import PARENT
from encoder_atlas.runs.failures import BUSY, LOST, TIMED_OUT
from encoder_atlas.runs.lease import Lock
from encoder_atlas.runs.project import write_whole
from encoder_atlas.runs.sweeps.drive import Ended
from encoder_atlas.runs.sweeps.jobs import Job

# Clusters limit arrays, to 1,001 unless told otherwise.
ARRAY = 500
ENDED_STATES = (
    "COMPLETED",
    "FAILED",
    "TIMEOUT",
    "CANCELLED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "DEADLINE",
    "BOOT_FAIL",
)
NEEDED = ("sbatch", "squeue", "srun")


class SlurmSettings(BaseModel):
    """What the cluster is asked for, for each job."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    partition: str | None = None
    account: str | None = None
    minutes: int = Field(default=240, ge=1)
    memory: str | None = Field(default=None, description="as Slurm writes it: 16G")
    cpus: int = Field(default=2, ge=1)
    gpus: int = Field(default=0, ge=0)
    at_once: int = Field(default=100, ge=1, description="jobs of an array that may run at one time")
    flags: Mapping[str, str] = Field(default={}, description="any other flag of sbatch: {constraint: a100}")


class Submission(BaseModel):
    """An array that was handed over: its name in the queue, and the jobs in their order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    jobs: tuple[str, ...]


class Submissions(BaseModel):
    """The file in which drivers keep what they handed over."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arrays: tuple[Submission, ...] = ()


class SlurmEngine:
    """Hands jobs over, and asks the queue which of them still wait or run.

    An array is written down before it is handed over, under a name that no other has. So a driver that comes
    after one that was killed finds the jobs of that one in the queue, and hands over none of them again.
    """

    def __init__(
        self,
        folder: Path,
        settings: SlurmSettings,
        *,
        seconds: float = 5,
        command: Callable[[Job], list[str]] = Job.command,
    ) -> None:
        """
        Args:
            folder: of the sweep, on a disk that all nodes see.
            seconds: between two looks at the queue.
            command: what runs a job.

        Raises:
            SettingsError: where Slurm or submitit is not installed.
        """
        check_slurm()
        self._folder, self._settings, self._seconds, self._command = folder, settings, seconds, command
        self._record = folder / "slurm.json"
        self._minded: dict[str, Job] = {}

    @property
    def room(self) -> int:
        return ARRAY

    def under_way(self, jobs: Sequence[Job]) -> list[Job]:
        states = self._states() or {}
        found = [job for job in jobs if states.get(job.name, "COMPLETED") not in ENDED_STATES]
        self._minded |= {job.name: job for job in found}
        return found

    def start(self, jobs: Sequence[Job]) -> None:
        """Hand jobs over as one array. Raises SettingsError where the cluster refuses it."""
        from submitit import SlurmExecutor
        from submitit.core.utils import FailedJobError, FailedSubmissionError

        name = f"atlas-{self._folder.name}-{secrets.token_hex(4)}"
        (self._folder / "logs").mkdir(parents=True, exist_ok=True)
        self._write_down(Submission(name=name, jobs=tuple(job.name for job in jobs)))
        executor = SlurmExecutor(self._folder / "submitit")
        try:
            executor.update_parameters(job_name=name, **self._parameters())
            commands = [(self._command(job), str(self._log(job))) for job in jobs]
            executor.map_array(work, *map(list, zip(*commands, strict=True)))
        except (ValueError, FailedJobError, FailedSubmissionError) as error:
            raise SettingsError(f"Slurm does not take these jobs: {error}") from None
        self._minded |= {job.name: job for job in jobs}

    def ended(self) -> list[Ended]:
        """Those minded that the queue knows as ended, or no longer knows, or whose results stand."""
        time.sleep(self._seconds)
        states = self._states()
        if states is None:  # the controller does not answer: nothing is known, so nothing is done
            return []
        found = []
        for name, job in list(self._minded.items()):
            state = states.get(name, "COMPLETED")
            if state in ENDED_STATES:
                del self._minded[name]
                found.append(Ended(job, TIMED_OUT if state == "TIMEOUT" else LOST, self._log(job)))
        return found

    def stop(self) -> None:
        """Nothing: what was handed over goes on, and the next driver finds it."""

    def _parameters(self) -> dict[str, Any]:
        s = self._settings
        asked: dict[str, Any] = {"partition": s.partition, "account": s.account, "mem": s.memory}
        asked |= {"gpus_per_node": s.gpus or None, "additional_parameters": dict(s.flags) or None}
        given = {name: value for name, value in asked.items() if value is not None}
        # Without srun the job is one process on its node, and needs no second allocation.
        return given | {
            "time": s.minutes,
            "cpus_per_task": s.cpus,
            "array_parallelism": s.at_once,
            "stderr_to_stdout": True,
            "use_srun": False,
        }

    def _states(self) -> dict[str, str] | None:
        """The last known state of every job handed over; None where the queue cannot be asked."""
        arrays = {array.name: array.jobs for array in self._submissions().arrays}
        if not arrays:
            return {}
        asked = ["squeue", "--noheader", "--array", "--states=all", f"--name={','.join(arrays)}"]
        # A single job is no array to Slurm, and has N/A for its number in one.
        answer = subprocess.run([*asked, "--format=%j|%K|%T"], capture_output=True, text=True)
        if answer.returncode != 0:
            return None
        found: dict[str, str] = {}
        lines = {tuple(line.split("|")) for line in answer.stdout.splitlines()}
        for name, jobs in arrays.items():  # the last array that a job was in is what counts
            own = {
                int(number) if number.isdecimal() else 0: state
                for array, number, state in lines
                if array == name
            }
            found |= {job: own.get(number, "COMPLETED") for number, job in enumerate(jobs)}
        return found

    def _write_down(self, array: Submission) -> None:
        """Another driver may do the same at this moment, here or on another node: one after the other."""
        with Lock(self._folder / ".slurm.lock").held():
            arrays = (*self._submissions().arrays, array)
            write_whole(self._record, Submissions(arrays=arrays).model_dump_json(indent=1))

    def _submissions(self) -> Submissions:
        try:
            return Submissions.model_validate_json(self._record.read_bytes())
        except FileNotFoundError:
            return Submissions()

    def _log(self, job: Job) -> Path:
        return self._folder / "logs" / f"{job.name}.log"


def check_slurm() -> None:
    """Raise SettingsError where jobs cannot be handed to Slurm from here."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        raise SettingsError(
            f"Slurm is not installed here ({', '.join(missing)} not found): log in to a node of the cluster, "
            "or use --engine local"
        )
    if find_spec("submitit") is None:
        raise SettingsError("--engine slurm needs submitit: pip install 'encoder-atlas[cluster]'")


def work(command: Sequence[str], log: str) -> int:
    """What runs on a node: the command of one job, its output in ``log``; gives its exit code.

    Where another process has the job, it is waited for.
    """
    environment = {**os.environ, PARENT: str(os.getpid()), "PYTHONPATH": os.pathsep.join(sys.path)}
    cpus = os.environ.get("SLURM_CPUS_PER_TASK", "1")
    environment |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), cpus)
    while True:
        with Path(log).open("ab") as stream:
            code = subprocess.run(list(command), env=environment, stdout=stream, stderr=stream).returncode
        if code != BUSY:
            return code
        time.sleep(10)
