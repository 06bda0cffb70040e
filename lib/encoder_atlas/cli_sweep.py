"""The commands ``atlas sweep``: many runs of one notebook, on this machine or on a Slurm cluster."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from encoder_atlas.errors import DataError, SettingsError, near

if TYPE_CHECKING:
    from encoder_atlas.runs.project import Project
    from encoder_atlas.runs.sweeps.drive import Engine
    from encoder_atlas.runs.sweeps.jobs import Job
    from encoder_atlas.runs.sweeps.spec import Sweep

# What a command needs beyond this is imported in it, as in cli.py.


class _RunByDefault(TyperGroup):
    """``atlas sweep FILE`` is ``atlas sweep run FILE``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


sweep_app = typer.Typer(
    cls=_RunByDefault,
    help="Run a notebook with many parameters, as in: atlas sweep iap_pairs --tiny",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(help="A sweep's file, or the name of one in the folder sweeps.")]
Tiny = Annotated[bool, typer.Option("--tiny", help="The small version, on toy encoders.")]
Parameters = Annotated[
    list[str] | None, typer.Option("-p", "--parameter", help="NAME=VALUE for all jobs, as in `atlas run`.")
]
Retries = Annotated[int, typer.Option(min=0, help="How often to try again what its machine or kernel ended.")]
Processes = Annotated[int, typer.Option(min=1, help="Processes, each with a GPU, that fit a model of a job.")]


@sweep_app.command("ls")
def ls() -> None:
    """List the sweeps that come with the project."""
    from encoder_atlas.runs.project import find_project
    from encoder_atlas.runs.sweeps.spec import load_sweep, shipped

    project = find_project()
    for name, path in shipped(project).items():
        typer.echo(f"{name:24} {load_sweep(path, project).title}")


@sweep_app.command("run")
def run(
    file: File,
    engine: Annotated[str, typer.Option(help="local or slurm.")] = "local",
    tiny: Tiny = False,
    parameter: Parameters = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List jobs and their keys; run nothing.")
    ] = False,
    retries: Retries = 1,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="How many at once; with Slurm, of an array.")
    ] = None,
    processes: Processes = 1,
    minutes: Annotated[int | None, typer.Option("--time", min=1, help="Minutes that a job may take.")] = None,
    partition: Annotated[str | None, typer.Option(help="Slurm: partition.")] = None,
    account: Annotated[str | None, typer.Option(help="Slurm: account.")] = None,
    memory: Annotated[str | None, typer.Option(help="Slurm: memory of a job, as 16G.")] = None,
    cpus: Annotated[int, typer.Option(min=1, help="Slurm: cores of a job.")] = 2,
    gpus: Annotated[
        int | None,
        typer.Option(min=0, help="Slurm: GPUs of a job; by default none, or one a process of several."),
    ] = None,
    flag: Annotated[list[str] | None, typer.Option(help="Slurm: another flag, as constraint=a100.")] = None,
) -> None:
    """Run every job of a sweep that is not done, then gather what all of them found.

    Stop it whenever you like: the same command goes on from there. Exit code 1 where a job has failed; 2
    where the sweep cannot be used.
    """
    from encoder_atlas.runs.sweeps.drive import drive
    from encoder_atlas.runs.sweeps.jobs import check_output, sweep_folder, sweep_strays

    project, sweep, expanded = _open(file, tiny, parameter, processes)
    if dry_run:
        for job in expanded:
            typer.echo(f"{job.name}  {job.run.key}  {job.state(retries):8} {job.said}")
        typer.echo(f"{len(expanded)} jobs")
        return
    folder = sweep_folder(project, sweep.name)
    for place in (project.runs, folder):
        check_output(place)
    for place in (project.runs, folder, project.store / ".locks"):
        sweep_strays(place)
    chosen = _engine(
        engine,
        folder,
        jobs=jobs,
        minutes=minutes,
        processes=processes,
        slurm={
            "partition": partition,
            "account": account,
            "memory": memory,
            "cpus": cpus,
            "gpus": gpus if gpus is not None else (processes if processes > 1 else 0),
            "flags": _flags(flag),
        },
    )
    counts = drive(f"sweep {sweep.name}", expanded, chosen, retries)
    _gathered(sweep, expanded, folder)
    typer.echo(f"sweep {sweep.name}: {counts.done} of {counts.total} jobs done, {counts.failed} failed")
    if counts.failed:
        said = _said(file, tiny, parameter, processes)
        typer.echo(f"What went wrong: atlas sweep failures {said}", err=True)
        raise typer.Exit(1)


