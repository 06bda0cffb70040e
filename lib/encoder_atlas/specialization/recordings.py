"""Brain recordings of people who read sentences: files of Pereira et al. (2018), or a simulation of such.

The recordings may not be passed on; who has them gives their folder. Without them `simulate_recordings` makes
signals of known structure, and they are called simulated wherever they appear.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32, Float64
from scipy.io import loadmat
from scipy.io.matlab import MatReadError
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from encoder_atlas.errors import DataError, near

SUBJECTS = ("M02", "M04", "M07", "M15", "P01")
"""The five readers whose recordings the paper uses."""

EXPERIMENT = "384sentences"
VOXELS = ("examples", "examples_passagesentences")
SENTENCES = "keySentences"


@dataclass(frozen=True, eq=False)
class Recording:
    """One reader's signals: a row a sentence, a column a voxel.

    Attributes:
        signal: of a simulated recording, the share of each voxel's variance that the sentences explain;
            None for a real one.
    """

    subject: str
    sentences: tuple[str, ...]
    voxels: Float32[np.ndarray, "points voxels"]
    signal: Float64[np.ndarray, " voxels"] | None = None

    def __post_init__(self) -> None:
        if len(self.sentences) != len(self.voxels):
            raise DataError(
                f"{self.subject}: {len(self.sentences)} sentences, and signals of {len(self.voxels)}"
            )

    @property
    def simulated(self) -> bool:
        """Whether no brain was measured."""
        return self.signal is not None


def read_recordings(
    folder: Path, subjects: Sequence[str] = SUBJECTS, stimuli: Path | None = None
) -> list[Recording]:
    """Read the 384 sentences of Pereira et al. from MATLAB files, one folder a reader.

    Taken are ``<folder>/<subject>/examples_384sentences.mat`` (variable ``examples``) or
    ``data_384sentences.mat`` (``examples_passagesentences``), also one folder deeper. The sentences are the
    file's ``keySentences`` where it has them, else the lines of ``stimuli``, by default the first
    ``stimuli_384sentences*.txt`` in ``folder``. Voxels that never change or are not finite are left out.

    Raises:
        DataError: a folder, file or variable that is missing or of another form, or other numbers of
            sentences; the message names it.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder: give the one that holds {subjects[0]}, {subjects[-1]}, …")
    return [_read(_file_of(folder, subject), subject, _stimuli(folder, stimuli)) for subject in subjects]


def simulate_recordings(
    sentences: Sequence[str],
    subjects: int = 2,
    voxels: int = 300,
    informative: float = 0.5,
    signal: float = 0.6,
    topics: int = 10,
    seed: int = 0,
) -> list[Recording]:
    """Signals of known structure in place of a brain: no conclusion about brains can rest on them.

    A sentence has ``topics`` numbers, which words it holds (TF-IDF, reduced by SVD). An informative voxel is
    a random mix of them, to which noise is added until ``signal`` of its variance is left; the other voxels
    are noise alone. Which ones are informative differs from reader to reader.

    Raises:
        DataError: fewer than three sentences, too few words for ``topics``, or a share outside [0, 1].
    """
    if not (0 <= informative <= 1 and 0 <= signal <= 1):
        raise DataError(f"informative={informative} and signal={signal} are shares: they lie in [0, 1]")
    content = _topics(sentences, topics, seed)
    recordings = []
    for number in range(subjects):
        random = np.random.default_rng([seed, number])
        share = np.where(random.permutation(voxels) < round(informative * voxels), signal, 0.0)
        mix = random.normal(size=(content.shape[1], voxels))
        clean = content @ mix
        clean /= clean.std(axis=0)
        noise = random.normal(size=clean.shape)
        values = (np.sqrt(share) * clean + np.sqrt(1 - share) * noise).astype(np.float32)
        recordings.append(Recording(f"simulated {number + 1}", tuple(sentences), values, share))
    return recordings


def _topics(sentences: Sequence[str], topics: int, seed: int) -> Float64[np.ndarray, "points topics"]:
    if len(sentences) < 3:
        raise DataError(f"{len(sentences)} sentences: at least three are needed")
    words: Any = TfidfVectorizer().fit_transform(sentences)
    if topics > min(words.shape):
        raise DataError(
            f"topics={topics}: {len(sentences)} sentences hold {words.shape[1]} words; take fewer"
        )
    content = TruncatedSVD(topics, random_state=seed).fit_transform(words).astype(np.float64)
    content -= content.mean(axis=0)
    return content / np.maximum(content.std(axis=0), 1e-12)


def _file_of(folder: Path, subject: str) -> Path:
    names = [f"{kind}_{EXPERIMENT}.mat" for kind in ("examples", "data")]
    places = [folder / subject, folder / subject / subject]
    for path in (place / name for place in places for name in names):
        if path.is_file():
            return path
    if not places[0].is_dir():
        known = [child.name for child in folder.iterdir() if child.is_dir()]
        raise DataError(f"{folder} holds no reader {subject!r}; {near(subject, known)}")
    raise DataError(f"{places[0]} holds neither {names[0]} nor {names[1]}")


def _stimuli(folder: Path, stimuli: Path | None) -> list[str] | None:
    found = sorted(folder.glob(f"stimuli_{EXPERIMENT}*.txt")) if stimuli is None else [stimuli]
    if not found:
        return None
    try:
        lines = found[0].read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"sentences {found[0]} cannot be read: {error}") from None
    return [line.strip() for line in lines if line.strip()]


def _read(path: Path, subject: str, stimuli: list[str] | None) -> Recording:
    values = _variables(path)
    name = next((name for name in VOXELS if name in values), None)
    if name is None:
        known = [key for key in values if not key.startswith("__")]
        raise DataError(f"{path} has no variable {VOXELS[0]!r}; it has {known}")
    voxels = np.asarray(values[name])
    if voxels.ndim != 2 or not np.issubdtype(voxels.dtype, np.number):
        raise DataError(f"{path}: {name!r} is no table of numbers, sentences by voxels")
    sentences = _strings(values[SENTENCES]) if SENTENCES in values else stimuli
    if sentences is None:
        raise DataError(
            f"{path} holds no {SENTENCES!r}, and there is no stimuli_{EXPERIMENT}.txt: give the sentences "
            "with stimuli=, one a line"
        )
    if len(sentences) != len(voxels):
        raise DataError(f"{path}: signals of {len(voxels)} sentences, but {len(sentences)} sentences")
    voxels = voxels.astype(np.float32)
    with np.errstate(invalid="ignore"):
        alive = np.isfinite(voxels).all(axis=0) & (np.ptp(voxels, axis=0) > 0)
    if not alive.any():
        raise DataError(f"{path}: no voxel changes from sentence to sentence")
    return Recording(subject, tuple(sentences), voxels[:, alive])


def _variables(path: Path) -> dict[str, Any]:
    try:
        return loadmat(path)
    except NotImplementedError:
        raise DataError(f"{path} is a MATLAB 7.3 file: save it in MATLAB with -v7") from None
    except (OSError, ValueError, MatReadError) as error:
        raise DataError(f"{path} is no MATLAB file that can be read: {error}") from None


def _strings(cells: np.ndarray) -> list[str]:
    """MATLAB's cell array of strings: arrays in an array."""
    return [str(np.asarray(cell).ravel()[0]).strip() for cell in np.asarray(cells).ravel()]
