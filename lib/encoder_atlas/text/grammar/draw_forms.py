"""Forms drawn for an event: how it is to be said."""

import random

from encoder_atlas.text.grammar.meaning import Argument, Event, Form, Modifier, Participant
from encoder_atlas.text.grammar.rules import Rules

ASKED = 0.12
CAN_BE_FRONTED = ("ARGM-TMP", "ARGM-LOC", "ARGM-ADV", "ARGM-CAU", "ARGM-PRP")
CAN_BE_ASKED = ("ARGM-TMP", "ARGM-LOC", "ARGM-CAU", "ARGM-MNR", "ARGM-PRP")


def draw_form(event: Event, source: random.Random, rules: Rules) -> Form:
    """A form that fits the event."""

    def chance(probability: float) -> bool:
        return source.random() < probability

    frame = rules.frames[event.verb.frame]
    joined = event.joined is not None or event.beside is not None
    active_only = event.verb.stative or event.joined is not None or _concerns_its_own(event)
    active_only = active_only or any(map(_needs_agent, event.modifiers))
    described = event.participants().get("object")
    often = 0.6 if described is not None and described.clause is not None else 0.3
    passive = frame.promoted is not None and not active_only and chance(often)
    before_clause = event.get("clause") is not None and bool(event.modifiers)
    ask = "" if joined or before_clause or not chance(ASKED) else _question(event, source)
    fronted = _fronted(event, source) if before_clause or (not ask and chance(0.4)) else ""
    agent = chance(0.5) and not any(isinstance(modifier.what, str) for modifier in event.modifiers)
    return Form(
        passive=passive and not ask.startswith("clause") and ask != "subject",
        agent=agent,
        alternated=not _heavy(event.get("object")) and chance(0.4),
        ask=ask,
        which=bool(ask) and chance(0.55),
        fronted=fronted,
        cleft=_singled_out(event, source) if not ask and not joined and not passive and chance(0.04) else "",
        extraposed=not ask and not fronted and _can_be_extraposed(event, passive, agent) and chance(0.8),
        contracted=chance(0.5),
        that=chance(0.65),
        reduced=chance(0.4),
        inner=Form(passive=chance(0.3), agent=chance(0.4), contracted=chance(0.4), alternated=chance(0.4)),
    )


def _heavy(one: Argument | None) -> bool:
    """Whether a phrase is too long to stand before a short one."""
    parts = (one.attached, one.clause, one.content, one.other_name) if isinstance(one, Participant) else ()
    return any(part is not None for part in parts)


def _concerns_its_own(event: Event) -> bool:
    """Whether something of the subject's own takes part: "the bank sold its shop"."""
    participants = event.participants()
    subject = participants.get("subject")
    owners = [one.owner for one in participants.values() if one.owner is not None]
    return subject is not None and any(owner.key == subject.key for owner in owners)


def _needs_agent(modifier: Modifier) -> bool:
    """Whether its subject is that of the clause: "to buy the shop", "by selling it"."""
    return isinstance(modifier.what, Event) and (modifier.tag == "gerund" or modifier.role == "ARGM-PRP")


def _question(event: Event, source: random.Random) -> str:
    options = ["whether"]
    if event.verb.frame in ("existing", "being", "being-clear", "becoming"):
        return "whether"
    askable = [position for position, one in event.participants().items() if _can_be_asked(position, one)]
    options += askable + askable[2:]  # what stands behind a preposition twice
    options += [one.role for one in event.modifiers if one.role in CAN_BE_ASKED]
    clause = event.get("clause")
    if isinstance(clause, Event) and event.verb.frame in ("saying", "telling"):
        inner = [position for position, one in clause.participants().items() if _can_be_asked(position, one)]
        options += [f"clause.{position}" for position in inner] * 4
    return source.choice(options)


def _can_be_asked(position: str, one: Participant) -> bool:
    return position != "predicate" and not one.amount and not one.also and one.content is None


def _fronted(event: Event, source: random.Random) -> str:
    roles = [one.role for one in event.modifiers if one.role in CAN_BE_FRONTED]
    return source.choice(roles) if roles else ""


def _singled_out(event: Event, source: random.Random) -> str:
    if event.verb.frame not in ("transitive", "particle", "giving", "placing", "prepositional"):
        return ""
    positions = [
        position for position in ("subject", "object") if isinstance(event.get(position), Participant)
    ]
    one = event.get(source.choice(positions))
    if (
        not isinstance(one, Participant)
        or one.many
        or one.amount
        or not (one.name or one.article in ("the", "a"))
    ):
        return ""
    return next(position for position in positions if event.get(position) is one)


def _can_be_extraposed(event: Event, passive: bool, agent: bool) -> bool:
    """Whether a clause of the subject can stand last: nothing much may stand between them."""
    surface = event.get("object" if passive else "subject")
    short = event.verb.frame == "alone" or (
        passive and not agent and event.verb.frame in ("transitive", "particle")
    )
    short = short and not event.modifiers
    return short and isinstance(surface, Participant) and surface.clause is not None and not event.joined
