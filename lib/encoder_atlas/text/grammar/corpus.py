"""The generated annotated corpus: sentences with every layer, of two domains, the same by seed everywhere."""

import random
import zlib
from itertools import islice

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.annotated import AnnotatedCorpus
from encoder_atlas.text.corpus_spec import CorpusSpec
from encoder_atlas.text.grammar.documents import DocumentSource
from encoder_atlas.text.grammar.lexicon import lexicon_of
from encoder_atlas.text.grammar.rules import standard_rules
from encoder_atlas.text.layers import Sentence

CORPUS = "language"  # what a CorpusSpec calls it
SIZES = {"train": 4000, "dev": 500, "test": 500}
# Which hundredths of all sentences belong to a split, by a checksum of their words.
SPLITS = {"train": range(70), "dev": range(70, 85), "test": range(85, 100)}


def generate(n: int, seed: int, domain: str, split: str = "train") -> list[Sentence]:
    """The first ``n`` sentences of a domain, in short documents.

    No sentence comes twice. A sentence belongs to one split by its words, whatever the seed, so none of train
    stands in dev or test.

    Args:
        n: how many sentences; a smaller number gives the beginning of a larger.
        seed: the same seed gives the same sentences on every machine.
        domain: "business" or "science".
        split: "train", "dev" or "test".

    Raises:
        DataError: if there is no such domain or split.
    """
    if split not in SPLITS:
        raise DataError(f"There is no split {split!r}; {near(split, SPLITS)}.")
    lexicon = lexicon_of(domain)
    source = random.Random(f"{domain}:{split}:{seed}")
    share = SPLITS[split]

    written: set[str] = set()

    def belongs(words: list[str]) -> bool:
        """Whether a sentence is of this split, and new."""
        text = " ".join(words).lower()
        if text in written or zlib.crc32(text.encode()) % 100 not in share:
            return False
        written.add(text)
        return True

    documents = DocumentSource(lexicon, source, standard_rules(), belongs).documents(
        f"{domain}:{split}:{seed}"
    )
    return list(islice((sentence for document in documents for sentence in document), n))


def load_generated_corpus(spec: CorpusSpec) -> AnnotatedCorpus:
    """Write the corpus that ``spec`` asks for: sizes it leaves open are 4,000, 500 and 500 sentences.

    Raises:
        DataError: if there is no such generated corpus or domain.
    """
    if spec.corpus != CORPUS:
        raise DataError(
            f"There is no generated annotated corpus {spec.corpus!r}; {near(spec.corpus, [CORPUS])}."
        )
    domain = spec.domain or "business"
    sizes = {split: spec.sizes[split] or default for split, default in SIZES.items()}
    splits = {split: tuple(generate(size, spec.seed, domain, split)) for split, size in sizes.items()}
    note = f"Generated text: invented sentences about {domain} that a grammar of this project wrote."
    return AnnotatedCorpus(spec.name, splits, note)
