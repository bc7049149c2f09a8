#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lamp.py [SOCKET]: keeps the app's accessories, asks for one while there is none, and survives a restart of the agent."""
import json
import socket
import sys
import time

PATH = sys.argv[1] if len(sys.argv) > 1 else "/run/accessoryd/io.accessoryd"


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


def main():
    session, cursor, known, hasReported = None, {}, {}, False
    while True:
        try:
            # The session's token takes it up again for 10 s; the cursor says which event comes next.
            for reply in call("Activate", True, **cursor, **({"session": session} if session else {})):
                session = reply.get("session", session)
                if "sequence" in reply:
                    cursor = {"epoch": reply["epoch"], "sequence": reply["sequence"]}
                    listed = {}
                listed |= {each["identifier"]: each for each in reply.get("accessories", [])}
                event = reply.get("event")
                if event and event["event"] == "activated":
                    known = listed
                    print(f"{'again' if hasReported else 'activated'}: {len(known)} accessories", flush=True)
                    hasReported = True
                    if not known:
                        list(call("ShowPicker", session=session))
                elif event:
                    cursor = {"epoch": event["epoch"], "sequence": event["sequence"] + 1}
                    accessory = event.get("accessory")
                    if event["event"] == "accessoryRemoved":
                        known.pop(accessory["identifier"], None)
                    elif accessory:
                        known[accessory["identifier"]] = accessory
                    print(event["event"] + (f": {accessory['displayName']}" if accessory else ""), flush=True)
        except Refused as error:
            if error.args[0] != "Invalidated":
                sys.exit(f"{error.args[0]}: {error.args[1].get('reason')}; {error.args[1].get('cure')}")
            # More than 10 s have passed, or the agent was restarted: a new session, from the same cursor.
            session = None
        except OSError:
            time.sleep(0.5)


if __name__ == "__main__":
    main()
