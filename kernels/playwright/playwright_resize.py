"""The `playwright_resize` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import UNDEFINED, is_number, is_true, number_text, text, to_number, type_of
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.devices import DEVICES, Device
from soundstage.kernels.playwright.rules.errors import Failed, refused
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments

_POPULAR = (
    "iPhone 13, iPhone 13 Pro, iPhone 14, iPhone 15, iPad Pro 11, iPad Pro 12.9, Pixel 5, Pixel 7, Galaxy S9+, "
    "Galaxy S24, Desktop Chrome, Desktop Firefox, Desktop Safari"
)
_WIDEST, _TALLEST = 7680, 4320


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Resize the viewport to a device's size or to a size in pixels."""
    return in_browser(context, "playwright_resize", arguments, lambda browser: _resized(browser, arguments))


def _resized(browser: Browser, arguments: Arguments) -> str:
    name, orientation = arguments.get("device"), arguments.get("orientation")
    device = _known(text(name)) if is_true(name) else None
    if device is not None:
        width, height = device.width, device.height
        if (orientation == "landscape" and width < height) or (orientation == "portrait" and width > height):
            width, height = height, width
    else:
        width, height = _checked(arguments)
    browser.resize(width, height)
    size = f"{width}x{height}" if device is None else f"{text(name)} ({width}x{height})"
    current = f" in {text(orientation)} orientation" if is_true(orientation) else ""
    return f"Browser viewport resized to {size}{current}{_features(device)}"


def _known(name: str) -> Device:
    if name not in DEVICES:
        raise refused(
            "not_found",
            f'Device "{name}" not found. Popular devices: {_POPULAR}. '
            f"Use playwright.devices to see all {len(DEVICES)} available devices.",
        )
    return DEVICES[name]


def _checked(arguments: Arguments) -> tuple[int, int]:
    width, height = arguments.get("width", UNDEFINED), arguments.get("height", UNDEFINED)
    if width is UNDEFINED or height is UNDEFINED:
        raise refused("invalid", "Either 'device' parameter or both 'width' and 'height' parameters are required")
    if to_number(width) <= 0 or to_number(height) <= 0:
        raise Failed("invalid", "Width and height must be positive integers")
    if to_number(width) > _WIDEST or to_number(height) > _TALLEST:
        raise Failed("limit", f"Width and height must not exceed {_WIDEST}x{_TALLEST} (8K resolution)")
    return _whole("width", width), _whole("height", height)


def _whole(name: str, value: Any) -> int:
    if not is_number(value):
        raise Failed("invalid", f"page.setViewportSize: viewportSize.{name}: expected integer, got {type_of(value)}")
    if value != int(value):
        raise Failed(
            "invalid", f"page.setViewportSize: viewportSize.{name}: expected integer, got float {number_text(value)}"
        )
    return int(value)


def _features(device: Device | None) -> str:
    if device is None:
        return ""
    entries = [*(["mobile"] if device.mobile else []), *(["touch"] if device.touch else [])]
    entries += [f"{number_text(device.scale)}x scale"] if device.scale > 1 else []
    return f" [{', '.join(entries)}]" if entries else ""
