"""The `generateImage` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.mcpollinations.rules.drawing import Blocks, blocks, drawn, output_folder
from soundstage.kernels.mcpollinations.rules.requests import arguments_of, image_request
from soundstage.kernels.mcpollinations.rules.saving import save_generated
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Blocks:
    """Generate a picture for a prompt and save it."""
    given = arguments_of(arguments)
    wanted = image_request(context, given)
    data = drawn(context, wanted, wanted.address(), "generate image")
    folder, kind = given.get("outputPath", output_folder(context)), given.get("format", "png")
    path = save_generated(context, wanted.prompt, folder, given.get("fileName", ""), kind, data)
    return blocks(data, f'Generated image from prompt: "{wanted.prompt}"', wanted.metadata(), path)
