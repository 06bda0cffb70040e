"""Attention as links between words, against dependencies and roles: what parameter-free probes count."""

import io
from collections.abc import Sequence
from typing import Any

import traitlets
from matplotlib.figure import Figure

from encoder_atlas.errors import DataError, near
from encoder_atlas.show.link_figures import draw_links
from encoder_atlas.show.link_models import TOP, LinkModel, check_links, gold, strongest
from encoder_atlas.show.page import PageWidget, joined, packed
from encoder_atlas.show.style import ramp, styled
from encoder_atlas.text.layers import Sentence

_JS = (
    "page_js/page.js",
    "head_grid_js/grids.js",
    *(f"attention_links_js/{name}.js" for name in ("data", "arcs", "view")),
)


class AttentionLinks(PageWidget):
    """A sentence with its gold links above and where one head looks from each word below.

    The reader moves through the sentences, chooses a head in a small grid, coloured by how many of the gold
    links it finds in this sentence, or a label, which leads to the best head for it; and switches between
    models, between dependencies and roles, and [CLS] in or out of the looks (in for dependencies and out for
    roles at first, as the probes have it). A link is found if a head looks
    along it in either direction. Everything is computed beforehand: the page needs no kernel.

    Parameters
    ----------
    sentences
        With dependencies, roles or both.
    models
        One or several encoders of one shape (``LinkModel``).
    title
        What stands above the widget.
    label
        The label shown first; by default all, and the first head.

    Layers and heads are counted from 1 on the page, and layer 1 lies at the bottom. ``head`` holds the chosen
    (layer, head), counted from 0.

    Raises ``DataError`` for what cannot be drawn: see ``check_links``.
    """

    _esm = joined(*_JS)
    _css = joined("page_js/page.css", "head_grid_js/heads.css", "attention_links_js/links.css")

    title = traitlets.Unicode().tag(sync=True)
    sentence = traitlets.Int().tag(sync=True)
    model = traitlets.Int().tag(sync=True)
    task = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    cls = traitlets.Bool(True).tag(sync=True)
    head = traitlets.List(traitlets.Int(), [0, 0]).tag(sync=True)

    # What follows is data: set once here, only read by the page.
    models = traitlets.List(traitlets.Unicode()).tag(sync=True)
    words = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    gold = traitlets.List(traitlets.List(traitlets.List())).tag(sync=True)
    best = traitlets.List(traitlets.Dict()).tag(sync=True)  # of each model: task, label: layer, head, percent
    tasks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    grid = traitlets.List(traitlets.Int()).tag(sync=True)
    top = traitlets.Int(TOP).tag(sync=True)
    ramp = traitlets.List(traitlets.Unicode()).tag(sync=True)
    looks = traitlets.Bytes().tag(sync=True)  # models × sentences × (place, weight) × layers × heads × …

    def __init__(
        self, sentences: Sequence[Sentence], models: Sequence[LinkModel], title: str = "", label: str = ""
    ) -> None:
        check_links(sentences, models)
        self._sentences, self._models = list(sentences), list(models)
        links = [list(gold(sentence)) for sentence in sentences]
        positions = 1 + max(len(sentence.words) for sentence in sentences)
        tasks = [task for task in ("dep", "srl") if any(link[0] == task for own in links for link in own)]
        super().__init__(
            title=title,
            models=[model.name for model in models],
            words=[list(sentence.words) for sentence in sentences],
            gold=[[list(link) for link in own] for own in links],
            best=[_best(model) for model in models],
            tasks=tasks,
            task=tasks[0],
            cls=tasks[0] == "dep",
            grid=list(models[0].attention[0].shape[:2]),
            ramp=ramp(),
            looks=packed([strongest(a, positions) for model in models for a in model.attention], "u1"),
        )
        if label:
            self._choose(label)

    def _choose(self, label: str) -> None:
        """Show a label, and the first model's best head for it."""
        for task in self.tasks:
            if any(link[:2] == [task, label] for own in self.gold for link in own):
                self.task, self.label, self.cls = task, label, task == "dep"
                self.head = self.best[0].get(task, {}).get(label, [1, 1])[:2]
                return
        known = {link[1] for own in self.gold for link in own}
        raise DataError(f"no sentence has a link with the label {label!r}; {near(label, known)}")

    @traitlets.validate("sentence", "model")
    def _is_there(self, proposal: dict[str, Any]) -> int:
        name = proposal["trait"].name
        count = len(self.words if name == "sentence" else self.models)
        if not 0 <= proposal["value"] < count:
            raise DataError(f"{name} {proposal['value']} is not one of 0 … {count - 1}")
        return proposal["value"]

    @traitlets.validate("head")
    def _head_exists(self, proposal: dict[str, Any]) -> list[int]:
        head = proposal["value"]
        if len(head) != 2 or not all(0 <= at < count for at, count in zip(head, self.grid, strict=True)):
            raise DataError(f"head {head} is not (layer, head) within {self.grid} layers and heads, from 0")
        return head

    def picture(self) -> bytes:
        """Draw the sentence, model and head shown now as a PNG, for where nothing moves."""
        sentence, model = self._sentences[self.sentence], self._models[self.model]
        layer, head = self.head
        attention = model.attention[self.sentence][layer, head]
        links = [link for link in gold(sentence) if link[0] == self.task]
        what = f"{model.name}, layer {layer + 1}, head {head + 1}"
        title = ", ".join(part for part in (self.title, what, self.label) if part)
        with styled():
            figure = Figure(figsize=(max(5.0, 0.62 * len(sentence.words)), 3.4), layout="constrained")
            draw_links(figure.subplots(), sentence.words, links, attention, self.label, self.cls, title)
            png = io.BytesIO()
            figure.savefig(png, format="png", dpi=110)
        return png.getvalue()


def _best(model: LinkModel) -> dict[str, dict[str, list[int | float]]]:
    return {
        task: {
            str(label): [int(layer) - 1, int(head) - 1, round(float(accuracy), 1)]
            for label, layer, head, accuracy in frame[["label", "layer", "head", "accuracy"]].itertuples(
                index=False
            )
        }
        for task, frame in model.best.items()
    }
