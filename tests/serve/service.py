"""A real `trellis serve`, what it holds, and a client that behaves."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

ADDRESS = "127.0.0.1"
HEALTH_ADDRESS = "127.0.0.2"  # another one, so that the two are kept apart
WAIT_SECONDS = 60


class Failure(Exception):
    """What was expected, and what was there."""


def wait_for(what, condition, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise Failure(f"not within {seconds} s: {what}")


def run(main):
    """Ends the program as main says, or with what it failed for."""
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)


class Asker:
    """One kept connection, made anew when it breaks."""

    def __init__(self, address, port, timeout=10):
        self.address, self.port, self.timeout = address, port, timeout
        self.connection = None

    def get(self, path, headers=None):
        """(status, body); a connection that the server closed is tried once more."""
        for attempt in (1, 2):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(self.address, self.port,
                                                                 timeout=self.timeout)
                self.connection.request("GET", path, headers=headers or {})
                answer = self.connection.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                self.close()
                if attempt == 2:
                    raise
        raise AssertionError

    def json(self, path):
        status, body = self.get(path)
        if status != 200:
            raise Failure(f"{path}: {status} {body[:200]!r}")
        return json.loads(body)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Service:
    def __init__(self, binary, inputs, *arguments, environment=None):
        command = [binary, "serve", "--listen", f"{ADDRESS}:0", "--health-listen",
                   f"{HEALTH_ADDRESS}:0", *arguments]
        for path in inputs:
            command += ["-f", str(path)]
        self.lines = []
        # A cycle that outlasts the patience at the end is left running on purpose.
        sanitizer = os.environ.get("TSAN_OPTIONS", "") + ":report_thread_leaks=0"
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, errors="replace",
                                        env=os.environ | (environment or {})
                                        | {"TSAN_OPTIONS": sanitizer.lstrip(":")})
        threading.Thread(target=self._read, daemon=True).start()
        self.port = self._port_of(ADDRESS)
        self.health_port = self._port_of(HEALTH_ADDRESS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Ends it as a supervisor would: a program that is killed writes no counts of its lines."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def _port_of(self, address):
        pattern = re.compile(re.escape(f"http://{address}:") + r"(\d+)")

        def announced():
            if self.process.poll() is not None:
                raise Failure(f"it ended with {self.process.returncode}: {''.join(self.lines)}")
            return pattern.search("".join(self.lines))

        return int(wait_for(f"an address on {address} on stderr", announced).group(1))

    def asker(self, **options):
        return Asker(ADDRESS, self.port, **options)

    def health_asker(self, **options):
        return Asker(HEALTH_ADDRESS, self.health_port, **options)

    def fetch(self, path, method="GET", headers=None, port=None, body=None):
        """(status, headers, text), over a connection of its own."""
        address = HEALTH_ADDRESS if port == self.health_port else ADDRESS
        connection = http.client.HTTPConnection(address, port or self.port, timeout=WAIT_SECONDS)
        try:
            connection.request(method, path, body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def json(self, path):
        status, _, text = self.fetch(path)
        if status != 200:
            raise Failure(f"{path}: {status} {text[:200]}")
        return json.loads(text)

    def wait_for_cycle(self, number=1):
        def reached():
            status, headers, _ = self.fetch("/debug/session?limit=0")
            return status == 200 and int(headers["Trellis-Cycle"]) >= number
        wait_for(f"cycle {number}", reached)

    def events(self, name):
        """What the log, as JSON, says of events of this name."""
        return [event for event in map(json.loads, list(self.lines)) if event["event"] == name]

    def wait_for_events(self, name, count=1):
        """The events of this name, once there are so many: the log may come after an answer."""
        def enough():
            found = self.events(name)
            return found if len(found) >= count else None
        return wait_for(f"{count} of '{name}' in the log", enough)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def stop(self):
        """SIGTERM; the seconds that it took to end, and its exit code."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure("it did not end after SIGTERM") from None
        return time.monotonic() - begun, code
