"""The child process that executes one notebook: ``python -m encoder_atlas.runs.worker JOB.json``.

papermill and its kernel live and die here, so the parent gets one number it can trust. papermill's own marks
in the notebook cannot be trusted: it calls the cells of a killed kernel completed.
"""

import contextlib
import ctypes
import json
import logging
import os
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

CELL_RAISED, KERNEL_DIED, RUNNER_FAILED = 3, 4, 5
# Bytes that the name of a socket may have on every system (Linux: 107, macOS: 103).
SOCKET_PATH = 100


def die_with_parent(parent: int) -> None:
    """Ask the kernel of Linux to end this process when the one that started it ends, however it ends."""
    with contextlib.suppress(OSError, AttributeError):
        set_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(RUNNER_FAILED)


def kernel_manager(folder: Path) -> type[Any]:
    """Kernels that are spoken to through sockets in ``folder``, where the system has such: ports are scarce.

    Two kernels that start at one moment can choose the same port, and one of them is then never heard. The
    folder must be this kernel's own: jupyter_client numbers the sockets from 1.
    """
    from jupyter_client.manager import AsyncKernelManager

    longest = len(str(folder / "kernel-ipc-10"))
    files = os.name != "nt" and longest < SOCKET_PATH

    class KernelManager(AsyncKernelManager):
        transport = "ipc" if files else "tcp"
        connection_file = str(folder / "kernel.json")

    return KernelManager


def main(job_file: str) -> int:
    job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    die_with_parent(job["parent"])
    warnings.filterwarnings("ignore", module="zmq")
    logging.getLogger("papermill").setLevel(logging.ERROR)
    # Not in the scratch of the run: a name there can be too long for a socket.
    with tempfile.TemporaryDirectory(prefix="atlas-") as folder:
        return _execute(job, Path(folder))


def _execute(job: dict[str, Any], folder: Path) -> int:
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    try:
        papermill.execute_notebook(
            job["source"],
            job["target"],
            parameters=job["parameters"],
            kernel_name=job["kernel"],
            language="python",
            cwd=job["folder"],
            progress_bar=False,
            start_timeout=300,
            kernel_manager_class=kernel_manager(folder),
        )
    except PapermillExecutionError as error:
        return _report(job, CELL_RAISED, error.ename, error.evalue, error.exec_count)
    except DeadKernelError as error:
        return _report(job, KERNEL_DIED, "DeadKernelError", str(error))
    except Exception as error:
        return _report(job, RUNNER_FAILED, type(error).__name__, str(error))
    return 0


def _report(job: dict[str, Any], code: int, error: str, message: str, cell: int | None = None) -> int:
    finding = {"error": error, "message": message, "cell": cell}
    Path(job["report"]).write_text(json.dumps(finding), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
