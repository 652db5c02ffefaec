"""Sixteen clients that misbehave, each in its way, against one address until the time is over.

`clients.py ADDRESS PORT SECONDS`; prints {"kind": times, ...}. Paced: they are to be a nuisance by
what they do, not by the CPU that they burn.
"""

import json
import random
import socket
import struct
import sys
import threading
import time

BIG = "/debug/snapshot"
CONNECTIONS_A_MINUTE = 10_000
HEAD = b"GET %s HTTP/1.1\r\nHost: localhost\r\n"


class Client:
    def __init__(self, address, port, end, counts):
        self.address = (address, port)
        self.end = end
        self.counts = counts
        self.random = random.Random(port)
        self.next_turn = time.monotonic()

    def running(self):
        return time.monotonic() < self.end

    def rest(self, seconds):
        time.sleep(max(0, min(seconds, self.end - time.monotonic())))

    def connect(self, timeout=5, receive_buffer=None):
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        connection.settimeout(timeout)
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.connect(self.address)
        return connection

    def run(self, kind):
        act = getattr(self, kind)
        while self.running():
            try:
                act()
            except OSError:
                pass  # the server's right
            self.counts[kind] = self.counts.get(kind, 0) + 1

    # Heads that arrive a byte at a time, eight at once.
    def slow_loris(self):
        connections = [self.connect() for _ in range(8)]
        for connection in connections:
            connection.sendall(HEAD % b"/debug/session" + b"X-Slow: ")
        while connections and self.running():
            for connection in list(connections):
                try:
                    connection.sendall(b"x")
                except OSError:
                    connections.remove(connection)
            self.rest(0.2)
        for connection in connections:
            connection.close()

    # A hundred megabytes that nobody asked for.
    def huge_body(self):
        with self.connect() as connection:
            connection.sendall(b"POST /debug/session HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Length: 100000000\r\n\r\n")
            piece = b"b" * 65536
            try:
                for _ in range(100_000_000 // len(piece)):
                    connection.sendall(piece)
            except OSError:
                self.rest(0.1)
                return
        self.counts["swallowed"] = 1

    # Connections of which one end is gone, in three ways.
    def half_open(self):
        silent = [self.connect() for _ in range(4)]
        with self.connect() as asked:
            asked.sendall(HEAD % b"/debug/gangs" + b"\r\n")
            asked.shutdown(socket.SHUT_WR)
            self.rest(0.1)
        cut = self.connect()
        cut.sendall(HEAD % b"/debug/topology" + b"\r\n")
        cut.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        cut.close()
        self.rest(0.5)
        for connection in silent:
            connection.close()

    # Two hundred requests at once, and a client that reads none of the answers, or all.
    def pipelined(self):
        with self.connect(timeout=1) as connection:
            connection.sendall((HEAD % b"/healthz" + b"\r\n") * 200)
            if self.random.random() < 0.5:
                while connection.recv(65536):
                    if not self.running():
                        return
            self.rest(0.2)

    def garbage(self):
        with self.connect() as connection:
            size = self.random.choice([1, 7, 64, 5000, 100_000])
            connection.sendall(self.random.randbytes(size))
            self.rest(0.02)
            connection.recv(4096)
        self.rest(0.02)

    def endless_head(self):
        with self.connect() as connection:
            connection.sendall(HEAD % b"/")
            try:
                while self.running():
                    connection.sendall(b"X-Endless: and on it goes\r\n" * 40)
                    self.rest(0.005)
            except OSError:
                self.rest(0.1)

    # Asks for the largest answer there is, and reads a little of it now and then.
    def slow_reader(self):
        with self.connect(receive_buffer=4096) as connection:
            connection.sendall(HEAD % BIG.encode() + b"\r\n")
            while self.running() and connection.recv(512):
                self.rest(0.1)

    # By a timetable, so that they are as many as they are to be.
    def in_turn(self):
        self.next_turn = max(self.next_turn, time.monotonic() - 1) + 2 * 60 / CONNECTIONS_A_MINUTE
        self.rest(self.next_turn - time.monotonic())
        with self.connect() as connection:
            if self.random.random() < 0.5:
                connection.sendall(HEAD % b"/healthz" + b"\r\n")
                connection.recv(4096)


KINDS = ["slow_loris", "huge_body", "half_open", "pipelined", "garbage", "endless_head",
         "slow_reader", "in_turn"]


def main():
    address, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    counts = {}
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=Client(address, port, end, counts).run, args=(kind,))
               for kind in KINDS * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
