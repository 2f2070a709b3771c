"""Every error that paragone raises on purpose.

The tree::

    ParagoneError                   anything below; its text says what was wrong, where, and what to do
    ├── UsageError                  the caller asked for something that cannot be (exit code 2)
    │   ├── InvalidItems            items that cannot be ranked: none, one, duplicates, no text
    │   ├── InvalidVotes            recorded comparisons that cannot be read
    │   ├── UnknownColumn           a table lacks a column that was named or needed
    │   ├── UnreadableFile          a file that is absent, undecodable, truncated or of an unknown kind
    │   ├── InvalidConfig           a parameter out of its range, or an unknown one
    │   ├── InvalidRecord           a record that has not the form that its documentation says
    │   ├── InvalidEvidence         a name, a score or a count that cannot be; also a ValueError
    │   ├── UnknownJudge            a judge spec that names no judge
    │   ├── MissingKey              a provider's key is not in the environment
    │   ├── MissingExtra            an optional package is not installed
    │   ├── PluginRefused           a plugin that is broken, or has a name that it cannot have
    │   ├── NotFound                no such item, match, pool, tournament, store, file or symbol
    │   └── Refused                 a server does not let the caller do this
    └── Failure                     it should have worked and did not (exit code 1)
        ├── JudgeFailed             a judge call failed after its retries
        ├── EmbeddingFailed         texts could not be turned into vectors
        ├── BudgetSpent             the next call would exceed the budget
        ├── NotConverged            an iterative fit did not converge; carries the partial result
        ├── Busy                    somebody else is running this tournament, or writing this store
        ├── ServerFailed            a server cannot be reached, or failed
        └── LedgerError             the store failed
            ├── Conflict            the same id was recorded with other content
            ├── NewerSchema         the database or store was written by a newer paragone
            ├── Unwritable          the database or store cannot be opened or written
            └── Corrupted           the audit found a row that differs

Foreign exceptions are translated at one seam each: the LLM client, the judge wrappers, the store, the file readers.
"""


class ParagoneError(Exception):
    """Base of every error that paragone raises on purpose."""

    exit_code = 1


class UsageError(ParagoneError):
    """The caller asked for something that cannot be."""

    exit_code = 2


class InvalidItems(UsageError):
    """Items that cannot be ranked: none, only one, duplicate ids, no text."""


class InvalidVotes(UsageError):
    """Recorded comparisons that cannot be read."""


class UnknownColumn(UsageError):
    """A table lacks a column that was named or needed."""


class UnreadableFile(UsageError):
    """A file that is absent, undecodable, truncated, or of an unknown kind."""


class InvalidConfig(UsageError):
    """A parameter that is unknown or out of its range.

    Attributes:
        key: The parameter, as ``section.name``, where it is one of a configuration that has sections.
    """

    def __init__(self, message: str, *, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class InvalidRecord(UsageError):
    """A record that has not the form that its documentation says."""


class InvalidEvidence(UsageError, ValueError):
    """A name, a score, a confidence or a count that cannot be.

    It is a ValueError too, since that is what code written against Aragora's specification catches.
    """


class UnknownJudge(UsageError):
    """A judge spec that names no judge."""


class MissingKey(UsageError):
    """A provider's key is not in the environment."""


class MissingExtra(UsageError):
    """An optional package is not installed."""


class PluginRefused(UsageError):
    """A plugin that is broken, or has a name that it cannot have.

    Attributes:
        reason: What is wrong with it, without its name.
    """

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotFound(UsageError):
    """No such item, match, pool, tournament, store, file or symbol."""


class Refused(UsageError):
    """A server does not let the caller do this: no token, or one that may do less."""


class Failure(ParagoneError):
    """It should have worked and did not."""


class JudgeFailed(Failure):
    """A judge call failed after its retries.

    Attributes:
        retryable: Whether asking again may help.
        retry_after: Seconds to wait before asking again, where the other side named them.
        attempts: Requests that this attempt took; 0 where nobody was asked.
        permanent: Whether any other question would fare no better: a key that is refused, a model that is not there.
        misuse: Whether whoever asks has to mend it: the key, the model's name or the address is wrong.
        tokens: Tokens that these calls sent and received; None where nobody said.
        cost: Money that they took in US dollars; None where nobody said, or the price is not known.
        hint: What may help whoever watches, such as a program's last words; kept nowhere, as it may hold a key.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = True,
        retry_after: float | None = None,
        attempts: int = 1,
        permanent: bool = False,
        misuse: bool = False,
        tokens: tuple[int, int] | None = None,
        cost: float | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.retryable = retryable and not permanent
        self.hint = hint
        self.retry_after = retry_after
        self.attempts = attempts
        self.permanent = permanent
        self.misuse = misuse
        self.tokens = tokens
        self.cost = cost

    def add(self, earlier: "JudgeFailed") -> None:
        """Count in what an earlier failure of the same question took."""
        self.attempts += earlier.attempts
        if earlier.tokens is not None:
            sent, received = self.tokens or (0, 0)
            self.tokens = (sent + earlier.tokens[0], received + earlier.tokens[1])
        if earlier.cost is not None:
            self.cost = (self.cost or 0.0) + earlier.cost


class EmbeddingFailed(Failure):
    """Texts could not be turned into vectors."""


class BudgetSpent(Failure):
    """The next call would exceed the budget."""


class NotConverged(Failure):
    """An iterative fit did not converge.

    Attributes:
        partial: The result as it stood when the fit gave up; its ``converged`` is false.
    """

    def __init__(self, message: str, partial: object) -> None:
        super().__init__(message)
        self.partial = partial


class Busy(Failure):
    """Somebody else is running this tournament, or writing this store."""


class ServerFailed(Failure):
    """A server cannot be reached, or failed."""


class LedgerError(Failure):
    """The store failed."""


class Conflict(LedgerError):
    """The same id was recorded with other content."""


class NewerSchema(LedgerError):
    """The database or store was written by a newer paragone."""


class Unwritable(LedgerError):
    """The database or store cannot be opened or written.

    Attributes:
        temporary: Whether it may pass by itself or without this process: a full disk, a server that is restarted.
    """

    def __init__(self, message: str, *, temporary: bool = False) -> None:
        super().__init__(message)
        self.temporary = temporary


class Corrupted(LedgerError):
    """The audit found a row that differs."""
