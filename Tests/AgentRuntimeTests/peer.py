# SPDX-License-Identifier: GPL-3.0-or-later
#
# peer.py SOCKET FOLDER: another implementation's client and command line talk to a running agent; its parser reads the
# definitions in FOLDER, which the agent serves as they stand.
import json
import pathlib
import signal
import subprocess
import sys

import varlink
from varlink.scanner import Interface

# The parent process may have blocked the signal with which the client ends its bridges.
signal.pthread_sigmask(signal.SIG_SETMASK, [])

address, folder = f"unix:{sys.argv[1]}", pathlib.Path(sys.argv[2])
GATEWAY = "io.accessoryd.Gateway"


def expect(is_so, what):
    if not is_so:
        sys.exit(f"not so: {what}")


def failure(body):
    try:
        body()
    except varlink.VarlinkError as error:
        return error.error(), error.parameters()
    return None, None


def command(*arguments):
    run = subprocess.run([sys.executable, "-m", "varlink.cli", *arguments], capture_output=True, text=True, timeout=60)
    expect(run.returncode == 0, f"{arguments} works: {run}")
    return run.stdout


def described(value, kind, interface):
    """Whether a value is of a type of the interface, by the other parser's own description of it."""
    if isinstance(kind, varlink.scanner._Maybe):
        return value is None or described(value, kind.element_type, interface)
    if isinstance(kind, varlink.scanner._Array):
        return all(described(element, kind.element_type, interface) for element in value)
    if isinstance(kind, varlink.scanner._CustomType):
        return described(value, interface.members[kind.name].type, interface)
    if isinstance(kind, varlink.scanner._Enum):
        return value in kind.fields
    if isinstance(kind, varlink.scanner._Struct):
        unknown = set(value) - set(kind.fields)
        expect(not unknown, f"{unknown} is described")
        return all(described(value.get(name), field, interface) for name, field in kind.fields.items())
    # Simple types stand as a value of theirs.
    return isinstance(value, (int, float) if isinstance(kind, float) else type(kind))


with varlink.Client.new_with_address(address) as client:
    names = [path.stem for path in folder.glob("*.varlink")]
    expect(sorted(client.get_interfaces()) == sorted(["org.varlink.service", *names]), "every interface is listed")
    for name in names:
        text = (folder / f"{name}.varlink").read_text()
        expect(client.get_interface(name).get_description() == text, f"{name} is served as it stands")
        expect(Interface(text).name == name, f"the other parser takes {name}")
    interface = Interface((folder / f"{GATEWAY}.varlink").read_text())

    with client.open("org.varlink.service") as service:
        information = service.GetInfo()
        expect(information["product"] == "accessoryd" and information["version"], "the service introduces itself")

    with client.open(GATEWAY) as gateway:
        status = gateway.Status()
        expect(described(status, interface.members["Status"].out_type, interface), f"{status} is as described")
        expect(status["radio"]["state"] == "on", "the radio is on")
        expect("accessoryd_reports_total" in gateway.Metrics()["text"], "metrics are text")

        devices = []
        for reply in gateway.Sightings(True, _more=True):
            expect(described(reply, interface.members["Sightings"].out_type, interface), f"{reply} is as described")
            devices += [reply["device"]] if reply.get("device") else []
        expect(len(devices) >= 2, "devices are in sight")
        address_in_sight = next(device["address"] for device in devices if device["items"])
        states = list(gateway.Inspect(address_in_sight, _more=True))
        for reply in states:
            expect(described(reply, interface.members["Inspect"].out_type, interface), f"{reply} is as described")
        expect(any((reply.get("itemState") or {}).get("presence") for reply in states), "an item has it")
        for reply in gateway.Items(_more=True):
            expect(described(reply, interface.members["Items"].out_type, interface), f"{reply} is as described")
        captured = list(gateway.Capture(1, address_in_sight, _more=True))
        expect(address_in_sight in captured[0]["addresses"], "a capture names the device's addresses")
        reload = gateway.Reload()
        expect(described(reload, interface.members["Reload"].out_type, interface), f"{reload} is as described")

        name, parameters = failure(lambda: list(gateway.Inspect("00:00:00:00:00:00", _more=True)))
        expect(name == f"{GATEWAY}.DeviceNotInSight", "an absent device is an error of the agent's")
        expect(parameters == {"device": "00:00:00:00:00:00"}, "it is named")
        expect(failure(lambda: gateway.Watch())[0] == "org.varlink.service.ExpectedMore", "a stream needs more")

    with client.open(GATEWAY) as gateway:
        watch = gateway.Watch(_more=True)
        greeting = next(watch)
        expect(len(greeting["epoch"]) == 32 and "sequence" in greeting, "a watch begins with its place")
        events = []
        for reply in watch:
            expect(described(reply, interface.members["Watch"].out_type, interface), f"{reply} is as described")
            events += [reply["event"]["sequence"]] if reply.get("event") else []
            if len(events) == 5:
                break
        expect(events == list(range(events[0], events[0] + 5)), "events come in order")

    with client.open(GATEWAY) as gateway:
        packets = []
        for reply in gateway.Capture(_more=True):
            expect(described(reply, interface.members["Capture"].out_type, interface), f"{reply} is as described")
            packets += reply.get("packets") or []
            if len(packets) >= 20:
                break
        expect(all(packet["packet"].startswith("04") for packet in packets if packet["direction"] == "received"),
               "packets come from the controller")

expect(GATEWAY in command("info", address), "the command line lists")
expect("method Status" in command("help", f"{address}/{GATEWAY}"), "it introspects")
expect(json.loads(command("call", f"{address}/{GATEWAY}.Status"))["radio"]["state"] == "on", "it calls")
listed = command("call", "--more", f"{address}/{GATEWAY}.Sightings", json.dumps({"includesAll": True}))
expect(address_in_sight in listed, "it streams")
print("conforms")
