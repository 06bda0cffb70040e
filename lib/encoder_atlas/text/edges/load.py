"""From settings to edge tasks."""

from pathlib import Path
from typing import cast

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.edges.build import EdgeSentence, edge_task
from encoder_atlas.text.edges.jsonl import read_edge_jsonl
from encoder_atlas.text.edges.semeval import LABEL_NAMES, read_semeval
from encoder_atlas.text.edges.spec import EdgeSpec
from encoder_atlas.text.edges.task import EdgeTask
from encoder_atlas.text.find import beside
from encoder_atlas.text.formats.folder import SPLITS, split_files

FILES = ("edges", "semeval-2010-8")
ENDINGS = (".jsonl", ".json")


def load_edges(spec: EdgeSpec) -> EdgeTask:
    """Load the edge task that ``spec`` names, sampled to its sizes.

    Raises:
        DataError: if the text is missing or damaged, or has fewer targets than are asked for.
    """
    if spec.source == "generated":
        # The grammar is large and few runs need it.
        from encoder_atlas.text.edges.generated import load_generated_edges

        return load_generated_edges(spec)
    folder = cast(Path, spec.path)  # a spec of files always has one
    if spec.corpus == "semeval-2010-8":
        note = "Real text: sentences from the web with two nouns and their relation (SemEval-2010 Task 8)."
        task = edge_task(spec.name, read_semeval(folder), note, LABEL_NAMES)
    elif spec.corpus == "edges":
        note = f"Edge-probing targets from your own files, read from {folder.name}."
        task = edge_task(spec.name, _folder(folder), note)
    else:
        raise DataError(f"There are no files of edges {spec.corpus!r}; {near(spec.corpus, FILES)}.")
    return task.sampled(spec.sizes, spec.seed)


def _folder(folder: Path) -> dict[str, list[EdgeSentence]]:
    """The splits that a folder of JSON has, by the names of its files ("spr1.train.json")."""
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder{beside(folder)}: give the one that holds the files.")
    files = {split: split_files(folder, names, ENDINGS) for split, names in SPLITS.items()}
    found = {
        split: [one for path in paths for one in read_edge_jsonl(path)]
        for split, paths in files.items()
        if paths
    }
    if not found:
        raise DataError(
            f"{folder} has no files of train, dev or test: one of these words stands in their names, which "
            f"end with {' or '.join(ENDINGS)}."
        )
    return found
