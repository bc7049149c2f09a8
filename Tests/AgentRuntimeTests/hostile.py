# SPDX-License-Identifier: GPL-3.0-or-later
#
# hostile.py SOCKET PID: clients that lie, stall, hang up and crowd, one kind after the other, beside a watcher that
# must not notice. Prints one line per kind, and "held" at the end. Run as root, it comes from several users.
import contextlib
import json
import os
import pathlib
import select
import socket
import sys
import threading
import time

PATH, PID = sys.argv[1], sys.argv[2]
GATEWAY = "io.accessoryd.Gateway."
# Users of every Debian, whom the manifest lets act as apps; "nobody" may do nothing.
APPS = {"daemon": 1, "bin": 2, "sys": 3, "games": 5}
UNKNOWN_ACCOUNT = 65533
PATIENCE = 45


def expect(is_so, what):
    if not is_so:
        sys.stdout.flush()
        os.write(2, f"not so: {what}\n".encode())
        os._exit(1)


class Client:
    def __init__(self, user=0):
        self.buffer = b""
        self.socket = socket.socket(socket.AF_UNIX)
        # The kernel notes who connects.
        if user:
            os.seteuid(user)
        try:
            self.socket.connect(PATH)
        finally:
            if user:
                os.seteuid(0)
        self.socket.settimeout(PATIENCE)

    def send(self, data):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)

    def receive(self):
        """The next reply, or None at the end."""
        while b"\0" not in self.buffer:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def is_refused(self, reason):
        """Whether the agent says why, and hangs up."""
        reply = self.receive()
        expect(reply and reply["error"] == GATEWAY + "MessageRefused", f"{reply} is a refusal")
        return reply["parameters"]["reason"] == reason and self.receive() is None

    def call(self, method, more=False, **parameters):
        self.send(frame(method, more, **parameters))
        return self.receive()

    def close(self):
        self.socket.close()


def frame(method, more=False, **parameters):
    if "." not in method:
        method = GATEWAY + method
    return json.dumps({"method": method, "parameters": parameters, "more": more}).encode() + b"\0"


def metric(name):
    text = operator.call("Metrics")["parameters"]["text"]
    for line in text.splitlines():
        if line.startswith("accessoryd_" + name + " "):
            return int(line.rsplit(" ", 1)[1])
    expect(False, f"there is a metric {name}")


def grows(name, by=1):
    """A check, to be called later, that the metric has grown by so much or more."""
    before = metric(name)

    def check():
        is_now = metric(name)
        expect(is_now >= before + by, f"{name} grew by {by}: {before}, {is_now}")

    return check


