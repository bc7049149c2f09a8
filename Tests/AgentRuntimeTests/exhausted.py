# SPDX-License-Identifier: GPL-3.0-or-later
#
# exhausted.py SOCKET: takes every descriptor of an agent that was started with few, and counts how often its loop turns
# in two seconds while more clients wait that it cannot take.
import json
import socket
import sys
import time

PATH = sys.argv[1]
TURNS_MAX = 20


def expect(is_so, what):
    if not is_so:
        sys.exit(f"not so: {what}")


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(PATH)

    def call(self, method, patience=None):
        """Return the reply; None if none arrives within this many seconds."""
        self.socket.settimeout(patience or 30)
        self.socket.sendall(json.dumps({"method": method}).encode() + b"\0")
        data = b""
        try:
            while not data.endswith(b"\0"):
                part = self.socket.recv(65536)
                expect(part, "no client is disconnected")
                data += part
        except TimeoutError:
            return None
        return json.loads(data[:-1])["parameters"]

    def metric(self, name):
        for line in self.call("io.accessoryd.Gateway.Metrics")["text"].splitlines():
            if line.startswith(f"accessoryd_{name} "):
                return int(line.rsplit(" ", 1)[1])
        sys.exit(f"there is no metric {name}")


INFORMATION = "org.varlink.service.GetInfo"
first = Client()
admitted, waiting = [first], []
while not waiting:
    client = Client()
    (admitted if client.call(INFORMATION, patience=2) else waiting).append(client)
    expect(len(admitted) < 24, "descriptors run out before places do")
waiting += [Client() for _ in range(5)]

before, start = first.metric("turns_total"), time.monotonic()
deadline = start + 2
while (left := deadline - time.monotonic()) > 0:
    waiting[0].socket.settimeout(left)
    try:
        expect(not waiting[0].socket.recv(1), "who waits hears nothing")
        sys.exit("not so: who waits is not hung up on")
    except TimeoutError:
        pass
turns = first.metric("turns_total") - before
expect(turns <= TURNS_MAX, f"the loop turns at most {TURNS_MAX} times in two seconds, not {turns} times")

for client in admitted[1:]:
    client.socket.close()
for client in waiting:
    expect(client.call(INFORMATION) if client is not waiting[0] else True, "who waited is served")
print(f"held: {len(admitted)} clients, {turns} turns in two seconds")
