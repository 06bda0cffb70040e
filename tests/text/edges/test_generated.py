"""Generated proto-roles and relations: right by hand, whichever way it is said, and not told by the words."""

import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace

import pytest
from pydantic import ValidationError

from encoder_atlas.errors import DataError
from encoder_atlas.text.cards import corpus_card
from encoder_atlas.text.edges import Edge, EdgeSpec, EdgeTask, load_edges
from encoder_atlas.text.edges.balance import Candidate, balanced
from encoder_atlas.text.edges.generated import GENERATED, SIZES
from encoder_atlas.text.edges.proto_roles import POSITIONS, ProtoRoles, proto_roles, role_candidates
from encoder_atlas.text.edges.relations import Relations, related, relations
from encoder_atlas.text.edges.said import SaidSource, said_of
from encoder_atlas.text.grammar import Event, Form, Modifier, Participant, lexicon_of
from encoder_atlas.text.grammar.lexicon import DOMAINS

BUSINESS, SCIENCE = (lexicon_of(domain) for domain in DOMAINS)
FIRM = Participant(1, "org", BUSINESS.noun("firm"), article="the")
CLERK = Participant(2, "person", BUSINESS.noun("clerk"), article="a", pronoun="he")
TOY = Participant(3, "product", BUSINESS.noun("toy"), article="a")
HIRED = Event(BUSINESS.verb("hire"), (("subject", FIRM), ("object", CLERK)))
MADE = Event(BUSINESS.verb("manufacture"), (("subject", FIRM), ("object", TOY)))


def roles(event: Event, form: Form | None = None) -> dict[tuple[str, str], set[str]]:
    """The properties by the words of verb and argument."""
    said = said_of(event, form or Form())
    return {
        (said.words[edge.span1[0]], said.words[edge.span2[0]]): set(edge.labels)
        for _, edge in role_candidates(said, random.Random(0))
        if edge.span2 is not None
    }


def pairs(event: Event, form: Form | None = None) -> set[tuple[str, str, str]]:
    """The labels with the words of both spans."""
    said = said_of(event, form or Form())
    edges = [one.edge() for one in related(said)]
    return {
        (said.words[edge.span1[0]], said.words[edge.span2[0]], edge.labels[0]) for edge in edges if edge.span2
    }


EXISTS = {"existed_before", "existed_during", "existed_after"}


@pytest.mark.parametrize("form", [Form(), Form(passive=True), Form(ask="whether"), Form(cleft="object")])
def test_who_hires_wants_it_and_who_is_hired_is_changed(form: Form) -> None:
    assert list(roles(HIRED, form).values()) in (
        [
            EXISTS | {"instigation", "volition", "awareness"},
            EXISTS
            | {"awareness", "sentient", "exists_as_physical"}
            | {"predicate_changed_argument", "change_of_state"},
        ],
    )


def test_what_is_made_was_not_there_before() -> None:
    found = roles(MADE, Form(passive=True))
    assert "created" in found["manufactured", "toy"]
    assert "existed_before" not in found["manufactured", "toy"]
    assert "volition" in found["manufactured", "firm"]
    assert "makes_physical_contact" not in found["manufactured", "firm"]  # a firm has no hands


def test_only_minds_want_and_only_things_touch() -> None:
    judged = proto_roles()
    cause = BUSINESS.verb("increase")
    assert "volition" in judged.of(cause, "subject", "org")
    assert "volition" not in judged.of(cause, "subject", "problem")
    assert "instigation" in judged.of(cause, "subject", "problem")


def test_what_is_denied_or_not_named_is_no_target() -> None:
    assert roles(replace(HIRED, negated=True)) == {}
    assert roles(replace(HIRED, adverb=("never", "ARGM-NEG"))) == {}
    assert set(roles(HIRED, Form(passive=True, agent=False))) == {("hired", "clerk")}
    assert set(roles(HIRED, Form(ask="subject"))) == {("hired", "clerk")}  # "who hired a clerk?"
    both = replace(CLERK, also=(CLERK, replace(CLERK, key=9, noun=BUSINESS.noun("lawyer"))))
    assert set(roles(HIRED.put("object", both))) == {("hired", "firm")}


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_verb_is_judged_in_every_position_and_no_verb_twice(domain: str) -> None:
    for verb in lexicon_of(domain).verbs:
        for position in POSITIONS:
            for kind in verb.kinds.get(position, ()):
                found = proto_roles().of(verb, position, kind)
                assert set(found) <= set(proto_roles().properties)
                assert ("created" in found) <= ("existed_before" not in found)
                assert ("destroyed" in found) <= ("existed_after" not in found)


