"""Ways out of Python that generated code might try, each as a whole kernel. The gate finds every one of them, so that none ever
runs; the sandbox is tested with those that would have an effect.
"""

from __future__ import annotations

RUN = "def run(context, arguments):\n"
END = RUN + "    return 1\n"

FOUND_BEFORE_GATES = {
    "a module through another": "import dataclasses\n\n\n" + RUN + "    dataclasses.sys.modules['os'].system('true')\n",
    "a module through the calendar": "from calendar import sys\n\n\n" + RUN + "    return sys\n",
    "open through json": "import json\n\n\n" + RUN + "    return json.codecs.open('/etc/passwd')\n",
    "open by another name": RUN + "    f = open\n    return f('/etc/passwd')\n",
    "open in part": "from functools import partial\n\n\n" + RUN + "    return partial(open, '/etc/passwd')()\n",
    "every class": RUN + "    return ().__class__.__base__.__subclasses__()\n",
    "an attribute by a made name": RUN + "    return getattr(context, '_' + 'context')\n",
    "an object's inside": RUN + "    return vars(context)\n",
    "the engine's storage": "from soundstage.contexts.engine.storage import Storage\n\n\n"
    + RUN
    + "    return Storage\n",
    "the engine's store": "from soundstage.contexts.engine import store\n\n\n" + RUN + "    return store\n",
    "a format that reaches in": RUN + "    return '{0.__class__}'.format(context)\n",
    "a breakpoint": RUN + "    breakpoint()\n",
    "the builtins": RUN + "    return __builtins__['open']\n",
    "a loop without an end": RUN + "    while True:\n        pass\n",
    "a pattern without an end": "from re import match\n\n\n" + RUN + "    return match('(a+)+$', 'a' * 40 + 'b')\n",
}
"""The 15 escapes that a check of imports alone does not find."""

ATTRIBUTES = {
    "a generator's frame": RUN + "    g = (x for x in ())\n    return g.gi_frame.f_globals\n",
    "an exception's frame": RUN
    + "    try:\n        1 / 0\n    except ZeroDivisionError as e:\n        return e.__traceback__.tb_frame\n",
    "what an exception holds": RUN
    + "    try:\n        context.nothing\n    except (TypeError, LookupError) as e:\n        return e.obj\n",
    "letters that become underscores": RUN + "    return context.\uff3f\uff3fclass\uff3f\uff3f\n",
    "letters that become open": RUN + "    return \uff4f\uff50\uff45\uff4e('/etc/passwd')\n",
    "a function's globals": RUN + "    return run.__globals__\n",
    "a class of its own with a hook": "class A:\n    def __del__(self):\n        pass\n\n\n" + RUN + "    return A()\n",
    "a hook by another way": "class A:\n    __format__ = lambda s, f: 'x'\n\n\n" + RUN + "    return f'{A()}'\n",
    "a dataclass's hook": "from dataclasses import dataclass\n\n\n@dataclass\nclass A:\n    a: int\n\n"
    "    def __post_init__(self):\n        pass\n\n\n" + RUN + "    return A(1)\n",
    "a metaclass": "class A(metaclass=str):\n    pass\n\n\n" + RUN + "    return A()\n",
    "a metaclass in a dictionary": "class A(**{'metaclass': str}):\n    pass\n\n\n" + RUN + "    return A()\n",
    "a class that reads in match": RUN + "    match context:\n        case str(_context=c):\n            return c\n",
    "the context under another name": RUN + "    c = context\n    return c.disk\n",
    "a map with a format": RUN + "    return '{0}'.format_map({'0': 1})\n",
    "a method of the gateway's class": "from soundstage.contexts.engine.app_context import AppContext\n\n\n"
    + RUN
    + "    AppContext.get = run\n",
    "a method of the gateway's class, in a for": "from soundstage.contexts.engine.app_context import AppContext\n\n\n"
    + RUN
    + "    for AppContext.get in [run]:\n        pass\n",
    "a method of a standard class": "from collections import Counter\n\n\n" + RUN + "    del Counter.update\n",
    "a registry of the process": "from collections.abc import Mapping\n\n\n" + RUN + "    Mapping.register(str)\n",
}

