"""Personal writing styles applied to corpus text: contractions, full stops, emoji, fillers, slips, individual words for "ok".

Everything is drawn from the caller's keyed `Draw`, so a world's texts are the same on every machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from soundstage.worlds.builder.chinese import HAN, is_chinese
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.spec import Own, Voice

_OWN = re.compile(r"\{(ok|thanks|laugh|agree|sorry|wrong)\}")
_USUAL: dict[Own, tuple[str, ...]] = {
    "ok": ("ok", "got it", "👍", "收到", "好的"),
    "thanks": ("thanks", "thank you!", "谢谢", "谢谢啦"),
    "laugh": ("haha", "😂", "哈哈", "哈哈哈"),
    "agree": ("+1", "same here", "同意"),
    "sorry": ("sorry", "my bad", "不好意思", "抱歉"),
    "wrong": ("sorry wrong chat", "oops, wrong window", "发错群了", "发错了，请无视"),
}
_GAP = re.compile(r"([。！？～]) +(?=[\u4e00-\u9fff])")
_LETTERS = re.compile(r"[A-Za-z\u4e00-\u9fff]")
_BRACED = re.compile(r"(\{[^}]*\})")  # one group, so that `split` returns the matches
_SENTENCE = re.compile(r"(?<=[a-z0-9][.?!]) (?=[A-Z{])|(?<=[。？！])(?=[^\s。？！”』」）])")
_A_SENTENCE = 18  # letters, a Chinese character standing for three, from which on a message is one
# Serious subjects: no emoji after them, and no fillers.
_GRAVE = re.compile(
    r"\b(?:ill|sick|sorry|lost|broken|died|not happy|no longer)\b|发烧|病|对不起|抱歉|坏了|疼|不好意思", re.I
)
_LONG_WORD = re.compile(r"(?<![\w{@:/.'’-])[a-z]{5,11}(?![\w}/:'’-])")
# Wrong characters that Chinese keyboards suggest first and writers overlook.
_MISREAD = (("在", "再"), ("再", "在"), ("做", "作"), ("的", "得"), ("已经", "以经"), ("安排", "按排"), ("账", "帐"))

_NOT = r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should) not\b"
# A form that carries the sense stays whole: "that is where it is." and "you and I are".
_GOES_ON = r"(?= [\w{'\"])"
_CONTRACTIONS = (
    (re.compile(rf"{_NOT}(?=[ .,;!?])", re.I), r"\1n't"),
    (re.compile(r"\bcannot\b"), "can't"),
    (re.compile(r"\bCannot\b"), "Can't"),
    (re.compile(r"\bcan not\b"), "can't"),
    (re.compile(r"\b([Ww])ill not\b"), r"\1on't"),
    (re.compile(rf"\bI am\b{_GOES_ON}"), "I'm"),
    (re.compile(rf"\b([Ii]t|[Tt]hat|[Tt]here|[Hh]e|[Ss]he|[Ww]hat|[Ww]ho|[Ww]here|[Hh]ere) is\b{_GOES_ON}"), r"\1's"),
    (re.compile(rf"(?<!and )\b([Yy]ou|[Ww]e|[Tt]hey) are\b{_GOES_ON}"), r"\1're"),
    (re.compile(rf"\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Ii]t|[Hh]e|[Ss]he|[Tt]hat) will\b{_GOES_ON}"), r"\1'll"),
    (re.compile(r"\b(I|[Yy]ou|[Ww]e|[Tt]hey) have(?= (?:been|never|already|just|only|got|\w{3,}ed|seen|done|sent|put|made|"
                r"found|written|taken|lost|left|told|read|had|gone|set|bought|begun|heard|kept)\b)"), r"\1've"),
    (re.compile(rf"\b(I|[Yy]ou|[Ww]e|[Tt]hey) would\b{_GOES_ON}"), r"\1'd"),
    (re.compile(r"\b([Ll])et us\b"), r"\1et's"),
)  # fmt: skip
CONTRACTED = re.compile(
    r"\b\w+(?:n't|'m|'re|'ll|'ve|'d)\b|\b(?:it|that|there|he|she|what|who|where|here|let)'s\b", re.I
)
UNCONTRACTED = re.compile("|".join(form.pattern for form, _ in _CONTRACTIONS), re.I)


@dataclass(frozen=True, slots=True)
class Slip:
    """A text with a slip of the fingers, and the word that was meant."""

    text: str
    meant: str


def length(texts: list[str]) -> str:
    """Classify a person's messages as short, medium or long; a Chinese character counts as three letters."""
    letters = [len(text) + 2 * len(HAN.findall(text)) for text in texts if text]
    mean = sum(letters) // max(1, len(letters))
    return "short" if mean < 45 else "long" if mean > 110 else "medium"


def own_words(text: str, voice: Voice, lang: str, languages: list[str], draw: Draw) -> str:
    """Replace `{ok}`, `{thanks}`, `{laugh}`, `{agree}`, `{sorry}` and `{wrong}` with this person's own words.

    Next to other words, they are in the language of those words. Alone, they are in the language of the conversation, or in the
    other one for people who like to switch.
    """
    remainder = _BRACED.sub("", text)
    if _LETTERS.search(remainder):
        lang = "zh" if is_chinese(remainder) else "en"
        voice = voice.model_copy(update={"switches": 0})
    end = "。" if lang == "zh" else "."

    def own(match: re.Match[str]) -> str:
        filler = _own(match[1], voice, lang, languages, draw)  # type: ignore[arg-type]
        goes_on = _LETTERS.match(text[match.end() :].lstrip()) is not None
        return f"{filler}{end}" if goes_on and filler[-1].isalnum() else filler

    return _GAP.sub(r"\1", _OWN.sub(own, text))


