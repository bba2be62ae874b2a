"""The `editImage` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import text
from soundstage.kernels.mcpollinations.rules.drawing import Blocks, blocks, drawn, output_folder
from soundstage.kernels.mcpollinations.rules.requests import arguments_of, image_request, references, text_of_flag
from soundstage.kernels.mcpollinations.rules.saving import save_changed
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Blocks:
    """Generate a picture from another one and a prompt, and save it."""
    given = arguments_of(arguments)
    wanted = image_request(context, given, model="kontext")
    images = references(given, "Image URL(s)")
    text_of_flag(wanted.safe)
    data = drawn(context, wanted, text(images), "edit image")
    folder, kind = given.get("outputPath", output_folder(context)), given.get("format", "png")
    path = save_changed(context, "edited", wanted.prompt, folder, given.get("fileName", ""), kind, data)
    first = f'Edited image from prompt: "{wanted.prompt}"\nInput image: {text(images)}'
    return blocks(data, first, wanted.metadata(inputImageUrl=images), path)
