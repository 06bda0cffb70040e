"""Events of the business domain, small enough to be read at a glance."""

from dataclasses import replace

from encoder_atlas.text.grammar import Event, Name, Participant, Quality, Verb, lexicon_of
from encoder_atlas.text.grammar.lexicon import be
from encoder_atlas.text.grammar.meaning import Time
from encoder_atlas.text.grammar.rules import standard_rules
from encoder_atlas.text.grammar.words import standard_words

BUSINESS = lexicon_of("business")


def some(key: int, kind: str, noun: str, article: str = "a", pronoun: str = "it") -> Participant:
    """Someone or something with an article."""
    return Participant(key, kind, BUSINESS.noun(noun), article=article, pronoun=pronoun)


def named(key: int, kind: str, name: str) -> Participant:
    """Someone with a name."""
    found: Name = next(one for one in BUSINESS.names[kind] if " ".join(one.words) == name)
    return Participant(key, kind, name=found, pronoun=found.gender)


def is_(frame: str) -> Verb:
    """The verb "be" in a frame."""
    return be(standard_rules().frames[frame], frame)


def in_year(year: str) -> Time:
    """The time "in 1998"."""
    rules = standard_words().time_rules["past"]
    return Time(next(rule for rule in rules if list(rule.rule.slots) == ["year"]), (("year", year),))


MANAGER = some(1, "person", "manager", "the", "she")
CLERK = some(2, "person", "clerk", "a", "he")
BANK = some(3, "org", "bank", "the")
SHOP = some(4, "site", "shop")
REPORT = some(5, "doc", "report")
DELAY = some(6, "problem", "delay")
KELLER = named(7, "person", "Maria Keller")
CASTELL = named(8, "org", "Castell Bank")

BUY = Event(BUSINESS.verb("buy"), (("subject", BANK), ("object", SHOP)))
GIVE = Event(BUSINESS.verb("give"), (("subject", MANAGER), ("object", REPORT), ("oblique", BANK)))
SET_UP = Event(BUSINESS.verb("set", "particle"), (("subject", BANK), ("object", SHOP)))
VISIT = Event(BUSINESS.verb("visit"), (("subject", MANAGER), ("object", SHOP.bare)))
SAY = Event(BUSINESS.verb("say"), (("subject", MANAGER), ("clause", BUY)))
RETIRE = Event(BUSINESS.verb("retire"), (("subject", KELLER),))
CLERK_BUYS = BUY.put("subject", CLERK)
PERSUADE = Event(BUSINESS.verb("persuade"), (("subject", MANAGER), ("object", CLERK), ("clause", CLERK_BUYS)))
SHOP_VISITED = replace(SHOP, clause=VISIT)
CLERK_REPORTING = replace(
    CLERK, clause=Event(BUSINESS.verb("report"), (("subject", CLERK.bare), ("object", DELAY)))
)
DEPENDENT = Event(
    is_("being"),
    (("subject", BANK), ("predicate", Quality("dependent", by="on", what=CASTELL))),
    negated=True,
    tense="present",
)
