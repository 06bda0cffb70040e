"""Text that chapters take beside tasks: annotated corpora, edge tasks, and any text to read."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from encoder_atlas.errors import SettingsError, near
from encoder_atlas.runs.chapter import Chapter
from encoder_atlas.runs.chapters import FinetuningChapter, StemCellsChapter, StemTasks
from encoder_atlas.stem_cells import check_items
from encoder_atlas.text import (
    AnnotatedCorpus,
    CorpusCard,
    CorpusSpec,
    TaskSpec,
    corpus_cards,
    load_corpus,
    load_task,
)
from encoder_atlas.text.edges import EDGE_KINDS, EdgeSpec, EdgeTask, load_edges, of_corpus
from encoder_atlas.text.find import folder_of
from encoder_atlas.text.layers import Layer, Sentence
from encoder_atlas.text.tables import read_table

FEW = 24  # rows of a split that nobody reads
DOMAIN = ":"  # "inference:science" is the corpus inference in the domain science


def annotated_corpus(
    chapter: Chapter,
    corpus: str,
    layers: Sequence[Layer] = ("dep",),
    *,
    train: int | None = None,
    dev: int | None = None,
    test: int | None = None,
) -> AnnotatedCorpus:
    """A corpus of annotated sentences by the name of its card, with only sentences that have ``layers``.

    It has the settings' source where it can, else that of its card.

    Raises:
        SettingsError: no annotated corpus of the name, or files without a path.
        DataError: text that is missing or damaged, or has too few such sentences.
    """
    name, _, domain = corpus.partition(DOMAIN)
    how = _use(chapter, _card(name, "annotated"))
    sizes = {"train": train, "dev": dev, "test": test}
    return load_corpus(
        CorpusSpec(name=corpus, layers=tuple(layers), domain=domain or None, **how, **cast(Any, sizes))
    )


def stem_text(chapter: Chapter) -> tuple[AnnotatedCorpus, list[Sentence]]:
    """What chapter 4 learns from and is scored on, and the held-out sentences that its heads are probed with.

    Raises:
        SettingsError: as `annotated_corpus`.
        DataError: so too; or a task of which no label stands in both halves of the probed sentences often
            enough for a probe.
    """
    s = chapter.settings
    text, probed = (
        annotated_corpus(chapter, s.annotated, s.learnt, train=s.sentences, dev=dev)
        for dev in (s.dev, s.probed_sentences)
    )
    words = list(probed.split("dev"))
    check_items(words[::2], words[1::2], s.learnt)
    return text, words


def check_text(chapter: Chapter) -> None:
    """Read all that a chapter takes beside its tasks: what is missing is better known before training.

    Raises:
        SettingsError, DataError: as what reads them.
    """
    s = chapter.settings
    if isinstance(s, StemCellsChapter):
        stem_text(chapter)
    if isinstance(s, StemTasks):
        annotated_corpus(chapter, s.annotated, s.layers, train=s.sentences, dev=s.dev)
    if isinstance(s, FinetuningChapter):
        chapter.load(s.inference)
        chapter.load(s.answers, train=s.questions)
        trees = annotated_corpus(chapter, s.annotated, train=s.sentences, dev=s.dev)
        edge_tasks(chapter, s.probed, trees, train=s.targets, dev=s.targets // 2)
        for name in s.elsewhere:
            any_text(chapter, name, s.read)


def edge_tasks(
    chapter: Chapter, names: Sequence[str], corpus: AnnotatedCorpus, *, train: int, dev: int
) -> list[EdgeTask]:
    """Probing tasks by name, with at most so many targets: kinds of spans of ``corpus``, or corpora of edges.

    Raises:
        SettingsError: neither a kind nor a corpus of the name.
        DataError: text that is missing or damaged, or a layer that the corpus does not have.
    """
    found = []
    for name in names:
        if name in EDGE_KINDS:
            task = replace(of_corpus(corpus, cast(Any, name)), name=name)
        else:
            card = _card(name, "edges", also=EDGE_KINDS)
            how = _use(chapter, card)
            # What is written on the spot is written as large as it is wanted.
            wanted = {"train": train, "dev": dev} if how["source"] == "generated" else {}
            task = load_edges(EdgeSpec.model_validate({"name": name} | how | wanted))
        asked = {"train": train, "dev": dev}
        sizes = {split: min(n, len(task.split(split).targets)) for split, n in asked.items()}
        found.append(task.sampled(sizes, seed=0))
    return found


def any_text(chapter: Chapter, corpus: str, n: int) -> list[str] | list[tuple[str, str]]:
    """At most ``n`` held-out texts of any corpus, as an encoder reads them: sentences, or pairs.

    ``corpus`` may name a domain of generated text: "inference:science".

    Raises:
        SettingsError: no corpus of the name, or files without a path.
        DataError: text that is missing or damaged.
    """
    name, _, domain = corpus.partition(DOMAIN)
    card = _card(name, "task", "annotated", "text")
    how = _use(chapter, card)
    about = {"name": corpus, "domain": domain or None}
    # Of what is written on the spot train is not needed, and dev does not depend on it.
    small: dict[str, Any] = {"train": FEW, "dev": n} if how["source"] == "generated" else {}
    if card.kind == "annotated":
        sizes = small | {"test": 1} if small else {}
        sentences = load_corpus(CorpusSpec.model_validate(about | how | sizes)).split("dev")
        return [" ".join(sentence.words) for sentence in sentences[:n]]
    if card.kind == "text":
        return read_table(Path(how["path"]) / card.files[0].name).column("text")[:n]
    spec = TaskSpec.model_validate(about | how | small)
    texts = load_task(spec).texts("dev")[:n]
    return cast(list[str], list(texts))


def _card(name: str, *kinds: str, also: Sequence[str] = ()) -> CorpusCard:
    cards = {card.name: card for card in corpus_cards() if card.kind in kinds}
    if name not in cards:
        known = (*cards, *also)
        raise SettingsError(f"no corpus here is called {name!r}; {near(name, known)}")
    return cards[name]


def _use(chapter: Chapter, card: CorpusCard) -> dict[str, Any]:
    """The fields of a spec that load a corpus: by the chapter's source where its card has that way."""
    way = card.way(chapter.settings.source) or card.ways[0]
    if not way.use and card.kind != "text":
        raise SettingsError(f"corpus {card.name!r} cannot be read as it is: {way.where}")
    how: dict[str, Any] = {"source": way.source, **way.use}
    how.pop("path", None)
    if way.source == "files":
        if chapter.settings.path is None:
            raise SettingsError(f"corpus {card.name!r} is read from files: give the folder of it with path=")
        # Of two folders of a corpus that named for the layout is meant: ewt_layers beside the treebank's ewt.
        names = (f"{card.name}-{how.get('corpus')}", card.name)
        places = [folder_of(chapter.settings.path, name) for name in names]
        how["path"] = places[0] if places[0] != chapter.settings.path else places[1]
    return how
