"""A server over a ledger with something of everything, once a module, and the tabs of a browser."""

import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from PIL import Image

import local_browser
from debating_agents import debated
from local_server import served
from paragone.agents import EloSystem
from paragone.domain import (
    Choice,
    Comparison,
    CriterionScore,
    ItemNotes,
    Match,
    Outcome,
    RatingConfig,
    Review,
    Verdict,
)
from paragone.ledger import Ledger
from paragone.tournaments.dossiers import direct, inform
from paragone.tournaments.texts import add_image
from paragone.tournaments.tournament import Tournament
from paragone.web.api.pools import NewItem, NewPool, begin_pool
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.texts import set_read_as
from paragone.wire.address import agent_url, agents_url, beside_url, content_url, item_url, match_url, pool_url
from remembered_folder import HOSTILE

RUN = "window.hacked = (window.hacked || 0) + 1; alert(1)"
EVIL = (
    f"<script>{RUN}</script>",
    f'" onmouseover="{RUN}" onfocus="{RUN}" autofocus tabindex=0 x="',
    f"'></script></title></textarea></bdi><img src=x onerror='{RUN}'><svg onload='{RUN}'>",
    f"javascript:{RUN}",
    "\u202edetrevni \u2066held\u200b\u0007 \x1b[31m &lt;script&gt; {{ 7*7 }} <!--",
    f"<iframe srcdoc='<script>parent.hacked=1</script>'></iframe><a href='javascript:{RUN}'>x</a>" + "W" * 300_000,
)
"""Texts that would be code, would turn lines round, or are as large as a body may be."""
MARKDOWN = """# Idea {}

A **bold** claim, see [the paper](https://example.org/paper).

### Detail
```python
def f(x):  # a comment
    return "text" + str(1)
```

| a | b |
|---|---|
| 1 | 2 |

$$\\frac{{a}}{{b}} + x_1^2$$

![A plot](plot.png) ![elsewhere](https://example.org/a.png)
"""
"""A text with everything that a page shows of Markdown."""
PATIENCE = 100_000
"""Milliseconds that a page has for what is waited for: on a machine that is busy all takes its time."""
LEAVE = "() => { window.stop(); for (let timer = setTimeout(() => {}); timer; timer--) clearTimeout(timer); }"
"""A page may be about to load itself anew, which browsers prefer to going elsewhere."""
LOOK = f"window.PATIENCE = {PATIENCE};" + Path(__file__).with_name("look.js").read_text("utf-8")
"""What is asked of pages, as ``window.look`` in each, which calls ``loadAxe`` where it needs that."""
MANY = 24
"""Items of a tournament that nobody plays to the end, which would take 552 answers."""
PARTS = ("matches", "compare", "judges", "live", "vote", "change", "report")
"""What there is of a pool besides its board."""
Opened = AbstractContextManager[tuple[Any, list[str]]]
"""A page that is open, and what is wrong with it by the time that it is left."""


@dataclass
class Tab:
    """A tab of the browser, with what was wrong with the page in it, and the host that this may ask."""

    page: Any
    host: str = ""
    wrong: list[str] = field(default_factory=list)


@dataclass
class Tabs:
    """What one test leaves to the next.

    Attributes:
        idle: Tabs that nobody uses now, by their options.
        clear: Names of colours on backgrounds whose contrast was enough.
    """

    idle: dict[str, list[Tab]] = field(default_factory=dict)
    clear: set[str] = field(default_factory=set)


