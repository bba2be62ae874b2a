"""Serve a small real model behind an OpenAI-compatible endpoint: python small_model.py WEIGHTS CONTEXT. The server ends when
its standard input closes.

It uses one thread, which is faster than several on a machine that is busy with tests. CONTEXT is the number of tokens for
question and answer; it is small because the model is slow and its answers are useless anyway.
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
