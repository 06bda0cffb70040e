"""Named entities of Universal NER, from a checkout of UNER_English-EWT."""

from pathlib import Path

from encoder_atlas.errors import DataError
from encoder_atlas.text.built.treebank import SPLITS
from encoder_atlas.text.formats import read_iob
from encoder_atlas.text.layers import Sentence


def read_entities(checkout: Path) -> dict[str, dict[str, Sentence]]:
    """For each split whose file is there, its sentences by their id in the treebank.

    Raises:
        DataError: if the folder is no such checkout, or a file cannot be read.
    """
    files = {split: checkout / f"en_ewt-ud-{split}.iob2" for split in SPLITS}
    found = {split: read_iob(file, "iob2") for split, file in files.items() if file.is_file()}
    if not found:
        raise DataError(
            f"{checkout} is no checkout of UNER_English-EWT: it has none of "
            f"{', '.join(file.name for file in files.values())}."
        )
    return {split: {sentence.id: sentence for sentence in sentences} for split, sentences in found.items()}
