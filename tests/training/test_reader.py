"""Readers: spans against loops, characters of answers in odd text, windows, what is learnt, and bad input."""

from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch.nn.functional import cross_entropy

from encoder_atlas.encoders import TINY, load_encoder
from encoder_atlas.errors import DataError, EncoderError, SettingsError
from encoder_atlas.text import Task, TaskSpec, load_task
from encoder_atlas.training import Annotator, FitSettings, Reader, ReaderSettings, fit_reader
from encoder_atlas.training.reader import Questions, TokenBody, answer_tokens, pairs_of, span_loss
from encoder_atlas.training.windows import NO_ANSWER, Window, best_spans, collate, cut_windows, outside

SETTINGS = FitSettings(
    epochs=8, batch_size=16, lr_encoder=2e-3, lr_head=5e-3, max_length=64, precision="fp32"
)
COLOURS, THINGS = ("red", "blue", "old", "dark", "new"), ("dog", "car", "song", "hat")


def questions(train: int, dev: int, *, filler: int = 0) -> Task:
    """What is the dog? The answer is the word, or the two words, between its name and a stop."""
    random = np.random.default_rng(0)
    frames = {"train": [], "dev": []}
    for row in range(train + dev):
        things = random.permutation(THINGS)[:2]
        kinds = [" ".join(random.choice(COLOURS, size=random.integers(1, 3), replace=False)) for _ in things]
        told = [f"the {thing} is {kind} ." for thing, kind in zip(things, kinds, strict=True)]
        context = " ".join([f"{row} ,", *["and so on ,"] * filler, *told])
        start = context.index(told[0]) + len(f"the {things[0]} is ")
        frames["train" if row < train else "dev"].append(
            {
                "question": f"what is the {things[0]} ?",
                "context": context,
                "answer_start": start,
                "answer_text": kinds[0],
                "answers": (kinds[0],),
            }
        )
    splits = {split: pd.DataFrame(rows) for split, rows in frames.items()}
    columns = ("question", "context")
    return Task("toy", "pair", columns, (), "em", splits, "Generated for a test.", target="answer")


@lru_cache
def fitted() -> Reader:
    return fit_reader(load_encoder("tiny:bert"), questions(200, 40), SETTINGS, device="cpu")


def same(a: Reader, b: Reader) -> bool:
    """Whether all weights are the same bits."""
    for ours, theirs in ((a.encoder.model, b.encoder.model), (a.heads, b.heads)):
        other = theirs.state_dict()
        if not all(value.equal(other[key]) for key, value in ours.state_dict().items()):
            return False
    return True


@pytest.mark.parametrize("longest", [1, 2, 5, 40])
def test_the_best_span_is_that_of_a_loop_over_all(longest: int) -> None:
    logits = torch.randn(20, 9, 2, generator=torch.Generator().manual_seed(longest))
    logits[:, 0] = logits[:, 7:] = -torch.inf
    score, first, last = best_spans(logits, longest)
    for row in range(20):
        spans = {
            (i, j): float(logits[row, i, 0] + logits[row, j, 1])
            for i in range(9)
            for j in range(i, min(9, i + longest))
        }
        best = max(spans, key=lambda span: spans[span])
        assert (int(first[row]), int(last[row])) == best
        assert score[row].item() == pytest.approx(spans[best])


ODD = (
    (
        "Who?",
        "The  café\u00a0of\tZoë ,\n\n naïve  co\u0301te  — “déjà vu” ends.",
        ("café", "Zoë", "co\u0301te", "déjà vu"),
    ),
    ("What?", "  ½ of 日本 people ... saw 3.5% (of it)!  ", ("½", "日本", "3.5%", "it", "saw 3.5%")),
    ("Where?", "In İstanbul, ﬁnally; I\u200b saw it", ("İstanbul", "saw it", "ﬁnally")),
)


@pytest.mark.parametrize("kind", TINY)
def test_tokens_of_an_answer_give_back_its_characters(kind: str) -> None:
    """In odd white space, accents as letters of their own, ligatures, and scripts without pieces."""
    encoder = load_encoder(f"tiny:{kind}")
    for question, context, answers in ODD:
        (window,) = cut_windows(encoder, [(question, context)], 100, 10)
        for answer in answers:
            start = context.index(answer)
            first, last = window.tokens_of(start, start + len(answer))
            assert window.first <= first <= last < window.stop
            assert context[window.offsets[first, 0] : window.offsets[last, 1]] == answer


