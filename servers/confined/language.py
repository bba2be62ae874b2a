"""The names that generated kernels may import, by module. Nothing in it gives a module, a frame, a file or a clock.

The gate checks imports against these names; the confined process imports the modules before it gives up its files.
"""

from __future__ import annotations

from collections.abc import Mapping

LANGUAGE: Mapping[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
        "__future__": "annotations",
        "base64": "b64decode b64encode urlsafe_b64decode urlsafe_b64encode",
        "bisect": "bisect_left bisect_right",
        "collections": "Counter OrderedDict defaultdict deque",
        "collections.abc": "Callable Collection Iterable Iterator Mapping Sequence",
        "dataclasses": "dataclass field replace",
        "datetime": "UTC date datetime time timedelta timezone",
        "functools": "cmp_to_key partial reduce",
        "hashlib": "blake2b md5 sha1 sha256",
        "html": "escape unescape",
        "itertools": "accumulate chain groupby islice pairwise zip_longest",
        "json": "dumps loads JSONDecodeError",
        "math": "ceil floor fmod inf isclose isfinite isinf isnan sqrt trunc",
        "operator": "itemgetter",
        "re": "ASCII DOTALL IGNORECASE MULTILINE compile escape findall finditer fullmatch match search split sub",
        "typing": "Any Final Literal NamedTuple NotRequired TypedDict cast",
        "unicodedata": "category normalize",
        "urllib.parse": "parse_qs quote unquote urlencode urljoin urlsplit",
    }.items()
}
"""Modules of the standard library → what may be imported from each."""

OURS: Mapping[str, frozenset[str]] = {
    "soundstage.contexts.engine.app_context": frozenset({"AppContext"}),
    "soundstage.contexts.engine.schema": frozenset({"ABSENT", "Object"}),
    "soundstage.kernels.errors": frozenset({"AppError"}),
    "soundstage.kernels.types": frozenset({"Arguments", "Reply"}),
}
"""Modules of Soundstage → what may be imported from each. In the confined process `facade` takes the place of the first two."""
