"""The generated annotated corpus: sentences with every layer, of two domains, the same by seed everywhere."""

import random
import zlib
from itertools import islice

from encoder_atlas.errors import DataError, near
from encoder_atlas.text.grammar.documents import DocumentSource
from encoder_atlas.text.grammar.lexicon import lexicon_of
from encoder_atlas.text.grammar.rules import standard_rules
from encoder_atlas.text.layers import Sentence

# Which hundredths of all sentences belong to a split, by a checksum of their words.
SPLITS = {"train": range(70), "dev": range(70, 85), "test": range(85, 100)}


def generate(n: int, seed: int, domain: str, split: str = "train") -> list[Sentence]:
    """The first ``n`` sentences of a domain, in short documents.

    A sentence belongs to one split by its words, whatever the seed, so none of train stands in dev or test.

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

    def belongs(words: list[str]) -> bool:
        return zlib.crc32(" ".join(words).lower().encode()) % 100 in share

    writer = DocumentSource(lexicon, source, standard_rules(), belongs)
    documents = writer.documents(f"{domain}:{split}:{seed}")
    return list(islice((sentence for document in documents for sentence in document), n))
