"""A page stored as a log: its scripts, the limits on them, and its rendering."""

from __future__ import annotations

import json
from typing import Any

import pytest

from soundstage.contexts.engine import budget
from soundstage.contexts.engine.budget import BudgetExceeded
from soundstage.contexts.engine.execution_limits import Executions
from soundstage.kernels.engines.browser.document import Document, Stopped
from tests.kernels.engines.browser.documents import page


def came_to(document: Document, script: str) -> Any:
    document.evaluate(script, "playwright")
    return document.outcome(script)


def test_a_page_restored_from_its_log_continues() -> None:
    first = page(
        '<script>let n = 0; function more() { return ++n }</script><p id=p onclick="this.textContent = more()">0</p>'
    )
    first.do("click", {"at": {"frame": None, "index": first.find("#p", "css")[0]["index"]}})
    again = Document(first.log, Executions())
    assert came_to(again, "document.getElementById('p').textContent + more()") == '"12"'
    assert Document(first.log, Executions()).ask("markup", {}) == first.ask("markup", {})


def test_a_picture_shows_a_box_ticked_after_an_earlier_picture() -> None:
    document = page("<input type=checkbox>")
    unticked = document.ask("paint")["paints"]
    document.do("click", {"at": {"frame": None, "index": document.find("input", "css")[0]["index"]}})
    assert [p["text"] for p in document.ask("paint")["paints"] if p not in unticked] == ["x"]


def test_chance_is_the_same_for_the_same_seed() -> None:
    assert came_to(page(""), "Math.random()") == came_to(page(""), "Math.random()")
    assert came_to(page("", seed=[5, 6, 7, 8]), "Math.random()") != came_to(page(""), "Math.random()")


@pytest.mark.parametrize(
    "script", ["for (;;);", "const a = []; for (;;) a.push('x'.repeat(1e5))", "/(a+)+$/.test('a'.repeat(40) + 'b')"]
)
def test_a_script_that_runs_away_is_undone(script: str) -> None:
    document = page("<p>x</p>")
    came_to(document, "document.title = 'kept'")
    with pytest.raises(Stopped):
        document.evaluate(f"document.title = 'lost'; {script}", "playwright")
    assert came_to(document, "document.title") == '"kept"'
    assert Document(document.log, Executions()).ask("title") == "kept"


@pytest.mark.parametrize(
    ("html", "made"),
    [
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<table><tr><td>a<tr><th>c</table>", "<table><tbody><tr><td>a</td></tr><tr><th>c</th></tr></tbody></table>"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        ("<h1>a<h2>b</h2>", "<h1>a</h1><h2>b</h2>"),
        ("<a href=x>a<a href=y>b</a>", '<a href="x">a</a><a href="y">b</a>'),
        ("<select><option>a<option selected>b</select>", '<select><option>a</option><option selected="">b</option></select>'),
        ("<textarea>\n<b>&amp;</textarea>", "<textarea>&lt;b&gt;&amp;</textarea>"),
        ("a &lt; b &copy; &nbsp;&#65;&#x42; &nope;", "a &lt; b © &nbsp;AB &amp;nope;"),
        ("<img src=a><br><hr>", '<img src="a"><br><hr>'),
        ("<p>a<div>b</div>", "<p>a</p><div>b</div>"),
        ("a</p>b", "a<p></p>b"),
        ("<script>if (1 < 2) '</p>'</script>", "<script>if (1 < 2) '</p>'</script>"),
        ("<p title='a\"b'>x</p>", "<p title=\"a&quot;b\">x</p>"),
    ],
)  # fmt: skip
def test_html_is_parsed_like_in_browsers(html: str, made: str) -> None:
    markup = came_to(page(f"<!doctype html><title>t</title><body>{html}"), "document.body.innerHTML")
    assert json.loads(markup) == made


@pytest.mark.parametrize(
    ("url", "resolved"),
    [
        ("c", "http://g.test/a/c"),
        ("../c?d#e", "http://g.test/c?d#e"),
        ("/c/./d/../e", "http://g.test/c/e"),
        ("//h.test", "http://h.test/"),
        ("?x=é ü", "http://g.test/a/b?x=%C3%A9%20%C3%BC"),
        ("HTTPS://H.test:443/é", "https://h.test/%C3%A9"),
        ("#f", "http://g.test/a/b#f"),
        ("mailto:a@b.test", "mailto:a@b.test"),
    ],
)
def test_addresses_are_resolved_against_the_page(url: str, resolved: str) -> None:
    assert came_to(page(f'<a href="{url}">x</a>'), "document.links[0].href") == f'"{resolved}"'


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a  b</p><p>c</p>", "a b\\n\\nc"),
        ("<div>a</div><div>b</div>", "a\\nb"),
        ("a<br>b", "a\\nb"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a\\tb\\nc"),
        ("<p style='text-transform:uppercase'>a</p>", "A"),
        ("<p hidden>a</p><p style='visibility:hidden'>b</p>c", "c"),
        ("<pre>a\n  b</pre>", "a\\n  b"),
        ("<template><p>a</p></template>b", "b"),
    ],
)
def test_the_text_of_a_page(html: str, text: str) -> None:
    assert came_to(page(f"<!doctype html>{html}"), "document.body.innerText") == f'"{text}"'


@pytest.mark.parametrize(
    ("field", "filled"),
    [
        ("<input>", "two lines and three"),
        ("<input type=email>", "two lines and three"),
        ("<textarea></textarea>", "two\nlines\nand three\n\n"),
    ],
)
def test_a_field_of_one_line_has_blanks_for_line_breaks_and_none_at_its_end(field: str, filled: str) -> None:
    document = page(field)
    place = {"frame": None, "index": document.find("input, textarea", "css")[0]["index"]}
    document.do("fill", {"at": place, "value": "two\nlines\r\nand three\n\n"})
    assert came_to(document, "document.querySelector('input, textarea').value") == json.dumps(filled)


def test_a_page_cannot_hide_that_its_script_was_stopped() -> None:
    document = Document([], Executions())
    document.evaluate("Error.prepareStackTrace = () => { while (1); }; 1", "puppeteer")
    for _ in range(2):
        with pytest.raises(Stopped):
            document.evaluate("null.x", "puppeteer")
    assert len(document.log) == 1


def make_again(document: Document, times: int) -> None:
    for _ in range(times):
        Document(document.log, Executions())


def test_all_scripts_of_a_call_share_the_calls_time_limit() -> None:
    document = Document([], Executions())
    document.evaluate("let n = 0; for (let i = 0; i < 1e5; i++) n += i % 7; n", "puppeteer")
    budget.start(0.001)
    try:
        with pytest.raises(BudgetExceeded):
            make_again(document, 1000)
    finally:
        budget.stop()
