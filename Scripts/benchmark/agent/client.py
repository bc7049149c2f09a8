# SPDX-License-Identifier: GPL-3.0-or-later
"""A program at the agent's socket."""

import json
import socket
import time

PATIENCE = 60


class Client:
    def __init__(self, path):
        self.rest = b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)

    def send(self, method, more=False, interface="Gateway", **parameters):
        call = {"method": f"io.accessoryd.{interface}.{method}", "parameters": parameters, "more": more}
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self):
        """The parameters of the next reply."""
        return self.receive_reply().get("parameters", {})

    def receive_reply(self):
        while b"\0" not in self.rest:
            data = self.socket.recv(1 << 16)
            if not data:
                raise SystemExit("the agent has hung up")
            self.rest += data
        reply, self.rest = self.rest.split(b"\0", 1)
        reply = json.loads(reply)
        if "error" in reply:
            raise SystemExit(f"the agent refuses: {reply}")
        return reply

    def call(self, method):
        self.send(method)
        return self.receive()

    def metric(self, name):
        for line in self.call("Metrics")["text"].splitlines():
            if line.startswith(f"accessoryd_{name} "):
                return int(line.split()[1])
        raise SystemExit(f"there is no metric {name}")

    def awaits(self, name, number):
        """Waits until a counter reaches a number, and checks that it is not larger."""
        end = time.monotonic() + PATIENCE
        while (counted := self.metric(name)) < number and time.monotonic() < end:
            time.sleep(0.02)
        if counted != number:
            raise SystemExit(f"{name} is {counted}, not {number}")

    def watch(self):
        """Starts a watch. The first reply has come on return, so every later event is reported."""
        self.send("Watch", more=True)
        self.receive()

    def found(self, address):
        """Waits until the device has been found."""
        while True:
            event = self.receive().get("event")
            if event and event["event"] == "found" and event["address"] == address:
                return
