"""Every real file of an annotated corpus loads, with what the manifest counts of it."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.text.test_slices import ANNOTATED

from encoder_atlas.text.formats import read_conllu, read_iob, read_layered_jsonl
from encoder_atlas.text.layers import Sentence
from encoder_atlas.text.tables import read_table

READERS: dict[str, Callable[[Path], list[Sentence]]] = {
    "ewt": read_conllu,
    "uner_ewt": read_iob,
    "ewt_layers": read_layered_jsonl,
}


def iob2(sentence: Sentence) -> Iterator[str]:
    """The tag of each word, written out by hand from the entities."""
    tags = ["O"] * len(sentence.words)
    for start, end, label in sentence.entities or ():
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    yield from tags


def counted(dataset: str, found: list[Sentence]) -> dict[str, int]:
    """What the manifest counts of a file, of what was read from it."""
    if dataset == "uner_ewt":
        return Counter(tag for one in found for tag in iob2(one))
    both = {"sentences": len(found), "tokens": sum(len(one.words) for one in found)}
    if dataset == "ewt":
        deprels = {deprel for one in found for deprel in one.deprels or ()}
        return both | {"upos": len({tag for one in found for tag in one.upos or ()}), "deprel": len(deprels)}
    names = {"ner": "entities", "const": "tree", "srl": "frames"}
    return both | {
        name: sum(getattr(one, field) is not None for one in found) for name, field in names.items()
    }


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize(("dataset", "files"), [("ewt", 2), ("uner_ewt", 2), ("ewt_layers", 6)])
def test_each_file_has_what_the_manifest_counts(real_data: Path, dataset: str, files: int) -> None:
    assert dataset in ANNOTATED
    manifest = read_table(real_data / "MANIFEST.tsv").frame
    lines = manifest.loc[(manifest["dataset"] == dataset) & ~manifest["file"].str.endswith(".txt")]
    assert len(lines) == files
    for line in lines.itertuples():
        found = READERS[dataset](real_data / str(line.file))
        assert len(found) == int(str(line.rows)), line.file
        assert counted(dataset, found) == json.loads(str(line.label_counts)), line.file
