"""Where built corpora stand, and reading them."""

import os
from pathlib import Path

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.annotated import AnnotatedCorpus
from encoder_atlas.text.built.ewt import NOTE
from encoder_atlas.text.corpus_spec import CorpusSpec
from encoder_atlas.text.formats.folder import read_folder

NOTES = {"ewt": NOTE}
VARIABLE = "ENCODER_ATLAS_CORPORA"


def built_folder(name: str) -> Path:
    """Where `atlas data build` puts a corpus unless told otherwise: under `.atlas/corpora` of the project, or
    under the folder that ENCODER_ATLAS_CORPORA names."""
    root = os.environ.get(VARIABLE) or Path(__file__).resolve().parents[4] / ".atlas" / "corpora"
    return Path(root) / name


def load_built_corpus(spec: CorpusSpec) -> AnnotatedCorpus:
    """The built corpus that the spec names, from its path or from where it is built to.

    Raises:
        DataError: if there is no such corpus, or it has not been built; says how to.
    """
    if spec.corpus not in NOTES:
        raise DataError(f"There is no built corpus {spec.corpus!r}; {near(spec.corpus, NOTES)}.")
    folder = spec.path or built_folder(spec.corpus)
    if not folder.is_dir():
        raise DataError(
            f"{folder} is not there: build it with `atlas data build {spec.corpus} --download`, or from your "
            f"own checkouts (`atlas data build {spec.corpus} --help`), or give its path."
        )
    return AnnotatedCorpus(spec.name, read_folder(folder, "layers"), NOTES[spec.corpus])