def test_the_judgments_name_no_verb_that_there_is_not() -> None:
    known = {verb.roleset.partition(".")[0] for domain in DOMAINS for verb in lexicon_of(domain).verbs}
    assert {verb.split()[0] for one in proto_roles().classes for verb in one.verbs} <= known
    named = {verb for one in relations().verbs for verb in one.verbs} | set(relations().unclear)
    assert named <= known


def test_a_relation_has_the_direction_in_which_it_is_said() -> None:
    assert pairs(MADE) == {("firm", "toy", "Product-Producer(e2,e1)")}
    assert pairs(MADE, Form(passive=True)) == {("toy", "firm", "Product-Producer(e1,e2)")}
    assert pairs(HIRED) == {("firm", "clerk", "Other")}
    assert pairs(replace(MADE, negated=True)) == set()


def test_verbs_with_their_second_thing_first_and_causes() -> None:
    frog = Participant(1, "creature", SCIENCE.noun("frog"), article="a")
    blood = Participant(2, "sample", SCIENCE.noun("blood"))
    nurse = Participant(3, "person", SCIENCE.noun("nurse"), article="the")
    event = Event(SCIENCE.verb("inject"), (("subject", nurse), ("object", frog), ("oblique", blood)))
    assert ("frog", "blood", "Entity-Destination(e2,e1)") in pairs(event)
    strike, delay = (
        Participant(key, "problem", BUSINESS.noun(word), article="a")
        for key, word in ((1, "strike"), (2, "delay"))
    )
    caused = Event(BUSINESS.verb("cause"), (("subject", strike), ("object", delay)))
    assert pairs(caused) == {("strike", "delay", "Cause-Effect(e1,e2)")}
    assert pairs(caused, Form(passive=True)) == {("delay", "strike", "Cause-Effect(e2,e1)")}


def test_phrases_and_instruments_are_related() -> None:
    bank = Participant(7, "org", BUSINESS.noun("bank"), article="the")
    at_the_bank = replace(CLERK, attached=Modifier("", bank, "at"))
    found = pairs(HIRED.put("object", at_the_bank))
    assert ("clerk", "bank", "Member-Collection(e1,e2)") in found
    tool = Participant(8, "device", SCIENCE.noun("laser"), article="a")
    nurse = Participant(3, "person", SCIENCE.noun("nurse"), article="the")
    sample = Participant(4, "sample", SCIENCE.noun("bone"), article="a")
    event = Event(
        SCIENCE.verb("scan"), (("subject", nurse), ("object", sample)), (Modifier("ARGM-MNR", tool, "with"),)
    )
    assert ("nurse", "laser", "Instrument-Agency(e2,e1)") in pairs(event)


def test_spans_are_heads_of_what_they_stand_for() -> None:
    """Whatever is drawn, an argument's span is the noun or name of the participant that is judged."""
    source = SaidSource("science", "train", "test")
    looked = 0
    for _ in range(200):
        said = source.draw()
        for clause in said.clauses if said else ():
            for one in clause.event.participants().values():
                if said and one.key in clause.nominals and not one.also and one.noun is not None:
                    start, end = clause.nominals[one.key]
                    assert end == start + 1
                    word = said.words[start].lower()
                    assert word in (one.noun.word.lower(), one.noun.plural.lower())
                    looked += 1
    assert looked > 50


def test_balance_leaves_nothing_to_what_is_seen() -> None:
    edge = [Edge((0, 1), None, (label,)) for label in "abc"]
    counts = [("x", 0, 9), ("x", 1, 5), ("x", 2, 4), ("y", 0, 7), ("y", 2, 1), ("z", 1, 8)]
    every = [Candidate(seen, edge[label], n) for seen, label, count in counts for n in range(count)]
    kept = balanced(every, random.Random(0))
    # Of x: two labels leave 10, all three 12; of y both leave 2; z has one label only.
    assert Counter((one.seen, one.edge.labels[0]) for one in kept) == {
        **{("x", label): 4 for label in "abc"},
        ("y", "a"): 1,
        ("y", "c"): 1,
    }
    with_settled = balanced(every, random.Random(0), settled=True)
    assert Counter(one.seen for one in with_settled) == {"x": 12, "y": 2, "z": 8}
    assert balanced([], random.Random(0)) == []


MEASURE = """
import json, sys
from encoder_atlas.text.edges import *
task = load_edges(EdgeSpec(name=sys.argv[1], source="generated", corpus=sys.argv[1]))
models = {
    "majority": majority_f1, "best constant": best_constant_f1, "words of the spans": span_words_f1
}
print(json.dumps([task.label_names, {name: 100 * model(task) for name, model in models.items()}]))
"""


