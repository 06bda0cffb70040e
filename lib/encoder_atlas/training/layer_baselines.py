"""What a layer's score is compared with: rules that look words up and see nothing around them.

Sentences of a grammar could be solved by looking words up; how far that leads is measured here, with the
scorers of the decoders (`DECODERS`).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from encoder_atlas.errors import DataError, near
from encoder_atlas.text import AnnotatedCorpus
from encoder_atlas.text.layers import Frame, Layer, Sentence, Span, Tree
from encoder_atlas.training.decoders import DECODERS, DecoderSettings
from encoder_atlas.training.decoders.base import Fields
from encoder_atlas.training.decoders.brackets import PUNCTUATION

LONGEST = DecoderSettings().longest_argument  # words of a span that is looked up
TO_THE_END = 0  # the length of a phrase that reaches to the end of its sentence

Train = Sequence[Sentence]
Rule = Callable[[Sentence], Fields]
Value = TypeVar("Value")


class Commonest(Generic[Value]):
    """The values that each key has in train, and how often; a key that is not there has those of all keys.

    Of equally common values the one that was seen first stands first.
    """

    def __init__(self, pairs: Iterable[tuple[object, Value]]) -> None:
        self.own: defaultdict[object, Counter[Value]] = defaultdict(Counter)
        self.all: Counter[Value] = Counter()
        for key, value in pairs:
            self.own[key][value] += 1
            self.all[value] += 1

    def ranked(self, key: object) -> list[Value]:
        """The values of a key, commonest first."""
        return [value for value, _ in self.own.get(key, self.all).most_common()]

    def __getitem__(self, key: object) -> Value:
        return self.ranked(key)[0]


def layer_baseline(corpus: AnnotatedCorpus, layer: Layer, model: str, split: str = "dev") -> dict[str, float]:
    """By measure, in [0, 1], how well a rule of LAYER_BASELINES that is learnt from train finds a layer.

    Raises:
        DataError: if there is no such rule of the layer, or no sentence that has the layer.
    """
    rules = LAYER_BASELINES.get(layer, {})
    if model not in rules:
        raise DataError(f"layer {layer!r} has no baseline {model!r}; {near(model, rules)}.")
    rule, gold = rules[model](corpus.sentences("train", [layer])), corpus.sentences(split, [layer])
    found = [replace(sentence, **rule(sentence)) for sentence in gold]
    scorer = DECODERS[layer]
    return scorer(1, scorer.labels_of(corpus), DecoderSettings()).score(gold, found)


def commonest_tag(train: Train) -> Rule:
    """Every word has the commonest tag of all."""
    best = Counter(tag for one in train for tag in one.tags or ()).most_common(1)[0][0]
    return lambda sentence: {"tags": (best,) * len(sentence.words)}


def tag_of_the_word(train: Train) -> Rule:
    """Every word has its commonest tag; one that train lacks has the commonest of all."""
    tags = Commonest(pair for one in train for pair in zip(one.words, one.tags or (), strict=True))
    return lambda sentence: {"tags": tuple(tags[word] for word in sentence.words)}


def chain(train: Train) -> Rule:
    """Every word hangs on the next, the last is the root; relations are the commonest of the words."""
    relations = _relations(train)

    def rule(sentence: Sentence) -> Fields:
        heads = (*range(2, len(sentence.words) + 1), 0)
        return {"heads": heads, "deprels": tuple(relations[word] for word in sentence.words)}

    return rule


def offset_of_the_word(train: Train) -> Rule:
    """The head of a word stands as far off, and is called, as it most often is for this word.

    Of the word's offsets the commonest that lies in the sentence is taken; 0 stands for the root. Words
    choose alone, so that the heads need make no tree.
    """
    relations = _relations(train)
    offsets = Commonest(
        (word, head and head - number)
        for one in train
        for number, (word, head) in enumerate(zip(one.words, one.heads or (), strict=True), start=1)
    )

    def head(number: int, word: str, words: int) -> int:
        fitting = (own for own in offsets.ranked(word) if not own or 1 <= number + own <= words)
        offset = next(fitting, 0)
        return offset and number + offset

    def rule(sentence: Sentence) -> Fields:
        words = sentence.words
        heads = (head(number, word, len(words)) for number, word in enumerate(words, start=1))
        return {"heads": tuple(heads), "deprels": tuple(relations[word] for word in words)}

    return rule


def entities_of_train(train: Train) -> Rule:
    """From left to right the longest words that are an entity in train, of the kind they most often are."""
    seen = [
        (one.words[entity.start : entity.end], entity.label) for one in train for entity in one.entities or ()
    ]
    kinds, longest = Commonest(seen), max((len(words) for words, _ in seen), default=0)

    def rule(sentence: Sentence) -> Fields:
        found: list[Span] = []
        for start, end in _spans(sentence, longest, longest_first=True):
            words = sentence.words[start:end]
            if words in kinds.own and (not found or found[-1].end <= start):
                found.append(Span(start, end, kinds[words]))
        return {"entities": tuple(found)}

    return rule


def right_branching(train: Train) -> Rule:
    """Every word begins a phrase to the end, under the commonest label of phrases that it begins."""
    labels = Commonest(
        (one.words[start], label)
        for one in train
        if one.tree
        for start, _, label in one.tree.spans
        if start  # those at the sentence's first word are, above all, the sentence
    )

    def rule(sentence: Sentence) -> Fields:
        inner = (
            Span(start, _end(sentence), labels[sentence.words[start]])
            for start in range(1, _end(sentence) - 1)
        )
        return _tree(sentence, inner)

    return rule


def phrases_of_the_word(train: Train) -> Rule:
    """Every word begins the phrases, by length and label, that it most often begins.

    One that reached to the end, but for a closing mark, does so again. Words choose alone: phrases may cross.
    """
    phrases = Commonest(pair for one in train for pair in zip(one.words, _beginning(one), strict=True))

    def rule(sentence: Sentence) -> Fields:
        last = _end(sentence)
        inner = (
            Span(start, min(start + length, last) if length else last, label)
            for start, word in enumerate(sentence.words[:last])
            for length, label in phrases[word]
        )
        return _tree(sentence, inner)

    return rule


def role_of_the_span(train: Train) -> Rule:
    """A span has the role that its words most often have on this side of a predicate, or none.

    Predicates are the words that more often are one than not; all their spans are looked up.
    """
    predicates = Commonest(
        (word, place in {frame.predicate for frame in one.frames or ()})
        for one in train
        for place, word in enumerate(one.words)
    )

    def keys(sentence: Sentence, place: int) -> Iterator[tuple[tuple[int, int], object]]:
        for start, end in _spans(sentence, LONGEST):
            yield (start, end), (sentence.words[start:end], start > place)

    def seen() -> Iterator[tuple[object, str]]:
        for one in train:
            for frame in one.frames or ():
                given = {(start, end): label for start, end, label in frame.arguments}
                yield from ((key, given.get(span, "")) for span, key in keys(one, frame.predicate))

    commonest = Commonest(seen())
    roles = {key: commonest[key] for key in commonest.own}

    def frame(sentence: Sentence, place: int) -> Frame:
        found = (Span(*span, roles.get(key, "")) for span, key in keys(sentence, place))
        return Frame(place, sentence.words[place], tuple(role for role in found if role.label))

    def rule(sentence: Sentence) -> Fields:
        places = (place for place, word in enumerate(sentence.words) if predicates[word])
        return {"frames": tuple(frame(sentence, place) for place in places)}

    return rule


def _relations(train: Train) -> Commonest[str]:
    return Commonest(pair for one in train for pair in zip(one.words, one.deprels or (), strict=True))


def _spans(sentence: Sentence, longest: int, *, longest_first: bool = False) -> Iterator[tuple[int, int]]:
    """First word and end of all spans of up to ``longest`` words, in the order of their first words."""
    for start in range(len(sentence.words)):
        ends = range(start + 1, min(start + longest, len(sentence.words)) + 1)
        for end in reversed(ends) if longest_first else ends:
            yield start, end


def _end(sentence: Sentence) -> int:
    """How many words there are without a closing mark."""
    return len(sentence.words) - (sentence.words[-1] in PUNCTUATION)


def _beginning(sentence: Sentence) -> list[tuple[tuple[int, str], ...]]:
    """Length and label of the phrases that each word begins, without the root."""
    found: list[list[tuple[int, str]]] = [[] for _ in sentence.words]
    for start, end, label in sentence.tree.spans[1:] if sentence.tree else ():
        found[start].append((end - start if end < _end(sentence) else TO_THE_END, label))
    return [tuple(phrases) for phrases in found]


def _tree(sentence: Sentence, inner: Iterable[Span]) -> Fields:
    """Phrases under a root; tags of words are not found, and the scorer takes the right ones."""
    words = len(sentence.words)
    spans = (Span(0, words, "TOP"), Span(0, words, "S"), *inner)
    return {"tree": Tree(spans, ("XX",) * words)}


LAYER_BASELINES: dict[Layer, dict[str, Callable[[Train], Rule]]] = {
    "pos": {"commonest tag": commonest_tag, "commonest tag of the word": tag_of_the_word},
    "dep": {"the next word": chain, "commonest offset of the word": offset_of_the_word},
    "ner": {"entities of train": entities_of_train},
    "con": {"right-branching": right_branching, "phrases that the word begins": phrases_of_the_word},
    "srl": {"words of the span, and its side": role_of_the_span},
}
