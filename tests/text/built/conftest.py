"""What the tests of built corpora may ask for."""

from pathlib import Path

import pytest
from tests.text.built.checkouts import DOCUMENTS, SPLITS, iob, write_skeletons, write_treebank

from encoder_atlas.text.built.recipe import Part


@pytest.fixture
def parts(tmp_path: Path) -> dict[Part, Path]:
    """The three checkouts, in which everything can be aligned."""
    places: dict[Part, Path] = {part: tmp_path / part for part in ("ud", "ner", "propbank")}
    write_treebank(places["ud"], DOCUMENTS)
    write_skeletons(places["propbank"], DOCUMENTS)
    places["ner"].mkdir()
    for split, names in SPLITS.items():
        text = "".join(iob(name, DOCUMENTS[name]) for name in names)
        (places["ner"] / f"en_ewt-ud-{split}.iob2").write_text(text, encoding="utf-8")
    return places
