"""Events of the business lexicon, built by hand."""

from dataclasses import replace

from encoder_atlas.text.derived.vocabulary import vocabulary_of
from encoder_atlas.text.grammar import Event, Participant, Quality, Verb
from encoder_atlas.text.grammar.lexicon import be
from encoder_atlas.text.grammar.rules import standard_rules

WORDS = vocabulary_of("business")
LEXICON = WORDS.lexicon
NAMES = {name.words: name for names in LEXICON.names.values() for name in names}


def org(key: int, *words: str) -> Participant:
    """A company by its name."""
    return Participant(key, "org", name=NAMES[words])


def the(key: int, word: str, *adjectives: str, article: str = "the") -> Participant:
    """Something by its noun."""
    noun = LEXICON.noun(word)
    return Participant(key, noun.kind, noun, article=article, adjectives=adjectives)


def event(subject: Participant, verb: str | Verb, thing: Participant, negated: bool = False) -> Event:
    """Someone did something to something."""
    verb = LEXICON.verb(verb, "transitive") if isinstance(verb, str) else verb
    return Event(verb, (("subject", subject), ("object", thing)), negated=negated)


def being(subject: Participant, adjective: str, negated: bool = False) -> Event:
    """Something is like something."""
    verb = be(standard_rules().frames["being"], "being")
    return Event(verb, (("subject", subject), ("predicate", Quality(adjective))), negated=negated)


def said(subject: Participant, word: str, frame: str, clause: Event, who: Participant | None = None) -> Event:
    """Someone admits, wants, refuses …; with ``who``, makes someone do something."""
    middle = (("object", who),) if who is not None else ()
    return Event(WORDS.taking_clause(word, frame), (("subject", subject), *middle, ("clause", clause)))


def both(one: Event, other: Event) -> Event:
    """Two statements in one."""
    return replace(one, beside=("and", other))
