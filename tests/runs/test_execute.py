"""How a run ends is told truly, and nothing that ended is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nbformat
import psutil
import pytest

from encoder_atlas.runs.execute import Execution, RunFailedError, execute
from encoder_atlas.runs.worker import kernel_manager

ROOT = Path(__file__).parents[2]


def notebook(folder: Path, *cells: str) -> Path:
    """A notebook of code cells; the first is its parameters cell."""
    made = [nbformat.v4.new_code_cell(source) for source in cells]
    made[0].metadata["tags"] = ["parameters"]
    path = folder / "trial.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=made), path)
    return path


def execution(tmp_path: Path, *cells: str, **parameters: object) -> Execution:
    source = notebook(tmp_path, *cells)
    out = tmp_path / "out"
    return Execution(source, parameters, out / "trial.ipynb", out / "claims.json", tmp_path / "store")


def leftovers(run: Execution) -> list[str]:
    return sorted(path.name for path in run.target.parent.iterdir())


def test_a_run_gives_the_executed_notebook_and_its_claims(tmp_path: Path) -> None:
    write = "import os, pathlib\npathlib.Path(os.environ['ENCODER_ATLAS_CLAIMS']).write_text(str(n))"
    run = execution(tmp_path, "n = 1", write, "n + 1", n=41)
    assert execute(run) > 0
    done = nbformat.read(run.target, as_version=4)
    assert done.cells[-1].outputs[0].data["text/plain"] == "42"
    assert run.claims.read_text() == "41"
    assert leftovers(run) == ["claims.json", "trial.ipynb"]


def test_the_kernel_is_this_interpreter_with_this_store(tmp_path: Path) -> None:
    run = execution(tmp_path, "n = 1", "import os, sys\n(sys.executable, os.environ['ENCODER_ATLAS_STORE'])")
    execute(run)
    shown = nbformat.read(run.target, as_version=4).cells[-1].outputs[0].data["text/plain"]
    assert sys.executable in shown
    assert str(run.store) in shown


def test_kernels_that_start_together_do_not_hear_each_other(tmp_path: Path) -> None:
    """They are spoken to through files, not ports: each has a folder of its own for them."""
    say = "from ipykernel.kernelapp import IPKernelApp\nIPKernelApp.instance().connection_file"
    runs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        runs.append(execution(tmp_path / name, "n = 1", say))
    with ThreadPoolExecutor() as pool:
        list(pool.map(execute, runs))
    files = [nbformat.read(run.target, as_version=4).cells[-1].outputs[0].data["text/plain"] for run in runs]
    assert files[0] != files[1]
    assert not Path(files[0].strip("'")).parent.exists()


def test_a_folder_too_long_for_a_socket_means_ports(tmp_path: Path) -> None:
    assert kernel_manager(Path("/tmp/a")).transport == "ipc"
    assert kernel_manager(Path("/tmp") / ("a" * 100)).transport == "tcp"


def test_progress_is_copied_to_the_terminal_and_not_to_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = execution(
        tmp_path,
        "n = 1",
        "from encoder_atlas.progress import track\nfor i in track(range(3), 'counting'): pass",
    )
    execute(run)
    assert "counting: 100%" in capsys.readouterr().err
    assert nbformat.read(run.target, as_version=4).cells[-1].outputs == []


def test_a_cell_that_raises_is_exit_3_and_leaves_no_result(tmp_path: Path) -> None:
    run = execution(tmp_path, "n = 1", "raise ValueError('no such thing')", "n")
    with pytest.raises(RunFailedError, match=r"cell \[2\] raised ValueError: no such thing") as error:
        execute(run)
    assert error.value.exit_code == 3
    assert leftovers(run) == ["trial.failed.ipynb"]


def test_a_later_success_clears_the_failed_notebook(tmp_path: Path) -> None:
    run = execution(tmp_path, "n = 1", "assert n == 2")
    with pytest.raises(RunFailedError):
        execute(run)
    execute(Execution(run.source, {"n": 2}, run.target, run.claims, run.store))
    assert leftovers(run) == ["trial.ipynb"]


def test_a_dead_kernel_is_exit_4_and_never_a_result(tmp_path: Path) -> None:
    """papermill marks every cell of a killed kernel completed; the run must not believe it."""
    run = execution(tmp_path, "n = 1", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "n")
    with pytest.raises(RunFailedError, match="kernel died") as error:
        execute(run)
    assert error.value.exit_code == 4
    assert not run.target.exists()


def test_a_file_that_is_no_notebook_is_exit_5(tmp_path: Path) -> None:
    run = execution(tmp_path, "n = 1")
    run.source.write_text("not a notebook")
    with pytest.raises(RunFailedError, match="runner failed") as error:
        execute(run)
    assert error.value.exit_code == 5
    assert leftovers(run) == []


RUNNER = """
import sys
from pathlib import Path
from encoder_atlas.runs.execute import Execution, execute
source, out = Path(sys.argv[1]), Path(sys.argv[2])
execute(Execution(source, {}, out / "trial.ipynb", out / "claims.json", out / "store"))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_stopped_runner_takes_its_child_and_kernel_with_it(tmp_path: Path, how: signal.Signals) -> None:
    mark = tmp_path / "started.json"
    say = f"import json, os, pathlib, time\npathlib.Path({str(mark)!r}).write_text(json.dumps(os.getpid()))"
    source = notebook(tmp_path, "n = 1", say, "time.sleep(300)")
    out = tmp_path / "out"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "lib")}
    command = [sys.executable, "-c", RUNNER, str(source), str(out)]
    # A shell starts its background jobs deaf to Ctrl-C, and children inherit that.
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    runner = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, preexec_fn=listen)
    wait_for(lambda: mark.exists() and mark.read_text() != "")
    kernel = psutil.Process(json.loads(mark.read_text()))
    worker = kernel.parent()
    assert worker is not None
    runner.send_signal(how)
    runner.wait(timeout=30)
    psutil.wait_procs([kernel, worker], timeout=30)
    assert not kernel.is_running()
    assert not worker.is_running()
    assert not (out / "trial.ipynb").exists()
    # What a kill leaves is swept by the next run.
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")]), source)
    run = Execution(source, {}, out / "trial.ipynb", out / "claims.json", out / "store")
    execute(run)
    assert leftovers(run) == ["trial.ipynb"]


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)
