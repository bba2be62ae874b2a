"""Arguments and URLs with JavaScript's defaults and coercions; the server validates only the prompt."""

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
    """A request for a picture; the values are unvalidated and of any type."""

    prompt: str
    model: Any
    seed: Any
    width: Any
    height: Any
    enhance: Any
    safe: Any

    def metadata(self, **beside: Any) -> dict[str, Any]:
        """Return the metadata that the server reports; `beside` follows the prompt."""
        size = {"width": self.width, "height": self.height, "model": self.model, "seed": self.seed}
        flags = {"enhance": self.enhance, "private": True, "nologo": True, "safe": self.safe}
        return {"prompt": self.prompt, **beside, **size, **flags}

    def address(self) -> str:
        """Return the URL of the picture.

        Raises:
            Refusal: `safe` is null, which cannot be converted to text.
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
    """Return the arguments of a call.

    Raises:
        Refusal: The call has no arguments.
    """
    if arguments is None:
        raise no_arguments()
    return arguments


def prompt_of(arguments: Arguments) -> str:
    """Return the prompt.

    Raises:
        Refusal: The prompt is missing or not a string.
    """
    prompt = arguments.get("prompt")
    if not isinstance(prompt, str) or not prompt:
        raise Refusal("invalid", "Prompt is required and must be a string")
    return prompt


def image_request(context: AppContext, arguments: Arguments, *, model: str | None = None) -> ImageRequest:
    """Return the request of an image tool, with the server's defaults for missing arguments. Null does not count as missing."""
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
    """Return the URL or URLs of reference pictures unchanged.

    Raises:
        Refusal: There are none.
    """
    given = arguments.get("imageUrl")
    if not isinstance(given, list) and (not isinstance(given, str) or not given):
        raise Refusal("invalid", f"{words} are required and must be a string or array of strings")
    return given


def text_of_flag(value: Any) -> str:
    """Return `safe.toString()`.

    Raises:
        Refusal: The value is null.
    """
    if value is None:
        raise Refusal("invalid", "Cannot read properties of null (reading 'toString')")
    return text(value)


def pixels(value: Any) -> float:
    """Return a width or height as the service interprets it."""
    number = to_number(value)
    return float(number) if is_number(number) and math.isfinite(number) and number > 0 else 1024.0


def setting(context: AppContext, name: str, usual: str) -> str:
    """Return a setting of the server."""
    row = context.get("setting", name)
    return str(row["value"]) if row is not None and row.get("value") else usual


def _size_setting(context: AppContext, name: str) -> Any:
    value = to_number(setting(context, name, "1024"))
    return value if is_true(value) else 1024


def _flag_setting(context: AppContext, name: str, *, usual: bool) -> bool:
    value = setting(context, name, "").lower()
    return True if value in _YES else False if value in _NO else usual


def _component(value: str) -> str:
    """Return `encodeURIComponent(value)`."""
    return quote(value, safe="!*'()~")
