"""Telling listeners that something moved, in whichever process it was written."""

from paragone.web.live.watch import HEARTBEAT, Listener, News, Watch

__all__ = ["HEARTBEAT", "Listener", "News", "Watch"]
