"""Parameters are checked before anything costly starts."""

from pathlib import Path

import nbformat
import pytest

from encoder_atlas.errors import SettingsError
from encoder_atlas.runs.chapter_runs import check_parameters_cell
from encoder_atlas.runs.chapters import CHAPTERS, DeepViewChapter, chapter_name
from encoder_atlas.runs.resolve import parse_overrides, resolve, shares
from encoder_atlas.runs.settings import PROFILES

ROOT = Path(__file__).parents[2]
PROFILES_FOLDER = ROOT / "notebooks" / "profiles"


def settings(**overrides: object) -> DeepViewChapter:
    resolved = resolve("01_deepview", overrides, PROFILES_FOLDER)
    assert isinstance(resolved, DeepViewChapter)
    return resolved


def test_the_profile_gives_what_is_not_overridden() -> None:
    quick = settings()
    assert (quick.profile, quick.lambda_, quick.points, quick.seeds) == ("quick", 0.8, 250, (0,))
    assert settings(points=None) == quick
    changed = settings(lambda_=0.4, points=400, seeds=[3, 4])
    assert (changed.lambda_, changed.points, changed.seeds) == (0.4, 400, (3, 4))
    assert changed.n_neighbors == quick.n_neighbors


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_is_whole(profile: str, tmp_path: Path) -> None:
    (tmp_path / "train.tsv").touch()
    for chapter in CHAPTERS:
        resolve(chapter, {"profile": profile, "path": tmp_path}, PROFILES_FOLDER)


def test_other_text_brings_its_own_corpus_and_sizes(tmp_path: Path) -> None:
    own = settings(path=tmp_path, text_column="message", label_column="urgent")
    assert (own.source, own.corpus, own.train, own.dev) == ("files", "own", None, None)
    sized = settings(source="generated", dev=300)
    assert (sized.corpus, sized.train, sized.dev) == ("toy-reviews", None, 300)
    assert settings(profile="open", path=tmp_path).corpus == "sst2"


def test_one_value_may_stand_for_a_list() -> None:
    assert settings(seeds=3).seeds == (3,)
    assert settings(lambdas=0.5).lambdas == (0.5,)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"lamda_": 0.4}, "did you mean 'lambda_'"),
        ({"point": 0.4}, "did you mean 'points'"),
        ({"texts": "my.csv"}, "did you mean 'path'"),
        ({"profile": "quik"}, "did you mean 'quick'"),
        ({"lambda_": 1.2}, "less than or equal to 1"),
        ({"lambda_": -0.1}, "greater than or equal to 0"),
        ({"lambda_": float("nan")}, "lambda_"),
        ({"lambda_": "much"}, "valid number"),
        ({"points": "many"}, "valid integer"),
        ({"points": 2.5}, "valid integer"),
        ({"points": 30}, "more than n_neighbors=30"),
        ({"points": 400, "dev": 300}, "cannot be drawn from dev=300"),
        ({"seeds": []}, "at least 1"),
        ({"seeds": [1, 1]}, "one seed twice"),
        ({"seeds": [-1]}, "greater than or equal to 0"),
        ({"lambdas": [0.5, 2]}, "less than or equal to 1"),
        ({"lambdas": [0.5, 0.5]}, "one value twice"),
        ({"source": "hubb"}, "'packaged', 'files', 'hub' or 'generated'"),
        ({"source": "files"}, "needs path="),
        ({"source": "files", "path": "no/such/folder"}, "does not exist"),
        ({"text_column": "review"}, "with source=files or source=hub, not"),
        ({"source": "hub", "path": "."}, "path goes with source=files"),
        ({"pooling": "max"}, "'cls', 'mean', 'pooler' or 'last'"),
        ({"encoder": ""}, "at least 1 character"),
        ({"epochs": 0}, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(overrides: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError, match=r"01_deepview|profile") as error:
        settings(**overrides)
    assert said in str(error.value)
    if "profile" not in overrides:
        assert any(name in str(error.value) for name in overrides)


def test_command_line_values_are_read_as_yaml() -> None:
    read = parse_overrides(["lambda_=0.4", "seeds=[0, 1]", "encoder=a=b", "path=~/my text.tsv", "train="])
    assert read == {
        "lambda_": 0.4,
        "seeds": [0, 1],
        "encoder": "a=b",
        "path": "~/my text.tsv",
        "train": None,
    }


@pytest.mark.parametrize("pair", ["points", "=3", "points=[1", "points=3 points=4"])
def test_command_line_values_that_cannot_be_read(pair: str) -> None:
    with pytest.raises(SettingsError, match=r"points|=3"):
        resolve("01_deepview", parse_overrides([pair]), PROFILES_FOLDER)


def test_a_value_given_twice_is_refused() -> None:
    with pytest.raises(SettingsError, match="given twice"):
        parse_overrides(["points=3", "points=4"])


@pytest.mark.parametrize("name", ["01", "01_deepview", "01_deepview.ipynb", "notebooks/01_deepview.ipynb"])
def test_a_chapter_may_be_called_in_several_ways(name: str) -> None:
    assert chapter_name(name) == "01_deepview"


def test_an_unknown_chapter_is_named() -> None:
    with pytest.raises(SettingsError, match="did you mean '01_deepview'"):
        chapter_name("01_depview")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_parameters_cell_names_what_the_chapter_has(chapter: str) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / f"{chapter}.ipynb", as_version=4)
    check_parameters_cell(chapter, notebook)
    (cell,) = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    cell.source += "\nomega = None"
    with pytest.raises(SettingsError, match="omega"):
        check_parameters_cell(chapter, notebook)


def test_a_book_tells_each_chapter_what_it_has_a_parameter_for() -> None:
    told = shares({"profile": "tiny", "lambda_": 0.4, "alpha": 0.3})
    assert told["01_deepview"] == {"profile": "tiny", "lambda_": 0.4}
    assert told["02_specialization"] == {"profile": "tiny", "alpha": 0.3}
    with pytest.raises(SettingsError, match="no chapter has a parameter 'lamda_'; did you mean 'lambda_'"):
        shares({"lamda_": 0.4})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"alpha": 0.2}, "alpha=0.2 is not among alphas"),
        ({"tested": 81}, "tested=81 cannot be drawn from dev=80"),
        ({"companions": ["toy-inference"]}, "at least two companions"),
        ({"random_sets": 2}, "random_sets=2 are fewer than 3 tasks"),
        ({"recordings": "nowhere"}, "recordings=nowhere is no folder"),
        ({"alphas": [0.0, 0.5]}, "alphas.0"),
        ({"shots": 1}, "shots.0"),
    ],
)
def test_impossible_settings_of_the_second_chapter(values: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        resolve("02_specialization", {"profile": "tiny", **values}, PROFILES_FOLDER)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_profile_holds_every_chapter(chapter: str, profile: str, tmp_path: Path) -> None:
    text = {} if profile in ("tiny", "quick") else {"path": tmp_path}
    assert resolve(chapter, {"profile": profile, **text}, PROFILES_FOLDER).profile == profile
