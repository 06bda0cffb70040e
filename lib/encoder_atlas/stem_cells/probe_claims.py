"""What decides the chapter's claims on probes (``book/claims.yaml``).

Scores are means over labels, each of which counts as much as the next, with bootstrap intervals over
sentences that say nothing about other training seeds.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float64

from encoder_atlas.errors import DataError
from encoder_atlas.estimates import Counts, Estimate, Estimates, contrast
from encoder_atlas.stem_cells.probe_tables import Runs
from encoder_atlas.stem_cells.probes import LEXICAL, LINKED, OFFSETS, RANDOM, SLICES, HeadProbes

ROOT_LABEL = "root"


def macro_gain(
    before: Runs, after: Runs, tasks: Sequence[str], *, skip: Sequence[str] = (), level: float = 0.95
) -> Estimate:
    """Accuracy of the best heads of ``after`` minus ``before``, in points: mean over labels, runs and tasks.

    Heads are chosen on dev for each run. Labels that all runs have count, each as much as the next; tasks
    too. The interval is over sentences, the same for both, and says nothing about other training seeds.

    Args:
        skip: labels to leave out, such as "root" of dependencies.

    Raises:
        DataError: no runs, other sentences, or no label in common.
    """
    return _mean_gain([(task, (before, after)) for task in tasks], level, skip)


def root_lead(probes: HeadProbes, level: float = 0.95) -> tuple[Estimate, Estimate]:
    """Whether links with [CLS] of any word explain roots: of the head that finds most roots on dev, on test
    the percent of other words that it links with [CLS] too, and the percent of roots minus that.

    Where several find as many on dev, as heads that always look at [CLS] do, these are means over them.

    Raises:
        DataError: dependencies were not probed.
    """
    root, others = _root_counts(probes)
    return _weighted([others], [1.0], level), _weighted([root, others], [1.0, -1.0], level)


def probe_claims(
    single: Mapping[str, tuple[Runs, Runs]],
    joint: Runs = (),
    baselines: Mapping[str, HeadProbes] | None = None,
    *,
    level: float = 0.95,
) -> Estimates:
    """What decides the claims on probes, in points or percent.

    "stem-probe-tuned": the best heads of models of one task minus those before training, mean over tasks, and
    "stem-probe-tuned-pos" and so on; "stem-probe-joint" and "stem-probe-joint-pos": all tasks together minus
    one alone. With baselines, of the encoder before training: "stem-links-offset" and "stem-roles-offset"
    (minus the best fixed offset, without roots), "stem-links-random" (minus an encoder of random weights),
    "stem-values-lexical" (minus the embeddings, mean over the tasks that have them), "stem-root-cls" (percent
    of other words that the best root head links with [CLS] too) and "stem-root-lead" (percent of roots
    minus that); "stem-values-slices" is "stem-values-lexical" against embeddings cut to the width of heads.
    Where dependencies and roles were probed, "stem-roles-deeper" in layers (`roles_deeper`).

    Args:
        single: of each task its probes before training and after training on it alone, one a run.
        joint: after training on all tasks, one a run.
        baselines: as `baseline_probes` gives them for the encoder before training.

    Raises:
        DataError: no tasks, or probes of other sentences.
    """
    if not single:
        raise DataError("there are no tasks whose probes could be held against each other")
    found = {
        f"stem-probe-tuned-{task}": macro_gain(before, after, [task], level=level)
        for task, (before, after) in single.items()
    }
    found["stem-probe-tuned"] = _mean_gain(list(single.items()), level)
    if joint:
        pairs = {task: (after, joint) for task, (_, after) in single.items()}
        for task, (alone, together) in pairs.items():
            found[f"stem-probe-joint-{task}"] = macro_gain(alone, together, [task], level=level)
        found["stem-probe-joint"] = _mean_gain(list(pairs.items()), level)
    before = next(iter(single.values()))[0]
    if {"dep", "srl"} <= set(before[0].test) and all(len(before[0].best(t)) > 2 for t in ("dep", "srl")):
        found["stem-roles-deeper"] = roles_deeper(before[0], level)
    if baselines:
        found |= _against_baselines(before, baselines, list(single), level)
    return found


def roles_deeper(probes: HeadProbes, level: float = 0.95) -> Estimate:
    """In layers, how much deeper roles are found than dependencies: mean layer of the labels' best heads.

    Roots do not count, whose head says little (`root_lead`). The interval is over labels.

    Raises:
        DataError: either was not probed, or has fewer than two labels.
    """
    dep, srl = (probes.best(task) for task in ("dep", "srl"))
    layers = [best.loc[best["label"] != ROOT_LABEL, "layer"].to_numpy() for best in (dep, srl)]
    groups = [[pd.DataFrame({"right": own, "total": np.ones_like(own)})] for own in layers]
    return contrast(groups, lambda scores: (scores[1] - scores[0]) / 100, level=level)


def _against_baselines(
    before: Runs, baselines: Mapping[str, HeadProbes], tasks: Sequence[str], level: float
) -> dict[str, Estimate]:
    values = [task for task in tasks if task not in LINKED]
    wanted = {
        "stem-links-offset": (OFFSETS, ["dep"]),
        "stem-roles-offset": (OFFSETS, ["srl"]),
        "stem-links-random": (RANDOM, ["dep"]),
        "stem-values-lexical": (LEXICAL, values),
        "stem-values-slices": (SLICES, values),
    }
    found: dict[str, Estimate] = {}
    for name, (baseline, own) in wanted.items():
        probed = baselines[baseline].test if baseline in baselines else {}
        both = [task for task in own if task in tasks and task in probed]
        if both:
            found[name] = macro_gain([baselines[baseline]], before, both, skip=[ROOT_LABEL], level=level)
    if before[0].root is not None:
        found["stem-root-cls"], found["stem-root-lead"] = root_lead(before[0], level)
    return found


def _mean_gain(
    pairs: Sequence[tuple[str, tuple[Runs, Runs]]], level: float, skip: Sequence[str] = ()
) -> Estimate:
    """The mean over tasks of what the labels gain, of each task between its own two groups of runs."""
    parts: list[Counts] = []
    weights: list[float] = []
    for task, (before, after) in pairs:
        if not before or not after:
            raise DataError(f"there are no two groups of probes of {task!r} to hold against each other")
        found = [set(probes.best(task)["label"]) for probes in (*before, *after)]
        labels = sorted(set.intersection(*found) - set(skip))
        if not labels:
            raise DataError(f"the probes of {task!r} have no label in common")
        for runs, sign in ((before, -1), (after, 1)):
            for probes in runs:
                parts += probes.counts(task, labels)
                weights += [sign / len(runs) / len(labels) / len(pairs)] * len(labels)
    return _weighted(parts, weights, level)


def _weighted(parts: Sequence[Counts], weights: Sequence[float], level: float) -> Estimate:
    factor = np.array(weights)[:, None]

    def total(scores: Float64[np.ndarray, "parts draws"]) -> Float64[np.ndarray, " draws"]:
        # A resample may hold no item of a rare label: the label then counts nothing in it.
        return np.nansum(scores * factor, axis=0)

    with np.errstate(invalid="ignore"):
        return contrast([list(parts)], total, level=level)


def _root_counts(probes: HeadProbes) -> tuple[Counts, Counts]:
    if probes.root is None:
        raise DataError("dependencies were not probed: there is no control of roots")
    rates = probes.dev["dep"].accuracy(ROOT_LABEL)
    best = [probes.root.counts(layer, head) for layer, head in np.argwhere(rates == rates.max()).tolist()]
    (root, others), *more = best
    for also in more:
        root, others = root + also[0], others + also[1]
    return root, others
