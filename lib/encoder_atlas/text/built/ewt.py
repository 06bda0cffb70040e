"""English Web Treebank with five layers: UD_English-EWT, Universal NER and PropBank joined."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil

from encoder_atlas.errors import DataError
from encoder_atlas.text.annotated import AnnotatedCorpus
from encoder_atlas.text.built.entities import read_entities
from encoder_atlas.text.built.join import with_entities, with_skeletons
from encoder_atlas.text.built.propbank import read_propbank
from encoder_atlas.text.built.recipe import Part, read_recipe
from encoder_atlas.text.built.report import Report, Tally
from encoder_atlas.text.built.treebank import read_treebank
from encoder_atlas.text.formats import write_layered_jsonl

NOTE = (
    "Sentences of English Web Treebank: weblogs, newsgroups, email, reviews and answers, with tags and "
    "dependencies of UD_English-EWT, entities of Universal NER, phrases and roles of PropBank."
)
MANIFEST = "build.json"


def build_ewt(checkouts: Mapping[Part, Path], out: Path) -> Report:
    """Join three checkouts into train.jsonl, dev.jsonl and test.jsonl (``formats.layered_jsonl``).

    A sentence that cannot be aligned loses the layer and stays. The same checkouts give the same files. The
    folder is there whole or not at all; one that an earlier build made is replaced.

    Args:
        checkouts: "ud", "ner" and "propbank": folders with the contents of the repositories.
        out: the folder to make.

    Raises:
        DataError: if a folder is not what it should be, a file cannot be read, or ``out`` holds other things.
    """
    recipe = read_recipe("ewt")
    _check_place(out)
    treebank = read_treebank(checkouts["ud"])
    entities = read_entities(checkouts["ner"])
    documents = read_propbank(checkouts["propbank"])
    splits, tallies = {}, {split: Tally() for split in treebank.splits}
    for split, sentences in treebank.splits.items():
        joined = []
        for sentence, reason in with_skeletons(sentences, documents):
            without = None
            if split in entities:
                sentence, without = with_entities(sentence, entities[split])
            joined.append(sentence)
            tallies[split].add(sentence, (reason, without))
        splits[split] = tuple(joined)
    lacking = tuple(split for split in splits if split not in entities)
    report = Report(recipe, recipe.release(treebank.sha256["dev"]), tallies, treebank.rebuilt, lacking)
    with _whole_folder(out) as folder:
        _write(AnnotatedCorpus("ewt", splits, NOTE), report, treebank.sha256, folder)
    return report


def _write(corpus: AnnotatedCorpus, report: Report, sha256: Mapping[str, str], folder: Path) -> None:
    for split, sentences in corpus.splits.items():
        write_layered_jsonl(sentences, folder / f"{split}.jsonl")
    parts = {
        name: {"repository": part.repository, "licence": part.licence, "cite": part.cite}
        for name, part in report.recipe.parts.items()
    }
    manifest = {
        "corpus": corpus.name,
        "what": corpus.source_note,
        "parts": parts,
        "treebank": {"commit": report.release and report.release.commit, "sha256": dict(sha256)},
        "counts": report.counts().to_dict(orient="index"),
        "lost": {split: dict(tally.lost) for split, tally in report.tallies.items()},
        "deviations": report.deviations(),
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def _check_place(out: Path) -> None:
    """Only an earlier build may be replaced."""
    if out.exists() and not (out / MANIFEST).is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise DataError(f"{out} is there and is no earlier build: give another folder, or remove it first.")


@contextmanager
def _whole_folder(out: Path) -> Iterator[Path]:
    """A new folder that gets its name when all that is in it has been written; else nothing changes."""
    out.parent.mkdir(parents=True, exist_ok=True)
    earlier = out.with_name(f".{out.name}.earlier")
    if earlier.exists() and not out.exists():  # killed between the two renames below
        earlier.rename(out)
    for left in out.parent.glob(f".{out.name}.part-*"):
        if not psutil.pid_exists(int(left.suffix.removeprefix(".part-"))):  # of a build that was killed
            shutil.rmtree(left)
    part = out.with_name(f".{out.name}.part-{os.getpid()}")
    part.mkdir()
    try:
        yield part
        if out.exists():
            out.rename(earlier)
        part.rename(out)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    shutil.rmtree(earlier, ignore_errors=True)
