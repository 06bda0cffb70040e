"""The palette keeps classes apart for normal sight, for deuteranopia and in grey."""

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from encoder_atlas.show.style import (
    BACKGROUND_STRENGTH,
    CLASS_COLOURS,
    SELECTED,
    background,
    class_colours,
    class_markers,
    ramp,
    styled,
    use_style,
)

# Machado, Oliveira and Fernandes (2009), severity 1.0, for linear RGB.
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> np.ndarray:
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    xyz = TO_XYZ @ rgb / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", [np.eye(3), DEUTERANOPIA], ids=["normal", "deuteranopia"])
def test_class_colours_keep_apart(sight: np.ndarray) -> None:
    seen = [lab(np.clip(sight @ linear(colour), 0, 1)) for colour in CLASS_COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 24
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen[:3], 2)) > 44


def test_first_colours_keep_apart_in_grey() -> None:
    lightness = sorted(lab(linear(colour))[0] for colour in CLASS_COLOURS[:3])
    assert min(np.diff(lightness)) > 12


@pytest.mark.parametrize("sight", [np.eye(3), DEUTERANOPIA], ids=["normal", "deuteranopia"])
def test_the_sequential_scale_only_darkens_and_frames_stand_out(sight: np.ndarray) -> None:
    seen = [lab(np.clip(sight @ linear(colour), 0, 1)) for colour in ramp(30)]
    assert (np.diff([colour[0] for colour in seen]) < 0).all()
    frame = lab(np.clip(sight @ linear(SELECTED), 0, 1))
    assert min(np.linalg.norm(frame - colour) for colour in seen) > 40


def test_more_classes_than_colours() -> None:
    assert class_colours(2) == list(CLASS_COLOURS[:2])
    assert len(set(class_colours(28))) == 28
    assert len(class_markers(28)) == 28


def test_background_fades_to_white() -> None:
    rgb = background(["#000000", "#FF0000"], np.array([[0, 0], [1, 1]]), np.array([[1.0, 0.0], [1.0, 0.5]]))
    assert rgb[0, 0] == pytest.approx([1 - BACKGROUND_STRENGTH] * 3)
    assert rgb[0, 1] == pytest.approx([1, 1, 1])
    assert rgb[1, 0] == pytest.approx([1, 1 - BACKGROUND_STRENGTH, 1 - BACKGROUND_STRENGTH])
    assert rgb[1, 1, 1] == pytest.approx(1 - BACKGROUND_STRENGTH / 2)


def test_style_inside_a_block_leaves_no_trace() -> None:
    before = mpl.rcParams["axes.titlesize"]
    with styled():
        assert mpl.rcParams["axes.titlesize"] == 12
    assert mpl.rcParams["axes.titlesize"] == before
    with mpl.rc_context():
        use_style()
        assert mpl.rcParams["axes.titlesize"] == 12


def test_style_leaves_switched_on_what_its_block_switches_on() -> None:
    """In a notebook the first figure switches the display of figures on; that must outlast the block."""
    before = mpl.is_interactive()
    try:
        mpl.interactive(False)
        with styled():
            mpl.interactive(True)
        assert mpl.is_interactive()
    finally:
        mpl.interactive(before)
