"""Whatever a judge of somebody else's raises, as a failure of its answer: it must not end a run in a traceback."""

from paragone.domain import Question, Verdict
from paragone.errors import JudgeFailed, ParagoneError
from paragone.judges.base import Wrapper

_FAULTS = (TypeError, AttributeError, NameError, ImportError, NotImplementedError, SyntaxError)
"""Errors of the judge's code itself: called in the same way again, it would raise them again."""


def failure_of(who: str, error: BaseException) -> JudgeFailed:
    """The failure of an answer, with the error's type and message; a ``JudgeFailed`` is returned as it is."""
    if isinstance(error, JudgeFailed):
        return error
    text = f"{who} raised {type(error).__name__}: {error}"
    return JudgeFailed(text, retryable=not isinstance(error, _FAULTS))


class Translated(Wrapper):
    """Makes failures of what a judge raises beside ``ParagoneError``, and of answers that are no verdict.

    Put it directly around a judge, as its innermost wrapper.
    """

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison.

        Raises:
            JudgeFailed: If there was no answer, for whatever reason.
        """
        who = self.card.identity_for(question)
        try:
            verdict: object = await self._judge.compare(question)
        except ParagoneError:
            raise
        except (Exception, SystemExit) as error:  # whoever wrote the judge
            raise failure_of(who, error) from error
        if not isinstance(verdict, Verdict):
            raise JudgeFailed(f"{who} answered {type(verdict).__name__}, not a Verdict", retryable=False)
        return verdict
