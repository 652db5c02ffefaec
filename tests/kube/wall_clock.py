"""A wall clock that a test sets, for one program."""

import pathlib
import subprocess

A_DAY = 86400
SOURCE = pathlib.Path(__file__).resolve().parent / "clock.c"


class WallClock:
    def __init__(self, folder):
        library, self.offset = folder / "clock.so", folder / "offset"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        self.set(0)
        # Of the program whose clock it is.
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_OFFSET_FILE": str(self.offset)}

    def set(self, seconds):
        """So many ahead of the machine's."""
        self.offset.write_text(str(seconds), encoding="ascii")
