#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lamp.py [SECONDS]: keeps the app's accessories, asks for one while there is none, and survives a restart of the agent.
When a picker ends without an accessory, the next one follows after SECONDS (30)."""
import json
import os
import socket
import sys
import threading
import time

PATH = os.environ.get("ACCESSORYD_SOCKET", "/run/accessoryd/io.accessoryd")
PAUSE = float(sys.argv[1]) if len(sys.argv) > 1 else 30


class Refused(Exception):
    """An error reply: its name, and what the agent says."""


def call(method, more=False, **parameters):
    """Yields the replies to a call, on a connection of its own: a connection carries one call at a time."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(PATH)
        message = {"method": f"io.accessoryd.Session.{method}", "parameters": parameters, "more": more}
        connection.sendall(json.dumps(message).encode() + b"\0")
        received = b""
        while chunk := connection.recv(65536):
            *messages, received = (received + chunk).split(b"\0")
            for text in messages:
                reply = json.loads(text)
                if "error" in reply:
                    raise Refused(reply["error"].split(".")[-1], reply["parameters"])
                yield reply["parameters"]
                if not reply.get("continues"):
                    return
        raise ConnectionError("the agent closed the connection")


def explain(error):
    """What is wrong, and what to do."""
    return f"{error.get('reason')}; {error.get('cure')}"


class Lamps:
    def __init__(self):
        self.session, self.cursor, self.listed, self.known = None, {}, {}, {}
        self.timer = None

    def ask(self):
        if self.known:
            return
        try:
            list(call("ShowPicker", session=self.session))
        except Refused as refusal:
            name, error = refusal.args
            # The end of the picker that is open is an event.
            if name != "PickerAlreadyActive":
                print(f"picker: {explain(error)}", flush=True)
                self.ask_later()
        except OSError:
            self.ask_later()

    def ask_later(self):
        if self.timer:
            self.timer.cancel()
        self.timer = threading.Timer(PAUSE, self.ask)
        self.timer.daemon = True
        self.timer.start()

    def receive(self, reply):
        """Receives a reply to Activate."""
        self.session = reply.get("session", self.session)
        if "sequence" in reply:
            self.cursor = {"epoch": reply["epoch"], "sequence": reply["sequence"]}
            self.listed = {}
        self.listed |= {each["identifier"]: each for each in reply.get("accessories", [])}
        event = reply.get("event")
        if event and event["event"] == "activated":
            self.known = self.listed
            print(f"activated: {len(self.known)} accessories", flush=True)
            self.ask()
        elif event:
            self.cursor = {"epoch": event["epoch"], "sequence": event["sequence"] + 1}
            self.handle(event)

    def handle(self, event):
        accessory, error = event.get("accessory"), event.get("error")
        detail = f": {accessory['displayName']}" if accessory else f": {explain(error)}" if error else ""
        print(event["event"] + detail, flush=True)
        if event["event"] == "accessoryRemoved":
            self.known.pop(accessory["identifier"], None)
        elif accessory:
            self.known[accessory["identifier"]] = accessory
        if event["event"] in ("accessoryRemoved", "pickerFinished"):
            self.ask_later()

    def run(self):
        while True:
            try:
                # The session's token takes it up again for 10 s; the cursor says which event comes next.
                token = {"session": self.session} if self.session else {}
                for reply in call("Activate", True, **self.cursor, **token):
                    self.receive(reply)
            except Refused as refusal:
                name, error = refusal.args
                if name != "Invalidated":
                    sys.exit(f"{name}: {explain(error)}")
                # More than 10 s have passed, or the agent was restarted: a new session, from the same cursor.
                self.session = None
            except OSError:
                time.sleep(0.5)


if __name__ == "__main__":
    Lamps().run()
