"""A real server and a real Chromium for the tests of the page."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

try:
    import selenium  # noqa: F401
except ImportError:
    # Debian's python3-selenium belongs to Debian's Python, which need not be the first in PATH.
    DEBIAN = "/usr/bin/python3"
    if os.path.realpath(sys.executable) == os.path.realpath(DEBIAN) or not os.path.exists(DEBIAN):
        sys.exit("python3-selenium is missing: tools/install_packages.sh test")
    os.execv(DEBIAN, [DEBIAN, *sys.argv])

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service

CHROMIUM = "/usr/bin/chromium"
CHROMEDRIVER = "/usr/bin/chromedriver"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars"]
WAIT_SECONDS = 60
LISTENS = re.compile(r"http://127\.0\.0\.1:(\d+)")


class Failure(Exception):
    """What was expected, and what was there."""


def wait_for(what, condition, seconds=WAIT_SECONDS):
    """Returns the first true result of `condition`; what it raises on the way is not yet a failure."""
    end = time.monotonic() + seconds
    last = None
    while time.monotonic() < end:
        try:
            last = condition()
            if last:
                return last
        except WebDriverException as error:
            last = error.msg
        time.sleep(0.05)
    raise Failure(f"not within {seconds} s: {what} (last: {last!r})")


class Server:
    """`trellis serve` on a port of its own choice."""

    def __init__(self, binary, inputs):
        self.binary = binary
        self.inputs = inputs
        self.port = 0
        self.process = None
        self.lines = []

    def start(self, seconds=WAIT_SECONDS):
        """Again on the same port, once it has one."""
        self.lines = []
        command = [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}"]
        for path in self.inputs:
            command += ["-f", str(path)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, errors="replace")
        threading.Thread(target=self._read, args=(self.process.stderr,), daemon=True).start()
        self.port = wait_for("the server's address on stderr", self._announced, seconds)
        wait_for("the first cycle", self._ready, seconds)
        return self

    def _ready(self):
        try:
            with urllib.request.urlopen(f"{self.url}readyz", timeout=WAIT_SECONDS) as answer:
                return answer.status == 200
        except OSError:
            return False

    def _read(self, stream):
        for line in stream:
            self.lines.append(line)

    def _announced(self):
        if self.process.poll() is not None:
            raise Failure(f"the server ended with {self.process.returncode}:\n{''.join(self.lines)}")
        found = LISTENS.search("".join(self.lines))
        return int(found.group(1)) if found else 0

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure("the server did not end after SIGTERM") from None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"


class Browser:
    """Headless Chromium with a profile of its own."""

    def __init__(self, width=1440, height=1000):
        for program in (CHROMIUM, CHROMEDRIVER):
            if not pathlib.Path(program).exists():
                sys.exit(f"{program} is missing: tools/install_packages.sh test")
        self.profile = tempfile.mkdtemp(prefix="trellis-chromium-")
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in [*FLAGS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(CHROMEDRIVER), options=options)
        self.driver.set_script_timeout(300)
        self.driver.set_page_load_timeout(120)
        self.size(width, height)

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def size(self, width, height):
        """The size of the page itself, whatever frame the browser puts around it."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, **features):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, selector):
        """What an element holds; "" while there is none."""
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def click(self, selector):
        wait_for(f"{selector} to click at", lambda: self.js(
            "const found = document.querySelector(arguments[0]);"
            "if (!found || !found.checkVisibility()) return false;"
            "found.scrollIntoView({block: 'nearest'}); found.click(); return true;", selector))

    def expect(self, selector, *words):
        """Waits until an element's text holds all the words."""
        try:
            wait_for(f"{words} in {selector}",
                     lambda: all(word in self.text(selector) for word in words))
        except Failure as failure:
            raise Failure(f"{failure}\n{selector} shows: {self.text(selector)[:2000]}") from None

    def close_page(self):
        """It asks its server nothing any more."""
        self.driver.get("about:blank")

    def faults(self):
        """What the console holds that is no mere note; reading empties it."""
        return [f"{line['level']} {line['message']}" for line in self.driver.get_log("browser")
                if line["level"] in ("SEVERE", "WARNING")]

    def picture(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))

    def colors(self):
        """How many pixels of the map have each colour."""
        return self.js("""
            const map = document.getElementById('map');
            // Reading the map's own context would make the browser draw it in another way from then on.
            const copy = new OffscreenCanvas(map.width, map.height);
            const context = copy.getContext('2d', {willReadFrequently: true});
            context.drawImage(map, 0, 0);
            const {data} = context.getImageData(0, 0, map.width, map.height);
            const counts = {};
            for (let at = 0; at < data.length; at += 4) {
              const key = data[at] << 16 | data[at + 1] << 8 | data[at + 2];
              counts[key] = (counts[key] ?? 0) + 1;
            }
            return counts;""")

    def open(self, url):
        """A fresh page; a hash alone would not load it anew."""
        self.driver.get("about:blank")
        self.driver.get(url)
        wait_for("the first cycle on the page",
                 lambda: self.js("return document.documentElement.dataset.live === 'yes'"))
