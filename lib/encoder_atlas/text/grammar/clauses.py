"""Clauses: a predicate with its arguments and modifiers, and clauses inside other phrases.

Phrases hold clauses and clauses hold phrases, so this module and ``noun_phrases`` call each other.
"""

from dataclasses import dataclass, replace

from encoder_atlas.text.grammar import noun_phrases
from encoder_atlas.text.grammar.draft import Draft
from encoder_atlas.text.grammar.meaning import (
    PLAIN,
    Argument,
    Event,
    Form,
    Modifier,
    Participant,
    Quality,
    Time,
)
from encoder_atlas.text.grammar.tree import Node
from encoder_atlas.text.grammar.verb_group import SHORT_AFTER_PRONOUN, SHORT_NOT, Mood, verb_words

PREPOSITION_OF = {"start": "from", "goal": "to"}


@dataclass
class Gap:
    """What is missing from a clause because it stands before it: a question word, or the noun of a relative clause.

    Attributes:
        position: in the frame of the clause's event.
        node: what has the position's role.
        pronoun: of a relative clause, if it is written: it has the role R-….
    """

    position: str
    node: Node
    pronoun: Node | None = None


@dataclass
class Predicate:
    """A verb phrase, and the first auxiliary where it stands apart."""

    vp: Node
    aux: Node | None = None
    negation: Node | None = None
    before: Node | None = None
    rest: tuple[Node, ...] = ()
    complement: Node | None = None
    clause: Node | None = None


def voice_of(event: Event, form: Form, draft: Draft) -> tuple[str, str]:
    """The shape of an event's verb phrase, and which position is its subject."""
    frame = draft.rules.frames[event.verb.frame]
    if form.passive and form.alternated and frame.passive_alternated is not None:
        return "passive_alternated", "oblique"
    if form.passive and frame.promoted is not None:
        return "passive", frame.promoted
    return ("alternated" if form.alternated and frame.alternated else "active"), "subject"


