"""Forms of regular English words, and the spelling that joins words into text."""

from collections.abc import Sequence

VOWELS = "aeiou"
NO_SPACE_BEFORE = {".", ",", "?", "!", ";", ":", "%", ")", "'s", "'", "n't", "'ve", "'ll", "'re"}
NO_SPACE_AFTER = {"$", "("}


def plural(noun: str) -> str:
    """The regular plural.

    >>> plural("company"), plural("survey"), plural("branch")
    ('companies', 'surveys', 'branches')
    """
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def third_person(verb: str) -> str:
    """The regular form with he, she or it.

    >>> third_person("deny"), third_person("go"), third_person("say")
    ('denies', 'goes', 'says')
    """
    return f"{verb}es" if verb.endswith("o") else plural(verb)


def past(verb: str) -> str:
    """The regular past tense, final consonants not doubled.

    >>> past("deny"), past("hire"), past("audit"), past("destroy")
    ('denied', 'hired', 'audited', 'destroyed')
    """
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return f"{verb[:-1]}ied"
    return f"{verb}ed"


def gerund(verb: str, past_tense: str) -> str:
    """The form in -ing; a consonant that is doubled in the past tense is doubled here too.

    >>> gerund("plan", "planned"), gerund("hire", "hired"), gerund("see", "saw"), gerund("die", "died")
    ('planning', 'hiring', 'seeing', 'dying')
    """
    if past_tense == f"{verb}{verb[-1]}ed":
        return f"{verb}{verb[-1]}ing"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return f"{verb[:-1]}ing"
    return f"{verb}ing"


def detokenise(words: Sequence[str]) -> str:
    """Words as running text.

    >>> detokenise(["Did", "n't", "the", "firm", "'s", "owner", ",", "Ms.", "Ito", ",", "pay", "$", "5", "?"])
    "Didn't the firm's owner, Ms. Ito, pay $5?"
    """
    text = ""
    for word in words:
        if word == "." and text.endswith("."):
            continue  # "at 9 a.m." ends with one dot
        if text and word not in NO_SPACE_BEFORE and text[-1] not in NO_SPACE_AFTER:
            text += " "
        text += word
    return text