NAMES = {
    "a star": "from json import *\n\n\n" + RUN + "    return dumps({})\n",
    "a submodule": "import os.path\n\n\n" + END,
    "a relative import": "from .... import roots\n\n\n" + RUN + "    return roots\n",
    "another app's rules": "from soundstage.kernels.slack.rules import user\n\n\n" + RUN + "    return user\n",
    "a private name of the rules": "from soundstage.kernels.shop.rules.a import __builtins__ as b\n\n\n" + RUN + "    return b\n",
    "a module among the rules": "from soundstage.kernels.shop.rules import a\n\n\n" + RUN + "    return a\n",
    "a builtin bound elsewhere": RUN + "    def other():\n        open = 1\n\n    return open('/etc/passwd')\n",
    "a builtin bound by a comprehension": RUN + "    [eval for eval in ()]\n    return eval('1')\n",
    "a builtin bound by a walrus": RUN + "    if (exec := 0):\n        pass\n    return exec('1')\n",
    "a builtin bound by an argument": "def f(compile):\n    return compile\n\n\n" + RUN + "    return compile('1', '', 'eval')\n",
    "a builtin bound by an exception": RUN
    + "    try:\n        pass\n    except ValueError as input:\n        pass\n    return input()\n",
    "a builtin bound by match": RUN
    + "    match 1:\n        case {**locals}:\n            pass\n        case globals:\n            pass\n    return globals()\n",
    "a builtin under a member's name": "class A:\n    open: str\n    f = open\n\n\n" + RUN + "    return A.f('/etc/passwd')\n",
    "a global": RUN + "    global x\n    x = 1\n",
    "an import in a function": RUN + "    from re import compile\n    return compile('a')\n",
    "a coroutine": "async def run(context, arguments):\n    pass\n",
    "a base exception": RUN + "    try:\n        pass\n    except BaseException:\n        pass\n",
    "any exception": RUN + "    try:\n        pass\n    except:\n        pass\n",
    "the end of the process": RUN + "    raise SystemExit\n",
    "a context manager": RUN + "    with context:\n        pass\n",
    "another part of the app": RUN + "    from soundstage.servers.shop import dialect\n    return dialect\n",
}  # fmt: skip

AT_IMPORT = {
    "a default that calls": "def work():\n    return 1\n\n\ndef run(context, arguments=work()):\n    return 1\n",
    "a lambda's default": "F = lambda x=sorted('ab'): x\n\n\n" + END,
    "an annotation that calls": "def run(context: print('now'), arguments):\n    return 1\n",
    "an annotated value that calls": "A: sorted('ab') = 1\n\n\n" + END,
    "a class with a loop": "class A:\n    while 1 == 1:\n        pass\n\n\n" + END,
    "a class that calls": "def work():\n    return 1\n\n\nclass A:\n    a = work()\n\n\n" + END,
    "a decorator": "def d(f):\n    return f\n\n\n@d\n" + END,
    "a decorator of a class": "def d(f):\n    return f\n\n\n@d\nclass A:\n    pass\n\n\n" + END,
    "a decorator that took a name": "def dataclass(f):\n    return f\n\n\n@dataclass\nclass A:\n    pass\n\n\n" + END,
    "a call that took a name": "def field():\n    return 1\n\n\nA = field()\n\n\n" + END,
    "an import that took a name": "from functools import reduce as field\n\nA = field(lambda a, b: a, 'ab')\n\n\n" + END,
    "loops in loops": "A = [1 for a in 'ab' for b in 'ab' for c in 'ab']\n\n\n" + END,
    "a statement": "if 1:\n    A = 1\n\n\n" + END,
    "an expression": "sorted('ab')\n\n\n" + END,
    "a product of a name": "A = 'ab'\nB = A * 10**9\n\n\n" + END,
}  # fmt: skip

