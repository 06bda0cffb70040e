"""Layers as short strings, so that tests read like the annotation of a sentence."""

from encoder_atlas.text.layers import Sentence, Span


def arcs(sentence: Sentence) -> str:
    """Dependencies as word<number of the head:relation."""
    assert sentence.heads is not None and sentence.deprels is not None
    triples = zip(sentence.words, sentence.heads, sentence.deprels, strict=True)
    return " ".join(f"{word}<{head}:{label}" for word, head, label in triples)


def words_of(sentence: Sentence, span: Span) -> str:
    """The words of a span."""
    return " ".join(sentence.words[span.start : span.end])


def roles(sentence: Sentence) -> dict[str, dict[str, str]]:
    """For each sense its roles and their words, V left out."""
    return {
        frame.roleset: {role.label: words_of(sentence, role) for role in frame.arguments}
        for frame in sentence.frames or ()
    }


def entities(sentence: Sentence) -> dict[str, str]:
    """Entities: their words, and what they are."""
    return {words_of(sentence, span): span.label for span in sentence.entities or ()}


def mentions(sentence: Sentence) -> list[tuple[str, str]]:
    """Mentions: their words, and whom they mean."""
    return [(words_of(sentence, span), span.label) for span in sentence.mentions or ()]
