"""What a chapter's notebook works with: its settings, its text, and the store behind whatever is costly."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

import numpy as np
import pandas as pd
from jaxtyping import Float32
from torch import nn

from encoder_atlas.encoders import Encoder, load_encoder
from encoder_atlas.errors import DataError, SettingsError, near
from encoder_atlas.runs.chapters import NOTEBOOKS
from encoder_atlas.runs.claims import ClaimRecorder, Claims
from encoder_atlas.runs.contents import content, weights_digest
from encoder_atlas.runs.execute import CLAIMS_FILE, PROCESSES, records_path
from encoder_atlas.runs.fitting import fit_together, save_fit
from encoder_atlas.runs.project import Project, find_project
from encoder_atlas.runs.records import TableRecorder, tidy
from encoder_atlas.runs.resolve import profile_sizes, resolve
from encoder_atlas.runs.settings import ChapterSettings, TaskSettings
from encoder_atlas.runs.store import Store
from encoder_atlas.text import AnnotatedCorpus, Task, TaskSpec, corpus_cards, disjoint, load_task
from encoder_atlas.text.adversarial import TEXTS, load_adversarial
from encoder_atlas.text.find import folder_of
from encoder_atlas.text.spec import Source
from encoder_atlas.training import FitSettings, FittedModel, choose_device, choose_precision

# Corpora of the same kind as one of AdvGLUE's: its rows for SST-2 are sentences of film reviews.
ADVERSARIAL_OF = {"movie-reviews": "sst2"}

T = TypeVar("T")

FITTING_CODE = ("encoder_atlas.text", "encoder_atlas.encoders", "encoder_atlas.training")


class Chapter:
    """One run of a chapter's notebook.

    Attributes:
        settings: the chapter's parameters: the profile's values with the notebook's overrides.
        store: where fitted models and measurements are kept between runs.
    """

    settings: Any  # the chapter's own ChapterSettings; its notebook knows which
    store: Store

    def __init__(self, name: str, settings: ChapterSettings, project: Project) -> None:
        self.name, self.settings, self.project = name, settings, project
        self.store = Store(project.store)

    @cached_property
    def claims(self) -> ClaimRecorder:
        """Takes down what the run finds out about the paper's claims."""
        profile = self.settings.profile
        # A notebook that a reader runs cell by cell records its claims beside the runs, like any other.
        in_lab = self.project.runs / f"{self.name}-{profile}-lab.claims.json"
        listed = Claims.load(self.project.claims).of(self.name)
        return ClaimRecorder(listed, profile, Path(os.environ.get(CLAIMS_FILE) or in_lab))

    @cached_property
    def _tables(self) -> TableRecorder:
        return TableRecorder(records_path(self.claims.path))

    def record(self, name: str, table: pd.DataFrame, measures: Sequence[str] = ()) -> None:
        """Take down a table for sweeps to gather: numbers in ``value``, or in the columns ``measures``.

        Raises DataError where they are not there.
        """
        self._tables.record(name, tidy(table, measures) if measures else table)

    def check(self) -> None:
        """Look at all that the run will need, in seconds, before hours are spent.

        Raises SettingsError, DataError or EncoderError for a device, text or encoder that cannot be used.
        """
        choose_device(self.settings.device)
        asked = {"max_length": self.fit_settings.max_length}
        asked |= {"answer_length": getattr(self.settings, "answer_length", None) or 0}
        for name, longest in asked.items():
            if longest > self.encoder.max_length:
                raise SettingsError(f"{name}={longest}: {self.encoder.name} takes {self.encoder.max_length}")
        _ = self.adversarial if "adversarial" in type(self.settings).model_fields else None
        if isinstance(self.settings, TaskSettings):
            self._check_task()

    def _check_task(self) -> None:
        around, rows = getattr(self.settings, "search_points", 0), sum(map(len, self.task.splits.values()))
        if around > rows:
            raise SettingsError(
                f"search_points={around}: {self.task.name} has {rows} texts; lower search_points"
            )
        if len(self.task.label_names) > self.task.labels("train").size / 2:
            raise DataError(
                f"{len(self.task.label_names)} classes in {self.task.labels('train').size} training texts: "
                f"is {self.settings.label_column!r} the column of labels?"
            )

    @cached_property
    def task(self) -> Task:
        """The text of the running example."""
        return self.load(self.settings.corpus)

    @cached_property
    def tasks(self) -> list[Task]:
        """The running example and its companions; no dev text of one is training text of another."""
        tasks = [self.task, *(self.load(corpus) for corpus in self.settings.companions)]
        disjoint(tasks)
        return tasks

    def load(self, corpus: str, train: int | None = None, dev: int | None = None) -> Task:
        """One corpus as a task, sampled to the sizes of the settings where no others are given.

        The running example has the settings' source; another corpus too where it can, else that of its card.
        Settings without sizes, as a reader's own text has them, mean all of that source, and of a corpus from
        elsewhere what the profile takes. GLUE's tasks are read from folders of their names beside each other,
        when ``path`` holds them.
        """
        s: TaskSettings = self.settings
        own = corpus == s.corpus
        source = s.source if own else source_of(corpus, s.source)
        elsewhere = source != s.source
        usual = profile_sizes(self.name, s.profile, self.project.profiles) if elsewhere else {}
        spec: dict[str, Any] = {"name": corpus, "corpus": corpus, "source": source}
        spec |= {"train": train or s.train or usual.get("train"), "dev": dev or s.dev or usual.get("dev")}
        if source == "files":
            if s.path is None:
                raise SettingsError(f"corpus {corpus!r} is read from files: give the folder of it with path=")
            spec["path"] = folder_of(s.path, corpus)
        if own and s.source in ("files", "hub"):
            spec["text_columns"] = (s.text_column,) if s.text_column else None
            spec["label_column"] = s.label_column
        task = load_task(TaskSpec(**spec))
        points, found = getattr(s, "points", 0), len(task.split("dev"))
        if points > found and corpus not in getattr(s, "transfer", ()):
            raise SettingsError(
                f"points={points} cannot be drawn from {found} held-out examples of {corpus}: lower points, "
                "and n_neighbors where it is not below, or give more text (of one table a fifth is held out)"
            )
        return task

    @cached_property
    def adversarial(self) -> pd.DataFrame | None:
        """AdvGLUE's rows for the running example, None where they are not at hand.

        They are read from the setting ``adversarial``, else from a folder `advglue` beside the corpora.
        Raises SettingsError for a path that is given although AdvGLUE has no rows for this corpus.
        """
        s = self.settings
        beside = s.path / "advglue" if s.path is not None and s.path.is_dir() else None
        path = s.adversarial or (beside if beside and beside.is_dir() else None)
        name = ADVERSARIAL_OF.get(s.corpus, s.corpus)
        if name not in TEXTS and s.adversarial is not None:
            raise SettingsError(f"AdvGLUE has no rows for corpus {s.corpus!r}, only for {', '.join(TEXTS)}")
        return load_adversarial(path, name) if path is not None and name in TEXTS else None

    @cached_property
    def processes(self) -> int:
        """How many processes fit a model together: what `atlas run --processes` says."""
        return int(os.environ.get(PROCESSES) or 1)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder as it was before any training."""
        return load_encoder(self.settings.encoder)

    @property
    def fit_settings(self) -> FitSettings:
        """How models are fitted: the library's defaults, with what this chapter sets.

        The last epoch's weights are kept: dev is what chapters measure, so it must choose nothing.
        """
        s: ChapterSettings = self.settings
        names = ("lr_encoder", "batch_size", "max_length", "pooling", "sampling")
        given: dict[str, Any] = {name: getattr(s, name, None) for name in names}
        chosen = {name: value for name, value in given.items() if value is not None}
        return FitSettings(epochs=s.epochs, keep="last", precision=s.precision, **chosen)

    def fit(self, tasks: Task | Sequence[Task], mode: str, seed: int, **changes: Any) -> FittedModel:
        """Fit the chapter's encoder to a task or several (see ``training.fit``), once.

        ``changes`` are fields of FitSettings that shall differ from this chapter's.
        """
        how = FitSettings.model_validate({**self.fit_settings.model_dump(), **changes})
        tasks = [tasks] if isinstance(tasks, Task) else tasks
        return self.fitted(self.encoder, tasks, how, mode=mode, seed=seed)

    def fitted(
        self,
        encoder: Encoder,
        tasks: Sequence[Task],
        settings: FitSettings,
        *,
        mode: str,
        seed: int,
    ) -> FittedModel:
        """What ``training.fit`` gives, or the model that an earlier run fitted so."""
        device = choose_device(self.settings.device)
        key = self.fit_key(encoder, tasks, settings, mode=mode, seed=seed)

        how = {"encoder": encoder, "tasks": tasks, "settings": settings, "mode": mode, "seed": seed}

        def build(folder: Path) -> None:
            fit_together(save_fit, {"folder": folder, **how}, self.processes, device)

        model = self.store.get("model", key, build, FittedModel.load, FITTING_CODE)
        model.encoder.to(device)
        return model

    def fit_key(
        self,
        encoder: Encoder,
        tasks: Sequence[Task | AnnotatedCorpus],
        settings: FitSettings,
        *,
        mode: str,
        seed: int,
    ) -> dict[str, Any]:
        """All that a fit depends on, for the key of its entry in the store."""
        device = choose_device(self.settings.device)
        return {
            "mode": mode,
            "tasks": [task.name for task in tasks],
            "seed": seed,
            "encoder": encoder.name,
            "weights": weights_digest(encoder.model),
            "texts": [task.fingerprint(split) for task in tasks for split in ("train", "dev")],
            "fit": settings,
            "device": device.type,
            "precision": choose_precision(settings.precision, device),
            **({"processes": self.processes} if self.processes > 1 else {}),
        }

    def represent(self, model: FittedModel, task: Task, split: str) -> Float32[np.ndarray, "points hidden"]:
        """Representations of a split's texts under ``model``, kept in the store."""
        key = {
            "task": task.name,
            "split": split,
            "pooling": model.settings.pooling,
            "max_length": model.settings.max_length,
            "texts": task.fingerprint(split),
            "model": weights_digest(model.encoder.model),
        }

        def compute() -> dict[str, np.ndarray]:
            return {"points": model.represent(task.texts(split))}

        return self.store.arrays("representation", key, compute, FITTING_CODE)["points"]

    def measured(
        self, measure: Callable[..., Any], head: nn.Module, points: np.ndarray, **how: Any
    ) -> pd.DataFrame:
        """The tidy table of ``measure(head, points, **how)``, computed once and kept in the store.

        The key is what goes in (the head's weights, the points, ``how``) and the source of the wing.
        """
        wing = ".".join(measure.__module__.split(".")[:2])
        key = {"measure": measure.__qualname__, "of": [content(head), content(points)], "how": how}
        return self.store.table("measurement", key, lambda: measure(head, points, **how).to_frame(), (wing,))

    def keep(self, measure: Callable[..., T], *of: Any, **how: Any) -> T:
        """What ``measure(*of, **how)`` gives, computed once and kept in the store.

        The key is what goes in (models by their weights, tasks by their texts) and the source of the wing and
        of what lies below it. Where ``measure`` gives no table, it gives what has ``save`` and ``load``.
        """
        code = (*FITTING_CODE, ".".join(measure.__module__.split(".")[:2]))
        key = {
            "measure": measure.__qualname__,
            "of": [content(value) for value in of],
            "how": {name: content(value) for name, value in how.items()},
        }
        returned = get_type_hints(measure)["return"]
        if returned is pd.DataFrame:
            table = self.store.table("measurement", key, lambda: cast(Any, measure(*of, **how)), code)
            return cast(T, table)
        build = lambda folder: cast(Any, measure(*of, **how)).save(folder)  # noqa: E731
        return self.store.get("measurement", key, build, returned.load, code)


def open_chapter(name: str, values: Mapping[str, Any]) -> Chapter:
    """Begin a chapter in its notebook: ``open_chapter("01_deepview", globals())``.

    ``values`` may hold more than parameters; just those that the chapter has are read, and ``None`` means the
    profile's value. Raises SettingsError for values that cannot be used.
    """
    if name not in NOTEBOOKS:
        raise SettingsError(f"no chapter is called {name!r}")
    project = find_project()
    given = {key: values[key] for key in NOTEBOOKS[name].model_fields if key in values}
    return Chapter(name, resolve(name, given, project.profiles), project)


def source_of(corpus: str, preferred: Source) -> Source:
    """Where a known corpus comes from: ``preferred`` where its card has that way, else the card's first.

    Raises SettingsError for an unknown one.
    """
    cards = {card.name: card for card in corpus_cards() if card.kind == "task"}
    if corpus not in cards:
        raise SettingsError(f"no corpus is called {corpus!r}; {near(corpus, cards)}")
    way = cards[corpus].way(preferred) or cards[corpus].ways[0]
    return cast(Source, way.source)  # only annotated corpora are built
