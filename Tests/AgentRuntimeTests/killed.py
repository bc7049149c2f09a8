# SPDX-License-Identifier: GPL-3.0-or-later
#
# killed.py SOCKET, which is an app's own: the app is killed while its picker is open, and its next run opens another one at once.
import json
import os
import signal
import socket
import sys

PATH = sys.argv[1]


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(PATH)
        self.data = b""

    def call(self, method, more=False, **parameters):
        message = {"method": "io.accessoryd.Session." + method, "parameters": parameters, "more": more}
        self.socket.sendall(json.dumps(message).encode() + b"\0")
        while b"\0" not in self.data:
            part = self.socket.recv(65536)
            if not part:
                sys.exit("the agent has closed the connection")
            self.data += part
        reply, self.data = self.data.split(b"\0", 1)
        return json.loads(reply)


def open_picker():
    """Return the reply to ShowPicker, and the stream of the session that it is for."""
    stream = Client()
    session = stream.call("Activate", more=True)["parameters"]["session"]
    return Client().call("ShowPicker", session=session), stream


child = os.fork()
if child == 0:
    reply, stream = open_picker()
    print("first", reply, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(child, 0)
reply, stream = open_picker()
print("second", reply, flush=True)
if "picker" not in reply["parameters"]:
    sys.exit("the picker of a dead app is in the way")

# An app that only closes its stream keeps the session, and the picker.
stream.socket.close()
reply, stream = open_picker()
print("third", reply, flush=True)
if reply.get("error") != "io.accessoryd.Session.PickerAlreadyActive":
    sys.exit("the session of a living app is gone")
print("held")
