"""The commands ``atlas data``: what corpora there are, whether they are whole, and building one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from encoder_atlas.errors import DataError

if TYPE_CHECKING:
    from encoder_atlas.text.built.recipe import Part
    from encoder_atlas.text.card_checks import Finding
    from encoder_atlas.text.cards import CorpusCard

# What a command needs beyond this is imported in it, as in cli.py.

data_app = typer.Typer(help="List, show, check and build the corpora.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A corpus, as `atlas data ls` names it.")]


@data_app.command("ls")
def ls() -> None:
    """List the corpora: name, kind, ways to come by it, rows, sentences or targets a split."""
    from encoder_atlas.text.cards import corpus_cards

    for card in corpus_cards():
        ways = ", ".join(way.source for way in card.ways)
        typer.echo(f"{card.name:22} {card.kind:10} {ways:24} {_sizes(card)}")


@data_app.command("show")
def show(name: Name) -> None:
    """Print a corpus's card: what it is, licence, where it lies, how to cite and how to check it."""
    from encoder_atlas.text.cards import corpus_card

    card = corpus_card(name)
    fields = {"what": card.what, "labels": ", ".join(card.label_names), "size": _sizes(card)}
    fields |= {"split": card.split, "licence": card.licence, "cite": card.cite}
    for way in card.ways:
        fields[f"from {way.source}"] = way.where
        fields[f"use {way.source}"] = ", ".join(f"{name}: {value}" for name, value in way.use.items())
    typer.echo(f"{card.name}: {card.title}\n")
    for field, text in fields.items():
        if text:
            typer.echo(f"{field}: {text}")
    for split, counts in card.layers.items():
        typer.echo(f"{split}: " + ", ".join(f"{layer} {count:,}" for layer, count in counts.items()))
    for file in card.files:
        known = f"SHA-256 {file.sha256}" if file.sha256 else "content not known to the card"
        typer.echo(f"file {file.name} ({file.split}): {known}")
    for line in card.baselines:
        typer.echo(f"{line.model}, taught {line.train:,} rows: {line.accuracy_percent:.1f} % accuracy on dev")
    for line in card.edge_baselines:
        typer.echo(f"{line.model}, taught {line.train:,} targets: {line.f1_percent:.1f} % micro F1 on dev")
    for line in card.layer_baselines:
        scores = ", ".join(f"{score:.1f} % ({domain})" for domain, score in line.percent.items())
        taught = f"taught {line.train:,} sentences"
        typer.echo(f"{line.layer}: {line.model}, {taught}: {line.measure} on dev {scores}")
    for note in card.notes:
        typer.echo(f"note: {note}")


@data_app.command("check")
def check(
    name: Annotated[str | None, typer.Argument(help="A corpus; all that can be checked by default.")] = None,
    path: Annotated[
        Path | None, typer.Option(help="Its folder, or one that holds a folder for each corpus.")
    ] = None,
) -> None:
    """Say whether files are there, contents known and counts right. Exit code 2 where something is not."""
    from encoder_atlas.text.card_checks import check_corpus
    from encoder_atlas.text.cards import corpus_card, corpus_cards
    from encoder_atlas.text.find import folder_of

    if path is not None and not path.exists():
        raise DataError(f"There is no file or folder {path}.")
    bad = 0
    for card in [corpus_card(name)] if name else corpus_cards():
        folder = folder_of(path, card.name) if path and card.way("files") else None
        if not name and (folder == path if folder else not _at_hand(card)):
            typer.echo(f"{card.name:22} –     not here")
            continue
        for finding in check_corpus(card, folder or (path if name else None)):
            bad += finding.level == "bad"
            _say(card, finding)
    if bad:
        raise DataError(f"{bad} of these are not as the cards say; `atlas data show NAME` has what is due.")


@data_app.command("build")
def build(
    name: Annotated[str, typer.Argument(help="The corpus: ewt.")],
    ud: Annotated[Path | None, typer.Option(help="Your checkout of UD_English-EWT.")] = None,
    ner: Annotated[Path | None, typer.Option(help="Your checkout of UNER_English-EWT.")] = None,
    propbank: Annotated[Path | None, typer.Option(help="Your checkout of propbank-release.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The folder to make.")] = None,
    fetch: Annotated[bool, typer.Option("--download", help="Take from GitHub what is not given.")] = False,
) -> None:
    """Join UD_English-EWT, Universal NER and PropBank into one corpus with five layers.

    Sentences that cannot be aligned lose the layer and stay; what was counted is printed, and where it is
    not what was expected.
    """
    from encoder_atlas.runs.project import find_project
    from encoder_atlas.text.built import build_ewt, built_folder, checkouts

    if name != "ewt":
        raise DataError(f"There is no corpus {name!r} to build; known: ewt.")
    given: dict[Part, Path | None] = {"ud": ud, "ner": ner, "propbank": propbank}
    places = checkouts(given, find_project().work / "downloads" if fetch else None)
    folder = output or built_folder(name)
    for line in build_ewt(places, folder).lines():
        typer.echo(line)
    typer.echo(f"\n{folder}")


def _at_hand(card: "CorpusCard") -> bool:
    """Whether a corpus can be looked at without its files."""
    from encoder_atlas.text.built import built_folder

    return card.source in ("packaged", "generated") or built_folder(card.name).is_dir()


def _say(card: "CorpusCard", finding: "Finding") -> None:
    typer.echo(f"{card.name:22} {finding.level:5} {finding.what}: {finding.detail}")


def _sizes(card: "CorpusCard") -> str:
    return ", ".join(f"{split} {rows:,}" for split, rows in card.sizes.items())
