"""R of content: supplied, from the agreement of evidence, from checks of its author's claims; and its thresholds."""

from paragone.memory.truth.evidence import Evidence, Labelled, read_evidence, read_pairs
from paragone.memory.truth.truth import ClaimsUpdate, Supported, Truth, TruthBoard

__all__ = ["ClaimsUpdate", "Evidence", "Labelled", "Supported", "Truth", "TruthBoard", "read_evidence", "read_pairs"]
