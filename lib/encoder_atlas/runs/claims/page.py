"""The page that shows all claims of all papers, as MyST markdown."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from encoder_atlas.runs.claims.records import ClaimRecords, claims_table
from encoder_atlas.runs.claims.statements import Claims, Paper, Verdict
from encoder_atlas.runs.settings import PROFILES

HEAD = """# What the papers claim, and what came out here

{counts}

{profile} Each rule rests on a printed number or on plain logic (below), and is judged against the interval:
*reproduced* if all of it satisfies the rule, *not reproduced* if none of it does, *within noise* if only a
part does. *Not tested here* means that this run is too small for the claim, or that its chapter was not run.
"""


# Any of these may begin something in the middle of a line of MyST.
MARKS = "\\`*_{}[]<>#|$~&!@^"
NOT_RUN = ClaimRecords(profile=PROFILES[0], records={})


def claims_page(claims: Claims, recorded: Mapping[str, Path]) -> str:
    """The page, from the files of recorded claims by the chapter that wrote them.

    Equal files give an equal page. Raises DataError for a file that cannot be read, and SettingsError for a
    record of a claim that is not listed.
    """
    runs = {chapter: ClaimRecords.load(path) for chapter, path in recorded.items()}
    for run in runs.values():
        for claim_id in run.records:
            claims[claim_id]
    counts: Counter[Verdict] = Counter()
    sections = []
    for paper in claims.papers.values():
        own = claims.of(paper.notebook)
        run = runs.get(paper.notebook, NOT_RUN)
        counts.update(run.verdict(claim) for claim in own.claims)
        sections.append(_section(paper, own, run))
    summary = " · ".join(f"**{counts[verdict]}** {verdict.label}" for verdict in Verdict)
    return "\n".join([HEAD.format(counts=summary, profile=_profiles(runs)), *sections])


def _profiles(runs: Mapping[str, ClaimRecords]) -> str:
    used = sorted({run.profile for run in runs.values()}, key=PROFILES.index)
    return (
        f"Measured on profile {' and '.join(f'`{name}`' for name in used)}." if used else "Nothing was run."
    )


def _section(paper: Paper, claims: Claims, run: ClaimRecords) -> str:
    """One paper: where it is tested, the table, and why each rule is what it is."""
    link = (
        "Its chapter was not run" if run is NOT_RUN else f"[Its chapter](../notebooks/{paper.notebook}.ipynb)"
    )
    lines = [f"## {escape(paper.name)}", "", f"{{cite:t}}`{paper.reference}`. {link}.", ""]
    lines += [*_table(claims, run), "", "Why the rules are what they are:", ""]
    lines += [f"- *{escape(claim.statement)}* {escape(claim.why)}" for claim in claims.claims]
    return "\n".join([*lines, ""])


def _table(claims: Claims, run: ClaimRecords) -> list[str]:
    table = claims_table(claims, run)
    cells = [[escape(cell) for cell in row] for row in table.to_numpy()]
    return [f"| {' | '.join(row)} |" for row in [list(table.columns), ["---"] * table.shape[1], *cells]]


def escape(text: str) -> str:
    """Text that MyST shows as it is: every sign that could mean something stands behind a backslash.

    >>> print(escape("Q_kNN > 0.1 | <b>"))
    Q\\_kNN \\> 0.1 \\| \\<b\\>
    """
    return re.sub(f"([{re.escape(MARKS)}])", r"\\\1", " ".join(text.split()))
