"""A `trellis serve` in another root: started, asked whether it is ready, and ended."""

import re
import subprocess
import sys
import pathlib
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "serve"))
from service import wait_for  # noqa: E402

END_SECONDS = 20


def is_ready(url):
    try:
        return urllib.request.urlopen(url + "readyz", timeout=10).status == 200
    except urllib.error.HTTPError:
        return False


def serves_and_ends(command):
    """The code that it ends with when it is asked to, once it was ready."""
    with subprocess.Popen([*command, "--listen=127.0.0.1:0"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, env={}) as service:
        try:
            url = wait_for("it listens", lambda: re.search(r"url=(\S+)",
                                                           service.stderr.readline()))[1]
            wait_for("it is ready", lambda: is_ready(url))
            service.terminate()
            return service.wait(END_SECONDS)
        finally:
            service.kill()
