"""Clauses that describe a noun: relative clauses and participles."""

from dataclasses import replace

from encoder_atlas.text.grammar import clauses, predicates
from encoder_atlas.text.grammar.draft import Draft
from encoder_atlas.text.grammar.meaning import Event, Form, Participant
from encoder_atlas.text.grammar.tree import Node


def with_relative(one: Participant, phrase: Node, draft: Draft) -> Node:
    """A noun phrase with its relative clause or participle."""
    event = one.clause
    assert event is not None
    position = gap_position(one, event)
    if draft.form.reduced and _can_be_reduced(event, position, draft):
        passive = position != "subject"
        agent = clauses.inner_form(draft).agent or not event.modifiers
        writer = predicates.ClauseWriter(
            event, Form(passive=passive, agent=agent), draft, predicates.Gap(position, phrase)
        )
        vp = writer.predicate("participle" if passive else "gerund").vp
        return draft.rules.make("noun-participle", np=phrase, vp=vp)
    return draft.rules.make("noun-relative", np=phrase, clause=relative_clause(one, event, phrase, draft))


def _can_be_reduced(event: Event, position: str, draft: Draft) -> bool:
    plain = not event.negated and not event.modal and event.aspect == "simple" and event.adverb is None
    promoted = draft.rules.frames[event.verb.frame].promoted
    return plain and event.verb.base != "be" and position in ("subject", promoted)


def gap_position(one: Participant, event: Event) -> str:
    """Which position of an event someone fills.

    Raises:
        ValueError: if there is none.
    """
    for position, other in event.participants().items():
        if other.key == one.key:
            return position
    raise ValueError(f"the event {event.verb.base!r} that describes participant {one.key} has no part for it")


def relative_clause(one: Participant, event: Event, phrase: Node, draft: Draft) -> Node:
    """A relative clause that describes the noun of ``phrase``."""
    position = gap_position(one, event)
    form = replace(clauses.inner_form(draft), fronted="")
    if position != predicates.voice_of(event, form, draft)[1]:
        form = replace(form, passive=False)
    if position == "oblique":
        form = replace(form, alternated=False)
    surface = predicates.voice_of(event, form, draft)[1]
    if position == "object" != surface and not draft.form.that:
        writer = predicates.ClauseWriter(event, form, draft, predicates.Gap(position, phrase))
        return draft.rules.make("relative-bare", clause=clauses.whole_clause(writer, "clause"))
    pronoun = relative_pronoun(one, position == surface, draft)
    writer = predicates.ClauseWriter(event, form, draft, predicates.Gap(position, phrase, pronoun))
    pronoun.relation = writer.relation(position)
    return draft.rules.make("relative", wh=pronoun, clause=clauses.whole_clause(writer, "clause"))


def relative_pronoun(one: Participant, subject: bool, draft: Draft) -> Node:
    """The pronoun of a relative clause: who for people, that or which for all else."""
    if one.kind == "person" and subject:
        return draft.rules.make("wh-word", wh=Node("WP", "who"))
    word = "that" if one.kind == "person" or one.key % 2 else "which"
    return draft.rules.make("wh-word", wh=Node("WDT", word))