def anonymous():
    """The agent's kilobytes in memory that no file has: pages of its program come and go."""
    status = pathlib.Path(f"/proc/{PID}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))


def descriptors():
    return len(os.listdir(f"/proc/{PID}/fd"))


class Watcher(threading.Thread):
    """Sees every event, whatever the others do."""

    def __init__(self):
        super().__init__(daemon=True)
        self.client = Client()
        self.client.send(frame("Watch", more=True))
        self.count = 0
        self.following = self.client.receive()["parameters"]["sequence"]

    def run(self):
        while reply := self.client.receive():
            parameters = reply["parameters"]
            expect("missed" not in parameters, f"the watcher misses nothing: {parameters}")
            if event := parameters.get("event"):
                expect(event["sequence"] == self.following, f"{event['sequence']} follows {self.following}")
                self.following += 1
                self.count += 1
        expect(False, "the watcher is not hung up on")


def oversized():
    check = grows('connections_broken_total{reason="frame"}')
    client = Client()
    client.send(b" " * 100_000)
    expect(client.is_refused("oversized"), "a frame without an end is the end")
    check()


def half():
    check = grows('connections_broken_total{reason="overdue"}')
    client = Client()
    client.send(frame("Status")[:20])
    readable, _, _ = select.select([client.socket], [], [], PATIENCE)
    expect(readable and client.is_refused("unfinished"), "the agent waits for the rest of a frame, but not for ever")
    check()


def cut():
    check = grows('connections_broken_total{reason="frame"}')
    client = Client()
    client.send(frame("Status")[:20])
    client.socket.shutdown(socket.SHUT_WR)
    expect(client.is_refused("truncated"), "half a frame and the end is the end")
    check()


def garbage():
    samples = [b"\xff\xfe\0", b"\0", b"[]\0", b"{\0", b'{"method":1e999}\0', b"nul\0", os.urandom(4000) + b"\0"]
    check = grows('connections_broken_total{reason="json"}', by=len(samples))
    for sample in samples:
        client = Client()
        client.send(sample)
        refusal = client.receive()
        expect(refusal["error"] == GATEWAY + "MessageRefused", f"{sample[:20]} is no call")
        expect(client.receive() is None, f"{sample[:20]} is the end")
    check()


def deep():
    check = grows('connections_broken_total{reason="json"}', by=2)
    for bracket in [b"[", b'{"a":']:
        client = Client()
        client.send(bracket * 2000 + b"\0")
        expect(client.is_refused("tooDeep"), "deep nesting is the end")
    check()


def wrong():
    client = Client()
    for method, more, parameters, error in [
        ("Nothing", False, {}, "org.varlink.service.MethodNotFound"),
        ("org.example.absent.Call", False, {}, "org.varlink.service.InterfaceNotFound"),
        ("Status", False, {"unknown": 1}, "org.varlink.service.InvalidParameter"),
        ("Watch", False, {}, "org.varlink.service.ExpectedMore"),
        ("Inspect", True, {"item": "x" * 10_000}, GATEWAY + "ItemNotFound"),
        ("Inspect", True, {"device": "\u202e"}, "org.varlink.service.InvalidParameter"),
        ("Capture", True, {"device": "00:00:00:00:00:00", "seconds": 10**15}, "org.varlink.service.InvalidParameter"),
    ]:
        reply = client.call(method, more, **parameters)
        expect(reply.get("error") == error, f"{method} is answered with {error}, not {reply}")
    expect("error" not in client.call("Status"), "the connection lives on")
    client.close()


def pipelined():
    check = grows("calls_deferred_total")
    client = Client()
    sender = threading.Thread(target=client.send, args=[frame("Status") * 1000])
    sender.start()
    for _ in range(1000):
        expect("error" not in client.receive(), "each of a thousand calls is answered")
    sender.join()
    client.close()
    check()


def deaf():
    """Streams, and a thousand calls, whose replies the client does not read."""
    clients = [Client() for _ in range(4)]
    for method, client in zip(["Watch", "Capture", "Sightings", "Status"], clients):
        client.socket.settimeout(0.5)
        with contextlib.suppress(TimeoutError):
            client.socket.sendall(frame(method, more=True, **({"includesAll": True} if method == "Sightings" else {})))
            client.socket.sendall(frame("Status") * 1000)
    start, deadline = watcher.count, time.monotonic() + PATIENCE
    while watcher.count < start + 50:
        expect(time.monotonic() < deadline, f"the watcher goes on: {watcher.count - start} events")
        select.select([], [], [], 0.05)
    for client in clients:
        client.close()


def dying():
    """Clients that hang up in the middle of everything."""
    for _ in range(50):
        for data in [
            frame("Watch", more=True), frame("Capture", more=True), frame("Sightings", more=True, all=True),
            frame("Capture", more=True, device="00:00:00:00:00:01", seconds=60), frame("Reload"),
            frame("Status")[:10], b"",
        ]:
            client = Client()
            client.send(data)
            client.close()
    reply = operator.call("Capture", more=True, seconds=1)
    expect("error" not in reply, "the slots of closed clients are free, so no client gets Busy")
    while reply.get("continues"):
        reply = operator.receive()


def crowd():
    """As many as there is room for, from several users, and more."""
    count = 64 - operator.call("Status")["parameters"]["connections"]
    clients, refused = [], 0
    users = list(APPS.values()) if os.geteuid() == 0 else [0]
    full = grows('connections_refused_total{reason="full"}')
    own = grows('connections_refused_total{reason="userFull"}')
    for user in users + [0]:
        for _ in range(20):
            client = Client(user)
            reply = client.call("org.varlink.service.GetInfo")
            if reply is None or reply.get("error") == GATEWAY + "TooManyConnections":
                refused += 1
            else:
                clients.append(client)
    if users != [0]:
        # Beside them operators have two places, and root has one more.
        expect(len(clients) == count + 3, f"the {count} places are taken, not {len(clients)}")
        full()
    expect(refused > 0, "more are turned away")
    own()
    if users != [0]:
        reply = clients[0].call("Status")
        expect(reply["error"] == "org.varlink.service.PermissionDenied", "an app is no operator")
    expect("error" not in operator.call("Status"), "who was there is served")
    for client in clients:
        client.close()


def unknown_account():
    if os.geteuid() != 0:
        return
    check = grows('connections_refused_total{reason="unknownAccount"}', by=500)
    for _ in range(500):
        client = Client(UNKNOWN_ACCOUNT)
        client.send(frame("Status") * 2)
        reply = client.receive()
        expect(reply["error"] == "org.varlink.service.PermissionDenied", "an unknown account learns why it is refused")
        expect(reply["parameters"]["cure"], "and what to do")
        expect(client.receive() is None, "its connection ends after the first call")
    check()
    idle = [Client(UNKNOWN_ACCOUNT) for _ in range(8)]
    expect(idle[7].receive() is None, "only four of them are connected at a time")
    expect(idle[0].receive() is None, "and not for long")


operator = Client()
watcher = Watcher()
watcher.start()
KINDS = [oversized, cut, garbage, deep, wrong, pipelined, deaf, dying, crowd, unknown_account, half]
# Once before, so that what is set aside at first use is there.
for kind in KINDS[:-1]:
    kind()
before = anonymous(), descriptors()
for kind in KINDS:
    start = watcher.count
    kind()
    print(f"{kind.__name__}: held, {watcher.count - start} events beside it", flush=True)
while (left := operator.call("Status")["parameters"]["connections"]) > 2:
    pass
after = anonymous(), descriptors()
expect(after[0] - before[0] < 512, f"memory grows by less than 512 kB: {before[0]} kB, {after[0]} kB")
expect(after[1] <= before[1], f"no descriptor is left: {before[1]}, {after[1]}")
print(f"memory {before[0]} kB, then {after[0]} kB; {watcher.count} events seen without a gap")
print("held" if os.geteuid() == 0 else "held, from one user only")
