"""The generated edge tasks, proto-roles and relations: their labels do not follow from the spans' words."""

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.edges.balance import Candidate, balanced
from encoder_atlas.text.edges.build import Edge, EdgeSentence, edge_task
from encoder_atlas.text.edges.proto_roles import proto_roles, role_candidates, turning_verbs
from encoder_atlas.text.edges.relations import related_candidates, relating_verbs
from encoder_atlas.text.edges.said import Said, SaidSource
from encoder_atlas.text.edges.semeval import LABEL_NAMES
from encoder_atlas.text.edges.spec import EdgeSpec
from encoder_atlas.text.edges.task import EdgeTask
from encoder_atlas.text.grammar import Lexicon, Verb

DEFAULT_DOMAIN = "business"
SIZES = {"train": 2000, "dev": 500}  # targets of each split where the spec names no number; test on demand
MATTERS = 0.6  # how often a verb is drawn that matters for the task
DRAWS_A_TARGET = 60


@dataclass(frozen=True)
class GeneratedEdges:
    """A task that is written on the spot.

    Attributes:
        candidates: the targets of a sentence, each with what its words tell of it.
        verbs: the verbs that matter, in groups that are drawn equally often.
        label_names: all labels there are.
        settled: whether targets are added whose words tell their labels, as many as there are others.
        note: what a reader is told of it.
    """

    candidates: Callable[[Said, random.Random], Iterable[tuple[Hashable, Edge]]]
    verbs: Callable[[Lexicon], Sequence[Sequence[Verb]]]
    label_names: Callable[[], Sequence[str]]
    settled: bool
    note: str


GENERATED = {
    "proto-roles": GeneratedEdges(
        role_candidates,
        turning_verbs,
        lambda: tuple(proto_roles().properties),
        True,
        "Generated text: sentences of a grammar of this project, with properties of participants by its own "
        "judgments of its verbs.",
    ),
    "relations": GeneratedEdges(
        related_candidates,
        relating_verbs,
        lambda: LABEL_NAMES,
        False,
        "Generated text: sentences of a grammar of this project, with relations between nouns by its own "
        "reading of its events.",
    ),
}


def load_generated_edges(spec: EdgeSpec) -> EdgeTask:
    """Write the task that ``spec`` asks for.

    The same seed, domain and sizes give the same targets everywhere. Of targets whose spans look alike (the
    kinds of two nouns; a verb and the kind of a noun) equally many have each label, and of "proto-roles" as
    many more are taken as they come. Labels that no target has are left out.

    Raises:
        DataError: if there is no such generated task, or the grammar has too few targets for the sizes.
    """
    if spec.corpus not in GENERATED:
        raise DataError(f"There is no generated edge task {spec.corpus!r}; {near(spec.corpus, GENERATED)}.")
    task, domain = GENERATED[spec.corpus], spec.domain or DEFAULT_DOMAIN
    sizes = {split: size or SIZES.get(split) for split, size in spec.sizes.items()}
    splits = {
        split: _written(task, spec.corpus, domain, split, size, spec.seed)
        for split, size in sizes.items()
        if size is not None
    }
    found = {label for one in splits.values() for it in one for edge in it.edges for label in edge.labels}
    names = [name for name in task.label_names() if name in found]
    return edge_task(spec.name, splits, f"{task.note} Domain: {domain}.", names)


def _written(
    task: GeneratedEdges, name: str, domain: str, split: str, wanted: int, seed: int
) -> list[EdgeSentence]:
    source = SaidSource(domain, split, f"{name}:{seed}")
    groups = task.verbs(source.lexicon)
    texts: list[tuple[str, ...]] = []
    candidates: list[Candidate] = []
    taken: list[Candidate] = []
    while len(taken) < wanted:
        if len(texts) > DRAWS_A_TARGET * wanted:
            raise DataError(
                f"The generated edge task {name!r} has too few targets: {wanted} are asked for split "
                f"{split!r}, {len(taken)} were found. Ask for fewer."
            )
        for said in _sentences(source, groups, 2 * wanted):
            found = task.candidates(said, source.chance)
            candidates += [Candidate(seen, edge, len(texts)) for seen, edge in found]
            texts.append(said.words)
        taken = balanced(candidates, source.chance, settled=task.settled)
    return _grouped(taken[:wanted], texts, f"{domain}:{split}:{seed}")


def _sentences(source: SaidSource, groups: Sequence[Sequence[Verb]], draws: int) -> Iterable[Said]:
    """New sentences of so many draws."""
    chance = source.chance
    for _ in range(draws):
        verb = chance.choice(chance.choice(groups)) if chance.random() < MATTERS else None
        said = source.draw(verb)
        if said is not None:
            yield said


def _grouped(taken: Sequence[Candidate], texts: Sequence[tuple[str, ...]], name: str) -> list[EdgeSentence]:
    """The sentences of the targets, each with its own."""
    edges: dict[int, list[Edge]] = defaultdict(list)
    for one in sorted(taken, key=lambda one: (one.sentence, one.edge)):
        edges[one.sentence].append(one.edge)
    return [EdgeSentence(f"{name}:{number}", texts[number], tuple(found)) for number, found in edges.items()]