@sweep_app.command("retry")
def retry(file: File, tiny: Tiny = False, parameter: Parameters = None, processes: Processes = 1) -> None:
    """Forget how jobs failed, so that `atlas sweep FILE` tries them again."""
    _, _, expanded = _open(file, tiny, parameter, processes)
    forgotten = [job for job in expanded if job.run.failure is not None]
    for job in forgotten:
        job.run.failure_file.unlink(missing_ok=True)
    said = _said(file, tiny, parameter, processes)
    typer.echo(f"{len(forgotten)} failed jobs will be tried again by: atlas sweep {said}")


@sweep_app.command("status")
def status(
    file: File,
    tiny: Tiny = False,
    parameter: Parameters = None,
    retries: Retries = 1,
    processes: Processes = 1,
) -> None:
    """Say how many jobs are done, running, failed and waiting."""
    from collections import Counter

    from encoder_atlas.runs.sweeps.jobs import states

    _, sweep, expanded = _open(file, tiny, parameter, processes)
    counts = Counter(states(expanded, retries).values())
    said = ", ".join(f"{counts[state]} {state}" for state in ("done", "running", "failed", "waiting"))
    typer.echo(f"sweep {sweep.name}, {len(expanded)} jobs: {said}")


@sweep_app.command("failures")
def failures(file: File, tiny: Tiny = False, parameter: Parameters = None, processes: Processes = 1) -> None:
    """Say how each failed job failed: notebook, cell and message."""
    _, _, expanded = _open(file, tiny, parameter, processes)
    failed = [(job, job.run.failure) for job in expanded if job.run.failure is not None]
    for job, failure in failed:
        cell = f", cell [{failure.cell}]" if failure.cell is not None else ""
        times = "" if failure.attempts == 1 else f", {failure.attempts} times"
        typer.echo(f"{job.name} ({job.said})\n  {failure.kind}{times}: {failure.notebook}{cell}")
        typer.echo("  " + failure.message.replace("\n", "\n  "))
    typer.echo(f"{len(failed)} of {len(expanded)} jobs have failed")


@sweep_app.command("table")
def table(file: File, tiny: Tiny = False, parameter: Parameters = None, processes: Processes = 1) -> None:
    """Gather what the finished jobs found: table.csv, table.parquet, summary.csv; print the summary."""
    from encoder_atlas.runs.sweeps.jobs import sweep_folder

    project, sweep, expanded = _open(file, tiny, parameter, processes)
    if not any(job.run.finished for job in expanded):
        said = _said(file, tiny, parameter, processes)
        raise DataError(f"no job of sweep {sweep.name} is done yet: atlas sweep {said}")
    folder = sweep_folder(project, sweep.name)
    summary = _gathered(sweep, expanded, folder)
    typer.echo(f"{summary}\n\n{folder / 'table.csv'}")


def _open(
    file: Path, tiny: bool, parameter: list[str] | None, processes: int
) -> "tuple[Project, Sweep, list[Job]]":
    from encoder_atlas.runs.project import find_project
    from encoder_atlas.runs.resolve import parse_overrides
    from encoder_atlas.runs.sweeps.jobs import expand
    from encoder_atlas.runs.sweeps.spec import load_sweep

    project = find_project()
    sweep = load_sweep(file, project)
    sweep = (sweep.small() if tiny else sweep).with_parameters(parse_overrides(parameter or []))
    return project, sweep, expand(sweep, project, processes)


def _said(file: Path, tiny: bool, parameter: list[str] | None, processes: int) -> str:
    """What names the same jobs in another command: other options are other jobs."""
    parts = [str(file), *(["--tiny"] if tiny else [])]
    parts += [part for each in parameter or [] for part in ("-p", each)]
    return shlex.join([*parts, *(["--processes", str(processes)] if processes > 1 else [])])


def _gathered(sweep: "Sweep", expanded: "list[Job]", folder: Path) -> str:
    """Write the tables; the summary as text."""
    from encoder_atlas.runs.sweeps.gather import write_tables

    return write_tables(sweep, expanded, folder).to_string(index=False, na_rep="–")


def _engine(
    name: str, folder: Path, *, jobs: int | None, minutes: int | None, processes: int, slurm: dict[str, Any]
) -> "Engine":
    if name == "local":
        from encoder_atlas.runs.sweeps.local import LocalEngine

        return LocalEngine(folder / "logs", jobs, minutes=minutes, processes=processes)
    if name == "slurm":
        from encoder_atlas.runs.sweeps.slurm import SlurmEngine, SlurmSettings

        asked = {"minutes": minutes, "at_once": jobs, **slurm}
        return SlurmEngine(
            folder, SlurmSettings(**{key: value for key, value in asked.items() if value is not None})
        )
    raise SettingsError(f"no engine is called {name!r}; {near(name, ['local', 'slurm'])}")


def _flags(pairs: list[str] | None) -> dict[str, str]:
    found = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise SettingsError(f"--flag {pair!r}: write --flag NAME=VALUE")
        found[name.lstrip("-")] = value
    return found
