"""Generated sentences: CPU seconds, repeats, lengths, labels, and how far word lists alone get.

python benchmarks/generated_text.py [--sentences 100000] [--domain business|science]
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from encoder_atlas.text.grammar import DOMAINS, generate
from encoder_atlas.text.layers import Sentence

HELD_OUT = 2000
MEASURED = 10000
Pair = tuple[Hashable, str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--domain", choices=DOMAINS)
    options = parser.parse_args()
    for domain in (options.domain,) if options.domain else DOMAINS:
        generate(100, 1, domain)  # reads the files and fills the pools of verbs
        started = time.process_time()
        sentences = generate(options.sentences, 0, domain)
        seconds = time.process_time() - started
        print(f"{domain}: {len(sentences)} sentences with all layers in {seconds:.1f} CPU s")
        report(sentences[:MEASURED], generate(HELD_OUT, 0, domain, "dev"))


def report(train: Sequence[Sentence], held_out: Sequence[Sentence]) -> None:
    """Print everything but time."""
    lengths = sorted(len(sentence.words) for sentence in train)
    texts = {sentence.words for sentence in train}
    shares = [lengths[int(share * (len(lengths) - 1))] for share in (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)]
    crossing = sum(map(crosses, train)) / len(train)
    print(f"  repeats {1 - len(texts) / len(train):.2%}; crossing dependencies {crossing:.2%} of sentences")
    print(f"  held-out sentences that stand in train: {sum(one.words in texts for one in held_out)}")
    print(f"  words a sentence: mean {sum(lengths) / len(lengths):.1f}, 5/25/50/75/95/100 %: {shares}")
    for name, read in READ.items():
        counts = Counter(label for sentence in train for _, label in read(sentence))
        lexical, majority = baseline(train, held_out, read)
        inventory = " ".join(f"{label}:{count}" for label, count in counts.most_common())
        print(f"  {name}: majority {majority:.1%}, most frequent {lexical:.1%}; {inventory}")
    print(
        f"  dep, head: the word before {offset(held_out, -1):.1%}, the word after {offset(held_out, 1):.1%}"
    )


def crosses(sentence: Sentence) -> bool:
    """Whether two of its dependencies cross."""
    arcs = [(min(word, head), max(word, head)) for word, head in enumerate(sentence.heads or (), 1) if head]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def baseline(
    train: Sequence[Sentence], held_out: Sequence[Sentence], read: Callable[[Sentence], Iterator[Pair]]
) -> tuple[float, float]:
    """Accuracy of the label that is most frequent for an item's key in train, and of the one overall."""
    seen: defaultdict[Hashable, Counter[str]] = defaultdict(Counter)
    overall: Counter[str] = Counter()
    for key, label in (pair for sentence in train for pair in read(sentence)):
        seen[key][label] += 1
        overall[label] += 1
    majority = overall.most_common(1)[0][0]
    best = {key: counts.most_common(1)[0][0] for key, counts in seen.items()}
    pairs = [pair for sentence in held_out for pair in read(sentence)]
    lexical = sum(best.get(key, majority) == label for key, label in pairs) / len(pairs)
    return lexical, sum(label == majority for _, label in pairs) / len(pairs)


def offset(sentences: Sequence[Sentence], distance: int) -> float:
    """Share of words, punctuation left out, whose head stands at a distance."""
    hits = [
        head == word + distance
        for sentence in sentences
        for word, (head, label) in enumerate(
            zip(sentence.heads or (), sentence.deprels or (), strict=True), 1
        )
        if label != "punct"
    ]
    return sum(hits) / len(hits)


def of_words(labels: Callable[[Sentence], Sequence[str]]) -> Callable[[Sentence], Iterator[Pair]]:
    """Read a label of each word, by the word."""
    return lambda sentence: (
        (word.lower(), label) for word, label in zip(sentence.words, labels(sentence), strict=True)
    )


def entity_tags(sentence: Sentence) -> list[str]:
    """A label of each word: the kind of entity that it is part of, or O."""
    tags = ["O"] * len(sentence.words)
    for start, end, label in sentence.entities or ():
        tags[start:end] = [label] * (end - start)
    return tags


def phrases(sentence: Sentence) -> Iterator[Pair]:
    """Labels of phrases, by the tags of their first and last word."""
    if sentence.tree is not None:
        for start, end, label in sentence.tree.spans:
            yield (sentence.tree.tags[start], sentence.tree.tags[end - 1]), label


def roles(sentence: Sentence) -> Iterator[Pair]:
    """Roles, by their first word and the side of the predicate."""
    for frame in sentence.frames or ():
        for start, _, label in frame.arguments:
            yield (sentence.words[start].lower(), start < frame.predicate), label


def distances(sentence: Sentence) -> list[str]:
    """How far away the head of each word is."""
    return [str(head and head - word) for word, head in enumerate(sentence.heads or (), 1)]


READ: dict[str, Callable[[Sentence], Iterator[Pair]]] = {
    "pos, by word": of_words(lambda sentence: sentence.tags or ()),
    "dep, relation by word": of_words(lambda sentence: sentence.deprels or ()),
    "dep, distance of the head by word": of_words(distances),
    "ner, by word": of_words(entity_tags),
    "con, by first and last tag": phrases,
    "srl, by first word and side": roles,
}


if __name__ == "__main__":
    main()