class ClauseWriter:
    """Writes the parts of one clause, from left to right, and gathers the roles of its verb."""

    def __init__(self, event: Event, form: Form, draft: Draft, gap: Gap | None = None) -> None:
        self.event = event
        self.form = form
        self.draft = draft
        self.gap = gap
        self.voice, self.surface = voice_of(event, form, draft)
        self.passive = self.voice.startswith("passive")
        self.roles: list[tuple[str, Node]] = []
        self.by_key: dict[int, Node] = {}
        self.said: set[int] = set()
        self.asked: Gap | None = None  # what is asked for of the clause that the verb takes
        if gap is not None:
            self._give_role(gap.position, gap.node)
            if gap.pronoun is not None:
                self.roles.append((f"R-{event.role(gap.position)}", gap.pronoun))

    def _give_role(self, position: str, node: Node) -> None:
        if position in self.event.verb.roles:
            self.roles.append((self.event.role(position), node))
        argument = self.event.get(position)
        if isinstance(argument, Participant):
            self.by_key[argument.key] = node

    @property
    def many(self) -> bool:
        """Whether the subject takes a plural verb; "who" and "what" do not."""
        if (
            self.gap is not None
            and self.gap.position == self.surface
            and self.gap.node.main_word.label == "WP"
        ):
            return False
        subject = self.event.get("object" if self.event.verb.frame == "existing" else self.surface)
        return isinstance(subject, Participant) and subject.many

    def subject(self, *, without_clause: bool = False) -> Node | None:
        """The subject, or None if it is missing from this clause."""
        frame = self.event.verb.frame
        if frame in ("existing", "being-clear"):
            node = self.draft.rules.make("there" if frame == "existing" else "it")
            node.relation = "expl"
            return node
        if self.gap is not None and self.gap.position == self.surface:
            return None
        one = self.event.get(self.surface)
        assert isinstance(one, Participant)
        node = noun_phrases.noun_phrase(one, self.draft, noun_phrases.SUBJECT, without_clause=without_clause)
        node.relation = "nsubj:pass" if self.passive else "nsubj"
        self.draft.discourse.about(one)
        self._give_role(self.surface, node)
        return node

    def controlled(self, by_key: dict[int, Node]) -> None:
        """The subject is not written: it is one of those around this clause."""
        one = self.event.get(self.surface)
        if isinstance(one, Participant) and one.key in by_key:
            self._give_role(self.surface, by_key[one.key])

    def front(self) -> list[Node]:
        """What stands before the subject: a connective, and the modifier that the form puts there."""
        front: list[Node] = []
        if self.event.connective:
            word = self.draft.rules.make("adverb", adverb=Node("RB", self.event.connective))
            word.relation = "advmod"
            self.roles.append(("ARGM-DIS", word))
            front += [word, Node(",", ",", "punct")]
        for modifier in self.event.modifiers:
            if modifier.role == self.form.fronted:
                front += [self.modifier(modifier), Node(",", ",", "punct")]
                self.said.add(id(modifier))
        return front

    def predicate(
        self, mood: Mood = "finite", *, inverted: bool = False, after_pronoun: bool = False
    ) -> Predicate:
        """The verb phrase, with all that follows the verb."""
        event, negated = self.event, self.event.negated
        words = verb_words(
            event,
            passive=self.passive,
            many=self.many,
            mood=mood,
            needs_aux=mood == "finite" and (negated or inverted),
        )
        nodes = [Node(word.tag, word.word, word.relation) for word in words]
        main = nodes.pop()
        first = nodes[0] if nodes else main
        if words[0].tag == "MD":
            self.roles.append(("ARGM-MOD", first))
        negation = self._negation(first, mood, inverted) if negated else None
        if not negated and after_pronoun and self.form.contracted and (nodes or event.verb.base == "be"):
            first.word = SHORT_AFTER_PRONOUN.get(str(first.word), first.word)
        return self._assemble(main, nodes, negation, mood, inverted)

    def _negation(self, first: Node, mood: Mood, inverted: bool) -> Node:
        word = str(first.word)
        contracted = self.form.contracted or inverted
        short = mood == "finite" and contracted and word in self.draft.words.contractions
        if short:
            first.word = SHORT_NOT.get(word, word)
        node = Node("RB", "n't" if short else "not", "advmod")
        self.roles.append(("ARGM-NEG", node))
        return node

    def _assemble(
        self, main: Node, auxiliaries: list[Node], negation: Node | None, mood: Mood, inverted: bool
    ) -> Predicate:
        copula = self.event.verb.base == "be"
        inner_not = negation if copula and not auxiliaries and mood == "finite" else None
        adverb = self._adverb()
        found = Predicate(main)
        if inverted and copula and not auxiliaries:
            self._inverted_be(found)
            found.aux, found.negation, found.before = main, negation, adverb
            self._remember(main)
            return found
        fillers: dict[str, Node | list[Node] | None] = {"verb": main, "not": inner_not}
        if copula and not auxiliaries and mood == "finite":
            fillers["adverb"], adverb = adverb, None
        vp = self._phrase(fillers)
        self._remember(main)
        outer = auxiliaries[1:] if inverted else auxiliaries
        for aux in reversed(outer):
            last = aux is auxiliaries[0]
            vp = self.draft.rules.make(
                "auxiliary",
                aux=aux,
                vp=vp,
                adverb=adverb if last else None,
                **{"not": negation if last and mood == "finite" else None},
            )
            if last:
                adverb = None
        if inverted:
            found.aux = auxiliaries[0]
            if negation is not None and negation.word == "not":
                vp = self.draft.rules.make("not-first", vp=vp, **{"not": negation})
            else:
                found.negation = negation
        if adverb is not None:
            if inverted or mood != "finite":
                vp = self.draft.rules.make("adverb-first", adverb=adverb, vp=vp)
            else:
                found.before = adverb
        if mood == "infinitive":
            vp = self.draft.rules.make("infinitive", vp=vp, **{"not": negation})
        elif mood == "gerund" and negation is not None:
            vp = self.draft.rules.make("not-first", vp=vp, **{"not": negation})
        found.vp = vp
        return found

    def _adverb(self) -> Node | None:
        if self.event.adverb is None:
            return None
        word, role = self.event.adverb
        node = self.draft.rules.make("adverb", adverb=Node("RB", word))
        self.roles.append((role, node))
        return node

    def _inverted_be(self, found: Predicate) -> None:
        found.complement = self._position(
            "predicate" if self.event.verb.frame != "existing" else "object", ""
        )
        found.rest = tuple(self._rest())
        if self.event.get("clause") is not None:
            found.clause = self._position("clause", "csubj")

    def _remember(self, main: Node) -> None:
        self.draft.frames.append((main, self.event.verb.roleset, self.roles))

    def _phrase(self, fillers: dict[str, Node | list[Node] | None]) -> Node:
        """The verb phrase of the frame, its slots filled from left to right."""
        rule = self.draft.rules.by_name[f"{self.event.verb.frame}.{self.voice}"]
        for slot, relation in rule.slots.items():
            if slot == "rest":
                fillers["rest"] = self._rest()
            elif slot == "particle":
                particle = Node("RP", self.event.verb.particle)
                fillers["particle"] = self.draft.rules.make("particle", particle=particle)
            elif slot == "agent":
                fillers["agent"] = self._agent()
            elif slot not in fillers and slot not in ("verb", "not", "adverb"):
                fillers[slot] = self._position(slot, relation)
        return rule.make(fillers)

    def _agent(self) -> Node | None:
        one = self.event.get("subject")
        if not self.form.agent or not isinstance(one, Participant):
            return None
        if self.gap is not None and self.gap.position == "subject":
            return self._stranded("by")
        np = noun_phrases.noun_phrase(one, self.draft)
        node = self.draft.rules.make("pp", prep=Node("IN", "by"), np=np)
        self.roles.append((self.event.role("subject"), node))
        self.by_key[one.key] = np
        return node

    def _stranded(self, preposition: str) -> Node:
        assert self.gap is not None
        node = self.draft.rules.make("stranded", prep=Node("IN", preposition))
        node.governor, node.relation = self.gap.pronoun or self.gap.node, "case"
        return node

    def _position(self, position: str, relation: str) -> Node | None:
        argument = self.event.get(position)
        if argument is None:
            return None
        prepositional = relation == "obl"
        preposition = PREPOSITION_OF.get(position, self.event.verb.prep)
        if self.gap is not None and self.gap.position == position:
            return self._stranded(preposition) if prepositional else None
        node = self._argument(argument, preposition if prepositional else "")
        self._give_role(position, node)
        return node

    def _argument(self, argument: Argument, preposition: str) -> Node:
        draft = self.draft
        if isinstance(argument, Event):
            return complement_clause(argument, self, draft)
        if isinstance(argument, Quality):
            return quality(argument, draft)
        if isinstance(argument, Modifier):
            return prepositional(argument, draft)
        np = noun_phrases.noun_phrase(argument, draft)
        if not preposition:
            return np
        return draft.rules.make("pp", prep=Node("IN", preposition), np=np)

    def _rest(self) -> list[Node]:
        return [self.modifier(one) for one in self.event.modifiers if id(one) not in self.said]

    def modifier(self, modifier: Modifier) -> Node:
        """A modifier of this clause, its role noted."""
        node = _modifier(modifier, self.by_key, self.draft)
        self.roles.append((modifier.role, node))
        return node


