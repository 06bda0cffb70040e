"""From settings to annotated corpora."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

from encoder_atlas.text.annotated import AnnotatedCorpus
from encoder_atlas.text.built import load_built_corpus
from encoder_atlas.text.corpus_spec import CorpusSource, CorpusSpec
from encoder_atlas.text.formats.folder import read_folder


def load_corpus(spec: CorpusSpec) -> AnnotatedCorpus:
    """Load the corpus that ``spec`` names, keep the sentences with its layers, and sample it to its sizes.

    Raises:
        DataError: if the text is missing or damaged, or has too few such sentences.
    """
    return _SOURCES[spec.source](spec).sampled(spec.sizes, spec.seed, spec.layers)


def _files(spec: CorpusSpec) -> AnnotatedCorpus:
    folder = cast(Path, spec.path)  # a spec of files always has one
    note = f"Annotated sentences from your own files, format {spec.corpus!r}, read from {folder.name}."
    return AnnotatedCorpus(spec.name, read_folder(folder, spec.corpus), note)


def _generated(spec: CorpusSpec) -> AnnotatedCorpus:
    # The grammar is large and few runs need it.
    from encoder_atlas.text.grammar import load_generated_corpus

    return load_generated_corpus(spec)


_SOURCES: dict[CorpusSource, Callable[[CorpusSpec], AnnotatedCorpus]] = {
    "files": _files,
    "generated": _generated,
    "built": load_built_corpus,
}
