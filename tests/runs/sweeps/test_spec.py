"""A sweep is refused, with a way out, before any job starts; what it expands to is all combinations."""

import itertools
import os
import re
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
from tests.small_project import ROOT, write_sweep

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.chapter_runs import plan
from encoder_atlas.runs.lease import Lock
from encoder_atlas.runs.project import Project
from encoder_atlas.runs.sweeps import jobs as jobs_module
from encoder_atlas.runs.sweeps.jobs import check_output, expand, sweep_strays
from encoder_atlas.runs.sweeps.spec import Sweep, load_sweep, shipped

HERE = Project(ROOT)


def read(project: Project, **changes: Any) -> Sweep:
    return load_sweep(write_sweep(project.root, **changes), project)


def test_jobs_are_all_choices_of_the_grid_with_every_case(project: Project) -> None:
    sweep = read(
        project,
        parameters={"epochs": 1},
        grid={
            "seeds": [0, 1],
            "model": [
                {"encoder": "tiny:bert", "pooling": "cls"},
                {"encoder": "tiny:gpt2", "pooling": "last"},
            ],
        },
        cases=[{"points": 40}, {"points": 50}],
    )
    jobs = expand(sweep, project)
    assert [tuple(job.values.values()) for job in jobs] == [
        (points, seed, *model)
        for points in (40, 50)
        for seed in (0, 1)
        for model in (("tiny:bert", "cls"), ("tiny:gpt2", "last"))
    ]
    assert len({job.run.key for job in jobs}) == 8
    assert {job.run.settings.epochs for job in jobs} == {1}


def test_a_jobs_key_is_that_of_the_same_run_in_the_book(project: Project) -> None:
    job = expand(read(project), project)[1]
    assert job.run == plan(project, "01", {"profile": "tiny", "seeds": 1})
    assert plan(project, "01", {"profile": "tiny", "seeds": 1}, processes=2).key != job.run.key


@pytest.mark.parametrize("notebook", ["03_finetuning", "04_stem_cells", "stem_tasks"])
def test_several_processes_are_refused_where_one_fits_all(notebook: str) -> None:
    with pytest.raises(
        SettingsError, match=f"--processes 2: the models of {notebook} are fitted by one process"
    ):
        plan(HERE, notebook, {"profile": "tiny"}, processes=2)
    assert plan(HERE, notebook, {"profile": "tiny"}).processes == 1


