"""A sweep on a real Slurm of this machine, one of whose nodes is lost half-way."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.slurm.cluster import Cluster, cluster, wait_for, why_not
from tests.small_project import command, driver_command, environment, finished_runs, make_project, write_sweep

REASON = why_not()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

JOBS = 20
RAISES, DIES = 4, 5
NOTEBOOK = [
    f"assert seeds != {RAISES}, 'not this one'",
    f"import os, signal\nif seeds == {DIES}: os.kill(os.getpid(), signal.SIGKILL)",
    # The number of the node's GPU, and that this notebook came to its end.
    "gpu, node = os.environ.get('CUDA_VISIBLE_DEVICES', 'none'), os.environ['SLURMD_NODENAME']\n"
    "with open(os.environ['TRIAL_LOG'], 'a') as log:\n    log.write(f'{seeds} {node} {gpu}\\n')",
]


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "slurm") as running:
        yield running


def test_a_sweep_outlives_a_node(slurm: Cluster, tmp_path: Path) -> None:
    """18 of 20 jobs finish, each once; what raised and what died is reported rightly; nothing is lost."""
    project = make_project(tmp_path / "project", *NOTEBOOK)
    file = write_sweep(project.root, grid={"seeds": list(range(JOBS))})
    log = tmp_path / "ended.txt"
    told = {**environment(), **slurm.environment, "TRIAL_LOG": str(log)}
    run = driver_command(project, "slurm")
    with (tmp_path / "driver.txt").open("wb") as said:
        driver = subprocess.Popen(run, cwd=project.root, env=told, stdout=said, stderr=said)
    try:
        wait_for(lambda: len(ended(log)) >= JOBS // 4, "finished jobs", 400)
        wait_for(lambda: "n1" in slurm.ask("squeue", "-h", "-t", "running", "-o", "%N"), "a job on n1")
        # The driver is killed too: the one that comes after it finds its jobs in the queue.
        driver.kill()
        assert slurm.lose("n1") > 0
        done = subprocess.run(run, cwd=project.root, env=told, capture_output=True, text=True, timeout=600)
    finally:
        driver.kill()
        driver.wait()
    assert done.stdout.strip() == "18 done, 0 running, 2 failed", done.stderr
    assert {int(line.split()[0]) for line in ended(log)} == set(range(JOBS)) - {RAISES, DIES}
    assert list(finished_runs(project).values()) == [1] * (JOBS - 2)
    # Slurm 22.05 forgets the GPU of a job that it must hand to a second node.
    assert {"0", "1"} <= {line.split()[2] for line in ended(log)} <= {"0", "1", "none"}
    listed = subprocess.run(
        command("failures", file), cwd=project.root, env=told, capture_output=True, text=True
    ).stdout
    assert "a cell raised: 01_deepview.ipynb, cell [3]" in listed and "not this one" in listed
    assert f"(seeds={DIES})\n  the kernel died, 2 times: 01_deepview.ipynb" in listed
    assert not [path for path in project.runs.iterdir() if path.is_dir()]


def test_what_the_cluster_refuses_is_said(slurm: Cluster, tmp_path: Path) -> None:
    project = make_project(tmp_path / "project", "seeds")
    told = {**environment(), **slurm.environment}
    run = command(write_sweep(project.root), "--engine", "slurm", "--partition", "nosuch")
    done = subprocess.run(run, cwd=project.root, env=told, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "invalid partition specified: nosuch" in done.stderr
    assert "Traceback" not in done.stderr


def ended(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []
