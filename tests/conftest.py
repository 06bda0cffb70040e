"""What every test may ask for."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

pytest_plugins = ["tests.browser_fixtures"]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real text slices; a test that asks for it is skipped where there is none."""
    folder = os.environ.get("ENCODER_ATLAS_DATA")
    if not folder:
        pytest.skip("needs real text: set ENCODER_ATLAS_DATA to the folder of slices")
    path = Path(folder).resolve()
    if not path.is_dir():
        pytest.fail(f"ENCODER_ATLAS_DATA={folder} is not a folder")
    return path


@pytest.fixture(autouse=True)
def no_figure_is_left() -> Iterator[None]:
    """Figures that a test leaves open are nobody else's."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
