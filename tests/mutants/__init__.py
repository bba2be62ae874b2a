"""Mutation tests of the kernels: do an app's cases fail when its kernels change? `python -m tests.mutants slack`, or `make
mutants APP=slack`.

One comparison, boolean, number, string key, `not`, early return or argument in `kernels/<app>/` is changed at a time, and
the app's cases (`tests/kernels/<app>/*.jsonl`) are run. The change is killed if one of them fails. A surviving change is in
code that no case checks, and is printed with file and line. `changes.py` finds the possible changes, and `trials.py` tries
them.

Alternatives: cosmic-ray writes each change into the checkout and starts a test command for it, and pytest takes 2.4 s to
start while an app's cases take about one. mutmut 3 works in a copy of the tree, changes nothing outside functions (such as
tables and limits), and draws no sample. Here a process that has imported everything but the app's kernels forks for each
change, so that 200 changes take a minute or two on two cores, and no file is changed.

Changes that cannot make a difference are listed in `tests/kernels/<app>/equivalent.toml`, each with its reason:

    [[equivalent]]
    file = "kernels/slack/rules/paging.py"
    line = "the source line, without its indent"
    before = "a < b"
    after = "a <= b"
    reason = "why no caller can see it"

They count neither as killed nor as survived. An entry that fits no possible change, or one that a case kills, is an error.
"""
