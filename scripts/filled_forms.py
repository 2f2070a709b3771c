"""A browser without scripts: it fills in the forms of pages and sends them."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urlencode

OWN = {"origin": "http://localhost", "sec-fetch-site": "same-origin", "accept": "text/html"}
"""Headers of a browser that is on a page of the server."""


class Browser:
    """Fills in the forms of pages, hidden fields included.

    Args:
        client: A client of an app.

    Attributes:
        page: The page that it is on.
    """

    def __init__(self, client: Any) -> None:
        self.client, self.page = client, ""

    def open(self, path: str) -> Any:
        """Go to a page."""
        answer = self.client.get(path, headers=OWN)
        self.page = answer.text
        return answer

    def send(self, values: dict[str, str], *, button: str = "", file: tuple[str, bytes] | None = None) -> Any:
        """Send the first form of the page that holds some words, with other values where some are given."""
        form = next(form for form in re.findall(r"<form.*?</form>", self.page, re.DOTALL) if button in form)
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
        action = re.search(r'action="([^"]*)"', form)
        if action is None:
            raise LookupError("that form is sent by a script")
        files = None if file is None else {"file": file}
        data = {**hidden, **values}
        answer = self.client.post(action[1], data=data, files=files, headers=OWN, follow_redirects=False)
        self.page = answer.text
        return answer


def questions(page: str) -> Iterator[str]:
    """Where each form of a page leads that only asks, sent as it stands."""
    for action, form in re.findall(r'<form[^>]* method="get" action="([^"]*)"[^>]*>(.*?)</form>', page, re.DOTALL):
        fields = re.findall(r"<input[^>]*>|<select.*?</select>|<textarea.*?</textarea>", form, re.DOTALL)
        yield f"{unescape(action)}?{urlencode(dict(map(_field, fields)))}"


def _field(element: str) -> tuple[str, str]:
    """Name and value of an element of a form as it stands; of a select what is chosen, or else the first."""
    name = re.search(r'name="(\w+)"', element)
    value = (
        re.search(r'<option value="([^"]*)" selected', element)
        or re.search(r'value="([^"]*)"', element)
        or re.search(r"<textarea[^>]*>(.*)</textarea>", element, re.DOTALL)
    )
    return name[1] if name else "", unescape(value[1]) if value else ""


def alert(page: str) -> str:
    """What a page says is wrong."""
    words = re.search(r'role="alert".*?>(.*?)</p>', page, re.DOTALL)
    return "" if words is None else re.sub("<.*?>", "", words[1]).strip()
