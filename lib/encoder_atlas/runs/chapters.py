"""The chapters, and what each can be told beside the parameters that all have."""

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from encoder_atlas.errors import SettingsError, near
from encoder_atlas.runs.settings import ChapterSettings, as_list

Lambda = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class SeveralTasks(ChapterSettings):
    """What chapters share in which an encoder learns several tasks at once."""

    companions: Annotated[tuple[str, ...], BeforeValidator(as_list), Field(min_length=1)] = Field(
        description="corpora that are learned beside `corpus`, and with it by the multi-task model"
    )

    @model_validator(mode="after")
    def _different_corpora(self) -> "SeveralTasks":
        names = (self.corpus, *self.companions)
        if len(set(names)) != len(names):
            raise ValueError(f"corpus and companions name one corpus twice: {', '.join(names)}")
        return self


class DeepViewChapter(SeveralTasks):
    """Parameters of chapter 1, DeepView on GLUE."""

    transfer: tuple[str, str] = Field(description="two corpora of inference: first the one, then the other")
    points: int = Field(ge=10, description="points on a map, and in each sample that is measured")
    samples: int = Field(ge=1, description="samples of points over which Q_kNN and Q_data are averaged")
    lambda_: Lambda = Field(description="the blend at which maps open: 1 only cosine, 0 only the classifier")
    lambdas: Annotated[tuple[Lambda, ...], BeforeValidator(as_list), Field(min_length=1)]
    segments: int = Field(ge=1, description="n of Eq. (1): pieces of the line between two points")
    n_neighbors: int = Field(ge=2, description="neighbours that UMAP looks at")
    search_points: int = Field(ge=20, description="sentences among which one manipulated is hidden")
    draws: int = Field(ge=2, description="how often another is hidden among others")
    adversarial: Path | None = Field(
        default=None, description="AdvGLUE's dev_ann.json, or its folder: search for its rows as well"
    )

    @model_validator(mode="after")
    def _enough_points(self) -> "DeepViewChapter":
        if self.points <= self.n_neighbors:
            raise ValueError(
                f"points={self.points} must be more than n_neighbors={self.n_neighbors}: "
                "raise points or lower n_neighbors"
            )
        if self.dev is not None and self.points > self.dev:
            raise ValueError(f"points={self.points} cannot be drawn from dev={self.dev} held-out examples")
        if self.adversarial is not None and not self.adversarial.exists():
            raise ValueError(f"adversarial={self.adversarial} does not exist")
        if len(set(self.lambdas)) != len(self.lambdas):
            raise ValueError(f"lambdas={list(self.lambdas)} names one value twice")
        return self


CHAPTERS: dict[str, type[ChapterSettings]] = {"01_deepview": DeepViewChapter}


def chapter_name(name: str) -> str:
    """The chapter meant by ``1``, ``01``, ``01_deepview`` or ``notebooks/01_deepview.ipynb``."""
    stem = Path(name).name.removesuffix(".ipynb")
    found = [chapter for chapter in CHAPTERS if stem == chapter or stem.zfill(2) == chapter.split("_")[0]]
    if not found:
        raise SettingsError(f"no notebook is called {name!r}; {near(stem, CHAPTERS)}")
    return found[0]
