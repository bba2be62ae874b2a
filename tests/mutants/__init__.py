"""Do an app's cases notice when its kernels are changed? `python -m tests.mutants slack`, or `make mutants APP=slack`.

One comparison, boolean, number, string key, `not`, early return or argument in `kernels/<app>/` is changed at a time, and the
app's cases (`tests/kernels/<app>/*.jsonl`) are run: the change is killed when one of them fails. What survives is something
that no case looks at, and is printed with file and line. `changes.py` knows what can be changed, `trials.py` tries it.

mutmut and cosmic-ray were looked at. cosmic-ray writes each change into the checkout and starts a test command for it: 2.4 s
for pytest to begin where an app's cases take about one. mutmut 3 works in a copy of the tree, changes nothing outside
functions, tables and limits among them, and draws no sample. Here a process that has everything imported but the app's
kernels forks for each change, so 200 take a minute or two on two cores, and no file is touched.

Changes that cannot make a difference are listed in `tests/kernels/<app>/equivalent.toml`, each with its reason:

    [[equivalent]]
    file = "kernels/slack/rules/paging.py"
    line = "the source line, without its indent"
    before = "a < b"
    after = "a <= b"
    reason = "why no caller can see it"

They count neither as killed nor as survived. An entry that fits no possible change, or one that a case does kill, is an error.
"""
