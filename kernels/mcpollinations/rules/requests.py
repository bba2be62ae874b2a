"""How the server reads arguments and writes addresses: JavaScript's defaults and coercions, and no checks but of the prompt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import is_number, is_true, text, to_number
from soundstage.kernels.mcpollinations.rules.errors import Refusal, no_arguments
from soundstage.kernels.types import Arguments

_SEEDS = 1_000_000
_YES, _NO = ("1", "true", "yes", "y"), ("0", "false", "no", "n")


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """A picture that is asked for; values are as they came, of whatever type."""

    prompt: str
    model: Any
    seed: Any
    width: Any
    height: Any
    enhance: Any
    safe: Any

    def metadata(self, **beside: Any) -> dict[str, Any]:
        """What the server tells of it; `beside` stands behind the prompt."""
        size = {"width": self.width, "height": self.height, "model": self.model, "seed": self.seed}
        flags = {"enhance": self.enhance, "private": True, "nologo": True, "safe": self.safe}
        return {"prompt": self.prompt, **beside, **size, **flags}

    def address(self) -> str:
        """Where the picture is.

        Raises:
            Refusal: `safe` is null, which has no text.
        """
        query = [("model", text(self.model)), ("seed", text(self.seed))]
        query += [
            (name, text(value)) for name, value in (("width", self.width), ("height", self.height)) if is_true(value)
        ]
        query += [("enhance", "true")] if is_true(self.enhance) else []
        query += [("nologo", "true"), ("private", "true"), ("safe", text_of_flag(self.safe))]
        shown = "&".join(f"{name}={quote_plus(value, safe='*')}" for name, value in query)
        return f"https://image.pollinations.ai/prompt/{_component(self.prompt)}?{shown}"


def arguments_of(arguments: Arguments | None) -> Arguments:
    """The arguments of a call that carried some.

    Raises:
        Refusal: it carried none at all.
    """
    if arguments is None:
        raise no_arguments()
    return arguments


def prompt_of(arguments: Arguments) -> str:
    """The prompt.

    Raises:
        Refusal: there is none, or it is no text.
    """
    prompt = arguments.get("prompt")
    if not isinstance(prompt, str) or not prompt:
        raise Refusal("invalid", "Prompt is required and must be a string")
    return prompt


def image_request(context: AppContext, arguments: Arguments, *, model: str | None = None) -> ImageRequest:
    """What a tool for pictures asks for, with the server's own defaults for what is left out. Null is not left out."""
    prompt = prompt_of(arguments)
    usual = {
        "model": model or setting(context, "DEFAULT_IMAGE_MODEL", "flux"),
        "width": _size_setting(context, "DEFAULT_IMAGE_WIDTH"),
        "height": _size_setting(context, "DEFAULT_IMAGE_HEIGHT"),
        "enhance": _flag_setting(context, "DEFAULT_IMAGE_ENHANCE", usual=True),
        "safe": _flag_setting(context, "DEFAULT_IMAGE_SAFE", usual=False),
    }
    values = {name: arguments.get(name, default) for name, default in usual.items()}
    seed = arguments["seed"] if "seed" in arguments else context.random.randrange(_SEEDS)
    return ImageRequest(prompt, seed=seed, **values)


def references(arguments: Arguments, words: str) -> Any:
    """The address or addresses of pictures to begin with, as they came.

    Raises:
        Refusal: there are none.
    """
    given = arguments.get("imageUrl")
    if not isinstance(given, list) and (not isinstance(given, str) or not given):
        raise Refusal("invalid", f"{words} are required and must be a string or array of strings")
    return given


def text_of_flag(value: Any) -> str:
    """`safe.toString()`.

    Raises:
        Refusal: null has none.
    """
    if value is None:
        raise Refusal("invalid", "Cannot read properties of null (reading 'toString')")
    return text(value)


def pixels(value: Any) -> float:
    """A width or a height as the service takes it, whatever came."""
    number = to_number(value)
    return float(number) if is_number(number) and math.isfinite(number) and number > 0 else 1024.0


def setting(context: AppContext, name: str, usual: str) -> str:
    """What the server was started with."""
    row = context.get("setting", name)
    return str(row["value"]) if row is not None and row.get("value") else usual


def _size_setting(context: AppContext, name: str) -> Any:
    value = to_number(setting(context, name, "1024"))
    return value if is_true(value) else 1024


def _flag_setting(context: AppContext, name: str, *, usual: bool) -> bool:
    told = setting(context, name, "").lower()
    return True if told in _YES else False if told in _NO else usual


def _component(value: str) -> str:
    """`encodeURIComponent`."""
    return quote(value, safe="!*'()~")