def test_part_of_a_word_is_answered_by_the_tokens_that_touch_it() -> None:
    encoder = load_encoder("tiny:bert")  # pieces of two letters: un be li ev ab le
    (window,) = cut_windows(encoder, [("What?", "an unbelievable film")], 100, 10)
    first, last = window.tokens_of(6, 9)  # "eli"
    assert window.offsets[[first, last]].tolist() == [[5, 7], [7, 9]]


def test_windows_overlap_by_the_stride_and_cover_the_text() -> None:
    encoder = load_encoder("tiny:bert")
    words = [f"{a}{b}" for a in "abcdefghij" for b in "klmno"]
    context = " ".join(words)
    windows = cut_windows(encoder, [("ab", "cd"), ("ab cd", context)], 20, 5)
    assert [one.question for one in windows] == [0] + [1] * (len(windows) - 1)
    assert max(len(one.offsets) for one in windows) == 20
    held = [[context[a:b] for a, b in one.offsets[one.first : one.stop]] for one in windows[1:]]
    for left, right in pairwise(held):
        assert left[-5:] == right[:5]
    assert held[0] + [word for part in held[1:] for word in part[5:]] == words
    # An answer counts where all of it stands, and nowhere else.
    start = context.index("ck")
    found = [one.tokens_of(start, start + 5) for one in windows[1:]]
    whole = ["ck" in part and "cl" in part for part in held]
    assert [span != (NO_ANSWER, NO_ANSWER) for span in found] == whole and any(whole)


def test_the_loss_is_the_mean_of_both_ends_over_all_tokens() -> None:
    task, encoder = questions(3, 1), load_encoder("tiny:bert")
    windows = cut_windows(encoder, pairs_of(task, "train"), 64, 10)
    labels = answer_tokens(task, windows)
    inputs = collate(windows, encoder)
    logits = torch.randn(*inputs["input_ids"].shape, 2, generator=torch.Generator().manual_seed(0))

    class Given(torch.nn.Module):
        def forward(self, task: str, inputs: Any) -> torch.Tensor:
            return logits

    expected = 0.0
    for row, window in enumerate(windows):
        own = logits[row, : len(window.offsets)]
        for end in (0, 1):
            expected += float(cross_entropy(own[None, :, end], labels[row, end][None]))
    loss = span_loss(Given(), "toy", inputs, labels)
    assert loss.item() == pytest.approx(expected / 6, abs=1e-5)


def test_padding_is_no_part_of_a_batch() -> None:
    encoder = load_encoder("tiny:bert")
    windows = cut_windows(encoder, [("a", "b c d e f"), ("a b", "c")], 30, 3)
    part = Questions(windows, torch.zeros(2, 2, dtype=torch.int64), encoder)
    assert part.lengths == [9, 6]
    batch = part.take([0, 1])
    assert batch["attention_mask"].sum(1).tolist() == [9, 6]
    assert outside(windows).long().tolist() == [[1, 1, 1, 0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 0, 1, 1, 1, 1]]
    with torch.no_grad():
        together = TokenBody(encoder)(batch)
        alone = TokenBody(encoder)(part.take([1]))
    assert torch.allclose(together[1, :6], alone[0], atol=1e-5)


def test_it_learns_and_answers_are_cut_from_the_text() -> None:
    task, reader = questions(200, 40), fitted()
    scores = reader.score(task)
    assert scores["f1"] >= scores["em"] > 0.5
    found = reader.answers(task)
    assert all(text in context for text, (_, context) in zip(found, pairs_of(task, "dev"), strict=True))
    dev = reader.history[reader.history["split"] == "dev"]
    means = [part["value"].mean() for _, part in dev.groupby("epoch")]
    assert (scores["em"] + scores["f1"]) / 2 == pytest.approx(max(means))  # the best epoch is kept


