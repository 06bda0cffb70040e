"""How many threads small matrices get."""

from contextlib import AbstractContextManager, nullcontext

from threadpoolctl import threadpool_limits

# Up to about here starting a second thread costs more than it saves (benchmarks/deepview_map.py).
SMALL = 1000


def threads_for(n_points: int) -> AbstractContextManager[object]:
    """A context in which maps of few points are made on one thread; of many, on as many as there are."""
    return threadpool_limits(1) if n_points <= SMALL else nullcontext()
