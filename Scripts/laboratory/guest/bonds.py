# SPDX-License-Identifier: GPL-3.0-or-later
"""Bonds: what the kernel has of them, the manifest of an app that pairs, and steps that the scenarios share."""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import time

import hci
from peer import IDENTITY, OPEN, SECRET
from peripheral import address_bytes
from sessions import AppSession

MANIFEST = """schema = 1
[gateway]
radio = "hci{index}"
access = "{access}"
board = "virtual"
[limits]
requests-per-minute = 600
[app.lights]
user = "lights"
supports = ["Bluetooth"]
bluetooth-company-identifiers = ["0x0EEE"]
[[app.lights.item]]
id = "lock"
name = "Lumo lock"
descriptor.bluetooth-company-identifier = "0x0EEE"
descriptor.supported-options = [{options}]
{item}
"""
# Another app, whose item is the same device.
CLIMATE = """[app.climate]
user = "climate"
supports = ["Bluetooth"]
bluetooth-company-identifiers = ["0x0EEE"]
[[app.climate.item]]
id = "lock"
name = "Lock"
descriptor.bluetooth-company-identifier = "0x0EEE"
descriptor.supported-options = ["bluetoothPairingLE"]
"""
# The same for an app that does not pair it.
UNPAIRED = CLIMATE.replace('descriptor.supported-options = ["bluetoothPairingLE"]\n', "")
# As many as fill the cache of the registry's database.
REMOVALS = 60
# The kernel's lists of an adapter.
DEBUG = pathlib.Path("/sys/kernel/debug")
LISTS = {"ltk": "long_term_keys", "irk": "identity_resolving_keys", "link key": "link_keys"}
# BlueZ, doc/mgmt-api.txt.
UNPAIR = 0x001B
# Linux, include/net/bluetooth/bluetooth.h.
SOL_BLUETOOTH, BT_SECURITY, MEDIUM = 274, 4, 2
# The adapter may be deaf this long while a device is paired, or connected again.
DEAF_SECONDS_MAX = 0.3
SETUP = ["pickerDidPresent", "pickerSetupPairing", "accessoryAdded", "pickerDidDismiss", "pickerFinished"]
FAILED = ["pickerDidPresent", "pickerSetupPairing", "pickerSetupFailed", "pickerDidDismiss", "pickerFinished"]


def manifest(peer, access="shared", item="", apps="", options='"bluetoothPairingLE"'):
    return MANIFEST.format(index=peer.index, access=access, item=item, options=options) + apps


def start_agent(lab, peer, **settings):
    """Starts an agent on the accessory's adapter, and waits until it scans."""
    peer.await_adapter()
    agent = lab.agent(manifest=manifest(peer, **settings))
    agent.await_state("on", 30)
    return agent


# The kernel's lists

def keys(index, kind):
    """The lines of one of the kernel's lists."""
    if not (DEBUG / "bluetooth").exists():
        subprocess.run(["mount", "-t", "debugfs", "debugfs", DEBUG], check=True)
    with contextlib.suppress(FileNotFoundError):
        return (DEBUG / f"bluetooth/hci{index}" / LISTS[kind]).read_text().splitlines()
    return []


def has_keys(index, address=IDENTITY):
    """Whether the kernel has a key of the device, in any list."""
    return any(address.lower() in line.lower() for kind in LISTS for line in keys(index, kind))


def check_no_keys(lab, index):
    lab.until(lambda: not any(keys(index, kind) for kind in LISTS), "the kernel has no keys", 10)