def test_batches_and_order_change_nothing() -> None:
    pairs = pairs_of(questions(200, 40), "dev")
    found = fitted().read(pairs)
    assert fitted().read(pairs, batch_size=3) == found
    assert fitted().read(pairs[::-1]) == found[::-1]


def test_long_texts_are_read_in_windows() -> None:
    """The answer stands behind what one row takes; cutting the text would lose it."""
    task = questions(200, 20, filler=25)
    pairs = pairs_of(task, "dev")
    assert len(cut_windows(fitted().encoder, pairs, 64, 21)) > 3 * len(pairs)
    found = fitted().read(pairs)
    assert all(text and text in context for text, (_, context) in zip(found, pairs, strict=True))


def test_answers_are_no_longer_than_allowed() -> None:
    reader = fitted()
    short = Reader(reader.encoder, reader.heads, SETTINGS, ReaderSettings(longest=1), 0, reader.history)
    lengths = [len(reader.encoder.tokenizer.tokenize(answer)) for answer in short.answers(questions(200, 40))]
    assert max(lengths) == 1


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    fitted().save(tmp_path / "model")
    again = Reader.load(tmp_path / "model")
    assert same(fitted(), again)
    assert again.answers(questions(200, 40)) == fitted().answers(questions(200, 40))
    assert again.history.equals(fitted().history) and again.settings == SETTINGS
    with pytest.raises(EncoderError, match="another kind of model"):
        Annotator.load(tmp_path / "model")


def test_the_same_seed_gives_the_same_bits_and_frozen_layers_stay() -> None:
    encoder = load_encoder("tiny:bert")
    settings = SETTINGS.model_copy(update={"epochs": 1, "frozen_layers": 1})
    one, two, other = (
        fit_reader(encoder, questions(40, 10), settings, seed=seed, device="cpu") for seed in (0, 0, 1)
    )
    assert same(one, two) and not same(one, other)
    state = one.encoder.model.state_dict()
    moved = {key for key, value in encoder.model.state_dict().items() if not value.equal(state[key])}
    assert moved and all(key.startswith("encoder.layer.1.") for key in moved)


@pytest.mark.parametrize("kind", ["gpt2", "roberta", "deberta-v3"])
def test_other_families_read_generated_paragraphs(kind: str) -> None:
    spec = TaskSpec(name="qa", source="generated", corpus="question-answering", train=24, dev=6)
    task = load_task(spec)
    settings = SETTINGS.model_copy(update={"epochs": 1})
    reader = fit_reader(load_encoder(f"tiny:{kind}"), task, settings, device="cpu")
    assert all(0 <= value <= 1 for value in reader.score(task).values())
    assert all(
        text in context
        for text, (_, context) in zip(reader.answers(task), pairs_of(task, "dev"), strict=True)
    )


def test_what_cannot_be_read_is_refused(tone: Task) -> None:
    encoder, task = load_encoder("tiny:bert"), questions(10, 4)
    with pytest.raises(DataError, match="'tone' has no answers"):
        fit_reader(encoder, tone)
    with pytest.raises(SettingsError, match="max_length is 200; tiny:bert takes up to 128"):
        fit_reader(encoder, task, SETTINGS.model_copy(update={"max_length": 200}))
    with pytest.raises(DataError, match=r"'what is the .* rows of 16 leave no room"):
        fit_reader(encoder, task, SETTINGS.model_copy(update={"max_length": 16}))
    with pytest.raises(DataError, match="no token in the text of 'who'"):
        cut_windows(encoder, [("who", "\u200b")], 30, 3)
    with pytest.raises(SettingsError, match="frozen_layers is 5"):
        fit_reader(encoder, task, SETTINGS.model_copy(update={"frozen_layers": 5}))
    with pytest.raises(ValueError, match="longest"):
        ReaderSettings(longest=0)


def test_an_answer_outside_the_window_has_no_tokens() -> None:
    window = Window(0, {}, 1, 3, np.array([[0, 0], [5, 7], [8, 9], [0, 0]]))
    assert window.tokens_of(5, 9) == (1, 2)
    assert window.tokens_of(3, 7) == window.tokens_of(8, 12) == (NO_ANSWER, NO_ANSWER)
    assert window.tokens_of(7, 8) == (NO_ANSWER, NO_ANSWER)  # a space between tokens
