"""AdvGLUE from the hub: the rows of dev.json, without the text before the change."""

from pathlib import Path

import pandas as pd

from encoder_atlas.text.adversarial import FILES, TEXTS, adversarial_frame, check_task
from encoder_atlas.text.hub_corpora import HubCorpus
from encoder_atlas.text.hub_open import open_hub


def load_adversarial_hub(task: str, *, path: Path | None = None, revision: str | None = None) -> pd.DataFrame:
    """The adversarial rows of a task, as ``load_adversarial`` gives them of dev.json.

    Args:
        task: "sst2", "qqp", "qnli", "mnli", "mnli-mm" or "rte".
        path: a local copy of the repository AI-Secure/adv_glue, which is read instead.
        revision: commit, branch or tag of the repository; None takes the newest.

    Raises:
        DataError: as ``load_adversarial``; if the hub cannot be reached, naming the way by files.
    """
    check_task(task)
    configuration = "adv_" + task.replace("-mm", "_mismatched")
    corpus = HubCorpus("AI-Secure/adv_glue", configuration, TEXTS[task])
    instead = f"Use load_adversarial with a folder that has {' or '.join(FILES)}."
    rows = open_hub(corpus, instead, path=path, revision=revision)["validation"]
    return adversarial_frame(rows.to_list(), task, str(corpus.place))
