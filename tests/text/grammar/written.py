"""Many generated sentences, written by a process of its own: checking types takes forty times as long."""

import json
import subprocess
import sys
from functools import cache
from typing import Any

from encoder_atlas.text.layers import Frame, Sentence, Span, Tree

WRITE = """
import json, sys
from dataclasses import asdict
from encoder_atlas.text.grammar import generate
n, seed, domain, split = sys.argv[1:]
for sentence in generate(int(n), int(seed), domain, split):
    print(json.dumps(asdict(sentence)))
"""


@cache
def written(n: int, seed: int, domain: str, split: str = "train") -> list[Sentence]:
    """What ``generate`` gives."""
    command = [sys.executable, "-c", WRITE, str(n), str(seed), domain, split]
    found = subprocess.run(command, capture_output=True, check=True, text=True)
    return [_sentence(json.loads(line)) for line in found.stdout.splitlines()]


def _spans(values: list[list[Any]]) -> tuple[Span, ...]:
    return tuple(Span(*value) for value in values)


def _sentence(record: dict[str, Any]) -> Sentence:
    spans, tags = record.pop("tree")
    frames = tuple(Frame(place, sense, _spans(roles)) for place, sense, roles in record.pop("frames"))
    entities, mentions = _spans(record.pop("entities")), _spans(record.pop("mentions"))
    plain: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
    }
    return Sentence(
        **plain, entities=entities, mentions=mentions, frames=frames, tree=Tree(_spans(spans), tuple(tags))
    )
