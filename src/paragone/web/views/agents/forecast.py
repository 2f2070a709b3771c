"""What is expected of a debate between two agents."""

from paragone.agents.agent_forecasts import debate_forecast, require_two
from paragone.agents.strengths import StrengthDraws, is_quick, strength_draws
from paragone.errors import InvalidConfig
from paragone.ratings.score_pairs import ScoreColumns
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import Roster, require_domain, roster_with
from paragone.web.views.what_if import turn
from paragone.wire.agent_forecast import DebateForecast


def forecast(reader: LedgerReader, pool: str, agent: str, opponent: str, domain: str = "") -> DebateForecast:
    """What is expected of a debate between two agents, by the strengths fitted to all debates.

    Raises:
        NotFound: If there is no such pool, one of them is not in it, or nothing was recorded in the domain.
        InvalidEvidence: If both are the same.
        InvalidConfig: If there are too many agents to fit strengths while somebody waits.
        Busy: If others ask for fits.
    """
    agents = roster_with(reader, pool, agent, opponent)
    require_two(agent, opponent)
    require_domain(agents, domain)
    _require_quick(agents, domain)
    strengths = reader.kept(
        "agent draws", f"{pool}\n{domain}", lambda: _drawn(agents.columns, domain), stamp=agents.version
    )
    return debate_forecast(strengths, agents.records[agent], agents.records[opponent], domain)


def _require_quick(agents: Roster, domain: str) -> None:
    columns = agents.columns
    domains = len({*agents.domains, domain}) if domain else 0
    if not is_quick(len(columns.agents), domains, changing=columns.history is not None):
        raise InvalidConfig(
            f"to fit {len(columns.agents):,} agents{' by domain' if domain else ''} takes too long here; "
            "`paragone agents forecast` takes any number"
        )


def _drawn(columns: ScoreColumns, domain: str) -> StrengthDraws:
    with turn():
        return strength_draws(columns, domain)
