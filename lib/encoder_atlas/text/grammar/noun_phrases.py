"""Participants written as phrases: full at first, then short, then as pronouns."""

from encoder_atlas.text.grammar import clauses, relatives
from encoder_atlas.text.grammar.draft import Draft
from encoder_atlas.text.grammar.meaning import Participant
from encoder_atlas.text.grammar.tree import Node

ENTITY_OF = {"person": "PERSON", "org": "ORG", "gpe": "GPE"}
SUBJECT, OBJECT, OWNER = 0, 1, 2


def noun_phrase(
    one: Participant,
    draft: Draft,
    case: int = OBJECT,
    *,
    without_clause: bool = False,
    stressed: bool = False,
) -> Node:
    """A participant as the discourse asks for it; one that is ``stressed`` is no pronoun."""
    if one.amount:
        return _amount(one, draft)
    style = draft.discourse.style(one)
    draft.discourse.note(one)
    if style == "pronoun" and not stressed:
        phrase = draft.rules.make("pronoun", pronoun=Node("PRP", draft.words.pronouns[one.pronoun][case]))
    elif style != "full":
        phrase = _short(one.bare, draft)
    else:
        phrase = _full(one, draft, without_clause)
    draft.mentions.append((one.key, phrase))
    return phrase


def owner_phrase(one: Participant, draft: Draft) -> Node:
    """A participant as owner: "her", "Keller 's", "the company 's"."""
    style = draft.discourse.style(one)
    if one.key == draft.discourse.subject:
        style = "pronoun"
    draft.discourse.note(one)
    if style == "pronoun":
        phrase = Node("PRP$", draft.words.pronouns[one.pronoun][OWNER])
    else:
        phrase = _genitive(one if style == "full" else one.bare, draft, short=style == "short")
    draft.mentions.append((one.key, phrase))
    return phrase


def _genitive(one: Participant, draft: Draft, short: bool) -> Node:
    make = draft.rules.make
    if one.also:
        return make("name-owner", name=_joined(one, draft), genitive=Node("POS", "'s"))
    if one.name is None:
        noun = _noun_word(one)
        mark = "'" if one.plural and str(noun.word).endswith("s") else "'s"
        before = _before_noun(one, draft, "the" if " " in one.article else one.article)
        return make("noun-owner", **before, noun=noun, genitive=Node("POS", mark))
    words = one.name.short if short else one.name.words
    entity = ENTITY_OF[one.kind]
    if len(words) == 1:
        name = Node("NNP", words[0], "", entity)
    else:
        name = _name_words(words, one.kind, "name-inside", draft)
        name.entity = entity
    return make("name-owner", name=name, genitive=Node("POS", "'s"))


def _full(one: Participant, draft: Draft, without_clause: bool) -> Node:
    if one.also:
        return _joined(one, draft)
    phrase = _core(one, draft)
    if one.attached is not None:
        phrase = draft.rules.make("noun-pp", np=phrase, pp=clauses.prepositional(one.attached, draft))
    if one.other_name is not None:
        other = _core(one.other_name, draft)
        phrase = draft.rules.make("apposition", np=phrase, other=other)
    if one.content is not None:
        clause = clauses.content_clause(one, one.content, draft)
        phrase = draft.rules.make("noun-clause", np=phrase, clause=clause)
    if one.clause is not None and not without_clause:
        phrase = relatives.with_relative(one, phrase, draft)
    return phrase


def _joined(one: Participant, draft: Draft) -> Node:
    parts = [noun_phrase(part, draft, stressed=True) for part in one.also]
    word = Node("CC", "and" if one.joined == "both" else one.joined)
    if one.joined == "both":
        return draft.rules.make("nps-both", left=parts[0], right=parts[1], **{"and": word})
    if len(parts) == 3:
        return draft.rules.make("nps-three", left=parts[0], middle=parts[1], right=parts[2], **{"and": word})
    return draft.rules.make("nps-joined", left=parts[0], right=parts[1], **{"and": word})


def _short(one: Participant, draft: Draft) -> Node:
    return _joined(one, draft) if one.also else _core(one, draft, short=True)


def _core(one: Participant, draft: Draft, *, short: bool = False) -> Node:
    """The phrase without what follows its noun or name."""
    if one.name is not None:
        return _name(one, draft, short)
    noun = _noun_word(one)
    if one.owner is not None:
        owner = owner_phrase(one.owner, draft)
        return draft.rules.make("owned", owner=owner, **_before_noun(one, draft, owned=True), noun=noun)
    first, _, rest = one.article.partition(" ")
    if rest:  # "all the", "some of the"
        before = _before_noun(one, draft, article="the")
        word = Node("PDT" if rest == "the" else draft.words.tags[first], first)
        if rest == "the":
            return draft.rules.make("all-the", predet=word, **before, noun=noun)
        return draft.rules.make("some-of", some=word, np=draft.rules.make("noun", **before, noun=noun))
    return draft.rules.make("noun", **_before_noun(one, draft), noun=noun)


def _noun_word(one: Participant) -> Node:
    assert one.noun is not None
    return Node("NNS", one.noun.plural) if one.plural else Node("NN", one.noun.word)


def _before_noun(
    one: Participant, draft: Draft, article: str | None = None, *, owned: bool = False
) -> dict[str, Node | list[Node] | None]:
    assert one.noun is not None
    article = one.article if article is None else article
    found: dict[str, Node | list[Node] | None] = {
        "adjectives": [_adjective(word, draft) for word in one.adjectives],
        "compound": Node("NN", one.compound) if one.compound else None,
        "number": _number(one.count, draft) if one.count else None,
    }
    if article and not owned:
        following = next(iter((*one.count, *one.adjectives, one.compound or one.noun.word)))
        word = draft.words.article(following) if article == "a" else article
        found["det"] = Node(draft.words.tags[word], word, "det" if draft.words.tags[word] == "DT" else "amod")
    return found


def _adjective(word: str, draft: Draft) -> Node:
    return Node("JJ", word, "", "ORDINAL" if word in draft.words.ordinals else "")


def _number(count: tuple[str, ...], draft: Draft) -> Node:
    number = Node("CD", count[-1])
    if len(count) == 3:
        tag = "JJR"
        return draft.rules.make("number-more", more=Node(tag, count[0]), number=number)
    if len(count) == 2:
        return draft.rules.make("number-about", about=Node("RB", count[0]), number=number)
    number.entity = "CARDINAL"
    return number


def _name(one: Participant, draft: Draft, short: bool) -> Node:
    assert one.name is not None
    entity = ENTITY_OF[one.kind]
    if one.title and not short:
        return draft.rules.make(
            "title", title=Node("NNP", one.title), last=Node("NNP", one.name.short[-1], "", entity)
        )
    phrase = _name_words(one.name.short if short else one.name.words, one.kind, "name", draft)
    phrase.entity = entity
    return phrase


def _name_words(words: tuple[str, ...], kind: str, rule: str, draft: Draft) -> Node:
    nodes = [Node("NNP", word) for word in words]
    if kind == "person":
        return draft.rules.make(f"{rule}-person", first=nodes[0], more=nodes[1:])
    return draft.rules.make(f"{rule}-other", before=nodes[:-1], last=nodes[-1])


def _amount(one: Participant, draft: Draft) -> Node:
    *about, number = one.amount[:-1] if one.kind == "money" else one.amount
    fillers = {"number": Node("CD", number)}
    if about:
        fillers["about"] = Node("RB", about[0])
    if one.kind == "money":
        fillers["unit"] = Node("CD", one.amount[-1])
    return draft.rules.make(f"{one.kind}-about" if about else one.kind, **fillers)
