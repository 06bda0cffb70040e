"""Pages that are written from data: the corpora, from their cards."""

import pandas as pd

from encoder_atlas.text import CorpusCard

HEAD = """# The corpora

Which text a notebook reads is a parameter. These are the corpora that the book knows; each card says what the
text is, where it lies, what may be done with it, and what two models that cannot read score on it: *majority*
always answers the most frequent label, *bag of words* is a logistic regression on word counts, blind to word
order. Whatever an encoder scores counts only above them.
"""


def corpora_page(cards: list[CorpusCard]) -> str:
    """The page of all cards, as MyST markdown."""
    return "\n".join([HEAD, *(_card(card) for card in cards)])


def _card(card: CorpusCard) -> str:
    use = " ".join(f"-p {name}={value}" for name, value in card.use.items())
    sizes = ", ".join(f"{split} {rows:,}" for split, rows in card.sizes.items())
    fields = {
        "Labels": ", ".join(card.label_names),
        "Rows": sizes,
        "Split": card.split,
        "Licence": card.licence,
        "Where": card.where,
        "Cite": card.cite,
        "Use it": f"`atlas run 01 {use}`",
    }
    listed = "\n\n".join(f"{name}\n: {text}" for name, text in fields.items())
    notes = "\n".join(f"```{{note}}\n{note}\n```" for note in card.notes)
    return f"## {card.title}\n\n{card.what}\n\n{listed}\n\n{_baselines(card)}\n\n{notes}\n"


def _baselines(card: CorpusCard) -> str:
    rows = pd.DataFrame(
        {
            "Baseline": baseline.model,
            "Trained on": f"{baseline.train:,}",
            "Accuracy on dev (%)": f"{baseline.accuracy_percent:.1f}",
        }
        for baseline in card.baselines
    )
    return rows.to_markdown(index=False, disable_numparse=True)
