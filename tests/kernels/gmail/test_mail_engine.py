"""The mail engine of both mail apps. The expected values are the output of nodemailer and html-to-text for the same texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.kernels.engines import javascript
from soundstage.kernels.engines.mail import dates, headers, html, mime, threads
from soundstage.kernels.engines.mail.addresses import (
    Address,
    formatted,
    normalized,
    parse_list,
    quoted,
    recipients,
    shown,
)
from soundstage.kernels.engines.mail.html_as_text import to_mail_text


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("a@b.test", [("", "a@b.test")]),
        ("Ana Bo <a@b.test>", [("Ana Bo", "a@b.test")]),
        ('"Bo, Ana" <a@b.test>, c@d.test', [("Bo, Ana", "a@b.test"), ("", "c@d.test")]),
        ("a@b.test; c@d.test", [("", "a@b.test"), ("", "c@d.test")]),
        ("nobody here", [("nobody here", "")]),
        ("42", [("42", "")]),
        ("(comment) a@b.test", [("comment", "a@b.test")]),
        ("(only a comment)", [("only a comment", "")]),
        ("Crew: a@b.test, c@d.test;", [("", "a@b.test"), ("", "c@d.test")]),
        ("undisclosed-recipients:;", []),
        ("Ana a@b.test", [("Ana", "a@b.test")]),
        ("a@b.test c@d.test", [("c@d.test", "a@b.test")]),
        ("王芳<wf@b.test>", [("王芳", "wf@b.test")]),
        ('"a\\"b" <a@b.test>', [('a"b', "a@b.test")]),
        ('"Ana"Bo <a@b.test>', [("AnaBo", "a@b.test")]),
        ("name <foo <a@b.test>", [("name", "a@b.test")]),
        ("<a@b.test", [("", "a@b.test")]),
        ("", []),
    ],
)
def test_address_lists_are_parsed_leniently(text: str, addresses: list[tuple[str, str]]) -> None:
    assert [(a.name, a.address) for a in parse_list(text)] == addresses


@given(st.text(alphabet='ab@.,;:<>()"\\ \n王'))
def test_any_text_can_be_parsed_as_an_address_list(text: str) -> None:
    for address in parse_list(text):
        assert address.name or address.address
    assert len(recipients(text)) == len(set(recipients(text)))


def test_addresses_are_cleaned_for_envelopes_and_shown_to_people() -> None:
    assert normalized("Ana@Mail.TEST") == "Ana@mail.test"
    assert normalized("ana@bücher.test") == "ana@xn--bcher-kva.test"
    assert normalized("two words@mail.test") == '"two words"@mail.test'
    assert recipients("Ana <a@B.test>, a@b.test") == ["a@b.test"]
    assert formatted(Address("Bo, Ana", "a@B.test")) == '"Bo, Ana" <a@b.test>'
    assert formatted(Address("", "a@b.test")) == "a@b.test"
    assert quoted(Address("王芳", "wf@b.test")) == '"王芳" <wf@b.test>'
    assert (
        shown('Ana <a@b.test>, "Team, A": c@b.test, d@b.test; bo')
        == '"Ana" <a@b.test>, "Team, A": c@b.test, d@b.test;, "bo"'
    )
    assert shown("nobody:;, x@b.test;") == '"nobody": ;, x@b.test'
    assert shown("") == ""


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>Hello</p><p>World</p>", "Hello\n\nWorld"),
        ("<h1>Digest</h1><p>text</p>", "DIGEST\n\ntext"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul><li>one</li><li>two</li></ul>", " * one\n * two"),
        ("<ol><li>x</li><li>y</li></ol>", " 1. x\n 2. y"),
        ('<a href="https://x.test/y">click</a>', "click [https://x.test/y]"),
        ('<img src="https://x.test/i.png" alt="pic">', "pic [https://x.test/i.png]"),
        ("<blockquote>q</blockquote>after", "> q\n\nafter"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "ab"),
        ("<style>p{}</style><p>x &amp; y</p>", "x & y"),
        ("<hr>", "-" * 80),
        ("<p>" + "word " * 20 + "</p>", " ".join(["word"] * 16) + "\n" + " ".join(["word"] * 4)),
        ("<h2>H</h2><h3>h</h3>", "H\n\n\nH"),
        ("<pre>  a\n   b</pre>tail", "  a\n   b\n\ntail"),
        ("<blockquote>q1<p>q2</p></blockquote>", "> q1\n> \n> q2"),
        ("<ol start=3 type=a><li>x<ul><li>y</li></ul></li><li>z</li></ol>", " c. x\n    * y\n d. z"),
        ("<ol type=I><li>x</li><li>y</li></ol>", " I.  x\n II. y"),
        ("<li>stray", "stray"),
        ('<a href="#top">up</a> <a href="mailto:a@b.test">Ana</a>', "up Ana [a@b.test]"),
        ('<h1><a href="https://x.test">Go</a></h1>', "GO [https://x.test]"),
        ("<title>T</title><p>one<ul><li>two</ul>three</p>", "T\n\none\n\n * two\n\nthree\n\n"),
        ("<title>T</title><body>b</body>", "b"),
        ("text<p></p>", "text\n\n"),
    ],
)
def test_html_is_written_as_html_to_text_does(source: str, text: str) -> None:
    assert to_mail_text(source) == text


@given(st.text('<>/abhilop =#"\n&;', max_size=80))
def test_any_html_can_be_converted_to_text(source: str) -> None:
    assert isinstance(to_mail_text(source), str)


def test_html_may_be_nested_without_end() -> None:
    assert to_mail_text("<div><ul><li>" * 2000 + "deep").strip(" *\n") == "deep"


def test_html_for_search_separates_cells() -> None:
    assert html.to_text("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>").split() == ["a", "b", "c"]


def test_reply_prefixes_are_removed_from_subjects() -> None:
    for subject in (
        "Oak boards",
        "Re: Oak  boards",
        "RE: Fwd: oak boards",
        "回复：Re[2]: Oak boards",
        "AW: WG: oak boards",
    ):
        assert threads.plain_subject(subject) in ("oak boards", "wg: oak boards")
    header_list: list[headers.Header] = [
        {"name": "references", "value": "<a@x> <b@x>"},
        {"name": "In-Reply-To", "value": "<b@x>"},
    ]
    assert threads.references(header_list) == ["<a@x>", "<b@x>"]


@given(st.text(), st.binary(max_size=200))
def test_what_is_written_is_read_again(subject: str, data: bytes) -> None:
    subject = " ".join(subject.split())
    raw = f"Subject: {headers.encoded(subject)}\r\n".encode("utf-8", "replace")
    body = b"Content-Type: text/plain\r\n\r\nhello"
    mail = mime.read(raw + mime.multipart("mixed", [body, mime.attached(mime.File("n.bin", data))], "edge"))
    assert [part.mime_type for part in mail.parts] == ["text/plain", "application/octet-stream"]
    assert mail.parts[1].data == data
    if subject.isprintable() and "=?" not in subject:
        assert headers.find(mail.headers, "subject") == subject


def test_base64_is_read_as_node_reads_it() -> None:
    assert mime.from_base64("aGk") == mime.from_base64("aGk=") == mime.from_base64(" aG\nk=tail") == b"hi"
    assert mime.from_base64("-_-_") == mime.from_base64("+/+/")
    assert mime.from_base64("a") == b""


def test_dates_are_read_and_written() -> None:
    moment = dates.parse("Fri, 20 Nov 2026 09:30:00 +0800")
    assert moment is not None
    assert dates.written(moment) == "Fri, 20 Nov 2026 09:30:00 +0800"
    assert dates.parse("Fri, 20 Nov 2026 09:30:00") == dates.parse("Fri, 20 Nov 2026 09:30:00 +0000")
    assert dates.parse("soon") is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), (True, "true"), ([1, None, [2, "x"]], "1,,2,x"), ({}, "[object Object]"), (1.0, "1"), (0.1, "0.1"),
     (1e21, "1e+21"), (1e-7, "1e-7"), (0.000015, "0.000015"), (123456789012345680000, "123456789012345680000"),
     (float("nan"), "NaN"), (float("-inf"), "-Infinity"), (-2.5, "-2.5")],
)  # fmt: skip
def test_values_are_written_as_javascript_does(value: object, text: str) -> None:
    assert javascript.text(value) == text