def _own(what: Own, voice: Voice, lang: str, languages: list[str], draw: Draw) -> str:
    words = [w for w in voice.says.get(what) or _USUAL[what] if "zh" in languages or not HAN.search(w)]
    wanted = lang if lang != "mixed" and lang in languages else languages[0]
    if len(languages) > 1 and draw.percent(voice.switches):
        wanted = "en" if wanted == "zh" else "zh"
    fitting = [w for w in words if not _LETTERS.search(w) or bool(HAN.search(w)) == (wanted == "zh")]
    usual = [w for w in _USUAL[what] if bool(HAN.search(w)) == (wanted == "zh")]
    return draw.choice(fitting or usual)


def voiced(text: str, voice: Voice, draw: Draw) -> str:
    """Apply a person's style to corpus text."""
    if draw.percent(voice.contractions):
        text = contracted(text)
    if voice.fillers and draw.percent(voice.filler_percent) and length([text]) != "short" and not _GRAVE.search(text):
        text = _filled(text, draw.choice(voice.fillers))
    return _closed(_lowered(text, voice), voice, draw)


def titled(text: str, voice: Voice, draw: Draw) -> str:
    """Apply a person's style to the title of an event or task: their capitalisation, with overlooked slips."""
    text = _lowered(text, voice)
    slipped = slip(text, draw) if draw.percent(voice.slips // 2) else None
    return slipped.text if slipped else text


def described(text: str, voice: Voice, draw: Draw) -> str:
    """Apply a person's style to a description or document: no fillers and no emoji, since it has no addressee."""
    if draw.percent(voice.contractions):
        text = contracted(text)
    text = _lowered(text, voice)
    return _stopped(text, voice.stops, draw, signed=False) if voice.stops is not None and "\n" not in text else text


def contracted(text: str) -> str:
    """English as it is spoken: "it is not" → "it's not"."""
    return "".join(part if part.startswith("{") else _contracted(part) for part in _BRACED.split(text))


def _contracted(text: str) -> str:
    for form, short in _CONTRACTIONS:
        text = form.sub(short, text)
    return text


def _lowered(text: str, voice: Voice) -> str:
    return re.sub(r"\b[A-Z][a-z']*\b", lambda word: word[0].lower(), text) if voice.lower else text


def _filled(text: str, filler: str) -> str:
    """A text with a filler before or behind it: `hmm, ~` and `~ haha`."""
    if bool(HAN.search(filler)) != is_chinese(text) and _LETTERS.search(filler):
        return text
    if filler.endswith("~") and re.match(r"(?:The|It|Is|We|You|They|That|There|This|Can|Do|Are|No|Yes|If|My)\b", text):
        text = text[0].lower() + text[1:]
    if filler.startswith("~") and text.endswith((".", "。")):
        text = text[:-1]
    return filler.replace("~", text)


def _closed(text: str, voice: Voice, draw: Draw) -> str:
    """End a text in a person's style: with a full stop, with nothing, or with an emoji."""
    plain = not text.endswith(("?", "？")) and not _GRAVE.search(text)
    signed = bool(voice.emoji) and plain and draw.percent(voice.emoji_percent)
    if voice.stops is not None or signed:
        text = _stopped(text, voice.stops or 0, draw, signed=signed)
    return f"{text} {draw.choice(voice.emoji)}" if signed else text


def _stopped(text: str, share: int, draw: Draw, *, signed: bool) -> str:
    """End a text with a full stop in `share` percent of cases, more often if it has several sentences."""
    several = len(_SENTENCE.split(text)) > 1
    stays = draw.percent(min(100, share + 20) if several and share else share) and not signed
    if text.endswith((".", "。")) and not text.endswith(("..", "。。")):
        return text if stays else text[:-1]
    if stays and text[-1:].isalnum() and len(text) + 2 * len(HAN.findall(text)) >= _A_SENTENCE and "://" not in text:
        return f"{text}{'。' if is_chinese(text) else '.'}"
    return text


def halves(text: str) -> tuple[str, str] | None:
    """A text as the two messages that impatient people send; None where it is one sentence or has several lines."""
    if "\n" in text or len(text) > 160:
        return None
    sentences = list(_SENTENCE.finditer(text))
    if not sentences or sentences[0].start() < 4:
        return None
    return text[: sentences[0].start()].rstrip("."), text[sentences[0].end() :]


def slip(text: str, draw: Draw) -> Slip | None:
    """A text with one word mistyped; None where there is no word for it."""
    if is_chinese(text):
        for meant, typed in draw.shuffled(_MISREAD):
            if meant in text:
                return Slip(text.replace(meant, typed, 1), meant)
        return None
    words = list(_LONG_WORD.finditer(text))
    if not words:
        return None
    word = draw.choice(words)
    at = draw.between(1, len(word[0]) - 3)
    letters = word[0]
    match draw.below(3):
        case 0:
            typed = letters[:at] + letters[at + 1] + letters[at] + letters[at + 2 :]
        case 1:
            typed = letters[:at] + letters[at + 1 :]
        case _:
            typed = letters[: at + 1] + letters[at:]
    if typed == letters:
        return None
    return Slip(text[: word.start()] + typed + text[word.end() :], letters)
