"""Models of chapters 3 and 4 through the store: made once, the same when read back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from encoder_atlas.finetuning import Source, counts
from encoder_atlas.runs import stem_runs, tuned
from encoder_atlas.runs.chapter import Chapter, open_chapter
from encoder_atlas.runs.chapter_text import annotated_corpus
from encoder_atlas.runs.chapters import AnnotatedChapter, StemTasks
from encoder_atlas.runs.project import find_project
from encoder_atlas.runs.resolve import resolve
from encoder_atlas.runs.settings import PROFILES
from encoder_atlas.runs.store import Store
from encoder_atlas.stem_cells import GateSettings
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Layer


@pytest.fixture
def chapter(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Chapter]:
    """A chapter on the tiny profile with a store of its own."""
    sizes = {"sentences": 16, "dev": 8} | ({"train": 16} if request.param == "03_finetuning" else {})
    made = open_chapter(request.param, {"profile": "tiny"} | sizes)
    made.store = Store(tmp_path / "store")
    yield made


def forbidden(*_: object, **__: object) -> None:
    raise AssertionError("this was made before and should have been read")


@pytest.mark.parametrize("chapter", ["03_finetuning"], indirect=True)
def test_a_tuning_is_kept_with_its_path(chapter: Chapter, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = annotated_corpus(chapter, "language", train=16, dev=8, test=2)
    sources: dict[str, Source] = {"parsing": trees, "reviews": chapter.task}
    for name, source in sources.items():
        texts = {name: ["a plain sentence", "another plain sentence of words"] * 6}
        how = {"tokens": 20, "samples": 2, "shares": (0.0, 1.0)}
        first = tuned.tuned(chapter, source, 0, texts, **how)
        with monkeypatch.context() as patched:
            patched.setattr(tuned, "tune", forbidden)
            again = tuned.tuned(chapter, source, 0, texts, **how)
        assert counts(first.model, source).equals(counts(again.model, source))
        assert set(first.time["share"]) == {0.0, 1.0} and set(first.time["sample"]) == {0, 1}
        assert first.time.equals(again.time)


@pytest.mark.parametrize("chapter", ["03_finetuning"], indirect=True)
def test_ablations_are_kept(chapter: Chapter, monkeypatch: pytest.MonkeyPatch) -> None:
    layers = {"frozen": [2], "truncated": [1]}
    found = tuned.ablated(chapter, chapter.task, 0, layers)
    assert set(found) == {("frozen", 2), ("truncated", 1)}
    monkeypatch.setattr(tuned, "ablate", forbidden)
    chapter.processes = 2  # they would not share it, so it is the same model
    again = tuned.ablated(chapter, chapter.task, 0, layers)
    assert all(found[key].equals(again[key]) for key in found)


@pytest.mark.parametrize("chapter", ["04_stem_cells"], indirect=True)
def test_annotators_and_gates_are_kept(chapter: Chapter, monkeypatch: pytest.MonkeyPatch) -> None:
    text = annotated_corpus(chapter, "language", ("pos",), train=16, dev=8, test=2)
    model = stem_runs.learned(chapter, text, ["pos"], 0)
    gates = GateSettings(coefficient=0.01, rate=0.1)
    dynamic = stem_runs.pruned(chapter, text, ["pos"], gates, 0)
    static = stem_runs.pruned(chapter, text, ["pos"], gates, 0, start=model)
    assert (dynamic.kind, static.kind) == ("dynamic", "static")
    for name in ("fit_annotator", "fit_gated", "prune_static"):
        monkeypatch.setattr(stem_runs, name, forbidden)
    assert stem_runs.learned(chapter, text, ["pos"], 0).layers == ("pos",)
    chapter.processes = 2  # they would not share it, so it is the same model
    assert stem_runs.learned(chapter, text, ["pos"], 0).seed == 0
    again = stem_runs.pruned(chapter, text, ["pos"], gates, 0)
    assert again.gates is not None and dynamic.gates is not None
    assert (again.gates.values == dynamic.gates.values).all()


@pytest.mark.parametrize("chapter", ["04_stem_cells"], indirect=True)
def test_a_sweeps_model_of_some_tasks_is_the_chapters_own(
    chapter: Chapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = open_chapter(
        "stem_tasks", {"profile": "tiny", "sentences": 16, "dev": 8, "learnt": ["dep", "pos"]}
    )
    single.store = chapter.store

    def text(of: Chapter, layers: tuple[Layer, ...]) -> AnnotatedCorpus:
        s = of.settings
        return annotated_corpus(of, s.annotated, layers, train=s.sentences, dev=s.dev)

    stem_runs.learned(chapter, text(chapter, chapter.settings.learnt), ("pos", "dep"), 0)
    monkeypatch.setattr(stem_runs, "fit_annotator", forbidden)
    again = text(single, single.settings.layers)
    assert stem_runs.learned(single, again, ["pos", "dep"], 0).layers == ("pos", "dep")


@pytest.mark.parametrize("profile", PROFILES)
def test_a_sweeps_profile_of_some_tasks_is_the_chapters(profile: str) -> None:
    folder, hub = find_project().profiles, {"profile": profile, "source": "hub"}
    whole, single = (resolve(name, hub, folder) for name in ("04_stem_cells", "stem_tasks"))
    assert single.model_dump(exclude={"layers"}) == whole.model_dump(
        include=set(AnnotatedChapter.model_fields)
    )
    assert isinstance(single, StemTasks) and isinstance(whole, AnnotatedChapter)
    assert single.layers == whole.learnt


@pytest.mark.parametrize("chapter", ["04_stem_cells"], indirect=True)
def test_several_tasks_are_drawn_by_size_and_balanced(chapter: Chapter) -> None:
    alone = stem_runs.joint_settings(chapter, ["pos"])
    several = stem_runs.joint_settings(chapter, ["pos", "dep"])
    assert (alone.sampling, alone.balance) == ("once", "none")
    assert (several.sampling, several.sampling_power, several.balance) == ("proportional", 0.8, "running")
    assert stem_runs.joint_settings(chapter, ["pos"], 7).epochs == 7
