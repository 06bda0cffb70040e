"""How many threads small matrices get."""

from contextlib import AbstractContextManager, nullcontext

from threadpoolctl import threadpool_limits

# A second thread costs more than it saves on few points: at 250, both errors of a map took 0.01 CPU seconds
# on one thread and 0.05 to 0.4 on two. Where that turns was not measured.
SMALL = 1000


def threads_for(n_points: int) -> AbstractContextManager[object]:
    """A context in which maps of few points are made on one thread; of many, on as many as there are."""
    return threadpool_limits(1) if n_points <= SMALL else nullcontext()
