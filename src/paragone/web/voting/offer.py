"""An offer: a pair shown to a judge. It is signed and stored nowhere, so any process can take the answer."""

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass

from paragone.errors import InvalidEvidence


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """A pair as it was shown to a judge.

    Attributes:
        id: Id of the vote that it becomes; sending the answer twice is one vote.
        pool: The pool that both are in.
        first: Id of the item shown first: on the left, or above.
        second: Id of the other.
        judge: Identity of the judge.
        until: Until when it may be answered, in seconds since 1970.
    """

    id: str
    pool: str
    first: str
    second: str
    judge: str
    until: float

    @property
    def key(self) -> frozenset[str]:
        """The two items, in any order."""
        return frozenset((self.first, self.second))


def sealed(offer: Offer, secret: bytes) -> str:
    """An offer as text that only this server can have made."""
    body = base64.urlsafe_b64encode(json.dumps(asdict(offer), separators=(",", ":")).encode()).decode()
    return f"{body}.{_signature(body, secret)}"


def opened(text: str, secret: bytes, now: float) -> Offer:
    """The offer of a sealed text.

    Raises:
        InvalidEvidence: If this server did not make it, or it is too old.
    """
    body, _, signed = text.rpartition(".")
    if not body or not hmac.compare_digest(signed.encode("utf-8", "replace"), _signature(body, secret).encode()):
        raise InvalidEvidence(
            "this server has made no such offer, or has been started anew since; ask for the next pair"
        )
    try:
        offer = Offer(**json.loads(base64.urlsafe_b64decode(body)))
    except (binascii.Error, ValueError, TypeError) as error:
        raise InvalidEvidence("this is no offer; ask for the next pair") from error
    if offer.until < now:
        raise InvalidEvidence("this pair was handed out too long ago, and others may have it now; ask for the next one")
    return offer


def _signature(body: str, secret: bytes) -> str:
    return hmac.new(secret, b"offer:" + body.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
