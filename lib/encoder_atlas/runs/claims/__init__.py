"""What the papers claim, the rules that decide, what a run recorded, and the page that shows it all."""

from encoder_atlas.runs.claims.page import claims_page
from encoder_atlas.runs.claims.records import ClaimRecord, ClaimRecorder, ClaimRecords, interval
from encoder_atlas.runs.claims.statements import Claim, Claims, Rule, Verdict

__all__ = [
    "Claim",
    "ClaimRecord",
    "ClaimRecorder",
    "ClaimRecords",
    "Claims",
    "Rule",
    "Verdict",
    "claims_page",
    "interval",
]