def _modifier(modifier: Modifier, by_key: dict[int, Node], draft: Draft) -> Node:
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


def whole_clause(writer: ClauseWriter, rule: str, *, extraposed: bool = False) -> Node:
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


def _with_second(writer: ClauseWriter, vp: Node, subject: Node) -> Node:
    joined, draft = writer.event.joined, writer.draft
    assert joined is not None
    first = writer.event.get(writer.surface)
    position = next(
        name for name, one in joined.participants().items() if one.key == getattr(first, "key", None)
    )
    form = Form(passive=position != "subject")
    second = ClauseWriter(joined, form, draft, Gap(position, subject))
    second.by_key |= writer.by_key
    return draft.rules.make("vps-joined", left=vp, right=second.predicate().vp, **{"and": Node("CC", "and")})


def _extraposed(writer: ClauseWriter, subject: Node) -> Node:
    """The relative clause of the subject, at the end of the sentence."""
    one = writer.event.get(writer.surface)
    assert isinstance(one, Participant) and one.clause is not None
    clause = relative_clause(one, one.clause, subject, writer.draft)
    clause.relation = "acl:relcl"
    clause.governor = subject
    writer.roles.append((f"C-{writer.event.role(writer.surface)}", clause))
    return clause


def plain_clause(event: Event, draft: Draft) -> Node:
    """A finite clause inside another phrase."""
    return whole_clause(ClauseWriter(event, inner_form(draft), draft), "clause")


