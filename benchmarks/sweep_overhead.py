"""What the driver of a sweep costs beside its jobs: 1,000 jobs that do nothing.

    python benchmarks/sweep_overhead.py [JOBS]

A job is a shell that writes what a finished run leaves, so that what is measured is the driver: from reading
the sweep's file to its last table, the starting of processes included.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import yaml

from encoder_atlas.runs.project import Project, find_project
from encoder_atlas.runs.sweeps.drive import drive
from encoder_atlas.runs.sweeps.gather import write_tables
from encoder_atlas.runs.sweeps.jobs import Job, expand
from encoder_atlas.runs.sweeps.local import LocalEngine
from encoder_atlas.runs.sweeps.spec import load_sweep


def no_op(job: Job) -> list[str]:
    return ["sh", "-c", 'echo "{}" > "$0"; echo "{}" > "$1"', str(job.run.record), str(job.run.notebook)]


def main(count: int) -> None:
    here = find_project()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for part in ("notebooks", "_toc.yml", "sweeps"):
            (root / part).symlink_to(here.root / part)
        project = Project(root)
        file = root / "trial.yaml"
        content = {
            "name": "trial",
            "title": "Nothing",
            "about": "Nothing.",
            "notebook": "01",
            "profile": "tiny",
        }
        file.write_text(yaml.safe_dump({**content, "grid": {"seeds": list(range(count))}}))
        project.runs.mkdir(parents=True)

        started = time.perf_counter()
        jobs = expand(load_sweep(file, project), project)
        expanded = time.perf_counter() - started

        before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        counts = drive("trial", jobs, LocalEngine(root / "logs", 1, command=no_op))
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_SELF)
        own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        started = time.perf_counter()
        drive("trial", jobs, LocalEngine(root / "logs", 1, command=no_op))
        again = time.perf_counter() - started
        folder = root / "tables"
        folder.mkdir()
        started = time.perf_counter()
        write_tables(load_sweep(file, project), jobs, folder)
        gathered = time.perf_counter() - started
    assert counts.done == count
    milliseconds = 1000 / count
    print(f"{count} jobs that do nothing")
    print(f"expand and key      {expanded * milliseconds:6.2f} ms a job")
    print(f"drive, wall clock   {wall * milliseconds:6.2f} ms a job")
    print(f"drive, own time     {own * milliseconds:6.2f} ms a job")
    print(f"resume, all done    {again * milliseconds:6.2f} ms a job")
    print(f"gather              {gathered * milliseconds:6.2f} ms a job")
    print(f"in all              {(expanded + wall + gathered) * milliseconds:6.2f} ms a job")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