WITHOUT_END = {
    "1": RUN + "    while 1:\n        for x in ():\n            break\n",
    "a finally that goes on": RUN + "    while 1 == 1:\n        try:\n            pass\n        finally:\n            continue\n",
    "a range that nothing stops": RUN + "    return sum(range(10**15))\n",
    "a range handed on": RUN + "    r = range\n    return list(r(10**15))\n",
    "an iterator that never ends": RUN + "    return sum(iter(int, 1))\n",
    "alternatives that are alike": "from re import match\n\n\n" + RUN + "    return match('(a|aa)+$', 'a' * 60 + 'b')\n",
    "options so often": "from re import search\n\n\n" + RUN + "    return search('(a?){60}a{60}', 'a' * 60)\n",
    "a repeat in a group that may be": "from re import search\n\n\n" + RUN + "    return search('(a)?(?(1)b+|c)+$', 'x')\n",
    "a repeat looked ahead": "from re import search\n\n\n" + RUN + "    return search('(?=(a+)+$)', 'x')\n",
    "a pattern that is made": "from re import compile\n\n\n" + RUN + "    return compile('(a' + '+)+$')\n",
    "a pattern by its name": "from re import search\n\n\n" + RUN + "    return search(pattern='(a+)+$', string='x')\n",
    "a pattern in a dictionary": "from re import search\n\n\n" + RUN + "    return search(**{'pattern': '(a+)+$'}, string='x')\n",
    "a search handed on": "from re import search\n\n\n" + RUN + "    s = search\n    return s('(a+)+$', 'x')\n",
    "a search renamed": "from re import search as s\n\n\n" + RUN + "    return s('(a+)+$', 'x')\n",
    "a search from the rules": "from soundstage.kernels.shop.rules.a import search\n\n\n" + RUN + "    return search('a', 'x')\n",
    "an exponent": RUN + "    return 9**9**9\n",
    "exponents in a row": RUN + "    return ((9**16) ** 16) ** 16\n",
    "a shift": RUN + "    return 1 << arguments['n']\n",
    "a repeat": RUN + "    return 'a' * arguments['n']\n",
    "repeats of repeats": RUN + "    return 'a' * 9999 * 9999 * 9999\n",
    "a width": RUN + "    return f'{1:9999999999}'\n",
    "a width that is not told": RUN + "    return f'{1:{arguments}}'\n",
    "an old width": RUN + "    shown = '%9999999999d'\n    return shown % 1\n",
    "a filled length": RUN + "    return 'a'.ljust(10**10)\n",
    "a filled length handed on": RUN + "    f = 'a'.zfill\n    return f(10**10)\n",
    "a tab's length": RUN + "    return 'a\\t'.expandtabs(tabsize=arguments['n'])\n",
    "a number's length": RUN + "    return (1).to_bytes(10**10, 'big')\n",
}  # fmt: skip

SHARED = {
    "a list for all": "SEEN = []\n\n\n" + RUN + "    SEEN.append(1)\n    return len(SEEN)\n",
    "a table for all": "SEEN = {}\n\n\n" + RUN + "    SEEN['a'] = 1\n    return len(SEEN)\n",
    "a default for all": "def run(context, arguments, seen=[]):\n    seen.append(1)\n    return len(seen)\n",
    "the wall clock": "from datetime import datetime\n\n\n" + RUN + "    return str(datetime.now())\n",
}

SHAPES = {
    "no run": "def other(context, arguments):\n    return 1\n",
    "no Python": "def run(context, arguments:\n",
    "a null": "def run(context, arguments):\n    return '\x00'\n",
    "too deep": RUN + "    return " + "(" * 500 + "1" + ")" * 500 + "\n",
    "too long a sum": RUN + "    return " + "+".join("1" * 5000) + "\n" * 300,
    "too many lines": END + "# more\n" * 300,
    "too large": RUN + "    return '" + "a" * 70_000 + "'\n",
}

ALL = {**FOUND_BEFORE_GATES, **ATTRIBUTES, **NAMES, **AT_IMPORT, **WITHOUT_END, **SHARED, **SHAPES}
