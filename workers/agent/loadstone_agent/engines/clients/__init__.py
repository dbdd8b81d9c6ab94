"""Our closed loop around client libraries, once in each language. What they read and write is in `client.py`."""
