"""The command ``atlas``."""

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from encoder_atlas.cli_data import data_app
from encoder_atlas.cli_sweep import sweep_app
from encoder_atlas.errors import AtlasError
from encoder_atlas.runs.chapters import NOTEBOOKS, chapter_name
from encoder_atlas.runs.execute import PARENT, RUNNER_FAILED
from encoder_atlas.runs.failures import exit_code
from encoder_atlas.runs.project import find_project
from encoder_atlas.runs.resolve import parse_overrides, read_profile
from encoder_atlas.runs.settings import PROFILES
from encoder_atlas.runs.worker import die_with_parent

if TYPE_CHECKING:
    from encoder_atlas.runs.store import Store

# What a command needs beyond this is imported in it: torch and umap take seconds, and `--help` should not.

app = typer.Typer(
    help="Run the book's notebooks with your own values, and build its pages.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
store_app = typer.Typer(help="Look into the store of fitted models and measurements.", no_args_is_help=True)
app.add_typer(store_app, name="store")
app.add_typer(data_app, name="data")
app.add_typer(sweep_app, name="sweep")

INTERRUPTED, STOPPED = 130, 143  # as shells count them: 128 and the signal

Notebook = Annotated[str, typer.Argument(help="A chapter, as 01 or 01_deepview.")]
Profile = Annotated[str, typer.Option(help="One of: " + ", ".join(PROFILES) + ".")]
Parameters = Annotated[
    list[str] | None, typer.Option("-p", "--parameter", help="NAME=VALUE, as often as you like.")
]
Force = Annotated[bool, typer.Option("--force", help="Run again what has finished.")]


@app.command()
def run(
    notebook: Notebook,
    parameter: Parameters = None,
    output: Annotated[Path | None, typer.Option(help="Copy the executed notebook to this path.")] = None,
    processes: Annotated[
        int, typer.Option(help="Processes, each with a GPU, that fit a model together.")
    ] = 1,
    force: Force = False,
) -> None:
    """Execute one notebook with other parameters, as in: atlas run 01 -p lambda_=0.4 -p points=400.

    `atlas parameters 01` lists them. Exit codes: 0 ok, 2 bad parameters, 3 a cell raised, 4 the kernel died,
    5 the runner failed, 6 another process is running it.
    """
    from encoder_atlas.runs.chapter_runs import finish, plan

    project = find_project()
    if os.environ.get(PARENT):
        die_with_parent(int(os.environ.pop(PARENT)))
    planned = plan(project, notebook, parse_overrides(parameter or []), processes)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)  # a place that cannot be is told before the run
    executed = finish(planned, project, force=force)
    if output is not None:
        shutil.copy(planned.notebook, output)
    when = "" if executed else " before (--force runs it again)"
    typer.echo(f"{planned.name}: finished{when}, in {planned.seconds:.0f} s\n{output or planned.notebook}")


@app.command()
def parameters(notebook: Notebook, profile: Profile = "quick") -> None:
    """List what a chapter can be told: name, the profile's value, meaning."""
    chapter = chapter_name(notebook)
    content = read_profile(find_project().profiles, profile)
    values = {"profile": profile, **content.get("shared", {}), **content.get(chapter, {})}
    for name, field in NOTEBOOKS[chapter].model_fields.items():
        typer.echo(f"{name:14} {values.get(name, field.default)!s:34} {field.description or ''}".rstrip())


@app.command()
def book(
    profile: Profile = "quick",
    parameter: Parameters = None,
    output: Annotated[Path | None, typer.Option(help="Where the pages go; _build/html by default.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Notebooks run at once; by default one a core, or a GPU.")
    ] = None,
    force: Force = False,
) -> None:
    """Run what has changed and build the static pages; -p changes parameters of the notebooks, as in run."""
    from encoder_atlas.runs.book import build_book

    project = find_project()
    pages = (output or project.pages).resolve()
    overrides = {**parse_overrides(parameter or []), "profile": profile}
    timings = build_book(project, overrides, pages, force=force, jobs=jobs)
    for what, seconds, note in timings.rows:
        typer.echo(f"{what:28} {seconds:7.1f} s  {note}".rstrip())
    typer.echo(f"{'in all':28} {timings.total:7.1f} s\n\nThe book: {(pages / 'index.html').as_uri()}")


@app.command()
def doctor() -> None:
    """Say whether this machine has what the book needs. Exit code 1 where something is bad."""
    from encoder_atlas.runs.doctor import examine

    findings = examine(find_project())
    for finding in findings:
        typer.echo(f"{finding.level:5} {finding.what:18} {finding.detail}")
    if any(finding.level == "bad" for finding in findings):
        raise typer.Exit(1)


@store_app.command("ls")
def store_ls() -> None:
    """List the entries: kind, name, size, seconds it took to make, what it is."""
    entries = _store().entries()
    for entry in entries:
        size = f"{entry.bytes / 1e6:.1f} MB"
        seconds = "–" if entry.seconds is None else f"{entry.seconds:.1f} s"
        typer.echo(f"{entry.kind:14} {entry.hash} {size:>10} {seconds:>9}  {entry.summary}")
    typer.echo(f"{len(entries)} entries, {sum(entry.bytes for entry in entries) / 1e6:.1f} MB")


@store_app.command("check")
def store_check() -> None:
    """Verify every file's checksum. Exit code 1 where an entry is damaged."""
    damaged = _store().check()
    for entry in damaged:
        typer.echo(f"damaged: {entry.kind} {entry.hash}: {entry.reason}")
    typer.echo("all entries are whole" if not damaged else "they will be rebuilt when they are next needed")
    raise typer.Exit(1 if damaged else 0)


@store_app.command("rm")
def store_rm(name: Annotated[str, typer.Argument(help="The name of an entry, or how it begins.")]) -> None:
    """Remove an entry; it is made anew when it is next needed."""
    removed = _store().remove(name)
    typer.echo(f"removed {removed.kind} {removed.hash}")


@store_app.command("clear")
def store_clear(yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> None:
    """Remove all entries."""
    if not yes:
        typer.confirm("Remove every fitted model and measurement?", abort=True)
    typer.echo(f"removed {_store().clear() / 1e6:.1f} MB")


def _store() -> "Store":
    from encoder_atlas.runs.store import Store

    return Store(find_project().store)


def main() -> None:
    """Run the command; an error made on purpose is a line on stderr and an exit code, not a traceback."""
    # A polite kill ends as Ctrl-C does: the child is stopped and its scratch removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))
    try:
        app()
    except AtlasError as error:
        _end(str(error), exit_code(error))
    except OSError as error:
        _end(f"{error.strerror}: {error.filename}", RUNNER_FAILED)
    except SystemExit as ended:
        if ended.code in (INTERRUPTED, STOPPED):
            _end("stopped. What had finished is kept; the same command goes on from there.", ended.code)
        raise


def _end(message: str, code: str | int | None) -> NoReturn:
    typer.echo(f"atlas: {message}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