def check_secrecy(lab, peer, agent, *watchers):
    """The keys that the kernel has are in an export that asks for them, and in nothing else that the agent prints or
    sends; `watchers` are apps and operators."""
    lines = "\n".join(line for kind in LISTS for line in keys(peer.index, kind))
    values = [bytes.fromhex(digits) for digits in re.findall(r"\b[0-9a-f]{32}\b", lines)]
    export = agent.tool("registry", "export", "--with-keys").lower()
    lab.check(values and all(value.hex() in export for value in values), "an export with keys has all of them")
    texts = [agent.log_text(), json.dumps([watcher.received for watcher in watchers]), json.dumps(agent.metrics())]
    texts += [agent.tool(*words, with_errors=True) for words in (
        ("status", "--json"), ("list", "--json"), ("sightings", "--json"), ("registry", "export"))]
    lab.check(all(len(text) > 100 for text in texts), "there is something to read")
    text = "".join(texts).lower()
    for value in values:
        lab.check(value.hex() not in text and value[::-1].hex() not in text, "no key is printed")
    lab.figure("keys that are not printed", len(values))


def unpair_in_kernel(index, address=IDENTITY):
    """Another program removes a bond from the kernel. Returns the status."""
    status, _ = hci.Mgmt().call(UNPAIR, index, address_bytes(address) + bytes([2, 1]))
    return status


def open_link(address, kind=2, level=MEDIUM):
    """Connects to a device without the agent, at this level of security. Returns the connected descriptor."""
    descriptor = hci.libc.socket(socket.AF_BLUETOOTH, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC, 0)
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    # struct sockaddr_l2: family, PSM, address, channel, kind of address.
    for call, device, device_kind in ((hci.libc.bind, "00:00:00:00:00:00", 1), (hci.libc.connect, address, kind)):
        if call is hci.libc.connect:
            security = struct.pack("<BB", level, 0)
            hci.libc.setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, security, len(security))
        place = struct.pack("<HH6sHBx", socket.AF_BLUETOOTH, 0, address_bytes(device), 4, device_kind)
        if call(descriptor, place, len(place)) < 0:
            code = ctypes.get_errno()
            os.close(descriptor)
            raise OSError(code, os.strerror(code))
    return descriptor


# Steps

def addresses(peer):
    """The addresses that an operator may see the accessory with."""
    return [peer.address, IDENTITY]


def pair(lab, peer, agent, app, operator, answer=None):
    """Sets the accessory up through the app's picker. Returns the reply to the choice."""
    app.call("ShowPicker")
    reply = operator.set_up("lights", addresses(peer), answer)
    app.expect(*SETUP)
    lab.equal(app.accessories[reply["accessory"]]["bond"], "bonded", "the accessory's bond, as its app sees it")
    return reply


def fail(lab, peer, agent, app, operator, name, act=None, events=FAILED, daemon=None):
    """A setup that fails while `act` does something with the request. Nothing of it stays in the kernel, or in bluetoothd,
    the `daemon`. Returns the reason, and what the operator saw."""
    peer.order("rotate")
    operator.take_seen()
    app.call("ShowPicker")
    request = operator.request_of("lights")
    call = operator.choose(request, addresses(peer))
    start = time.monotonic()
    if act:
        act(request)
    refusal = call.refusal()
    lab.figure(f"\n         {name} s", round(time.monotonic() - start, 1))
    lab.equal(refusal.name, "SetupFailed", f"{name}: the error")
    lab.figure(f"{name} reason", refusal.parameters["reason"])
    app.expect(*events)
    lab.until(lambda: operator.read() or request in operator.closed, f"{name}: the request is closed")
    lab.equal(listed(agent), [], f"{name}: the app's accessories")
    if daemon and daemon.is_running:
        lab.until(lambda: not daemon.bonded(), f"{name}: bluetoothd has no bonds", 10)
    check_no_keys(lab, peer.index)
    await_end(lab, peer, agent)
    for order in ("answer yes", "io none", "forget", "on"):
        peer.order(order)
    return refusal.parameters["reason"], rows_seen(operator.take_seen())


def rows_seen(rows):
    """What an operator saw, each once. Operators see states: one that lasts less than a turn of the agent, as that of the
    disk may, is passed over."""
    return [row for row in dict.fromkeys(rows) if row != "request setup lights settingUp"]


