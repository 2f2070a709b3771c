"""``paragone worker`` and ``paragone workers``: judge for others, and see who does."""

from pathlib import Path
from typing import Annotated

from paragone.cli import options
from paragone.cli.options import option
from paragone.cli.terminal import interruptible, notice
from paragone.judges.call_options import CONCURRENCY


@interruptible("everything that was answered is recorded")
def worker(
    judges: Annotated[Path, option('The judges that this worker has: a TOML file with NAME = "SPEC".')],
    concurrency: Annotated[int, option("Maximum number of calls in flight.", min=1)] = CONCURRENCY,
    db: options.Database = None,
) -> None:
    """Ask judges for tournaments that run with --workers, until Ctrl-C. The ledger has to be on PostgreSQL.

    Keys and specs of judges stay here: a tournament names a judge, and only those on the list are asked.
    """
    import asyncio

    from paragone.workers.judge_list import read_judges
    from paragone.workers.running import serve

    asyncio.run(serve(options.db_url(db), read_judges(judges), concurrency=concurrency, say=notice))


@interruptible("")
def workers(output: options.Output, db: options.Database = None) -> None:
    """List the workers of a ledger: what they judge, how quickly, and what failed."""
    from paragone.ledger import Ledger
    from paragone.workers.overview import lines, overview

    with Ledger.open(options.db_url(db), create=False) as ledger:
        listing = overview(ledger)
    output.show(listing, lines)
