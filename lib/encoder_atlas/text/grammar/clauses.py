"""Clauses, whole and inside other phrases, and what else can modify or complete one.

Phrases hold clauses and clauses hold phrases, so this module, ``predicates``, ``relatives`` and
``noun_phrases`` call each other.
"""

from encoder_atlas.text.grammar import noun_phrases, predicates, relatives
from encoder_atlas.text.grammar.draft import Draft
from encoder_atlas.text.grammar.meaning import PLAIN, Event, Form, Modifier, Participant, Quality, Time
from encoder_atlas.text.grammar.tree import Node
from encoder_atlas.text.grammar.verb_group import Mood


def modifier_phrase(modifier: Modifier, by_key: dict[int, Node], draft: Draft) -> Node:
    """A modifier; ``by_key`` are those of its clause, one of whom may be its subject."""
    what, rules = modifier.what, draft.rules
    if isinstance(what, str):
        node = rules.make("adverb", adverb=Node("RB", what))
        node.relation = "advmod"
    elif isinstance(what, Time):
        node = what.rule.rule.make(dict(what.fillers))
        node.relation = what.rule.relation
    elif isinstance(what, Participant):
        node = prepositional(modifier, draft)
        node.relation = "obl"
    else:
        node = _adverbial_clause(modifier, what, by_key, draft)
        node.relation = "advcl"
    return node


def _adverbial_clause(modifier: Modifier, event: Event, by_key: dict[int, Node], draft: Draft) -> Node:
    rules = draft.rules
    if modifier.by in ("to", "in order to"):
        clause = subjectless(event, "infinitive", by_key, draft)
        return clause if modifier.by == "to" else rules.make("purpose", clause=clause)
    if modifier.tag == "gerund":
        clause = subjectless(event, "gerund", by_key, draft)
        return rules.make("gerund", mark=Node("IN", modifier.by), clause=clause)
    clause = plain_clause(event, draft)
    if modifier.tag == "WRB":
        wh = rules.make("wh-adverb", wh=Node("WRB", modifier.by))
        wh.relation = "advmod"
        return rules.make("relative", wh=wh, clause=clause)
    return rules.make("sbar", mark=Node(modifier.tag, modifier.by), clause=clause)


def prepositional(modifier: Modifier, draft: Draft) -> Node:
    """A preposition with its phrase."""
    assert isinstance(modifier.what, Participant)
    np = noun_phrases.noun_phrase(modifier.what, draft)
    if modifier.by == "because of":
        return draft.rules.make("pp-because", np=np)
    return draft.rules.make("pp", prep=Node("IN", modifier.by), np=np)


def quality(one: Quality, draft: Draft) -> Node:
    """An adjective as predicate."""
    degree = Node("RB", one.degree) if one.degree else None
    adjective = Node("JJ", one.adjective)
    if one.what is not None:
        pp = prepositional(Modifier("", one.what, one.by), draft)
        return draft.rules.make("adjective-pp", degree=degree, adjective=adjective, pp=pp)
    if one.also:
        parts = {"left": adjective, "and": Node("CC", "and"), "right": Node("JJ", one.also)}
        return draft.rules.make("adjectives-joined", **parts)
    return draft.rules.make("adjective", degree=degree, adjective=adjective)


def inner_form(draft: Draft) -> Form:
    """How events inside the sentence are said."""
    return draft.form.inner or PLAIN


def whole_clause(writer: predicates.ClauseWriter, rule: str, *, extraposed: bool = False) -> Node:
    """Subject and predicate of a finite clause under a rule."""
    front = writer.front()
    subject = writer.subject(without_clause=extraposed)
    after_pronoun = subject is not None and len(subject.kids) == 1 and subject.main_word.label == "PRP"
    predicate = writer.predicate(after_pronoun=after_pronoun)
    vp = predicate.vp
    if writer.event.joined is not None and subject is not None:
        vp = _with_second(writer, vp, subject)
    late = [_extraposed(writer, subject)] if extraposed and subject is not None else []
    return writer.draft.rules.make(
        rule, front=front, subject=subject, before=predicate.before, vp=vp, late=late
    )


def _with_second(writer: predicates.ClauseWriter, vp: Node, subject: Node) -> Node:
    joined, draft = writer.event.joined, writer.draft
    assert joined is not None
    first = writer.event.get(writer.surface)
    position = next(
        name for name, one in joined.participants().items() if one.key == getattr(first, "key", None)
    )
    form = Form(passive=position != "subject")
    second = predicates.ClauseWriter(joined, form, draft, predicates.Gap(position, subject))
    second.by_key |= writer.by_key
    return draft.rules.make("vps-joined", left=vp, right=second.predicate().vp, **{"and": Node("CC", "and")})


def _extraposed(writer: predicates.ClauseWriter, subject: Node) -> Node:
    """The relative clause of the subject, at the end of the sentence."""
    one = writer.event.get(writer.surface)
    assert isinstance(one, Participant) and one.clause is not None
    clause = relatives.relative_clause(one, one.clause, subject, writer.draft)
    clause.relation = "acl:relcl"
    clause.governor = subject
    writer.roles.append((f"C-{writer.event.role(writer.surface)}", clause))
    return clause


def plain_clause(event: Event, draft: Draft) -> Node:
    """A finite clause inside another phrase."""
    return whole_clause(predicates.ClauseWriter(event, inner_form(draft), draft), "clause")


def subjectless(event: Event, mood: Mood, by_key: dict[int, Node], draft: Draft) -> Node:
    """An infinitive or a form in -ing, whose subject is one of those around it."""
    writer = predicates.ClauseWriter(event, PLAIN, draft)
    writer.controlled(by_key)
    return draft.rules.make("clause", vp=writer.predicate(mood).vp)


def complement_clause(event: Event, outer: predicates.ClauseWriter) -> Node:
    """The clause that a verb takes."""
    frame, asked, draft = outer.event.verb.frame, outer.asked, outer.draft
    if frame in ("wanting", "asking"):
        return subjectless(event, "infinitive", outer.by_key, draft)
    if asked is None:
        clause = plain_clause(event, draft)
    else:
        writer = predicates.ClauseWriter(event, PLAIN, draft, asked)
        asked.node.relation = writer.relation(asked.position)
        clause = whole_clause(writer, "clause")
        asked.node.governor = clause
    subject_asked = asked is not None and asked.position == "subject"
    with_that = (draft.form.that or frame == "being-clear") and not subject_asked
    mark = "whether" if frame == "wondering" else "that" if with_that else ""
    return draft.rules.make("sbar", mark=Node("IN", mark) if mark else None, clause=clause)


def content_clause(one: Participant, event: Event, draft: Draft) -> Node:
    """What a claim or an intention is: "the claim that sales rose", "the bank 's decision to sell"."""
    if one.kind == "intention":
        owner = {one.owner.key: draft.mentions[-1][1]} if one.owner is not None else {}
        return subjectless(event, "infinitive", owner, draft)
    return draft.rules.make("sbar", mark=Node("IN", "that"), clause=plain_clause(event, draft))