def test_the_command_is_the_one_that_a_reader_gives(project: Project) -> None:
    sweep = read(project, grid={"seeds": [[0, 1]]}, parameters={"encoder": "tiny:bert"})
    (job,) = expand(sweep, project)
    assert job.command()[2:] == [
        "encoder_atlas.cli", "run", "01_deepview",
        "-p", "profile=tiny", "-p", "encoder=tiny:bert", "-p", "seeds=[0, 1]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"grid": {}}, "no job comes of it"),
        ({"grid": {"seeds": []}}, "seeds has no values"),
        ({"grid": {"seds": [1]}}, "did you mean 'seeds'"),
        ({"grid": {"lambda_": [0.4, 1.4]}}, r"job 2 \(lambda_=1.4\).*less than or equal to 1"),
        ({"grid": {"seeds": [1, [1]]}}, "'seeds=1' and 'seeds=\\[1\\]' are one and the same run"),
        ({"parameters": {"seeds": 1}}, "seeds is given in two places"),
        ({"cases": [{"seeds": 1}]}, "seeds is given in two places"),
        ({"grid": {"model": [{"seeds": 1}], "seeds": [0]}}, "seeds is given in two places"),
        ({"parameters": {"profile": "quick"}}, "profile is given in two places"),
        ({"profile": "tinny"}, "'tiny', 'quick', 'open' or 'paper'"),
        ({"notebook": "01_depview"}, "did you mean '01_deepview'"),
        ({"notebook": "glue_iat", "parameters": {"submissions": "out"}}, "submissions needs path="),
        ({"notebook": "dual_task", "parameters": {"companion": "toy-reviews"}}, "is the corpus itself"),
        (
            {
                "notebook": "stem_tasks",
                "grid": {"learnt": [["pos", "srl"]]},
                "parameters": {"layers": ["pos"]},
            },
            r"srl is not in layers=\['pos'\]",
        ),
        ({"name": "a name"}, "name"),
        ({"engine": "slurm"}, "Extra inputs"),
        (
            {"gather": [{"name": "a", "table": "t", "by": ["task"], "across": "taks"}]},
            r"gather\.0: across=taks is not in by: did you mean 'task'",
        ),
    ],
)
def test_what_cannot_be_used_is_named(project: Project, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        expand(read(project, **changes), project)


def test_a_file_that_is_no_sweep_is_named(project: Project) -> None:
    path = project.root / "odd.yaml"
    with pytest.raises(SettingsError, match=r"no sweep is called .*odd\.yaml"):
        load_sweep(path, project)
    for text in ("a: [b", "- 1", "just words"):
        path.write_text(text)
        with pytest.raises(SettingsError, match=r"odd\.yaml"):
            load_sweep(path, project)
    path.write_text("name: odd\ngrid:\n  seeds: [0]\n  points: [40]\n  seeds: [1]\n")
    with pytest.raises(SettingsError, match=r"(?s)odd\.yaml.*seeds stands twice.*line 3"):
        load_sweep(path, project)
    with pytest.raises(SettingsError, match="no tiny version"):
        read(project).small()


def test_a_name_that_another_sweep_has_is_refused(project: Project) -> None:
    project.sweeps.mkdir()
    shipped_one = write_sweep(project.root).rename(project.sweeps / "trial.yaml")
    assert load_sweep(shipped_one, project) == load_sweep(Path("trial"), project)
    for name in ("trial", "trial-tiny"):
        with pytest.raises(SettingsError, match=f"its name {name} is that of trial.yaml: give it another"):
            read(project, name=name)
    assert read(project, name="mine").name == "mine"


def test_p_changes_all_jobs_but_not_what_they_differ_in(project: Project) -> None:
    sweep = read(
        project, grid={"model": [{"encoder": "tiny:bert"}, {"encoder": "tiny:gpt2"}], "seeds": [0, 1]}
    )
    assert len(expand(sweep.with_parameters({"seeds": 7, "epochs": 2}), project)) == 2
    with pytest.raises(SettingsError, match="-p encoder: jobs of sweep trial differ in it"):
        sweep.with_parameters({"encoder": "tiny:bert"})
    assert len(expand(read(project).with_parameters({"seeds": 3, "profile": "tiny"}), project)) == 1


@pytest.mark.parametrize("name", shipped(HERE))
def test_every_shipped_sweep_expands_large_and_small(name: str) -> None:
    sweep = load_sweep(Path(name), HERE)
    assert sweep.name == name and sweep.gather
    assert expand(sweep.with_parameters({"source": "hub"}), HERE)
    assert 1 <= len(expand(sweep.small(), HERE)) <= 2


def test_the_stem_cell_table_has_every_task_every_pair_and_all() -> None:
    sweep = load_sweep(Path("stem_pairs"), HERE).with_parameters({"source": "hub", "seeds": [0]})
    tasks = ("pos", "ner", "dep", "con", "srl")
    wanted = [*((task,) for task in tasks), *itertools.combinations(tasks, 2), tasks]
    assert [job.run.settings.model_dump()["learnt"] for job in expand(sweep, HERE)] == wanted


def test_the_sweep_that_the_book_shows_can_be_run(project: Project) -> None:
    page = (ROOT / "book" / "running.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```yaml\n(name: .*?)```", page, flags=re.DOTALL)
    (project.root / "blends.yaml").write_text(shown)
    sweep = load_sweep(project.root / "blends.yaml", project)
    assert len(expand(sweep, project)) == 6


def test_an_output_folder_that_cannot_be_written_to_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="cannot be written to"):
        check_output(tmp_path / "file")
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(jobs_module.shutil, "disk_usage", lambda _: usage(10, 9, 1_000_000))
    with pytest.raises(SettingsError, match="1 MB are free"):
        check_output(tmp_path / "new")


def test_strays_of_dead_runs_are_swept_and_those_of_live_ones_kept(project: Project) -> None:
    dead, alive = expand(read(project), project)[:2]
    project.runs.mkdir(parents=True)
    for job in (dead, alive):
        (project.runs / f".{job.name}-abc").mkdir()
        job.run.lock.touch()
    with Lock(alive.run.lock).held():
        assert sweep_strays(project.runs) == 1
    assert [path.name for path in project.runs.glob(".*") if path.is_dir()] == [f".{alive.name}-abc"]


def test_strays_of_writes_that_were_killed_go_once_they_are_old(project: Project) -> None:
    project.runs.mkdir(parents=True)
    old = [".a.run.json.123", ".clock-host-12-ab12", ".a.lease.ab12cd34", ".probe"]
    for name in (*old, ".a.lock", ".a.lease", "a.run.json", ".b.run.json.124"):
        (project.runs / name).touch()
        if name != ".b.run.json.124":
            os.utime(project.runs / name, (1, 1))
    assert sweep_strays(project.runs) == len(old)
    left = {path.name for path in project.runs.iterdir()}
    assert left == {".a.lock", ".a.lease", "a.run.json", ".b.run.json.124"}
