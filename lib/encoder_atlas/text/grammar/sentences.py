"""An event written as a sentence: a statement, a question, or a cleft."""

from dataclasses import replace

from encoder_atlas.text.grammar import noun_phrases
from encoder_atlas.text.grammar.clauses import inner_form, whole_clause
from encoder_atlas.text.grammar.draft import Draft, told_apart
from encoder_atlas.text.grammar.forms import detokenise
from encoder_atlas.text.grammar.lexicon import be
from encoder_atlas.text.grammar.meaning import PLAIN, Event, Form, Participant
from encoder_atlas.text.grammar.predicates import ClauseWriter, Gap
from encoder_atlas.text.grammar.tree import Node, without_double_stops
from encoder_atlas.text.grammar.verb_group import form_of_be
from encoder_atlas.text.layers import Sentence

QUESTION_WORD = {
    "ARGM-TMP": "when",
    "ARGM-LOC": "where",
    "ARGM-MNR": "how",
    "ARGM-CAU": "why",
    "ARGM-PRP": "why",
}


def write(event: Event, form: Form = PLAIN, *, name: str = "") -> Sentence:
    """An event as a sentence with all its layers; the same event and form give the same sentence.

    Args:
        event: what happens; its participants are described in full, and by pronoun where they come again.
        form: how it is said. What an event has no room for (a passive of "sleep") is said plainly.
        name: the id of the sentence.

    Raises:
        ValueError: if the form asks for a position that the event does not have.
    """
    draft = Draft(form)
    return told_apart([draft.finished(derivation(event, draft), name)])[0]


def describe(one: Participant) -> str:
    """A participant in words: "the new manager", "Maria Keller", "$3 million"."""
    draft = Draft(PLAIN)
    root = draft.rules.make("text", clause=noun_phrases.noun_phrase(one, draft))
    return detokenise([str(word.word) for word in root.words()])


def derivation(event: Event, draft: Draft) -> Node:
    """The tree of the sentence, its layers gathered in ``draft``."""
    form = draft.form
    if form.ask == "whether":
        clause = _whether(event, draft)
    elif form.ask:
        clause = _wh_question(event, draft)
    elif form.cleft:
        clause = _cleft(event, draft)
    elif event.beside is not None:
        word, other = event.beside
        left = whole_clause(ClauseWriter(event, form, draft), "clause")
        right = whole_clause(ClauseWriter(other, inner_form(draft), draft), "clause")
        clause = draft.rules.make("clauses-joined", left=left, right=right, **{"and": Node("CC", word)})
    else:
        writer = ClauseWriter(event, form, draft)
        clause = whole_clause(writer, "statement", extraposed=form.extraposed)
    return without_double_stops(draft.rules.make("text", clause=clause))


def _whether(event: Event, draft: Draft) -> Node:
    writer = ClauseWriter(event, draft.form, draft)
    front = writer.front()
    return _inverted(writer, "question", front)


def _inverted(writer: ClauseWriter, rule: str, front: list[Node]) -> Node:
    """A clause whose auxiliary stands before its subject."""
    make, subject = writer.draft.rules.make, writer.subject()
    found = writer.predicate(inverted=True)
    common = {"aux": found.aux, "not": found.negation, "subject": subject, "front": front}
    if found.vp is not found.aux:
        return make(rule, vp=found.vp, **common)
    found.vp.relation = "cop"
    if writer.event.verb.frame == "existing":
        return make("question-there", object=found.complement, rest=list(found.rest), **common)
    return make(
        f"{rule}-be",
        adverb=found.before,
        predicate=found.complement,
        rest=list(found.rest),
        clause=found.clause,
        **common,
    )


def _wh_question(event: Event, draft: Draft) -> Node:
    form = draft.form
    outer, _, position = form.ask.rpartition(".")
    if outer:
        return _long_question(event, position, draft)
    if position in QUESTION_WORD:
        wh = draft.rules.make("wh-adverb", wh=Node("WRB", QUESTION_WORD[position]))
        wh.relation = "advmod"
        rest = tuple(modifier for modifier in event.modifiers if modifier.role != position)
        writer = ClauseWriter(replace(event, modifiers=rest), form, draft)
        writer.roles.append((position, wh))
        return draft.rules.make("question-wh", wh=wh, clause=_inverted(writer, "inverted", []))
    wh = _question_phrase(event, position, draft)
    plain = (
        replace(form, alternated=False) if position == "oblique" else form
    )  # not "who did she give a plan?"
    writer = ClauseWriter(event, plain, draft, Gap(position, wh))
    wh.relation = writer.relation(position)
    if position == writer.surface:
        clause = whole_clause(writer, "not-inverted")
    else:
        clause = _inverted(writer, "inverted", [])
    return draft.rules.make("question-wh", wh=wh, clause=clause)


def _question_phrase(event: Event, position: str, draft: Draft) -> Node:
    """The words that ask for a participant: "who", "what", "which bank", "how many banks"."""
    one = event.get(position)
    if not isinstance(one, Participant) or position == "predicate":
        raise ValueError(f"{event.verb.base!r} has no participant {position!r} to ask for")
    make = draft.rules.make
    if draft.form.which and one.noun is not None:
        noun = Node("NNS", one.noun.plural) if one.plural else Node("NN", one.noun.word)
        if one.plural and one.count:
            return make("wh-many", noun=noun)
        return make("wh-noun", wh=Node("WDT", "which"), noun=noun)
    return make("wh-word", wh=Node("WP", "who" if one.kind in ("person", "org") else "what"))


def _long_question(event: Event, position: str, draft: Draft) -> Node:
    """A question for a part of the clause that the verb takes: "what did the bank say that he sold?"."""
    inner = event.get("clause")
    if not isinstance(inner, Event):
        raise ValueError(f"{event.verb.base!r} takes no clause to ask about")
    wh = _question_phrase(inner, position, draft)
    writer = ClauseWriter(event, replace(draft.form, passive=False), draft)
    writer.asked = Gap(position, wh)
    clause = _inverted(writer, "inverted", [])
    return draft.rules.make("question-wh", wh=wh, clause=clause)


def _cleft(event: Event, draft: Draft) -> Node:
    """ "It was the bank that sold the plant." """
    position = draft.form.cleft
    one = event.get(position)
    if not isinstance(one, Participant):
        raise ValueError(f"{event.verb.base!r} has no participant {position!r} to single out")
    make, verb = draft.rules.make, be(draft.rules.frames["being"], "being")
    tag = "VBD" if event.tense == "past" else "VBZ"
    copula, it = Node(tag, form_of_be(tag, False)), make("it")
    it.relation = "expl"
    predicate = noun_phrases.noun_phrase(one, draft, stressed=True)
    pronoun = make("wh-word", wh=Node("WDT", "that"))
    writer = ClauseWriter(event, replace(draft.form, fronted=""), draft, Gap(position, predicate, pronoun))
    pronoun.relation = writer.relation(position)
    draft.frames.append((copula, verb.roleset, [("ARG1", it), ("ARG2", predicate)]))
    clause = make("relative", wh=pronoun, clause=whole_clause(writer, "clause"))
    return make("statement", subject=it, vp=make("cleft", verb=copula, predicate=predicate, clause=clause))
