# SPDX-License-Identifier: Apache-2.0
#
# conformance.py PEER FOLDER: another implementation's client talks to PEER, and its parser reads every definition.
import json
import pathlib
import signal
import subprocess
import sys

import varlink
from varlink.scanner import Interface

# The parent process may have blocked the signal that the client ends its bridges with.
signal.pthread_sigmask(signal.SIG_SETMASK, [])

peer, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def expect(is_so, what):
    if not is_so:
        sys.exit(f"not so: {what}")


def failure(body):
    try:
        body()
    except varlink.VarlinkError as error:
        return error.error(), error.parameters()
    return None, None


texts = {path.stem: path.read_text() for path in folder.glob("*.varlink")}
for name, text in texts.items():
    expect(Interface(text).name == name, f"{name} is the name in its file")

with varlink.Client.new_with_bridge([peer, str(folder)]) as client:
    interfaces = client.get_interfaces()
    expect(list(interfaces) == ["org.varlink.service", "org.example.everything"], "two interfaces are listed")
    interface = client.get_interface("org.example.everything")
    expect(interface.get_description() == texts[interface.name], "a definition is served as it stands")
    expect(Interface(client.get_interface("org.varlink.service").get_description()), "the service describes itself")
    methods = {"GetInfo", "GetInterfaceDescription"}
    expect(methods <= set(client.get_interface("org.varlink.service").members), "the service's methods are there")

    with client.open("org.varlink.service") as service:
        expect(service.GetInfo()["product"] == "Everything", "GetInfo answers")

    with client.open("org.example.everything") as everything:
        value = {
            "truth": True, "whole": -9007199254740991, "half": 0.1, "name": 'a/b "grün" 💡\u200b', "payload": {"x": [None]},
            "way": "north", "place": {"x": 1, "y": 2}, "list": ["", "b"], "table": {"k": 1}, "set": {"s": {}},
            "other": "three", "more_deeply_nested": [{"k": ["one"]}],
        }
        reply = everything.Echo(json.loads(json.dumps(value)))["value"]
        reply["set"] = {name: {} for name in reply["set"]}
        expect(reply == value, f"{reply} is what was sent")
        expect(everything.Nothing() == {}, "an empty reply is one")
        everything.Nothing(_oneway=True)
        numbers = [reply["number"] for reply in everything.Count(500, _more=True)]
        expect(numbers == list(range(1, 501)), "a stream has all its replies")

        name, parameters = failure(lambda: everything.Fail("why"))
        expect((name, parameters) == ("org.example.everything.TooMuch", {"reason": "why"}), "an error arrives")
        name, parameters = failure(lambda: everything.Rest())
        expect(name == "org.varlink.service.MethodNotImplemented", "a method that is not performed is refused")
        expect(parameters == {"method": "org.example.everything.Rest"}, "it is named")
        name, parameters = failure(lambda: everything.Fail())
        expect((name, parameters) == ("org.varlink.service.InvalidParameter", {"parameter": "reason"}), "what is missing is named")
        expect(failure(lambda: everything.Count(3))[0] == "org.varlink.service.ExpectedMore", "a stream needs more")
        expect(everything.Nothing() == {}, "the connection lives on")

    name, parameters = failure(lambda: client.get_interface("org.example.absent"))
    expect((name, parameters) == ("org.varlink.service.InterfaceNotFound", {"interface": "org.example.absent"}), "an absent interface is named")

# The command line speaks too.
command = [sys.executable, "-m", "varlink.cli", "--bridge", f"{peer} {folder}", "call", "org.varlink.service.GetInfo"]
run = subprocess.run(command, capture_output=True, text=True)
expect(run.returncode == 0 and json.loads(run.stdout)["version"] == "1.0", f"the command line calls: {run}")
print("conforms")
