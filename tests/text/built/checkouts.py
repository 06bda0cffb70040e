"""Small checkouts of the three repositories that English Web Treebank is joined from."""

from pathlib import Path

# Document, sentences; each word with tag and bracket, as the treebank and PropBank have them.
DOCUMENTS = {
    "weblog-a": ["Dogs bark", "Cats sleep now"],
    "reviews-b": ["Good food"],
    "email-c": ["Hi", "See you", "Bye"],
}
SPLITS = {"train": ["weblog-a"], "dev": ["reviews-b"], "test": ["email-c"]}


def conllu(document: str, sentences: list[str]) -> str:
    lines = [f"# newdoc id = {document}"]
    for number, sentence in enumerate(sentences, start=1):
        lines += [f"# sent_id = {document}-{number:04d}", f"# text = {sentence}"]
        for place, word in enumerate(sentence.split(), start=1):
            head, relation = (0, "root") if place == 1 else (1, "dep")
            lines.append(f"{place}\t{word}\t_\tX\tNN\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def iob(document: str, sentences: list[str]) -> str:
    lines = []
    for number, sentence in enumerate(sentences, start=1):
        lines += [f"# sent_id = {document}-{number:04d}"]
        for place, word in enumerate(sentence.split(), start=1):
            lines.append(f"{place}\t{word}\t{'B-PER' if place == 1 else 'O'}\t-\t-")
        lines.append("")
    return "\n".join(lines) + "\n"


def skeleton(document: str, sentences: list[str]) -> str:
    """As PropBank writes it; the first word of each sentence is a predicate, the rest its ARG1."""
    genre, name = document.split("-")
    lines = []
    for number, sentence in enumerate(sentences):
        size = len(sentence.split())
        for place in range(size):
            phrase = ("(TOP(S" if place == 0 else "") + "*" + ("))" if place == size - 1 else "")
            role = (
                "(V*)"
                if place == 0
                else ("(ARG1*" if place == 1 else "*") + (")" if place == size - 1 else "")
            )
            frame = ("do", "do.01") if place == 0 else ("-", "-")
            cells = (f"google/ewt/{genre}/00/{name}.xml", number, place, "[WORD]", "NN", phrase, *frame, role)
            lines.append("   ".join(map(str, cells)) + " ")
        lines.append("")
    return "\n".join(lines) + "\n"


def write_treebank(folder: Path, documents: dict[str, list[str]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for split, names in SPLITS.items():
        text = "".join(conllu(name, documents[name]) for name in names)
        (folder / f"en_ewt-ud-{split}.conllu").write_text(text, encoding="utf-8")


def write_skeletons(folder: Path, documents: dict[str, list[str]]) -> None:
    for document, sentences in documents.items():
        genre, name = document.split("-")
        file = folder / "data" / "google" / "ewt" / genre / "00" / f"{name}.xml.gold_skel"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(skeleton(document, sentences), encoding="utf-8")
