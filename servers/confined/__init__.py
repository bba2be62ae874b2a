"""The process in which kernels run that are not trusted, and the narrow protocol between it and this one.

| module | side | what it does |
|---|---|---|
| `host` | gateway | starts the process, gives each call a fresh worker, answers what the worker asks |
| `operations` | gateway | the requests of a worker, each checked as hostile input |
| `protocol` | both | frames, limits, JSON |
| `worker` | process | loads kernels as code, forks one worker for each call |
| `facade` | process | the `AppContext` that a kernel sees: every method is a request to the gateway |
| `layers`, `seccomp` | process | the confinement of the process and of a worker by the operating system |
| `language` | both | the modules that a kernel may import |

A worker serves one call and ends, so a kernel cannot pass anything on to another call. Modules of the process's side import
nothing but the standard library.
"""
