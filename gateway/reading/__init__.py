"""Long work outside of the event loop, in reader processes, because threads would share the loop's interpreter lock.

`readers.py` starts them, distributes work and limits its amount; `process.py` runs in a reader; `frames.py` is the protocol
between both.
"""
