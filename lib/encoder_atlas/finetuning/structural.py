"""Structural probes (Hewitt and Manning, 2019): does a linear map make distances those of trees?

Two probes a layer: ‖B(h_i - h_j)‖² for the distance of two words in the dependency tree, ‖B h_i‖² for the
depth of one. A word is the mean of its pieces. The probes of all layers are trained at once: they share
batches and nothing else.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float32
from torch import Tensor

from encoder_atlas.encoders import Encoder
from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.finetuning.states import LayerStates, layer_states
from encoder_atlas.finetuning.structural_model import TreeData, TreeProbes
from encoder_atlas.finetuning.structural_result import StructuralResult, heads_of, measure_trees
from encoder_atlas.finetuning.structural_settings import StructuralSettings
from encoder_atlas.progress import bar
from encoder_atlas.text import length_buckets
from encoder_atlas.text.layers import Sentence
from encoder_atlas.training.device import choose_device, seeded

BETTER = 1e-4  # a loss on dev must fall by this much to have improved
PATIENCE = 5


def structural_probes(
    encoder: Encoder,
    train: Sequence[Sentence],
    test: Sequence[Sentence],
    settings: StructuralSettings | None = None,
    *,
    dev: Sequence[Sentence] = (),
    seed: int = 0,
    device: str = "auto",
) -> StructuralResult:
    """Fit distance and depth probes to every layer of an encoder and measure the trees they give.

    Args:
        train, test: sentences with dependency trees.
        dev: with the schedule "plateau", sentences whose loss steers the rate and chooses the epoch.

    Raises:
        SettingsError: "plateau" without dev, or a loss that stops being a number.
        DataError: no sentences, or one without a tree or without tags that tell its punctuation.
    """
    for sentence in (*train, *dev, *test):  # before any text is read
        heads_of(sentence)
    if not train or not test:
        raise DataError("structural probes need sentences to learn from and sentences to be measured on")
    unique = list(dict.fromkeys(sentence.words for sentence in (*train, *dev, *test)))
    states = layer_states(encoder, unique)
    return probe_trees(states, train, test, settings, dev=dev, seed=seed, device=device, name=encoder.name)


def probe_trees(
    states: LayerStates,
    train: Sequence[Sentence],
    test: Sequence[Sentence],
    settings: StructuralSettings | None = None,
    *,
    dev: Sequence[Sentence] = (),
    seed: int = 0,
    device: str = "auto",
    name: str = "states",
) -> StructuralResult:
    """`structural_probes` over stored states, which must hold all sentences.

    Raises:
        DataError: a sentence of which there are no states, and as `structural_probes`.
        SettingsError: as `structural_probes`.
    """
    how, on = settings or StructuralSettings(), choose_device(device)
    if how.schedule == "plateau" and not dev:
        raise SettingsError("schedule 'plateau' needs dev: sentences whose loss says when to stop")
    words = [_words(states, part) for part in (train, dev, test)]
    if how.spread is not None:
        factor = how.spread / _spread(words[0])
        words = [[vectors * factor for vectors in part] for part in words]
    learnt, held, asked = (
        TreeData(part, vectors, on) for part, vectors in zip((train, dev, test), words, strict=True)
    )
    hidden = states.states.shape[-1]
    with seeded(seed, on):
        net = TreeProbes(states.n_layers, hidden, how.rank or hidden).to(on)
    _Fit(net, learnt, held, how, seed).run()
    distances, depths = _predict(net, asked, how.batch_size)
    return measure_trees(
        test, distances, depths, name=name, seed=seed, punctuation=how.punctuation, between=how.lengths
    )


class _Fit:
    """The training of all probes: a parameter group each, so that each has a rate of its own."""

    def __init__(
        self, net: TreeProbes, train: TreeData, dev: TreeData, settings: StructuralSettings, seed: int
    ) -> None:
        self.net, self.train, self.dev, self.settings, self.seed = net, train, dev, settings, seed
        self.matrices = [*net.distance, *net.depth]
        groups = [{"params": [matrix]} for matrix in self.matrices]
        self.optimizer = torch.optim.Adam(groups, lr=settings.lr, fused=True)

    def run(self) -> None:
        best = torch.full((len(self.matrices),), torch.inf)
        since = torch.zeros_like(best)
        kept = [matrix.detach().clone() for matrix in self.matrices]
        plateau = self.settings.schedule == "plateau"
        with bar("Structural probes", self.settings.epochs, "epoch") as shown:
            for epoch in range(self.settings.epochs):
                self._epoch(epoch)
                shown.update(1)
                if not plateau:
                    continue
                losses = self._dev_losses()
                better = losses < best - BETTER
                since = torch.where(better, 0, since + 1)
                best = torch.where(better, losses, best)
                for number in range(len(kept)):
                    if better[number]:
                        kept[number] = self.matrices[number].detach().clone()
                    else:
                        self.optimizer.param_groups[number]["lr"] *= 0.1 if since[number] < PATIENCE else 0
                if (since >= PATIENCE).all():
                    break
        if plateau:
            for matrix, chosen in zip(self.matrices, kept, strict=True):
                matrix.data = chosen

    def _epoch(self, epoch: int) -> None:
        size = self.settings.batch_size
        batches = length_buckets(self.train.lengths, size, self.seed + 1_000_003 * epoch)
        for number, batch in enumerate(batches):
            if self.settings.schedule == "linear":
                share = 1 - (epoch + number / len(batches)) / self.settings.epochs
                for group in self.optimizer.param_groups:
                    group["lr"] = self.settings.lr * share
            loss = self.net.losses(self.train.take(batch)).sum()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if not torch.isfinite(loss):
                raise SettingsError(
                    f"structural probes have a loss of {loss.item()}: lower lr ({self.settings.lr:g})"
                )

    def _dev_losses(self) -> Tensor:
        """Of every probe, the mean over the sentences of dev."""
        total = torch.zeros(len(self.matrices))
        with torch.inference_mode():
            for batch in _in_order(self.dev, self.settings.batch_size):
                total += len(batch) * self.net.losses(self.dev.take(batch)).flatten().cpu()
        return total / len(self.dev.lengths)


def _in_order(data: TreeData, size: int) -> Iterator[list[int]]:
    """The numbers of sentences in batches, short sentences first."""
    order: list[int] = np.argsort(data.lengths, kind="stable").tolist()
    yield from (order[start : start + size] for start in range(0, len(order), size))


def _predict(net: TreeProbes, data: TreeData, size: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Distances (layers × words × words) and depths (layers × words) of each sentence."""
    distances, depths = ([np.zeros(0)] * len(data.lengths) for _ in range(2))
    with torch.inference_mode():
        for batch in _in_order(data, size):
            apart, up = (found.cpu().numpy() for found in net(data.take(batch).words))
            for row, number in enumerate(batch):
                length = data.lengths[number]
                distances[number] = apart[:, row, :length, :length]
                depths[number] = up[:, row, :length]
    return distances, depths


def _words(
    states: LayerStates, sentences: Sequence[Sentence]
) -> list[Float32[np.ndarray, "layers _ hidden"]]:
    """The vectors of each sentence's words at every layer."""
    numbers = states.find([sentence.words for sentence in sentences])
    means, first = states.word_means(), states.first_word
    return [means[:, first[number] : first[number + 1]] for number in numbers]


def _spread(
    words: Sequence[Float32[np.ndarray, "layers _ hidden"]],
) -> Float32[np.ndarray, "layers 1 1"]:
    """Root mean square around the mean word, of each layer; 1 for a layer that never changes."""
    spread = np.concatenate(words, axis=1).std(axis=1, keepdims=True)
    rms = np.sqrt((spread**2).mean(axis=2, keepdims=True))
    return np.where(rms > 0, rms, 1).astype(np.float32)
