"""Long work away from the event loop: readers are processes of their own, because threads would share the loop's interpreter.

`readers.py` starts them, hands out work and bounds how much there is at once; `process.py` is what runs in one; `frames.py` is
what the two say to each other.
"""
