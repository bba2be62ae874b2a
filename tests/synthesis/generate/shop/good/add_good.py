"""A good with a title and a price; other members are not looked at, a colour that there is not either."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.shop.rules.goods import required
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    required(arguments, "title", "price")
    title, price = arguments["title"], arguments["price"]
    if not isinstance(title, str) or not title.strip():
        raise AppError("invalid", "title must be a text that says something")
    if isinstance(price, bool) or not isinstance(price, int | float) or price <= 0:
        raise AppError("invalid", "price must be more than 0")
    added = context.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    good = {"id": context.new_id("good"), "title": title, "price": price, "views": 0, "added": added}
    context.create("good", good)
    return good
