"""One clause being written: its subject, its verb phrase, and the roles of its verb."""

from dataclasses import dataclass

from encoder_atlas.text.grammar import clauses, noun_phrases
from encoder_atlas.text.grammar.draft import Draft
from encoder_atlas.text.grammar.meaning import Argument, Event, Form, Modifier, Participant, Quality
from encoder_atlas.text.grammar.rules import Filler, Rule
from encoder_atlas.text.grammar.tree import Node
from encoder_atlas.text.grammar.verb_group import SHORT_AFTER_PRONOUN, SHORT_NOT, Mood, verb_words

PREPOSITION_OF = {"start": "from", "goal": "to"}


@dataclass
class Gap:
    """What is missing from a clause because it stands before it: a question word, or a described noun.

    Attributes:
        position: in the frame of the clause's event.
        node: what has the position's role.
        pronoun: of a relative clause, if it is written: it has the role R-….
    """

    position: str
    node: Node
    pronoun: Node | None = None


@dataclass
class VerbGroup:
    """The words of a verb group as nodes, those that stand apart from it left out once they are placed."""

    main: Node
    auxiliaries: list[Node]
    negation: Node | None
    adverb: Node | None


@dataclass
class Predicate:
    """A verb phrase, and what stands apart from it.

    Attributes:
        vp: the verb phrase; of an inverted "be" just that word.
        before: an adverb between subject and verb phrase.
        aux, negation: of an inverted clause, the auxiliary before the subject, and "n't" after it.
        complement, rest, clause: of an inverted "be", what follows the subject.
    """

    vp: Node
    before: Node | None = None
    aux: Node | None = None
    negation: Node | None = None
    complement: Node | None = None
    rest: tuple[Node, ...] = ()
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
    """Writes the parts of one clause, from left to right, and gathers the roles of its verb.

    Attributes:
        voice: the shape of the verb phrase ("active", …); ``surface`` is the position that is its subject.
        roles: what was written so far, with its roles.
        by_key: what was written so far, by who it is.
        asked: what a question asks for of the clause that the verb takes.
    """

    def __init__(self, event: Event, form: Form, draft: Draft, gap: Gap | None = None) -> None:
        self.event = event
        self.form = form
        self.draft = draft
        self.gap = gap
        self.voice, self.surface = voice_of(event, form, draft)
        self.passive = self.voice.startswith("passive")
        self.roles: list[tuple[str, Node]] = []
        self.by_key: dict[int, Node] = {}
        self.asked: Gap | None = None
        self._fronted: list[Modifier] = []
        if gap is not None:
            self._give_role(gap.position, gap.node)
            if gap.pronoun is not None:
                self.roles.append((f"R-{event.role(gap.position)}", gap.pronoun))

    def relation(self, position: str) -> str:
        """The relation of what stands in a position."""
        if position == self.surface:
            return "nsubj:pass" if self.passive else "nsubj"
        if position == "subject":
            return "obl:agent"
        return self._shape.slots[position]

    @property
    def _shape(self) -> Rule:
        return self.draft.rules.by_name[f"{self.event.verb.frame}.{self.voice}"]

    def _missing(self, position: str) -> bool:
        return self.gap is not None and self.gap.position == position

    def _give_role(self, position: str, node: Node) -> None:
        self.roles.append((self.event.role(position), node))
        argument = self.event.get(position)
        if isinstance(argument, Participant):
            self.by_key[argument.key] = node

    def _many(self) -> bool:
        """Whether the subject takes a plural verb; "who" and "what" do not."""
        if self.gap is not None and self._missing(self.surface) and self.gap.node.main_word.label == "WP":
            return False
        subject = self.event.get("object" if self.event.verb.frame == "existing" else self.surface)
        return isinstance(subject, Participant) and subject.many

    def front(self) -> list[Node]:
        """What stands before the subject: a connective, and the modifier that the form puts there."""
        front: list[Node] = []
        if self.event.connective:
            word = self.draft.rules.make("adverb", adverb=Node("RB", self.event.connective))
            word.relation = "advmod"
            self.roles.append(("ARGM-DIS", word))
            front += [word, Node(",", ",", "punct")]
        for modifier in self.event.modifiers:
            if modifier.role == self.form.fronted and not self._fronted:
                front += [self._modifier(modifier), Node(",", ",", "punct")]
                self._fronted.append(modifier)
        return front

    def subject(self, *, without_clause: bool = False) -> Node | None:
        """The subject, or None if it is missing from this clause."""
        frame = self.event.verb.frame
        if frame in ("existing", "being-clear"):
            node = self.draft.rules.make("there" if frame == "existing" else "it")
            node.relation = "expl"
            return node
        one = self.event.get(self.surface)
        assert isinstance(one, Participant)
        if self._missing(self.surface):
            self.draft.discourse.subject = one.key
            return None
        node = noun_phrases.noun_phrase(one, self.draft, noun_phrases.SUBJECT, without_clause=without_clause)
        node.relation = self.relation(self.surface)
        self.draft.discourse.about(one)
        self._give_role(self.surface, node)
        return node

    def controlled(self, by_key: dict[int, Node]) -> None:
        """The subject is not written: it is one of those around this clause."""
        one = self.event.get(self.surface)
        if isinstance(one, Participant) and one.key in by_key:
            self._give_role(self.surface, by_key[one.key])
            self.draft.discourse.subject = one.key

    def predicate(
        self, mood: Mood = "finite", *, inverted: bool = False, after_pronoun: bool = False
    ) -> Predicate:
        """The verb phrase, with all that follows the verb."""
        group = self._verb_group(mood, inverted, after_pronoun)
        simple_be = self.event.verb.base == "be" and not group.auxiliaries and mood == "finite"
        if simple_be and inverted:
            return self._inverted_be(group)
        fillers: dict[str, Filler] = {"verb": group.main}
        if simple_be:  # "is not", "is often": everything else has an auxiliary to hold on to
            fillers |= {"not": group.negation, "adverb": group.adverb}
            group.negation = group.adverb = None
        found = Predicate(self._phrase(fillers))
        self._remember(group.main)
        if mood != "finite":
            self._without_tense(found, group, mood)
        elif inverted:
            self._inverted(found, group)
        else:
            self._with_auxiliaries(found, group.auxiliaries, group)
            found.before = group.adverb
        return found

    def _verb_group(self, mood: Mood, inverted: bool, after_pronoun: bool) -> VerbGroup:
        event = self.event
        words = verb_words(
            event,
            passive=self.passive,
            many=self._many(),
            mood=mood,
            needs_aux=mood == "finite" and (event.negated or inverted),
        )
        *auxiliaries, main = [Node(word.tag, word.word, word.relation) for word in words]
        first = auxiliaries[0] if auxiliaries else main
        if first.label == "MD":
            self.roles.append(("ARGM-MOD", first))
        if event.negated:
            can_be_short = mood == "finite" and (self.form.contracted or inverted)
            return VerbGroup(main, auxiliaries, self._negation(first, can_be_short), self._adverb())
        if after_pronoun and self.form.contracted and (auxiliaries or event.verb.base == "be"):
            first.word = SHORT_AFTER_PRONOUN.get(str(first.word), first.word)
        return VerbGroup(main, auxiliaries, None, self._adverb())

    def _negation(self, first: Node, can_be_short: bool) -> Node:
        word = str(first.word)
        short = can_be_short and word in self.draft.words.contractions
        if short:
            first.word = SHORT_NOT.get(word, word)
        node = Node("RB", "n't" if short else "not", "advmod")
        self.roles.append(("ARGM-NEG", node))
        return node

    def _adverb(self) -> Node | None:
        if self.event.adverb is None:
            return None
        word, role = self.event.adverb
        node = self.draft.rules.make("adverb", adverb=Node("RB", word))
        self.roles.append((role, node))
        return node

    def _with_auxiliaries(self, found: Predicate, auxiliaries: list[Node], group: VerbGroup) -> None:
        """Put auxiliaries before the verb phrase; "not" and an adverb follow the first."""
        for aux in reversed(auxiliaries):
            fillers: dict[str, Filler] = {"aux": aux, "vp": found.vp}
            if aux is auxiliaries[0]:
                fillers |= {"not": group.negation, "adverb": group.adverb}
                group.negation = group.adverb = None
            found.vp = self.draft.rules.by_name["auxiliary"].make(fillers)

    def _inverted(self, found: Predicate, group: VerbGroup) -> None:
        """The first auxiliary stands before the subject, "n't" too, "not" and an adverb after it."""
        found.aux, *others = group.auxiliaries
        if group.negation is not None and group.negation.word == "n't":
            found.negation, group.negation = group.negation, None
        self._with_auxiliaries(found, others, VerbGroup(group.main, others, None, None))
        self._put_first(found, group)

    def _without_tense(self, found: Predicate, group: VerbGroup, mood: Mood) -> None:
        self._with_auxiliaries(found, group.auxiliaries, VerbGroup(group.main, [], None, None))
        if mood == "infinitive":
            negation, group.negation = group.negation, None
            self._put_first(found, group)
            found.vp = self.draft.rules.make("infinitive", vp=found.vp, **{"not": negation})
        else:
            self._put_first(found, group)

    def _put_first(self, found: Predicate, group: VerbGroup) -> None:
        if group.adverb is not None:
            found.vp = self.draft.rules.make("adverb-first", adverb=group.adverb, vp=found.vp)
        if group.negation is not None:
            found.vp = self.draft.rules.make("not-first", vp=found.vp, **{"not": group.negation})

    def _inverted_be(self, group: VerbGroup) -> Predicate:
        found = Predicate(group.main, group.adverb, group.main, group.negation)
        found.complement = self._position("predicate" if self.event.verb.frame != "existing" else "object")
        found.rest = tuple(self._rest())
        if self.event.get("clause") is not None:
            found.clause = self._position("clause")
        self._remember(group.main)
        return found

    def _remember(self, main: Node) -> None:
        self.draft.frames.append((main, self.event.verb.roleset, self.roles))
        self.draft.said.append((self.event, main, self.by_key))

    def _phrase(self, fillers: dict[str, Filler]) -> Node:
        """The verb phrase of the frame, its slots filled from left to right."""
        self._keep_pronoun_near()
        shape = self._shape
        for slot in shape.slots:
            if slot == "rest":
                fillers["rest"] = self._rest()
            elif slot == "particle":
                particle = Node("RP", self.event.verb.particle)
                fillers["particle"] = self.draft.rules.make("particle", particle=particle)
            elif slot == "agent":
                fillers["agent"] = self._agent()
            elif slot in self.event.verb.roles:
                fillers[slot] = self._position(slot)
        return shape.make(fillers)

    def _keep_pronoun_near(self) -> None:
        """An object that is a pronoun follows the verb: "set it up", "gave it to the bank"."""
        one = self.event.get("object")
        near = {"particle.active": "alternated", "giving.alternated": "active"}
        other = near.get(f"{self.event.verb.frame}.{self.voice}")
        if other and isinstance(one, Participant) and self.draft.discourse.style(one) == "pronoun":
            self.voice = other

    def _agent(self) -> Node | None:
        one = self.event.get("subject")
        if not self.form.agent or not isinstance(one, Participant):
            return None
        if self._missing("subject"):
            return self._stranded("by")
        np = noun_phrases.noun_phrase(one, self.draft)
        node = self.draft.rules.make("pp", prep=Node("IN", "by"), np=np)
        self._give_role("subject", node)
        return node

    def _stranded(self, preposition: str) -> Node:
        """A preposition whose phrase stands before the clause."""
        assert self.gap is not None
        node = self.draft.rules.make("stranded", prep=Node("IN", preposition))
        node.governor, node.relation = self.gap.pronoun or self.gap.node, "case"
        return node

    def _position(self, position: str) -> Node | None:
        argument = self.event.get(position)
        if argument is None:
            return None
        with_preposition = self._shape.slots[position] == "obl"
        preposition = PREPOSITION_OF.get(position, self.event.verb.prep) if with_preposition else ""
        if self._missing(position):
            return self._stranded(preposition) if preposition else None
        node = self._argument(argument, preposition)
        self._give_role(position, node)
        return node

    def _argument(self, argument: Argument, preposition: str) -> Node:
        if isinstance(argument, Event):
            return clauses.complement_clause(argument, self)
        if isinstance(argument, Quality):
            return clauses.quality(argument, self.draft)
        if isinstance(argument, Modifier):
            return clauses.prepositional(argument, self.draft)
        np = noun_phrases.noun_phrase(argument, self.draft)
        return self.draft.rules.make("pp", prep=Node("IN", preposition), np=np) if preposition else np

    def _rest(self) -> list[Node]:
        return [self._modifier(one) for one in self.event.modifiers if one not in self._fronted]

    def _modifier(self, modifier: Modifier) -> Node:
        node = clauses.modifier_phrase(modifier, self.by_key, self.draft)
        self.roles.append((modifier.role, node))
        return node
