"""Table 3 of the paper, with what is printed beside what is found."""

import numpy as np
import pandas as pd

from encoder_atlas.deepview.comparison import PAIRS, pair_name
from encoder_atlas.errors import DataError
from encoder_atlas.estimates import mean_sd

_PRINTED = ((0.50, 225, 0.69), (0.00, 1, None), (0.08, 2, None), (0.34, 194, None), (0.35, 209, None))

MEASURES = {"q_local": "Q_local", "k_max": "K_max", "auc": "AUC"}
# A row of the table: the space, the reading, and what follows the measure in the summary's column.
_ROWS = {
    "map": ("map", "definition", ""),
    "original space": ("original", "definition", ""),
    "map, classes alone": ("map", "definition", "_classes"),
    "map, released reading": ("map", "released", ""),
}


def printed_comparison() -> pd.DataFrame:
    """Table 3 of the paper (SST-2): pair, q_local, k_max, auc; the text prints one AUC only.

    The notebook that made it takes 500 points; K_max and k mean little without that number.
    """
    rows = [(pair_name(*pair), *numbers) for pair, numbers in zip(PAIRS, _PRINTED, strict=True)]
    return pd.DataFrame(rows, columns=["pair", "q_local", "k_max", "auc"])


def comparison_table(summary: pd.DataFrame) -> pd.DataFrame:
    """Table 3's form: a column a pair, mean ± sd over samples, with what is printed beside what is found.

    For every measure: on the map, in the original space, on the map after points changed places within
    classes, on the map under the released reading, and as printed.

    Raises:
        DataError: an empty summary.
    """
    if summary.empty:
        raise DataError("the summary holds no comparison")
    printed = printed_comparison().set_index("pair")
    pairs = list(dict.fromkeys(summary["pair"]))
    cells = {}
    for measure, name in MEASURES.items():
        digits = 0 if measure == "k_max" else 2
        for row, (space, reading, suffix) in _ROWS.items():
            column = measure + suffix
            same_in_both = reading == "released" and measure == "auc"
            if column in summary and not same_in_both:
                chosen = summary.loc[summary["space"].eq(space) & summary["reading"].eq(reading)]
                found = dict(iter(chosen.groupby("pair")[column]))
                cells[name, row] = [mean_sd(found[pair], digits) for pair in pairs]
        known = printed[measure].reindex(pairs)
        cells[name, "printed"] = ["–" if np.isnan(value) else f"{value:.{digits}f}" for value in known]
    return pd.DataFrame.from_dict(cells, orient="index", columns=pairs).set_axis(
        pd.MultiIndex.from_tuples(cells, names=["measure", "where"])
    )
