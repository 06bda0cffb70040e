"""Files of Pereira et al. as MATLAB writes them, what is wrong with others, and simulated recordings."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from encoder_atlas.errors import DataError
from encoder_atlas.specialization.recordings import Recording, read_recordings, simulate_recordings

SENTENCES = ["A bear eats berries.", "An accordion is played.", "The beach was warm.", "Bees make honey."]
VOXELS = np.array([[0.0, 1, 5, np.nan], [1, 1, 2, 0], [2, 1, 0, 0], [0, 1, 1, 0]])


def cells(sentences: list[str]) -> np.ndarray:
    return np.array([[sentence] for sentence in sentences], dtype=object)


def write(folder: Path, subject: str, file: str = "examples_384sentences", **variables: object) -> Path:
    (folder / subject).mkdir(parents=True, exist_ok=True)
    path = folder / subject / f"{file}.mat"
    savemat(path, variables)
    return path


def test_both_forms_of_the_release(tmp_path: Path) -> None:
    write(tmp_path, "M02", examples=VOXELS, keySentences=cells(SENTENCES))
    write(tmp_path / "P01", "P01", "data_384sentences", examples_passagesentences=VOXELS)
    (tmp_path / "stimuli_384sentences.txt").write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    for recording in read_recordings(tmp_path, ["M02", "P01"]):
        assert recording.sentences == tuple(SENTENCES)
        # The second voxel never changes, the fourth is no number once.
        assert recording.voxels.tolist() == [[0, 5], [1, 2], [2, 0], [0, 1]]
        assert not recording.simulated


def test_sentences_may_be_named(tmp_path: Path) -> None:
    write(tmp_path, "M02", examples=VOXELS)
    (tmp_path / "mine.txt").write_text("\r\n".join(SENTENCES), encoding="utf-8")
    assert read_recordings(tmp_path, ["M02"], tmp_path / "mine.txt")[0].sentences == tuple(SENTENCES)
    with pytest.raises(DataError, match=r"none\.txt cannot be read"):
        read_recordings(tmp_path, ["M02"], tmp_path / "none.txt")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere is no folder: give the one that holds M02, P01"):
        read_recordings(tmp_path / "nowhere")
    write(tmp_path, "M04", "other", x=1)
    with pytest.raises(DataError, match="holds no reader 'M02'; did you mean 'M04'"):
        read_recordings(tmp_path, ["M02"])
    with pytest.raises(
        DataError, match=r"holds neither examples_384sentences\.mat nor data_384sentences\.mat"
    ):
        read_recordings(tmp_path, ["M04"])


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"voxels": VOXELS}, r"has no variable 'examples'; it has \['voxels'\]"),
        ({"examples": cells(SENTENCES), "keySentences": cells(SENTENCES)}, "no table of numbers"),
        ({"examples": VOXELS}, r"holds no 'keySentences', and there is no stimuli_384sentences\.txt"),
        ({"examples": VOXELS, "keySentences": cells(SENTENCES[:3])}, "of 4 sentences, but 3 sentences"),
        ({"examples": np.ones((4, 2)), "keySentences": cells(SENTENCES)}, "no voxel changes"),
    ],
)
def test_files_of_another_form(tmp_path: Path, variables: dict[str, np.ndarray], message: str) -> None:
    write(tmp_path, "M02", **variables)  # pyright: ignore[reportArgumentType]
    with pytest.raises(DataError, match=message):
        read_recordings(tmp_path, ["M02"])


def test_files_that_are_no_matlab_5(tmp_path: Path) -> None:
    path = write(tmp_path, "M02", examples=VOXELS)
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(512))
    with pytest.raises(DataError, match=r"is a MATLAB 7\.3 file: save it in MATLAB with -v7"):
        read_recordings(tmp_path, ["M02"])
    path.write_bytes(b"no MATLAB at all")
    with pytest.raises(DataError, match="is no MATLAB file that can be read"):
        read_recordings(tmp_path, ["M02"])


def test_a_recording_has_a_row_a_sentence() -> None:
    with pytest.raises(DataError, match="M02: 1 sentences, and signals of 2"):
        Recording("M02", ("One.",), np.zeros((2, 3), np.float32))


def many(n: int) -> list[str]:
    random = np.random.default_rng(0)
    words = [f"word{i}" for i in range(40)]
    return [" ".join(random.choice(words, 6)) for _ in range(n)]


def test_simulated_signals_have_the_structure_that_they_name() -> None:
    first, second = simulate_recordings(many(2000), voxels=60, informative=0.5, signal=0.6, topics=5)
    again = simulate_recordings(many(2000), voxels=60, informative=0.5, signal=0.6, topics=5)[0]
    assert first.simulated and first.subject == "simulated 1"
    assert first.signal is not None and second.signal is not None
    assert sorted(set(first.signal)) == [0, 0.6] and (first.signal > 0).sum() == 30
    assert not np.array_equal(first.signal, second.signal)
    assert np.array_equal(first.voxels, again.voxels)
    np.testing.assert_allclose(first.voxels.std(axis=0), 1, atol=0.08)
    # Informative voxels share their sources, noise shares nothing.
    r = np.abs(np.corrcoef(first.voxels.T)) - np.eye(60)
    alive = first.signal > 0
    assert r[~alive].max() < 0.12 and r[alive].max() > 0.3


def test_what_cannot_be_simulated() -> None:
    with pytest.raises(DataError, match="lie in"):
        simulate_recordings(many(10), signal=1.5)
    with pytest.raises(DataError, match="at least three"):
        simulate_recordings(many(2))
    with pytest.raises(DataError, match="topics=50: 10 sentences hold"):
        simulate_recordings(many(10), topics=50)
