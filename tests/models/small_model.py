"""A small real model behind an OpenAI-compatible endpoint: python small_model.py WEIGHTS. It ends when its standard input does.

One thread answers quicker than several on a machine that is busy with tests, where they wait for each other. There is room for
short questions and short answers: it is slow, and what it says is of no use anyway.
"""

from __future__ import annotations

import sys

import xllamacpp  # type: ignore[import-not-found]

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 1024
parameters.n_parallel = 1
parameters.warmup = False
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
for threads in (parameters.cpuparams, parameters.cpuparams_batch):
    threads.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
