"""How a run failed, kept in a file beside where its notebook would be, so that whoever asks later is told."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveInt, ValidationError

from encoder_atlas.errors import AtlasError, DataError, EncoderError, SettingsError
from encoder_atlas.runs.execute import BAD_PARAMETERS, RUNNER_FAILED, RunFailedError
from encoder_atlas.runs.project import BusyError, write_whole
from encoder_atlas.runs.worker import CELL_RAISED, KERNEL_DIED

BUSY = 6
# What a run that ended without a word is counted as: its machine was lost, its time was up, or it was killed.
LOST, TIMED_OUT = 7, 8

KINDS = {
    BAD_PARAMETERS: "bad parameters",
    CELL_RAISED: "a cell raised",
    KERNEL_DIED: "the kernel died",
    RUNNER_FAILED: "the runner failed",
    LOST: "lost",
    TIMED_OUT: "timed out",
}
# The same notebook with the same values would end in the same way.
FINAL = (BAD_PARAMETERS, CELL_RAISED)


def exit_code(error: AtlasError) -> int:
    """The exit code of the command that ends with this error."""
    if isinstance(error, RunFailedError):
        return error.exit_code
    if isinstance(error, BusyError):
        return BUSY
    bad = isinstance(error, SettingsError | DataError | EncoderError)
    return BAD_PARAMETERS if bad else RUNNER_FAILED


class Failure(BaseModel):
    """The last failure of a run. ``attempts`` counts how often the run has failed by now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: NonNegativeInt
    notebook: str
    cell: int | None = None
    message: str
    attempts: PositiveInt = 1

    @property
    def kind(self) -> str:
        return KINDS.get(self.code, f"exit code {self.code}")

    @property
    def final(self) -> bool:
        """Whether trying again is no use."""
        return self.code in FINAL


def read_failure(path: Path) -> Failure | None:
    """The failure kept at ``path``; None where there is none, or none that can be read."""
    try:
        return Failure.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def keep_failure(path: Path, failure: Failure) -> Failure:
    """Keep a failure, counted on from the one that stands there; gives what was kept."""
    before = read_failure(path)
    counted = failure.model_copy(update={"attempts": before.attempts + 1 if before else 1})
    write_whole(path, counted.model_dump_json(indent=1))
    return counted


def failure_of(error: AtlasError, notebook: Path) -> Failure:
    """What is kept of an error that ended the run of a notebook."""
    cell = error.cell if isinstance(error, RunFailedError) else None
    return Failure(code=exit_code(error), notebook=notebook.name, cell=cell, message=str(error))