def subjectless(event: Event, mood: Mood, by_key: dict[int, Node], draft: Draft) -> Node:
    """An infinitive or a form in -ing, whose subject is one of those around it."""
    writer = ClauseWriter(event, PLAIN, draft)
    writer.controlled(by_key)
    return draft.rules.make("clause", vp=writer.predicate(mood).vp)


def complement_clause(event: Event, outer: ClauseWriter, draft: Draft) -> Node:
    """The clause that a verb takes."""
    frame, asked = outer.event.verb.frame, outer.asked
    if frame in ("wanting", "asking"):
        return subjectless(event, "infinitive", outer.by_key, draft)
    if asked is None:
        clause = plain_clause(event, draft)
    else:
        writer = ClauseWriter(event, PLAIN, draft, asked)
        asked.node.relation = _relation_of_gap(asked.position, writer.surface, writer.voice)
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


def with_relative(one: Participant, phrase: Node, draft: Draft) -> Node:
    """A noun phrase with its relative clause or participle."""
    event = one.clause
    assert event is not None
    position = gap_position(one, event)
    if draft.form.reduced and _can_be_reduced(event, position, draft):
        passive = position != "subject"
        agent = inner_form(draft).agent or not event.modifiers
        writer = ClauseWriter(event, Form(passive=passive, agent=agent), draft, Gap(position, phrase))
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
    form = replace(inner_form(draft), fronted="")
    voice, surface = voice_of(event, form, draft)
    if position != surface:
        form = replace(form, passive=False)
        voice, surface = voice_of(event, form, draft)
    if position == surface or draft.form.that or position == "oblique":
        pronoun = relative_pronoun(one, position == surface, draft)
        pronoun.relation = _relation_of_gap(position, surface, voice)
        writer = ClauseWriter(event, form, draft, Gap(position, phrase, pronoun))
        clause = whole_clause(writer, "clause")
        return draft.rules.make("relative", wh=pronoun, clause=clause)
    writer = ClauseWriter(event, form, draft, Gap(position, phrase))
    return draft.rules.make("relative-bare", clause=whole_clause(writer, "clause"))


def relative_pronoun(one: Participant, subject: bool, draft: Draft) -> Node:
    """The pronoun of a relative clause: who for people, that or which for all else."""
    if one.kind == "person" and subject:
        return draft.rules.make("wh-word", wh=Node("WP", "who"))
    word = "that" if one.kind == "person" or one.key % 2 else "which"
    return draft.rules.make("wh-word", wh=Node("WDT", word))


def _relation_of_gap(position: str, surface: str, voice: str) -> str:
    if position == surface:
        return "nsubj:pass" if voice.startswith("passive") else "nsubj"
    return {"object": "obj", "oblique": "obl"}.get(position, "obl")
