"""What differs between the two sides of comparisons and is no column of the items, taken out of strengths."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import FitOptions
from paragone.ratings.model.curvature import one_thread
from paragone.ratings.side_information import ColumnEffect, InformedFit

_DEFAULTS = FitOptions()


@one_thread
def fit_styled(evidence: Evidence, names: Sequence[str], options: FitOptions = _DEFAULTS) -> InformedFit:
    """Strengths with the effects of what differs between the sides of comparisons taken out.

    Args:
        evidence: Comparisons with ``differences``.
        names: What these are called.
        options: Parameters of the fit; answers are taken for independent.

    Raises:
        NotConverged: If an optimum was not reached in the steps allowed.
    """
    plain = replace(evidence, differences=np.zeros((0, 0)))
    fitted = fit(evidence, replace(options, repeats=False))
    effects = zip(names, fitted.effects.tolist(), fitted.effects_se.tolist(), strict=True)
    return InformedFit(
        fit=fitted,
        without=fit(plain, options),
        effects=tuple(
            ColumnEffect(group=name, column=name, effect=effect, standard_error=error, probability=1.0, counts=False)
            for name, effect, error in effects
        ),
    )
