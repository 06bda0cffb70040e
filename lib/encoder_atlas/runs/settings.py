"""What every chapter can be told: typed parameters with their checks."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from encoder_atlas.training.settings import Precision

Profile = Literal["tiny", "quick", "open", "paper"]
PROFILES: tuple[Profile, ...] = get_args(Profile)


def as_list(value: Any) -> Any:
    """One value where several may stand: ``seeds=3`` is ``seeds=[3]``."""
    return [value] if isinstance(value, int | float | str) else value


class ChapterSettings(BaseModel):
    """Parameters that every chapter has.

    Names here are the names in a notebook's ``parameters`` cell and after ``-p``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    # Whether several processes can fit its models together (see `fit_together`).
    fits_together: ClassVar[bool] = True

    profile: Profile
    encoder: str = Field(min_length=1, description="package:NAME, tiny:FAMILY, a folder or a hub id")
    source: Literal["packaged", "files", "hub", "generated"]
    path: Path | None = Field(default=None, description="file or folder of the source `files`")
    dev: int | None = Field(default=None, ge=4, description="held-out examples; all where not given")
    epochs: int = Field(ge=1)
    lr_encoder: float | None = Field(default=None, gt=0, le=1, description="peak rate of the encoder")
    batch_size: int | None = Field(default=None, ge=1)
    seeds: Annotated[tuple[Annotated[int, Field(ge=0)], ...], BeforeValidator(as_list), Field(min_length=1)]
    device: str = Field(default="auto", min_length=1, description="auto, cpu, cuda, cuda:1 or mps")
    precision: Precision = Field(
        default="auto", description="of training; fast is bf16 where the device is quick at it"
    )

    @model_validator(mode="before")
    @classmethod
    def _no_truth_values(cls, values: Any) -> Any:
        """``true`` is no number, though Python would count it as 1; some parameters are truth values."""
        yes_or_no = {name for name, field in cls.model_fields.items() if field.annotation is bool}
        for name, value in values.items():
            if isinstance(value, bool) and name not in yes_or_no:
                raise ValueError(f"{name}={str(value).lower()} is neither a number nor a text")
        return values

    @model_validator(mode="after")
    def _path_for_files(self) -> "ChapterSettings":
        if self.source == "files":
            if self.path is None:
                raise ValueError("source=files needs path=, the file or folder that holds the text")
            if not self.path.exists():
                raise ValueError(f"path={self.path} does not exist")
        elif self.path:
            raise ValueError(f"path goes with source=files, not {self.source}")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"seeds={list(self.seeds)} names one seed twice")
        return self


class TaskSettings(ChapterSettings):
    """Parameters of notebooks whose running example is a corpus of labelled texts."""

    corpus: str = Field(min_length=1, description="which corpus of that source; of the hub also an id")
    text_column: str | None = Field(default=None, description="column of the text in your own data")
    label_column: str | None = Field(default=None, description="column of the label in your own data")
    train: int | None = Field(default=None, ge=4, description="training examples; all where not given")
    pooling: Literal["cls", "mean", "pooler", "last"] = Field(
        description="what stands for the sentence; `last` for encoders that read from left to right"
    )
    max_length: int | None = Field(default=None, ge=3, description="tokens a text is cut to")

    @model_validator(mode="after")
    def _columns_of_own_data(self) -> "TaskSettings":
        if self.source not in ("files", "hub") and (self.text_column or self.label_column):
            raise ValueError(
                f"text_column and label_column go with source=files or source=hub, not {self.source}"
            )
        return self


def findings(error: ValidationError) -> str:
    """What pydantic found, each with the place it was found in and what stood there."""
    lines = []
    for finding in error.errors(include_url=False):
        where = ".".join(str(part) for part in finding["loc"])
        message = finding["msg"].removeprefix("Value error, ")
        # Only what a person typed: a whole row or file would bury the message.
        plain = isinstance(finding["input"], str | int | float) and finding["type"] != "missing"
        got = f" (got {finding['input']!r})" if where and plain else ""
        lines.append(f"{where}: {message}{got}" if where else message)
    return "; ".join(lines)
