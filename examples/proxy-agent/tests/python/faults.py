"""Functions that fail in the ways that functions do, for tests."""

import os
import socket
import subprocess
import sys
from typing import Literal


def divide(dividend: int, divisor: int) -> float:
    """Divides."""
    return dividend / divisor


def leak() -> str:
    """Raises an exception whose text must not be shown."""
    raise RuntimeError("planted")


def hang() -> None:
    """Never ends."""
    while True:
        pass


def allocate(megabytes: int) -> int:
    """Takes memory, and returns how much."""
    return len(bytearray(megabytes << 20)) >> 20


def connect(port: int) -> str:
    """Connects to a port of this machine, and returns the error's name."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        return ""
    except OSError as error:
        return type(error).__name__


def crash() -> None:
    """Ends the process."""
    os._exit(3)


def leave() -> None:
    """Asks Python to end."""
    sys.exit(0)


def process() -> int:
    """Returns the id of the process."""
    return os.getpid()


def chatter(tone: Literal["loud", "low"] = "low") -> str:
    """Writes to standard output in each way that there is, and reads standard input."""
    print("noise", tone)
    os.write(1, b"noise\n")
    subprocess.run(["echo", "noise"], check=True)
    return sys.stdin.read()


def not_a_number() -> float:
    """Returns what JSON has no text for."""
    return float("nan")


def wrong_type() -> int:
    """Returns another type than it promises."""
    return "seven"


def _private() -> int:
    """Is no tool."""
    return 1