@dataclass
class Site:
    """A server, and a browser.

    Attributes:
        url: Address of the server.
        browser: The browser.
        evil: Id of the pool whose every text is hostile.
        db: File of its ledger.
        tabs: The tabs of the browser that were left.
    """

    url: str
    browser: Any
    evil: str
    db: Path
    tabs: Tabs

    @contextmanager
    def profile(
        self, width: int = 1200, color_scheme: str = "light", **options: Any
    ) -> Iterator[Callable[[str], Opened]]:
        """Opens pages in one tab of one profile, one after the other.

        Each is loaded anew, but in the same process of the browser, which has compiled the scripts that they share. A
        tab that was left is used again, by other servers too: with nothing kept of what pages stored, but with that
        process, which a blank page would end.
        """
        idle = self.tabs.idle.setdefault(repr(options), [])
        tab = idle.pop() if idle else self._new_tab(options)
        page, tab.host = tab.page, urlsplit(self.url).netloc
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=color_scheme)

        @contextmanager
        def opened(path: str) -> Iterator[tuple[Any, list[str]]]:
            answer = load(page, self.url + path, tab.wrong)
            if answer.status >= 400:
                tab.wrong.append(f"{answer.status}: {answer.url}")
            yield page, tab.wrong

        yield opened
        page.evaluate(f"({LEAVE})(); localStorage.clear(); sessionStorage.clear()")
        page.context.clear_cookies()
        page.goto(f"{self.url}/healthz")
        idle.append(tab)

    def _new_tab(self, options: dict[str, Any]) -> Tab:
        from axe_playwright_python.base import AXE_SCRIPT

        tab = Tab(local_browser.new_page(self.browser, **options))
        tab.page.context.set_default_timeout(PATIENCE)
        tab.page.add_init_script(LOOK)
        tab.page.add_init_script(local_browser.COUNT_DRAWS)
        tab.page.add_init_script(f"window.loadAxe = () => {{ {AXE_SCRIPT}\n }}")
        watch(tab)
        return tab

    def looked_at(self, page: Any, rules: bool = True) -> tuple[list[str], list[str]]:
        """What keeps somebody from using a page of its width, once it is settled; and the dialogs that it has.

        Of what axe finds that is all which is serious; or only what is of contrast.
        """
        clear = sorted(self.tabs.clear)
        problems, names, dialogs = page.evaluate("([rules, clear]) => look.at(rules, clear)", [rules, clear])
        return self._noted(problems, names), dialogs

    def barriers(self, page: Any, rules: bool = True) -> list[str]:
        """The same of a page as it is, without its width."""
        clear = sorted(self.tabs.clear)
        return self._noted(*page.evaluate("([rules, clear]) => look.barriers(rules, clear)", [rules, clear]))

    def _noted(self, problems: list[str], names: list[str]) -> list[str]:
        if not problems:
            self.tabs.clear.update(names)
        return problems

    @contextmanager
    def tab(
        self, path: str, width: int = 1200, color_scheme: str = "light", **options: Any
    ) -> Iterator[tuple[Any, list[str]]]:
        """A page in a profile of its own, and what is wrong with it by the time that it is left."""
        with self.profile(width, color_scheme, **options) as opened, opened(path) as found:
            yield found


def load(page: Any, url: str, wrong: list[str]) -> Any:
    """Go to a page. What the one before it left under way, or would still begin, is stopped and forgotten."""
    page.evaluate(LEAVE)
    page.once("framenavigated", lambda _: wrong.clear())
    return page.goto(url)


def watch(tab: Tab) -> None:
    """Note whatever goes wrong with a page. Streams of events and what it still fetches end with it, which is none."""
    page, wrong = tab.page, tab.wrong
    cut_off: list[str] = []

    def asked(request: Any) -> None:
        if urlsplit(request.url).netloc != tab.host and not request.url.startswith(("data:", "blob:")):
            wrong.append(f"asks another host: {request.url}")

    def failed(request: Any) -> None:
        if urlsplit(request.url).path.endswith("/events"):
            return
        failure = f"failed: {request.url} {request.failure}"
        if request.resource_type == "fetch" and request.failure == "net::ERR_ABORTED":
            if request.url != page.url:  # the page was left while it fetched itself anew
                return
            cut_off.append(failure)
        wrong.append(failure)

    def navigated(frame: Any) -> None:
        if frame == page.main_frame:
            wrong[:] = [said for said in wrong if said not in cut_off]
            cut_off.clear()

    def dialog(shown: Any) -> None:
        wrong.append(f"dialog: {shown.message}")
        shown.dismiss()

    page.on("console", lambda said: wrong.append(f"{said.type}: {said.text}") if said.type != "log" else None)
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("request", asked)
    page.on("requestfailed", failed)
    page.on("framenavigated", navigated)
    page.on("response", lambda got: wrong.append(f"{got.status}: {got.url}") if got.status >= 400 else None)
    page.on("dialog", dialog)


