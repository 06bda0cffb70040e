"""The paper's arithmetic on its own tables, and slips in them."""

import pytest

from encoder_atlas.specialization.printed_iat import (
    GLUE_TABLES,
    printed_ablation,
    printed_few_shot,
    printed_gains,
    printed_glue,
)


@pytest.mark.parametrize("name", list(GLUE_TABLES))
def test_averages_are_those_of_nine_columns(name: str) -> None:
    """MNLI counts twice. Printed averages come from unrounded numbers, so that 0.05 + 0.05 can part them."""
    table = printed_glue(name)
    tasks = [column for column in table if column not in ("model", "arm", "Avg", "sd")]
    assert len(tasks) == 9
    apart = (table[tasks].mean(axis=1) - table["Avg"]).abs()
    assert apart.max() <= 0.1 + 1e-9, table.loc[apart.idxmax()]


def test_gains_that_the_text_states() -> None:
    gains, proportional = (printed_gains(name).mean().to_dict() for name in ("test", "test_proportional"))
    assert gains["Avg"] == pytest.approx(0.76, abs=0.005)
    assert proportional["Avg"] == pytest.approx(0.68, abs=0.005)
    assert gains["CoLA"] == pytest.approx(3.6, abs=0.05)


def test_annealed_sampling_is_better_on_dev() -> None:
    plain = [
        printed_glue(name).query("arm == 'plain'")["Avg"].to_numpy()
        for name in ("dev_annealed", "dev_proportional")
    ]
    assert (plain[0] > plain[1]).all()
    assert (plain[0] - plain[1]).mean() == pytest.approx(0.86, abs=0.005)


def test_table_7_is_the_annealed_dev_row() -> None:
    table = printed_glue("dev_annealed").query("model == 'BERT-base'").set_index("arm")
    own = printed_ablation().set_index("arm")
    for arm in ("plain", "IAT"):
        assert own.loc[arm, "Avg"] == pytest.approx(table.loc[arm, "Avg"], abs=0.051)
    tasks = [column for column in table if column not in ("model", "Avg", "sd")]
    better = int((table.loc["IAT", tasks] > table.loc["plain", tasks]).sum())
    assert better == own.loc["IAT", "improved"] == 8


def test_few_shot_rows() -> None:
    table = printed_few_shot()
    assert len(table) == 2 * 4 * 4 + 2
    best = table.loc[table.groupby(["target", "size"])["mean"].idxmax()]
    assert set(best["arm"]) == {"IAT"}
