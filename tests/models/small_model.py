"""A small real model behind an OpenAI-compatible endpoint: python small_model.py WEIGHTS CONTEXT. It ends with its standard
input.

One thread answers quicker than several on a machine that is busy with tests, where they wait for each other. There is room for
CONTEXT tokens of question and answer: it is slow, and what it says is of no use anyway.
"""

from __future__ import annotations

import sys

import xllamacpp  # type: ignore[import-not-found]

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = int(sys.argv[2])
parameters.n_parallel = 1
parameters.warmup = False
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
for threads in (parameters.cpuparams, parameters.cpuparams_batch):
    threads.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
