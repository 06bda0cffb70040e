"""Pages that are written from data: the corpora, from their cards."""

from collections.abc import Mapping, Sequence

import pandas as pd

from encoder_atlas.text import CorpusCard
from encoder_atlas.text.cards import Way, WaySource

HEAD = """# The corpora

Which text a notebook reads is a parameter. These are the corpora that the book knows; each card says what the
text is, how to come by it, what may be done with it and whom to cite. Find yours in the table, or bring your
own: any table with a column of text and a column of labels will do.

Cards of sentence tasks end with what models score that cannot read: *majority* always answers the most
frequent label, *bag of words* is a logistic regression on word counts, blind to word order. Whatever an
encoder scores counts only above them. Generated sentences with linguistic layers are measured against rules
that look words up and see nothing around them.

In a terminal, `atlas data ls` lists the corpora, `atlas data show NAME` prints a card, and
`atlas data check NAME` says whether the files on your disk are the ones that the card describes.
"""

# Heading and lead of each group, and which cards stand in it; a card goes where it fits first.
GROUPS = {
    "Sentence tasks that need no download": (
        "Real sentences that an installed Python package happens to carry. Profile `quick` lives on them.",
        lambda card: card.kind == "task" and card.source == "packaged",
    ),
    "Sentence tasks written by a grammar": (
        "Invented text whose labels are right by construction, as much of it as you like.",
        lambda card: card.kind == "task" and card.source == "generated",
    ),
    "Sentence tasks from your disk or the hub": (
        "The corpora of the papers, in the files that people have on disk or through the library `datasets`.",
        lambda card: card.kind == "task",
    ),
    "Rows that test a model": (
        "Text made to mislead: for models that were taught the task already.",
        lambda card: card.kind == "test",
    ),
    "Sentences with linguistic layers": (
        "Words with their parts of speech, dependencies, named entities, phrases, roles or coreference.",
        lambda card: card.kind == "annotated",
    ),
    "Spans for a probe to label": (
        "Spans of words and what holds of them, for asking an encoder's layers what they know (chapter 3). "
        "Every corpus of linguistic layers gives such targets too.",
        lambda card: card.kind == "edges",
    ),
    "Plain text": ("Sentences without labels, for comparing representations.", lambda card: True),
}
WAYS: dict[WaySource, str] = {
    "packaged": "From an installed package",
    "generated": "Written on the spot",
    "files": "From files",
    "hub": "From the hub",
    "built": "Built from public repositories",
}
UNITS = {"annotated": "Sentences", "edges": "Targets"}
MEASURES = {"accuracy": "accuracy", "uas": "right heads", "las": "heads and relations", "f1": "F1"}
LAYER_NAMES = {
    "pos": "part of speech",
    "dep": "dependencies",
    "ner": "entities",
    "con": "phrases",
    "srl": "roles",
    "coref": "coreference",
}


def corpora_page(cards: Sequence[CorpusCard], examples: Mapping[str, str] | None = None) -> str:
    """The page of all cards, as MyST markdown; ``examples`` has what some of them look like, by name."""
    parts, left = [HEAD, _overview(cards)], list(cards)
    for heading, (lead, belongs) in GROUPS.items():
        group = [card for card in left if belongs(card)]
        left = [card for card in left if card not in group]
        if group:
            parts += [
                f"## {heading}\n\n{lead}\n",
                *(_card(card, (examples or {}).get(card.name, "")) for card in group),
            ]
    return "\n".join(parts)


def _overview(cards: Sequence[CorpusCard]) -> str:
    rows = pd.DataFrame(
        {
            "Corpus": f"[{card.title}](corpus-{card.name})",
            "Name": f"`{card.name}`",
            "Rows": _sizes(card),
            "Ways": ", ".join(way.source for way in card.ways),
        }
        for card in cards
    )
    return rows.to_markdown(index=False, disable_numparse=True) + "\n"


def _sizes(card: CorpusCard) -> str:
    return ", ".join(f"{split} {rows:,}" for split, rows in card.sizes.items())


def _card(card: CorpusCard, example: str) -> str:
    fields = {
        "Labels": ", ".join(card.label_names),
        UNITS.get(card.kind, "Rows"): _sizes(card),
        "Split": card.split,
        "Licence": card.licence,
        "Cite": card.cite,
    }
    listed = "\n\n".join(f"{name}\n: {text}" for name, text in fields.items() if text)
    parts = [
        f"(corpus-{card.name})=\n### {card.title}",
        card.what,
        example,
        listed,
        _layers(card),
        _ways(card),
    ]
    parts += [_baselines(card), _layer_baselines(card), *(f"```{{note}}\n{note}\n```" for note in card.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _layers(card: CorpusCard) -> str:
    """How many sentences have each layer."""
    if not card.layers:
        return ""
    rows = pd.DataFrame(
        {"Split": split} | {LAYER_NAMES.get(name, name): f"{count:,}" for name, count in counts.items()}
        for split, counts in card.layers.items()
    )
    return rows.fillna("–").to_markdown(index=False, disable_numparse=True)


def _ways(card: CorpusCard) -> str:
    """One tab a way: where it is, and how to use it and check it."""
    tabs = "\n".join(
        f":::{{tab-item}} {WAYS[way.source]}\n{way.where}\n\n{_commands(card, way)}:::" for way in card.ways
    )
    return f"::::{{tab-set}}\n{tabs}\n::::"


def _commands(card: CorpusCard, way: Way) -> str:
    lines = []
    if card.kind == "task" and way.use:
        lines.append("atlas run 01 " + " ".join(f"-p {name}={value}" for name, value in way.use.items()))
    if way.source == "built":
        lines.append(f"atlas data build {card.name} --download")
    if way.source != "hub":
        lines.append(f"atlas data check {card.name}" + (" --path FOLDER" if way.source == "files" else ""))
    return "```bash\n" + "\n".join(lines) + "\n```\n" if lines else ""


def _baselines(card: CorpusCard) -> str:
    if not card.baselines and not card.edge_baselines:
        return ""
    scores = [(one, "Accuracy on dev (%)", one.accuracy_percent) for one in card.baselines]
    scores += [(one, "Micro F1 on dev (%)", one.f1_percent) for one in card.edge_baselines]
    rows = pd.DataFrame(
        {"Baseline": one.model, "Trained on": f"{one.train:,}", measure: f"{score:.1f}"}
        for one, measure, score in scores
    )
    return rows.to_markdown(index=False, disable_numparse=True)


def _layer_baselines(card: CorpusCard) -> str:
    """A row a rule and measure, a column a domain."""
    if not card.layer_baselines:
        return ""
    rows = pd.DataFrame(
        {
            "Layer": LAYER_NAMES[one.layer],
            "Baseline": one.model,
            "Trained on": f"{one.train:,}",
            "Measure": MEASURES.get(one.measure, one.measure),
        }
        | {f"{domain}, dev (%)": f"{score:.1f}" for domain, score in one.percent.items()}
        for one in card.layer_baselines
    )
    return rows.fillna("–").to_markdown(index=False, disable_numparse=True)