def enter_digits(peer):
    """The operator types what the accessory shows."""
    def answer(operator, request, question, _):
        operator.agent.world.equal(question, "enterDigits", "the question")
        operator.answer(request, digits=peer.expect("shows").split()[1])
    return answer


def show_digits(peer):
    """The accessory's person types what the operator sees."""
    def answer(operator, request, question, digits):
        operator.agent.world.equal(question, "showDigits", "the question")
        peer.expect("awaits digits")
        peer.order(f"digits {digits}")
    return answer


def compare(peer, matches=True):
    """The operator compares what both show."""
    def answer(operator, request, question, digits):
        operator.agent.world.equal((question, digits), ("compare", peer.expect("compares").split()[1]), "the question")
        operator.answer(request, matches=matches)
    return answer


def listed(agent, app="lights"):
    """The app's accessories, as operators see them."""
    with agent.client() as client:
        client.send("io.accessoryd.Operator.List", more=True, app=app)
        found = []
        while accessory := client.receive().get("accessory"):
            found.append(accessory)
        return found


def remove(lab, peer, agent, app, index=None):
    """Removes the app's accessory, and checks that the kernel has nothing of it. The accessory forgets its bond."""
    agent.tool("remove", app.identifier, "--yes")
    app.expect("accessoryRemoved")
    check_no_keys(lab, peer.index if index is None else index)
    peer.order("forget")


def fill_registry(lab, peer, agent, operator):
    """Sets the accessory up for an app that does not pair it, and removes it, until the database's cache is full: the
    registry remembers the last removals."""
    app = AppSession(agent, "climate")
    for _ in range(REMOVALS):
        app.call("ShowPicker")
        operator.set_up("climate", addresses(peer))
        app.expect(*[event for event in SETUP if event != "pickerSetupPairing"])
        agent.tool("remove", app.identifier, "--yes")
        app.expect("accessoryRemoved")


def check_secret(lab, app):
    """Connects, and reads both values. Returns how long it took until the socket was there."""
    start = time.monotonic()
    link = app.connect()
    took = time.monotonic() - start
    lab.equal((link.read(OPEN), link.read(SECRET)), (b"open", b"sesame"), "the accessory's values")
    link.close()
    return took


def await_end(lab, peer, agent):
    """Waits until the accessory is not connected."""
    def is_over():
        words = [row for row in peer.lines() if re.match("(dis)?connected", row[1])]
        return not words or words[-1][1].startswith("disconnected")
    lab.until(lambda: agent.status()["accessoriesConnected"] == 0 and is_over(), "the link ends", 15)


def settled_usage(lab, agent):
    """What the agent uses, once it has closed the connections of callers that have left."""
    counts = []

    def is_settled():
        counts.append(agent.usage().descriptors)
        return len(counts) > 4 and len(set(counts[-4:])) == 1
    lab.until(is_settled, "the agent's descriptors stay the same")
    return agent.usage()


def sightings(agent):
    """The devices in sight that match an item."""
    with agent.client() as client:
        client.send("Sightings", more=True)
        found = []
        while device := client.receive().get("device"):
            found.append(device)
        return found


def check_identity(lab, peer, agent, seconds_max=1):
    """A new private address is known by its identity at once. Returns how long it took from the first report on."""
    peer.order("rotate")
    start = time.monotonic()

    def is_known():
        return [device for device in sightings(agent)
                if device["address"] == IDENTITY and device["silence"] < time.monotonic() - start]
    lab.until(is_known, "the accessory is known under its new address", 10, step=0.02)
    took = time.monotonic() - start
    lab.check(took <= seconds_max, f"the identity was known after {took:.2f} s")
    unknown = [device["address"] for device in sightings(agent) if device["address"] == peer.address]
    lab.equal(unknown, [], "the device under its private address")
    return took
