"""Distractions: small changes to a sentence that leave its label as it is, made to mislead a classifier."""

import re
from collections.abc import Callable, Sequence
from string import ascii_lowercase

import numpy as np
from jaxtyping import Float

from encoder_atlas.errors import DataError, SettingsError

NEUTRAL_CLAUSES = ("and true is true", "and false is not true")
"""Clauses that say nothing of the subject, as in StressTest and AdvGLUE."""

Attack = Callable[[Sequence[str], int], list[str]]
"""Texts and a seed in, as many texts out."""

_LAST_STOP = re.compile(r"\s*[.!?…]+\s*$")


def add_url(texts: Sequence[str], seed: int = 0) -> list[str]:
    """Put a random URL before the end of each text, as in the paper's section 5.2.

    "I do not like this movie." becomes "I do not like this movie http://ahsdbw.gos.": six random letters, a
    dot and three more, a URL that leads nowhere. A text keeps its label: the URL says nothing. The same text
    at the same place with the same seed gets the same URL, however many texts follow.

    Raises:
        DataError: a text is empty.
    """
    return [_before_stop(text, f" {_random_url(seed, i)}") for i, text in enumerate(_checked(texts))]


def add_clause(texts: Sequence[str], seed: int = 0, times: int = 1) -> list[str]:
    """Put a neutral clause, drawn from `NEUTRAL_CLAUSES`, before the end of each text, ``times`` times over.

    Raises:
        DataError: a text is empty.
        SettingsError: ``times`` below one.
    """
    if times < 1:
        raise SettingsError(f"times={times}: a clause is added at least once")
    drawn = [np.random.default_rng([seed, i]).choice(NEUTRAL_CLAUSES) for i in range(len(texts))]
    return [
        _before_stop(text, f" {clause}" * times) for text, clause in zip(_checked(texts), drawn, strict=True)
    ]


def strongest(
    attack: Attack,
    texts: Sequence[str],
    harm: Callable[[list[str]], Float[np.ndarray, "texts"]],
    attempts: int,
    seed: int = 0,
) -> list[str]:
    """Of ``attempts`` attacks on each text keep the one that does most harm, the first among equals.

    A targeted attack, as those that Adversarial GLUE keeps are: the attacker sees what the classifier
    answers. ``harm`` gives one number a text, for instance the probability of a wrong class. Attempt number k
    uses the seed ``seed + k``.

    Raises:
        DataError: a text is empty.
        SettingsError: fewer than one attempt.
    """
    if attempts < 1:
        raise SettingsError(f"attempts={attempts}: an attack is tried at least once")
    tried = [attack(texts, seed + attempt) for attempt in range(attempts)]
    best = np.stack([harm(attacked) for attacked in tried]).argmax(axis=0)
    return [tried[attempt][i] for i, attempt in enumerate(best)]


def _checked(texts: Sequence[str]) -> Sequence[str]:
    for i, text in enumerate(texts):
        if not text.strip():
            raise DataError(f"text {i} is empty: there is nothing to attack")
    return texts


def _random_url(seed: int, i: int) -> str:
    letters = "".join(np.random.default_rng([seed, i]).choice(list(ascii_lowercase), 9))
    return f"http://{letters[:6]}.{letters[6:]}"


def _before_stop(text: str, addition: str) -> str:
    stop = _LAST_STOP.search(text)
    end = stop.start() if stop else len(text.rstrip())
    return text[:end] + addition + (stop.group().strip() if stop else "")
