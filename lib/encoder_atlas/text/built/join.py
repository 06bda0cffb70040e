"""Putting layers of other corpora on the sentences of a treebank; what does not fit is left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from encoder_atlas.text.built.propbank import Skeleton
from encoder_atlas.text.layers import Sentence

# Why a sentence has a layer less than others.
NO_DOCUMENT = "PropBank does not have the document"
OTHER_SIZE = "PropBank has another number of words"
OUT_OF_STEP = "PropBank's sentences of the document are out of step"
NO_SENTENCE = "Universal NER does not have the sentence"
OTHER_WORDS = "Universal NER has other words"


def with_skeletons(
    sentences: Sequence[Sentence], documents: Mapping[str, Sequence[Skeleton]]
) -> Iterator[tuple[Sentence, str | None]]:
    """Each sentence with the tree and the frames of its skeleton, or with the reason why it has none.

    Sentences are matched by document and number, and join where the numbers of words agree. In a document of
    which PropBank has more or fewer sentences, the numbers are trusted only up to the first sentence whose
    words do not agree: from there on the count may have shifted.
    """
    for document, group in groupby(sentences, key=lambda sentence: sentence.document):
        ours, theirs = list(group), documents.get(document)
        in_step = True
        for number, sentence in enumerate(ours):
            if theirs is None:
                yield sentence, NO_DOCUMENT
                continue
            agrees = number < len(theirs) and theirs[number].size == len(sentence.words)
            in_step &= agrees or len(ours) == len(theirs)
            if agrees and in_step:
                tree, frames = theirs[number]
                yield replace(sentence, tree=tree, frames=frames), None
            else:
                yield sentence, OTHER_SIZE if in_step else OUT_OF_STEP


def with_entities(sentence: Sentence, tagged: Mapping[str, Sentence]) -> tuple[Sentence, str | None]:
    """The sentence with the entities of the one that has its id, where the words are the same."""
    other = tagged.get(sentence.id)
    if other is None:
        return sentence, NO_SENTENCE
    if other.words != sentence.words:
        return sentence, OTHER_WORDS
    return replace(sentence, entities=other.entities), None
