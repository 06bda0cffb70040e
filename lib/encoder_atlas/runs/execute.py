"""Execute a notebook with new parameters in a child process, and say truly how it ended."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encoder_atlas.errors import AtlasError
from encoder_atlas.progress import PROGRESS_FILE
from encoder_atlas.runs.worker import CELL_RAISED, KERNEL_DIED, RUNNER_FAILED

BAD_PARAMETERS = 2
CLAIMS_FILE = "ENCODER_ATLAS_CLAIMS"
PROCESSES = "ENCODER_ATLAS_PROCESSES"
# Who starts a run may name itself here: the run then ends when that process ends.
PARENT = "ENCODER_ATLAS_PARENT"


class RunFailedError(AtlasError):
    """A notebook did not finish.

    ``exit_code``: 3 a cell raised (its number in ``cell``), 4 the kernel died, 5 the runner failed.
    """

    def __init__(self, message: str, exit_code: int, cell: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.cell = cell


def records_path(claims: Path) -> Path:
    """Where the tables of a run are, from where its claims are."""
    return claims.with_name(claims.name.removesuffix("claims.json") + "records.json")


@dataclass(frozen=True)
class Execution:
    """What is run: a source notebook, the values of its parameters, and where the results go.

    ``processes``: how many fit a model together.
    """

    source: Path
    parameters: Mapping[str, Any]
    target: Path
    claims: Path
    store: Path
    processes: int = 1

    @property
    def failed(self) -> Path:
        """Where the notebook of a failed run is kept, to be looked into."""
        return self.target.with_name(self.target.stem + ".failed.ipynb")


def execute(run: Execution) -> float:
    """Run the notebook; its target and its claims appear, whole, only if every cell ended well.

    Returns the seconds it took. Raises RunFailedError; what the notebook had put into the store stays there,
    so the next run goes on from the stage in which this one ended.
    """
    run.target.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{run.target.stem}-"
    # The caller holds the lock of this run, so scratch of its name is a killed run's.
    for stale in run.target.parent.glob(prefix + "*/"):
        shutil.rmtree(stale, ignore_errors=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=run.target.parent, prefix=prefix) as name:
        scratch = Path(name)
        output, claims = scratch / run.target.name, scratch / "claims.json"
        code = _run_child(run, scratch, output, claims)
        if code != 0:
            if output.exists():
                output.replace(run.failed)
            raise _failure(run, code, scratch / "report.json")
        # The notebook is the mark of a finished run, so it is renamed last.
        run.claims.parent.mkdir(parents=True, exist_ok=True)
        for made, place in ((claims, run.claims), (records_path(claims), records_path(run.claims))):
            if made.exists():
                made.replace(place)
        output.replace(run.target)
        run.failed.unlink(missing_ok=True)
    return time.monotonic() - started


def _run_child(run: Execution, scratch: Path, output: Path, claims: Path) -> int:
    progress, job = scratch / "progress.txt", scratch / "job.json"
    progress.touch()
    job.write_text(
        json.dumps(
            {
                "source": str(run.source),
                "target": str(output),
                "parameters": dict(run.parameters),
                "kernel": "python3",
                "folder": str(run.source.parent),
                "report": str(scratch / "report.json"),
                "parent": os.getpid(),
            }
        ),
        encoding="utf-8",
    )
    environment = {
        **os.environ,
        PROGRESS_FILE: str(progress),
        CLAIMS_FILE: str(claims),
        "ENCODER_ATLAS_STORE": str(run.store),
        PROCESSES: str(run.processes),
        "OMP_WAIT_POLICY": "PASSIVE",
        # The kernel must be this interpreter's, whatever kernels the user has registered.
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    command = [sys.executable, "-m", "encoder_atlas.runs.worker", str(job)]
    with (scratch / "log.txt").open("wb") as log, _child(command, environment, log) as child:
        shown = 0
        while child.poll() is None:
            time.sleep(0.2)
            shown = _copy_progress(progress, shown)
        _copy_progress(progress, shown)
    if child.returncode not in (0, CELL_RAISED, KERNEL_DIED, RUNNER_FAILED):
        tail = (scratch / "log.txt").read_text(errors="replace")[-2000:]
        finding = {"error": f"exit status {child.returncode}", "message": tail.strip(), "cell": None}
        (scratch / "report.json").write_text(json.dumps(finding), encoding="utf-8")
        return RUNNER_FAILED
    return child.returncode


@contextmanager
def _child(command: list[str], environment: dict[str, str], log: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """A child in a session of its own: Ctrl-C reaches this process alone, which then ends the child."""
    child = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            # The kernel watches its parent and ends by itself when the child is gone.
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _copy_progress(path: Path, shown: int) -> int:
    """Copy what the notebook's bars have written since ``shown`` to this terminal."""
    with path.open("rb") as stream:
        stream.seek(shown)
        new = stream.read()
    sys.stderr.buffer.write(new) if hasattr(sys.stderr, "buffer") else sys.stderr.write(new.decode())
    sys.stderr.flush()
    return shown + len(new)


def _failure(run: Execution, code: int, report: Path) -> RunFailedError:
    finding = json.loads(report.read_text(encoding="utf-8"))
    what = {
        CELL_RAISED: f"cell [{finding['cell']}] raised {finding['error']}: {finding['message']}",
        KERNEL_DIED: "the kernel died (often: out of memory; try fewer points or a smaller encoder)",
        RUNNER_FAILED: f"the runner failed: {finding['error']}: {finding['message']}",
    }[code]
    kept = f"\nThe notebook up to there: {run.failed}" if run.failed.exists() else ""
    return RunFailedError(f"{run.source.name}: {what}{kept}", code, finding["cell"])
