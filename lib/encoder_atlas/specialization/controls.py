"""What a dissociation score must be held against: other assignments, random heads, and the floor."""

from dataclasses import dataclass
from itertools import permutations
from math import factorial, perm

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int

from encoder_atlas.errors import DataError, SettingsError
from encoder_atlas.specialization.dissociation import Dissociation
from encoder_atlas.specialization.pruning import BASE, Pruned

MOST_TASKS = 9
"""9! is 362,880 assignments; a tenth task would make ten times as many."""

MOST_ASSIGNMENTS = 20_000
RANDOM = "random"


@dataclass(frozen=True, eq=False)
class AssignmentControl:
    """D of the real head sets when they change owners, in all ways.

    If a set mattered to every task alike, it would not matter whose it is called.
    """

    tasks: tuple[str, ...]
    assignments: Int[np.ndarray, "assignments tasks"]
    """Whose heads each task is given; the first row is the true assignment."""
    dissociation: Float64[np.ndarray, " assignments"]
    """D in points."""

    @property
    def rank(self) -> int:
        """How many assignments have a D at least as large as the true one, itself counted; 1 is the best."""
        # Sums of the same numbers in another order differ in the last bits.
        return int((self.dissociation >= self.dissociation[0] - 1e-9).sum())

    @property
    def p(self) -> float:
        """Exact: the share of assignments with a D at least as large; at the least 1/n!."""
        return self.rank / len(self.dissociation)

    def to_frame(self) -> pd.DataFrame:
        """One row an assignment, highest D first: a column a task (whose heads), dissociation, true."""
        names = np.array(self.tasks)[self.assignments]
        table = pd.DataFrame(names, columns=list(self.tasks)).assign(dissociation=self.dissociation)
        return table.assign(true=np.arange(len(table)) == 0).sort_values(
            "dissociation", ascending=False, kind="stable", ignore_index=True
        )


def assignment_control(found: Dissociation) -> AssignmentControl:
    """Give every task the heads of another, in all n! ways, and measure D each time.

    Raises:
        SettingsError: more than nine tasks.
    """
    n = len(found.tasks)
    if n > MOST_TASKS:
        raise SettingsError(f"{n} tasks have {factorial(n)} assignments: take {MOST_TASKS} tasks at most")
    ways = np.array(list(permutations(range(n))))
    return AssignmentControl(found.tasks, ways, assigned(found.relative, ways))


def assigned(
    relative: Float64[np.ndarray, "*draws sets tasks"], ways: Int[np.ndarray, "assignments tasks"]
) -> Float64[np.ndarray, "*draws assignments"]:
    """D in points when task i is called the owner of set ``ways[·, i]``, for many assignments at once.

    The other tasks' sets are those of the same assignment, as in Eq. (7).
    """
    n = ways.shape[1]
    given = relative[..., ways, :]  # assignment, owner, task
    own = np.diagonal(given, axis1=-2, axis2=-1)
    return 100 * ((given.sum(axis=-2) - own) / (n - 1) - own).mean(axis=-1)


@dataclass(frozen=True, eq=False)
class NullDistribution:
    """D of random head sets, called the tasks' own in many ways.

    Its values share their sets and are not independent: what it rests on is ``sets``, not their number.
    Over all ways its mean is 0 by construction; its spread and its largest value are what D must beat.
    """

    dissociation: Float64[np.ndarray, " assignments"]
    sets: int

    @property
    def sd(self) -> float:
        """Standard deviation (n - 1) in points."""
        return float(self.dissociation.std(ddof=1))

    @property
    def largest(self) -> float:
        """The largest D in points."""
        return float(self.dissociation.max())

    def share_above(self, d: float) -> float:
        """Share of the null values that are at least ``d``."""
        return float((self.dissociation >= d - 1e-9).mean())


def random_names(pruned: Pruned) -> list[str]:
    """The names of the random sets that were taken out."""
    return [name for name in pruned.sets if name.startswith(f"{RANDOM} ")]


def null_distribution(pruned: Pruned, seed: int = 0) -> NullDistribution:
    """D of the random sets that were taken out, assigned to the tasks in all ways.

    Of more than 20,000 ways that many are drawn by ``seed``.

    Raises:
        DataError: fewer random sets than tasks were taken out.
    """
    names, n = random_names(pruned), len(pruned.tasks)
    if len(names) < max(n, 2):
        raise DataError(
            f"{len(names)} random head sets for {n} tasks: take out at least {max(n, 2)} (random_sets)"
        )
    return NullDistribution(assigned(pruned.relative(names), null_ways(len(names), n, seed)), len(names))


def null_ways(
    sets: int, tasks: int, seed: int = 0, most: int = MOST_ASSIGNMENTS
) -> Int[np.ndarray, "assignments tasks"]:
    """All ways to give each task a random set of its own; of more than ``most`` ways so many, drawn."""
    if perm(sets, tasks) <= most:
        return np.array(list(permutations(range(sets), tasks)))
    order = np.tile(np.arange(sets), (most, 1))
    return np.random.default_rng(seed).permuted(order, axis=1)[:, :tasks]


def floor_check(pruned: Pruned) -> pd.DataFrame:
    """How far pruning throws each task down to chance: where everything lies on the floor, D is 0 by default.

    One row a task: task, base, chance (`chance_score`), own and others (scores without its own and, on
    average, without another task's heads), left_own and left_others (what is left above chance, in percent of
    what the whole model has above it; NaN where the model itself is not above chance).

    Raises:
        DataError: a task's heads were not taken out.
    """
    chosen, scores = pruned.rows(pruned.tasks), pruned.scores
    base, chance = scores[pruned.rows([BASE])[0]], np.array([pruned.chance[task] for task in pruned.tasks])
    own = np.diag(scores[chosen])
    others = (scores[chosen].sum(axis=0) - own) / max(len(chosen) - 1, 1)
    room = np.where(base > chance, base - chance, np.nan)
    return pd.DataFrame(
        {
            "task": pruned.tasks,
            "base": base,
            "chance": chance,
            "own": own,
            "others": others,
            "left_own": 100 * (own - chance) / room,
            "left_others": 100 * (others - chance) / room,
        }
    )