@pytest.fixture(scope="module")
def judges() -> tuple[str, ...]:
    """Judges that the server lists besides the quick one, as ``NAME=SPEC``."""
    return ()


@pytest.fixture(scope="session")
def furnished_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a ledger that holds something of everything, and the id of its hostile pool."""
    folder = tmp_path_factory.mktemp("furnished")
    return folder, furnish(folder)


@pytest.fixture(scope="session")
def tabs() -> Tabs:
    """The tabs of this process, which end with its browser."""
    return Tabs()


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory,
    furnished_once: tuple[Path, str],
    remembered_once: Path,
    judges: tuple[str, ...],
    tabs: Tabs,
    held_browser: Callable[[], AbstractContextManager[Any]],
) -> Iterator[Site]:
    """The ledger is made before the browser is held: playwright has the event loop of the thread then."""
    template, evil = furnished_once
    folder = shutil.copytree(template, tmp_path_factory.mktemp("browser"), dirs_exist_ok=True)
    memory = ("--memory", str(shutil.copytree(remembered_once, folder / "memory")))
    listed = (f"quick=simulated:{folder / 'strengths.csv'}", *judges)
    judge = [option for each in listed for option in ("--judge", each)]
    program = Path(__file__).with_name("quick_server.py")
    with (
        served(folder / "board.db", *memory, *judge, folder=folder, program=program) as server,
        held_browser() as browser,
    ):
        yield Site(url=server.url, browser=browser, evil=evil, db=folder / "board.db", tabs=tabs)
    assert not [line for line in server.said if "Traceback" in line]


def furnish(folder: Path) -> str:
    """A ledger with a tournament that was played, one to be played, ideas to vote on, an empty pool and a hostile one.

    Returns:
        The id of the hostile one.
    """
    db = folder / "board.db"
    (folder / "strengths.csv").write_text("id,score\n" + "".join(f"i{n},{n / 4}\n" for n in range(MANY)))
    judge = f"simulated:{folder / 'strengths.csv'}"
    items = {f"i{n}": f"The idea with the number {n}. " * (1 + 8 * n) for n in range(6)}
    with Tournament.create(items, judge=judge, criteria="longer", db=db, seed=1, budget=20) as tournament:
        review = {"item": "i3", "reviewer": "ann", "score": 0.8, "text": "Well argued. " * 100}
        notes = {"attributes": {"i3": {"organ": "brain"}}, "evidence": {"i3": ["PMID 1"]}}
        tournament.inform(goal="Find the best.", rubric="novelty,clarity", reviews=[review], max_tokens=200, **notes)
        tournament.direct("Prefer the cheap.")
        tournament.run()
    many = {f"i{n}": f"The idea with the number {n}" for n in range(MANY)}
    with Tournament.create(
        many, judge=f"{judge}?noise=4&delay=0.4", criteria="longer", db=db, seed=2, budget=4000, confidence=0.9999
    ):
        pass
    debated(db)
    with EloSystem(db, pool="hostile agents", snapshot=False, warn=False) as elo:
        hostile_agents(elo)
    library = LedgerReader.open(str(db))
    ideas = [NewItem(id=id, text=f"{id} rings through the whole valley") for id in ("bell", "horn", "drum", "lute")]
    begin_pool(library, NewPool(name="ideas", criteria="louder", items=ideas, seed=3))
    markdown_pool(library)
    library.ledger.pools.create("empty", RatingConfig())
    items = [NewItem(id=f"e{number}{shown(text)}", text=text) for number, text in enumerate(EVIL)]
    evil, _ = begin_pool(library, NewPool(name=EVIL[0], criteria=EVIL[2], items=items, seed=4))
    ids = [item.id for item in items if item.id is not None]
    hostile_dossier(library.ledger, evil, ids)
    for number, text in enumerate(EVIL):
        library.ledger.matches.record(evil, hostile_match(number, ids[number], ids[number - 1], text))
    library.ledger.matches.rollback(evil, f"m0{shown(EVIL[0])}", " ".join(EVIL[:5]))
    library.close()
    return evil


def markdown_pool(reader: LedgerReader) -> None:
    """A pool whose texts are Markdown, with an image."""
    file = io.BytesIO()
    Image.new("RGB", (320, 200), (31, 111, 171)).save(file, "PNG")
    items = [NewItem(id=id, text=MARKDOWN.format(id.upper())) for id in ("a", "b", "c")]
    pool, _ = begin_pool(reader, NewPool(name="rich", criteria="clearer", items=items, seed=5))
    set_read_as(reader, pool, "markdown", "local")
    add_image(reader.ledger, pool, "plot.png", file.getvalue(), "local")


def hostile_dossier(ledger: Ledger, pool: str, ids: list[str]) -> None:
    """Goal, rubric, directives, insights, notes and reviews that are hostile."""
    rubric = [{"name": f"c{number}", "definition": text, "scale": text} for number, text in enumerate(EVIL)]
    changes = {"goal": EVIL[0], "rubric": rubric, "preferences": EVIL[1:], "constraints": EVIL, "insights": EVIL[2:5]}
    notes = {id: ItemNotes(attributes=tuple((shown(text), text) for text in EVIL), evidence=EVIL) for id in ids}
    reviews = [Review(item=id, reviewer=shown(text), score=0.5, text=text) for id in ids for text in EVIL]
    inform(ledger, pool, changes, notes, reviews)
    direct(ledger, pool, EVIL[2], EVIL[0])


def hostile_agents(elo: EloSystem) -> None:
    """Agents, domains, tasks, tournaments, sessions and models that are hostile."""
    names = [shown(text) for text in EVIL]
    for number, name in enumerate(names):
        other = names[number - 1]
        elo.record_match(f"d{name}", [name, other], {name: 1.0, other: 0.5}, domain=name, task=EVIL[number] * 2)
        elo.register_agent(name, model=name)
        elo.record_winner_prediction(name, name, other, 0.9)
        elo.record_redteam_result(name, 0.9, 1, 2, 1, session_id=name, domain=other)
        elo.update_relationship(name, other, 25, 1, a_win=3, b_win=3)
        for confidence in (0.1, 0.5, 0.6, 0.8, 0.9):
            elo.record_domain_prediction(name, other, confidence, correct=confidence > 0.5)


def shown(text: str) -> str:
    """As much of a text as an id may have."""
    return "".join(letter for letter in text[:120] if letter.isprintable())


def hostile_match(number: int, a: str, b: str, text: str) -> Match:
    """A match whose judge, reasons and criteria are hostile; the ledger itself takes null bytes, so it has one."""
    scores = tuple(CriterionScore(criterion=one[:60], first=0.9, second=0.1) for one in EVIL[:3])
    verdict = Verdict(choice=Choice.FIRST, judge=f"human:{text[:80]}", rationale=text + "\0", scores=scores)
    id = f"m{number}{shown(text)}"
    return Match(
        id=id, a=a, b=b, outcome=Outcome.A,
        comparisons=(Comparison(call=f"{id}/1", first=a, second=b, verdict=verdict),),
    )  # fmt: skip


@pytest.fixture(scope="module")
def hostile_paths(site: Site, deep: bool) -> list[str]:
    """The pages of the hostile pool, and those of a hostile file; each text has one of its agent, of its item, alone or
    beside another, or of its match, of which the first was rolled back for a hostile reason."""
    pool = site.evil
    pages = [pool_url(pool, *parts) for parts in ([], *([name] for name in PARTS))]
    names = [shown(text) for text in EVIL]
    ids = [f"e{number}{name}" for number, name in enumerate(names)]
    pages += [item_url(pool, id) for id in (ids if deep else ids[2::3])]
    pages += [
        beside_url(pool, ids[0], ids[4]),
        f"{pool_url(pool, 'whatif')}?{urlencode({'without_match': 'm1' + names[1]})}",
    ]
    pages += ["/memory", content_url(HOSTILE), agents_url("hostile agents")]
    pages += [agent_url(name, "hostile agents") for name in (names if deep else names[1:4:2])]
    matches = [match_url(pool, f"m{number}{name}") for number, name in enumerate(names)]
    return [*pages, *(matches if deep else matches[::5])]