def load(corpus: str, **sizes: int) -> EdgeTask:
    told = {"name": corpus, "source": "generated", "corpus": corpus}
    return load_edges(EdgeSpec.model_validate(told | sizes))


@pytest.fixture(scope="module", params=["proto-roles", "relations"])
def small(request: pytest.FixtureRequest) -> EdgeTask:
    return load(request.param, train=16, dev=4)


def test_sizes_seed_and_splits(small: EdgeTask) -> None:
    assert {split: len(content.targets) for split, content in small.splits.items()} == {
        "train": 16,
        "dev": 4,
    }
    assert load(small.name, train=16, dev=4).fingerprint("train") == small.fingerprint("train")
    assert load(small.name, train=16, dev=4, seed=1).fingerprint("train") != small.fingerprint("train")
    words = {
        split: {" ".join(one).lower() for one in content.sentences} for split, content in small.splits.items()
    }
    assert not words["train"] & words["dev"]
    assert "Generated text" in small.source_note


def test_relations_are_one_a_sentence_and_one_a_target(small: EdgeTask) -> None:
    train = small.split("train")
    if small.name == "relations":
        assert train.targets[:, 0].tolist() == list(range(16))
        assert (train.labels.sum(axis=1) == 1).all()
        assert (train.targets[:, 1] < train.targets[:, 3]).all()  # e1 stands first
    else:
        assert train.labels.any(axis=1).all()


def test_equally_many_of_each_label_look_alike() -> None:
    source = SaidSource("business", "train", "balance")
    candidates = []
    for number in range(200):
        said = source.draw()
        if said is not None:
            candidates += [Candidate(one.kinds_in_order, one.edge(), number) for one in related(said)]
    found: dict[object, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for one in balanced(candidates, random.Random(0)):
        found[one.seen][one.edge.labels] += 1
    assert len(found) > 2
    assert all(len(labels) > 1 and len(set(labels.values())) == 1 for labels in found.values())


def test_unknown_tasks_and_too_many_targets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="no generated edge task 'relation'; did you mean 'relations'"):
        load("relation")
    monkeypatch.setattr("encoder_atlas.text.edges.generated.DRAWS_A_TARGET", 0)
    with pytest.raises(DataError, match="'relations' has too few targets: 10 are asked for split 'train'"):
        load("relations", train=10)


def test_faults_in_the_judgments_are_named() -> None:
    judged = proto_roles().model_dump()
    one = {"verbs": ["buy"], "subject": ["volitoin"]}
    with pytest.raises(ValidationError, match="no property 'volitoin'; did you mean 'volition'"):
        ProtoRoles.model_validate(judged | {"classes": [one]})
    with pytest.raises(ValidationError, match="in two classes: buy"):
        ProtoRoles.model_validate(judged | {"classes": [{"verbs": ["buy"]}, {"verbs": ["buy"]}]})
    few = ProtoRoles.model_validate(judged | {"classes": [{"verbs": ["buy"]}]})
    with pytest.raises(DataError, match="no class for the verb 'hire' of the frame 'transitive'"):
        few.class_of(BUSINESS.verb("hire"))
    with pytest.raises(ValidationError, match="no relation 'Cause-Efect'; did you mean 'Cause-Effect'"):
        Relations.model_validate(relations().model_dump() | {"instruments": "Cause-Efect"})


@pytest.mark.parametrize("name", sorted(GENERATED))
def test_the_card_names_what_is_written(name: str) -> None:
    card = corpus_card(name)
    assert card.sizes == SIZES
    assert card.ways[0].use == {"source": "generated", "corpus": name}
    assert set(card.label_names) <= set(GENERATED[name].label_names())


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GENERATED))
def test_words_say_as_little_as_the_card_states(name: str) -> None:
    """Measured in a process of its own, where annotations are not checked at every call."""
    done = subprocess.run([sys.executable, "-c", MEASURE, name], capture_output=True, text=True, check=True)
    labels, measured = json.loads(done.stdout)
    card = corpus_card(name)
    assert tuple(labels) == card.label_names
    stated = {line.model: line.f1_percent for line in card.edge_baselines}
    # A target or two in five hundred tips with the number of threads of the solver.
    assert measured == pytest.approx(stated, abs=0.5)
    if name == "relations":  # a pair of kinds leaves two to four labels, equally often
        assert measured["words of the spans"] < 50
