"""The browser of a session: its tabs, their history, and the effects of pages beyond themselves.

Two entities of an app hold the state: `browser`, the open browser, and `tab`, each with the log of its document. A state with a
`current_url` but no tabs describes a browser that has navigated there; the first call opens the page.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.disk import DiskError
from soundstage.contexts.engine.ids import keyed_digest
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.browser.addresses import normal, referrer
from soundstage.kernels.engines.browser.document import Document, Entry, Mode, Stopped
from soundstage.kernels.engines.browser.errors import in_words
from soundstage.kernels.engines.browser.history import BLANK, Content, Entering, History
from soundstage.kernels.engines.web_requests.answering import respond
from soundstage.kernels.engines.web_requests.messages import NetworkError, Request, Response

USER_AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36"
)
BROKEN = "chrome-error://chromewebdata/"

_IDLE_MS = 1000
"""Milliseconds for which a page continues after an operation."""
_ROUNDS, _TIMERS, _MOST_LOADS = 200, 400, 10
_DATA = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),(.*)", re.S)

Failed = Literal[
    "ERR_NAME_NOT_RESOLVED",
    "ERR_CONNECTION_REFUSED",
    "ERR_TOO_MANY_REDIRECTS",
    "ERR_ABORTED",
    "ERR_FILE_NOT_FOUND",
    "ERR_UNKNOWN_URL_SCHEME",
    "ERR_UNSAFE_PORT",
]
_FAILURES: dict[str, Failed] = {
    "unknown_host": "ERR_NAME_NOT_RESOLVED",
    "refused": "ERR_CONNECTION_REFUSED",
    "too_many_redirects": "ERR_TOO_MANY_REDIRECTS",
}


_UNSAFE_PORTS = frozenset(
    (1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
     113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
     554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
     6666, 6667, 6668, 6669, 6679, 6697, 10080)
)  # fmt: skip
"""Ports to which Chromium does not connect (`net/base/port_util.cc`, the Fetch standard's list of bad ports)."""
_WHY: dict[str, str] = {
    "ERR_NAME_NOT_RESOLVED": "<strong>{host}</strong>’s server IP address could not be found.",
    "ERR_CONNECTION_REFUSED": "<strong>{host}</strong> refused to connect.",
    "ERR_TOO_MANY_REDIRECTS": "<strong>{host}</strong> redirected you too many times.",
}
_NOWHERE = (
    "The webpage at <strong>{url}</strong> might be temporarily down or it may have moved permanently to a new web "
    "address."
)


class NotLoaded(Exception):
    """A page failed to load; `code` is Chrome's error code."""

    def __init__(self, code: Failed, url: str) -> None:
        """Create an error for a URL."""
        super().__init__(f"net::{code} at {url}")
        self.code: Failed = code
        self.url = url


class InvalidAddress(Exception):
    """The argument is not a valid URL."""


@dataclass(frozen=True, slots=True)
class _Coming:
    """The position of the next document in the history.

    `length` counts the entries, `state` is the state that a script set, and `frames` lists the frames with recorded contents.
    """

    length: int
    position: int
    state: str | None = None
    frames: tuple[int, ...] = ()

    def details(self) -> dict[str, Any]:
        """Return the members that the page receives."""
        return {
            "length": self.length,
            **({"position": self.position} if self.position != self.length - 1 else {}),
            **({"state": self.state} if self.state is not None else {}),
            **({"frames": self.frames} if self.frames else {}),
        }


@dataclass(frozen=True, slots=True)
class Launch:
    """The settings with which a browser starts."""

    width: int
    height: int
    user_agent: str = USER_AGENT
    kind: str = "chromium"
    console_of: Mode = "playwright"
    """The product whose message format the console entries use."""


ResponseListener = Callable[[Response, str], None]
"""A callback that receives every response and the method of its request."""


class Browser:
    """The open browser with its current tab."""

    def __init__(
        self, context: AppContext, row: Object, tab: Object, listener: ResponseListener | None, console_of: Mode
    ) -> None:
        """Open a browser on its rows."""
        self._context = context
        self._console_of = console_of
        self._row = row
        self._tab = tab
        self._listener = listener
        self._document: Document | None = None
        self._loads = 0
        self._coming = _Coming(1, 0)
        self._referrer = ""
        self.dialogs: list[dict[str, Any]] = []
        self.opened: str | None = None
        """The tab that the last operation opened, or None."""
        self.left = False
        """Whether the last operation led to another document."""

    @property
    def url(self) -> str:
        """Return the current page's URL."""
        return str(self._tab.get("url") or BLANK)

    @property
    def document(self) -> Document:
        """Return the current document, rebuilt from its log on first use."""
        if self._document is None:
            self._document = Document(_log(self._tab.get("log")), self._context.executions)
        return self._document

    @property
    def viewport(self) -> dict[str, int]:
        """Return the viewport's width and height."""
        return dict(self._row["viewport"])

    @property
    def user_agent(self) -> str:
        """Return the User-Agent header."""
        return str(self._row["user_agent"])

    def goto(self, url: str) -> Response | None:
        """Navigate to a URL as if typed by a user; return None if no request is needed.

        Raises:
            InvalidAddress: The URL is invalid.
            NotLoaded: The page failed to load.
        """
        goal = normal(url)
        if goal is None:
            raise InvalidAddress(url)
        self._referrer = ""
        here, _, _ = self.url.partition("#")
        if "#" in goal and goal.partition("#")[0] == here and here.startswith("http"):
            self.act(
                "evaluate", {"script": f"location.hash = {_text('#' + goal.partition('#')[2])}", "mode": "playwright"}
            )
            return None
        again = goal == self.url
        try:
            return self._visit(Request("GET", goal, cookies=True), "again" if again else "new")
        except NotLoaded as error:
            self._fail(error, replace=again)
            raise

    def act(self, name: str, argument: Any) -> Any:
        """Change the page and wait until it is idle.

        Raises:
            Stopped: A script of the page exceeded a limit; the page is unchanged.
        """
        self._at_this_moment()
        answer = self.document.do(name, argument)
        self.settle()
        return answer

    def evaluate(self, script: str, mode: Mode) -> Any:
        """Evaluate a script; return its outcome (`Document.outcome`), or None if a promise stays pending or the page was left.

        Raises:
            Stopped: The script exceeded a limit; the page is unchanged.
        """
        self._at_this_moment()
        document = self.document
        document.evaluate(script, mode)
        self.settle()
        return document.outcome(script)

    def wait_for(self, met: Callable[[], Any], ms: int) -> Any:
        """Run the page's timers until a condition holds or `ms` milliseconds have passed, which advances the session's clock.

        Returns:
            The first true result of `met`, or None after the timeout.
        """
        if (result := met()) or ms <= 0:
            return result or None
        start = self.document.ask("waits")["clock"]
        for _ in range(_TIMERS):
            waits = self.document.ask("waits")
            if waits["due"] is None or waits["due"] > start + ms:
                break
            self.document.do("tick", {"until": waits["due"]})
            self.settle(idle=False)
            if result := met():
                self._context.wait(max(int(self.document.ask("waits")["clock"] - start), 0))
                return result
        self._context.wait(ms)
        return None

    def settle(self, *, idle: bool = True) -> None:
        """Process the page's requests and navigations until it is idle."""
        end = self.document.ask("waits")["clock"] + _IDLE_MS
        timers = 0
        for _ in range(_ROUNDS + _TIMERS):
            document = self.document
            effects, document.effects = document.effects, []
            for effect in effects:
                self._follow(effect)
                if self._document is not document:
                    self._save()
                    return
            if effects:
                continue
            due = document.ask("waits")["due"]
            if not idle or due is None or due > end or timers >= _TIMERS:
                break
            timers += 1
            try:
                document.do("tick", {"until": due})
            except Stopped:
                break
        self._save()

    def go(self, by: int) -> Literal["page", "frames"] | None:
        """Move by a number of history entries; return the part that navigated, or None if there is no such entry."""
        past = self._past
        goal = past.position + by
        if not 0 <= goal < len(past):
            return None
        if past.is_same_document(goal):
            return self._go_within(past, goal)
        self._keep_left()
        past = self._past
        past.go_to(goal)
        stored = past.take_left()
        self._coming = _Coming(len(past), goal, past.state(goal), tuple(past.frames(goal)))
        if stored is not None:
            self._come_back(past.url(goal), orjson.loads(stored))
        else:
            self._referrer = ""
            try:
                self._load(Request("GET", past.url(goal), cookies=True))
            except NotLoaded as error:
                self._show(BROKEN, _console_text(error), None, plain=False)
        self._save()
        return "page"

    def _go_within(self, past: History, goal: int) -> Literal["page", "frames"]:
        """Move between entries of one document and navigate only the page or the frames that differ."""
        self._at_this_moment()
        showing = self._showing()
        past.note_frames(showing)
        page = not past.is_same_page(goal)
        led = {frame: content for frame, content in past.led(goal).items() if frame in showing}
        past.go_to(goal)
        self._tab["url"] = past.url(goal)
        if page:
            state = past.state(goal)
            own = {} if state is None else {"state": state}
            self.document.do("moved_to", {"url": self.url, "position": goal, **own})
        else:
            self.document.do("placed", {"position": goal})
        for frame, content in led.items():
            self.document.do("framed", {"frame": frame, **content, "replace": True})
        self.settle()
        return "page" if page or not led else "frames"

    def resize(self, width: int, height: int) -> None:
        """Resize the viewport."""
        self._row["viewport"] = {"width": width, "height": height}
        self._context.update("browser", self._row["session"], {"viewport": self._row["viewport"]})
        self.act("size", self._row["viewport"])

    def switch_to(self, tab: str) -> None:
        """Make another tab the current one."""
        row = self._context.get("tab", tab)
        assert row is not None  # the tab was opened in this call
        self._tab, self._document = row, None
        self._context.update("browser", self._row["session"], {"current_tab": tab, "current_url": self.url})

    def _visit(self, request: Request, how: Entering) -> Response | None:
        """Load a request's response and record it in the history; the previous page is stored for a return."""
        past = self._past
        if how == "new":
            self._keep_left()
            self._coming = _Coming(past.position + 2, past.position + 1)
        else:
            self._coming = _Coming(len(past), past.position, past.state(past.position) if how == "again" else None)
        response = self._load(request)
        self._past.visit(self.url, how)
        self._save()
        return response

    def _fail(self, error: NotLoaded, *, replace: bool) -> None:
        """Show an error page for a failed load; an aborted load leaves the previous page unchanged."""
        if error.code != "ERR_ABORTED":
            self._show(BROKEN, _console_text(error), None, plain=False)
            self._past.visit(error.url, "replace" if replace else "new")
        self._save()

    def _keep_left(self) -> None:
        """Store the page that is being left with its frames and field values, for a later return."""
        if self.url.startswith("http"):
            past = self._past
            past.note_frames(self._showing())
            past.keep_left(orjson.dumps([self.document.log[0], ["held", self.document.ask("kept")]]).decode())

    def _come_back(self, url: str, result: list[Entry]) -> None:
        """Rebuild a page that was left: its scripts run again and its fields regain their values."""
        loaded, (name, current) = result[0][1], result[-1]
        self._show(url, loaded["html"], None, plain=loaded["plain"], again={
            "held": current if name == "held" else [], "referrer": loaded["referrer"],
        })  # fmt: skip

    def _showing(self) -> dict[int, Content]:
        """Return the contents of the page's frames by frame number."""
        return dict(self.document.ask("showing"))

    def _leave(self) -> None:
        """Run the unload handlers of a page that is being left; navigations that they request are ignored."""
        document = self.document
        try:
            document.do("left", None)
        except Stopped:
            return
        for effect in document.effects:
            if effect["kind"] in ("console", "exception", "storage", "cookie"):
                self._follow(effect)

    def _load(self, request: Request) -> Response | None:
        self._loads += 1
        scheme = request.scheme
        if self._loads > _MOST_LOADS:
            raise NotLoaded("ERR_TOO_MANY_REDIRECTS", request.url)
        if scheme in ("http", "https"):
            response = self._answer(request)
            fragment = request.url.partition("#")[2]
            at = response.url.partition("#")[0] + (f"#{fragment}" if fragment else "")
            if not re.match(r"text/|application/(json|xml|xhtml|javascript)|image/", response.content_type):
                raise NotLoaded("ERR_ABORTED", request.url)
            if response.status >= 400:
                self._console("error", _not_loaded(response))
            if response.content_type.startswith("image/"):
                self._show(at, f'<html><body><img src="{at}"></body></html>', None, plain=False)
            else:
                self._show(at, response.body, response, plain=not response.is_html)
            return response
        self._special(request.url)
        return None

    def _special(self, url: str) -> None:
        """Load a URL without a server: about, data and file URLs."""
        if url.startswith("about:"):
            self._show(url, "", None, plain=False)
        elif (data := _DATA.fullmatch(url)) is not None:
            kind, options, body = data.groups()
            text = unquote(body)
            if ";base64" in options.lower():
                text = _decoded(text)
            self._show(url, text, None, plain="html" not in kind)
        elif url.startswith("file:"):
            path = unquote(urlsplit(url).path)
            try:
                text = self._context.disk.read(path).decode(errors="replace")
            except (DiskError, KeyError):
                raise NotLoaded("ERR_FILE_NOT_FOUND", url) from None
            self._show(url, text, None, plain=not re.search(r"\.x?html?$", path))
        else:
            raise NotLoaded(
                "ERR_ABORTED" if url.startswith(("javascript:", "mailto:", "tel:")) else "ERR_UNKNOWN_URL_SCHEME", url
            )

    def _answer(self, request: Request) -> Response:
        if urlsplit(request.url).port in _UNSAFE_PORTS:
            raise NotLoaded("ERR_UNSAFE_PORT", request.url)
        try:
            response = respond(self._context, request)
        except NetworkError as error:
            raise NotLoaded(_FAILURES[error.failure], request.url) from None
        if self._listener is not None:
            self._listener(response, request.method)
        return response

    def _show(
        self, url: str, html: str, response: Response | None, *, plain: bool, again: dict[str, Any] | None = None
    ) -> None:
        """Create a document from a response and run it until it is loaded."""
        host = urlsplit(url).netloc
        before = self.url
        coming = self._coming
        if before.startswith("http"):
            self._leave()
        self.left = True
        seen = self._context.next_number("document")
        seed = [
            int.from_bytes(keyed_digest(0, f"{url}\0{to_ms(self._context.now())}", seen)[i : i + 4], "big") | 1
            for i in (0, 4, 8, 12)
        ]
        document = self._document = Document([], self._context.executions)
        self._tab["url"] = url
        session = (self._tab.get("session") or {}).get(host, {})
        loaded = document.do("load", {
            "html": html, "url": url, "plain": plain, "seed": seed, "viewport": self._row["viewport"], "agent": self.user_agent,
            "cookies": sorted(self._context.web.storage(host, "cookie").items()) if host else [],
            "storage": sorted(self._context.web.storage(host, "local").items()) if host else [],
            "session": sorted(session.items()),
            "referrer": self._referrer if response is not None else "",
            **coming.details(), **(again or {}),
        })  # fmt: skip
        self._at_this_moment()
        for script in loaded["scripts"]:
            code = script.get("code")
            if code is None:
                code = self._text_at(script["url"])
            if code is not None:
                document.run_script(code, url)
        document.do("loaded", None)
        for address in document.ask("resources"):
            self._text_at(address)
        if response is not None and not document.ask("icon"):
            icons = list(self._row.get("icons") or [])
            origin = "/".join(url.split("/")[:3])
            if origin not in icons:
                self._row["icons"] = [*icons, origin]
                self._context.update("browser", self._row["session"], {"icons": self._row["icons"], "icon": origin})
                self._row["icon"] = origin
        self.settle()

    def _text_at(self, url: str) -> str | None:
        """Return the text of a resource that the page needs; failures are reported on the console."""
        try:
            response = self._answer(Request("GET", url, cookies=True))
        except NotLoaded as error:
            self._console("error", _not_asked(error))
            return None
        if response.status >= 400:
            self._console("error", _not_loaded(response))
            return None
        return response.body

    def fetch_icon(self) -> None:
        """Fetch the favicon, which a browser requests after the page has loaded."""
        if (origin := self._row.get("icon")) is not None:
            self._row["icon"] = None
            self._context.update("browser", self._row["session"], {"icon": None})
            self._text_at(f"{origin}/favicon.ico")

    def _follow(self, effect: dict[str, Any]) -> None:
        match effect["kind"]:
            case "console" if self._console_of == "puppeteer":
                self._console(effect["type"].replace("warning", "warn"), effect["handles"])
            case "console":
                self._console(effect["type"], effect["text"])
            case "exception" if self._console_of == "playwright":
                self._exception(effect)
            case "dialog":
                self.dialogs.append(effect)
            case "fetch":
                self._fetch(effect)
            case "script":
                code = self._text_at(effect["url"])
                if code is not None:
                    self.document.run_script(code, self.url)
            case "frame":
                self._lead(effect)
            case "navigate":
                self._navigate(effect)
            case "moved":
                self._past.move(effect["url"], effect.get("state"), replace=bool(effect.get("replace")))
                self._tab["url"] = effect["url"]
            case "back":
                self.go(effect["by"])
            case "storage" | "cookie":
                self._keep(effect)

    def _keep(self, effect: dict[str, Any]) -> None:
        host = urlsplit(self.url).netloc
        if effect["kind"] == "storage" and effect["where"] == "tab":
            values = {**(self._tab.get("session") or {})}
            own = {**values.get(host, {}), effect["name"]: effect["value"]}
            self._tab["session"] = {**values, host: {name: value for name, value in own.items() if value is not None}}
        elif host:
            self._context.web.set_item(
                host, "cookie" if effect["kind"] == "cookie" else "local", effect["name"], effect["value"]
            )

    def _navigate(self, effect: dict[str, Any]) -> None:
        method, body = effect["method"], effect.get("body")
        headers = {"content-type": "application/x-www-form-urlencoded"} if body is not None else {}
        request = Request(method, effect["url"], headers, body, cookies=True)
        target = str(effect.get("target") or "")
        if effect.get("reload"):
            self._referrer = str(self.document.log[0][1]["referrer"])
        else:
            self._referrer = "" if effect.get("noreferrer") else referrer(self.url, request.url)
        if effect.get("frame") is not None and target in ("", "_self"):
            self._frame(effect["frame"], request)
        elif target and target not in ("_self", "_top", "_parent"):
            self._open_tab(request)
        else:
            try:
                again = effect.get("reload") or (request.url == self.url and not effect.get("form"))
                self._visit(request, "again" if again else "replace" if effect.get("replace") else "new")
            except NotLoaded as error:
                self._fail(error, replace=bool(effect.get("replace") or effect.get("reload")))

    def _open_tab(self, request: Request) -> None:
        before, document = self._tab, self._document
        self._save()
        self._tab = self._context.create(
            "tab", {"browser": self._row["session"], "url": BLANK, "history": [], "position": 0, "quiet": True}
        )
        self._document = None
        try:
            self._visit(request, "replace")
        except NotLoaded as error:
            self._fail(error, replace=True)
        self._save(current=False)
        self.opened = str(self._tab["id"])
        self._tab, self._document = before, document

    def _lead(self, effect: dict[str, Any]) -> None:
        """Show a URL, written HTML or a stored content in a frame."""
        frame, replace = effect["frame"], bool(effect.get("replace"))
        if effect.get("again"):
            past = self._past
            self.document.do("framed", {"frame": frame, **past.frames(past.position)[frame], "replace": True})
        elif effect["url"].startswith("about:"):
            content = {"html": effect.get("html") or "", "url": effect["url"], "plain": False}
            self._shown_in(frame, content, effect["url"], replace)
        else:
            self._frame(frame, Request("GET", effect["url"], cookies=True), replace=replace)

    def _frame(self, frame: int, request: Request, *, replace: bool = False) -> None:
        try:
            response = self._answer(request)
        except NotLoaded as error:
            content = {"html": _console_text(error), "url": BROKEN, "plain": False}
        else:
            content = {"html": response.body, "url": response.url, "plain": not response.is_html}
        self._shown_in(frame, content, request.url, replace)

    def _shown_in(self, frame: int, content: Content, query: str, replace: bool) -> None:
        """Show a content in a frame and record the navigation in the history."""
        how = {**({"asked": query} if query != content["url"] else {}), **({"replace": True} if replace else {})}
        before = self.document.do("framed", {"frame": frame, **content, **how})
        past = self._past
        if before is not None:
            past.note_frames(dict(before))
            past.enter_frame(frame, content)
        else:
            past.replace_frame(frame, content, everywhere=not replace)

    def _fetch(self, effect: dict[str, Any]) -> None:
        request = Request(effect["method"], effect["url"], effect["headers"], effect["body"], cookies=True)
        try:
            if request.scheme not in ("http", "https"):
                raise NotLoaded("ERR_UNKNOWN_URL_SCHEME", request.url)
            response = self._answer(request)
        except NotLoaded as error:
            self._console("error", _not_asked(error))
            self.document.do("fetched", {"id": effect["id"], "error": True})
            return
        if response.status >= 400:
            self._console("error", _not_loaded(response))
        fields = {
            "id": effect["id"],
            "status": response.status,
            "statusText": response.reason,
            "headers": response.headers,
            "body": response.body,
            "url": response.url,
        }
        self.document.do("fetched", fields)

    def _console(self, kind: str, text: str) -> None:
        """Store a console message; messages of tabs that pages opened are dropped."""
        if self._tab.get("quiet"):
            return
        self._context.create("console", {"type": kind, "text": text, "at": to_ms(self._context.now())})

    def _exception(self, effect: dict[str, Any]) -> None:
        name, message = effect.get("name"), in_words(str(effect.get("message") or ""))
        text = f"{name}: {message}" if name and effect.get("own") else str(effect.get("text") or message)
        place = f"\n    at {self.url}" if effect.get("own") else ""
        self._console("exception", f"{message if effect.get('own') else text}\n{text}{place}")

    def _at_this_moment(self) -> None:
        now = to_ms(self._context.now())
        if self._tab.get("moment") != now or len(self.document.log) <= 1:
            self.document.do("moment", {"now": now})
            self._tab["moment"] = now

    @property
    def _past(self) -> History:
        return History(self._tab)

    def _save(self, *, current: bool = True) -> None:
        log = orjson.dumps(self.document.log).decode()
        changes: dict[str, Any] = {
            **{
                name: self._tab[name]
                for name in ("url", "history", "position", "session", "moment")
                if name in self._tab
            },
            "log": log,
        }
        self._tab["log"] = log
        self._context.update("tab", self._tab["id"], changes)
        if current:
            history = self._past.urls
            if self._row.get("current_url") != self.url or self._row.get("history") != history:
                self._row |= {"current_url": self.url, "history": history}
                self._context.update("browser", self._row["session"], {"current_url": self.url, "history": history})


def opened(context: AppContext, launch: Launch, listener: ResponseListener | None = None) -> Browser:
    """Return the open browser, or start one with a blank tab."""
    row = context.first("browser")
    if row is None:
        row = context.create("browser", {"current_url": BLANK, "history": [BLANK], "user_agent": launch.user_agent})
    fields = {
        "viewport": {"width": launch.width, "height": launch.height},
        "user_agent": USER_AGENT,
        "kind": launch.kind,
    }
    missing = {name: value for name, value in fields.items() if name not in row}
    tab = context.get("tab", str(row["current_tab"])) if row.get("current_tab") is not None else None
    if missing:
        row = context.update("browser", row["session"], missing)
    if tab is not None:
        browser = Browser(context, row, tab, listener, launch.console_of)
        browser.fetch_icon()
        return browser
    visited = [str(url) for url in row.get("history") or [BLANK]]
    goal = str(row.get("current_url") or BLANK)
    known = [*([] if visited[:1] == [BLANK] else [BLANK]), *(visited if goal != visited[-1] else visited[:-1])]
    entries = [{"url": url, "document": i + 1} for i, url in enumerate(known)]
    tab = context.create(
        "tab", {"browser": row["session"], "url": BLANK, "history": entries, "position": max(len(entries) - 1, 0)}
    )
    row = context.update("browser", row["session"], {"current_tab": tab["id"]})
    browser = Browser(context, row, tab, listener, launch.console_of)
    with contextlib.suppress(
        NotLoaded, InvalidAddress
    ):  # a state may name a page that does not exist; the browser then shows an error page
        browser.goto(goal)
    for selector, value in (row.get("field_values") or {}).items():
        for result in browser.document.find(selector, "css")[:1]:
            browser.act("fill", {"at": place(result), "value": str(value)})
    browser.fetch_icon()
    browser.left = False
    return browser


def place(result: dict[str, Any]) -> dict[str, Any]:
    """Return the position of an element, as operations on it need it."""
    return {"frame": result["frame"], "index": result["index"]}


def _log(text: str | None) -> list[Entry]:
    return orjson.loads(text) if text else _blank_log()


def _blank_log() -> list[Entry]:
    """Return the log of a blank page."""
    return [["load", {
        "html": "", "url": BLANK, "plain": False, "seed": [1, 1, 1, 1], "viewport": {"width": 800, "height": 600},
        "agent": USER_AGENT,
        "cookies": [], "storage": [], "session": [], "referrer": "", "length": 1,
    }]]  # fmt: skip


def _console_text(error: NotLoaded) -> str:
    """Return Chromium's error page without its advice: the unreachable address and the reason."""
    url, host = escape(error.url), escape(urlsplit(error.url).hostname or "")
    why = _WHY.get(error.code, _NOWHERE).format(host=host, url=url)
    return (
        f"<html><head><title>{host or url}</title></head><body><h1>This site can’t be reached</h1><p>{why}</p>"
        f"<div>{error.code}</div></body></html>"
    )


def _not_asked(error: NotLoaded) -> str:
    return f"Failed to load resource: net::{error.code}"


def _not_loaded(response: Response) -> str:
    return f"Failed to load resource: the server responded with a status of {response.status} ({response.reason})"


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode(errors="replace")
    except (binascii.Error, ValueError):
        return ""
