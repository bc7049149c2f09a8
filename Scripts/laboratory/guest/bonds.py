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
import threading
import time

import hci
from peer import IDENTITY, IDENTITY_KEY, OPEN, SECRET
from peripheral import address_bytes
from sessions import AppSession
from transcripts import comparable

# Every report is counted, so that the kernel drops none.
MANIFEST = """schema = 1
[gateway]
radio = "hci{index}"
access = "shared"
board = "virtual"
filter = "off"
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
# How many events of an app the agent keeps (AppFeed.capacity).
EVENTS = 256
# The kernel's lists of an adapter.
DEBUG = pathlib.Path("/sys/kernel/debug")
LISTS = {"ltk": "long_term_keys", "irk": "identity_resolving_keys", "link key": "link_keys"}
# BlueZ, doc/mgmt-api.txt.
LOAD_KEYS, UNPAIR, LOAD_IDENTITY_KEYS = 0x0013, 0x001B, 0x0030
# Linux, include/net/bluetooth/bluetooth.h.
SOL_BLUETOOTH, BT_SECURITY, MEDIUM = 274, 4, 2
# The adapter may be deaf this long while a device is paired, or connected again.
DEAF_SECONDS_MAX = 0.3
# How often the accessory changes its address, and longer than the time after which a device that is not heard is lost.
ROTATIONS, SILENCE_SECONDS = 3, 40
SETUP = ["pickerDidPresent", "pickerSetupPairing", "accessoryAdded", "pickerDidDismiss", "pickerFinished"]
FAILED = ["pickerDidPresent", "pickerSetupPairing", "pickerSetupFailed", "pickerDidDismiss", "pickerFinished"]


def manifest(peer, item="", apps="", options='"bluetoothPairingLE"'):
    return MANIFEST.format(index=peer.index, item=item, options=options) + apps


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


def load_bond_in_kernel(lab, index):
    """Another program gives the kernel a bond with the accessory, which the accessory has lost."""
    device = address_bytes(IDENTITY) + bytes([2])
    # An unauthenticated P-256 key of 16 bytes, the peripheral's, without diversifier and random number.
    key = bytes([2, 0, 16]) + bytes(10) + bytes(range(16))
    for command, value in ((LOAD_IDENTITY_KEYS, IDENTITY_KEY), (LOAD_KEYS, key)):
        status, _ = hci.Mgmt().call(command, index, struct.pack("<H", 1) + device + value)
        lab.equal(status, 0, "the status of loading a key")
    lab.check(has_keys(index), "the kernel has the bond")


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


def set_up(operator, app, peer, answer=None):
    """The same as the operator's, until its request is closed: it could be taken for the app's next one."""
    request = operator.request_of(app)
    reply = operator.set_up(app, addresses(peer), answer)
    operator.expect_closed(request)
    return reply


def pair(lab, peer, agent, app, operator, answer=None):
    """Sets the accessory up through the app's picker. Returns the reply to the choice."""
    app.call("ShowPicker")
    reply = set_up(operator, "lights", peer, answer)
    app.expect(*SETUP)
    lab.equal(app.accessories[reply["accessory"]]["bond"], "bonded", "the accessory's bond, as its app sees it")
    return reply


def fail(lab, peer, agent, app, operator, name, act=None, events=FAILED, daemon=None, bonded=None, address="rotate"):
    """A setup that fails while `act` does something with the request. Nothing of it stays in the kernel, or in bluetoothd,
    the `daemon`, but for what was there before: bonds of bluetoothd with the devices `bonded`, and keys of the kernel.
    `address` is the order before it. Returns the reason, and the transcript."""
    peer.order(address)
    take_transcript(app, operator)
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
    operator.expect_closed(request)
    lab.equal(listed(agent), [], f"{name}: the app's accessories")
    if daemon and daemon.is_running:
        lab.until(lambda: daemon.bonded() == (bonded or []), f"{name}: bluetoothd has its own bonds only", 10)
    if bonded is None:
        check_no_keys(lab, peer.index)
    await_end(lab, peer, agent)
    for order in ("answer yes", "io none", "forget", "on"):
        peer.order(order)
    return refusal.parameters["reason"], take_transcript(app, operator, refusal.parameters)


def take_transcript(app, operator, reply=None):
    """What app and operator have received since the last call, line by line, and the reply to the operator's choice."""
    app.read()
    operator.read()
    return [*(f"app: {row}" for row in app.transcript.take()),
            *(f"operator: {row}" for row in operator.transcript.take(operator.chosen)),
            f"reply: {json.dumps(comparable(reply))}"]


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


def remove_accessory(agent, app):
    """Removes the app's accessory with the call that `accessoryctl remove` makes: it is made very often, and a process for
    each would cost more than the removal."""
    agent.call("io.accessoryd.Operator.Remove", accessory=app.identifier)
    app.expect("accessoryRemoved")


def remove(lab, peer, agent, app, index=None):
    """Removes the app's accessory, and checks that the kernel has nothing of it. The accessory forgets its bond."""
    remove_accessory(agent, app)
    check_no_keys(lab, peer.index if index is None else index)
    peer.order("forget")


def power_cycle(peer, agent):
    mgmt = hci.Mgmt()
    mgmt.power(peer.index, False)
    agent.world.until(lambda: agent.radio()["state"] != "on", "the agent sees that the adapter is off")
    mgmt.power(peer.index, True)
    agent.await_state("on", 30)


def replug(peer, agent):
    peer.order("replug")
    peer.await_adapter()
    agent.await_state("on", 30)


def restart(peer, agent):
    agent.world.equal(agent.end(), 0, "the agent's exit status")
    agent.start_again()
    agent.await_state("on", 30)


def kill(peer, agent):
    agent.kill()
    agent.start_again()
    agent.await_state("on", 30)


# What a bond outlives.
INTERRUPTIONS = {"power cycle": power_cycle, "replugged": replug, "restarted": restart, "killed": kill}


def paced(rounds):
    """The numbers of the rounds; each takes a second at least, because an app may ask 60 times within a minute."""
    for number in range(1, rounds + 1):
        begun = time.monotonic()
        yield number
        time.sleep(max(0, begun + 1.05 - time.monotonic()))


def fill_registry(peer, agent, operator):
    """Sets the accessory up for an app that does not pair it, and removes it, until the database's cache is full: the
    registry remembers the last removals."""
    app = AppSession(agent, "climate")
    for _ in range(REMOVALS):
        app.call("ShowPicker")
        set_up(operator, "climate", peer)
        app.expect(*[event for event in SETUP if event != "pickerSetupPairing"])
        remove_accessory(agent, app)
    # The agent would watch this process for as long as the session can be taken up again.
    app.call("Invalidate")


def fill_events(app, operator):
    """Renames the app's accessory until the agent has as many events of the app as it keeps."""
    for number in range(EVENTS):
        operator.call("Rename", accessory=app.identifier, name=f"Lock {number}")
        app.expect("accessoryChanged")


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
        return (peer.last("connected", "disconnected") or "disconnected").startswith("disconnected")
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
        return sightings_over(client)


def sightings_over(client):
    client.send("Sightings", more=True)
    found = []
    while device := client.receive().get("device"):
        found.append(device)
    return found


class IdentityWatch(threading.Thread):
    """Looks for the moment in which the accessory goes by its identity, and no more by the address that it has when this is
    made."""

    def __init__(self, peer, agent):
        super().__init__(daemon=True)
        self.peer, self.address, self.at, self.is_over = peer, peer.address, None, False
        self.begun = time.monotonic()
        # The thread does not connect: with which account is a matter of the whole process.
        self.client = agent.client()
        self.start()

    def run(self):
        while not self.is_over and not self.at:
            addresses = [device["address"] for device in sightings_over(self.client)]
            if IDENTITY in addresses and self.address not in addresses:
                self.at = time.monotonic()
            time.sleep(0.02)

    def check(self, lab, name, seconds_max=1):
        """The accessory was known soon after it said that it was paired."""
        lab.until(lambda: self.at or not self.is_alive(), f"{name}: the accessory goes by its identity", 10)
        self.is_over = True
        self.join()
        self.client.socket.close()
        paired = float(self.peer.find(" paired ")[-1].split()[0])
        lab.check(paired > self.begun, f"{name}: the accessory was paired")
        took = self.at - paired
        lab.figure(f"\n         {name}: identity s after Paired", round(took, 2))
        lab.check(took <= seconds_max, f"{name}: the identity was known {took:.2f} s after Paired")


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


def check_rotations(lab, peer, agent, app):
    """Under new addresses the device is the same accessory: neither lost nor found."""
    with agent.client(app.user) as stream:
        stream.send("io.accessoryd.Session.WatchAdvertisements", more=True, session=app.token, interval=1)
        found = lab.until(lambda: advertisements(stream, "found"), "the app's advertisements begin", 30)
        lab.equal(found[0]["identifier"], app.identifier, "the accessory that is found")
        for _ in range(ROTATIONS):
            peer.order("rotate")
            time.sleep(2)
        time.sleep(SILENCE_SECONDS)
        events = advertisements(stream)
        others = [event["event"] for event in events if event["event"] in ("found", "lost")]
        lab.equal(others, [], "what the app receives under new addresses")
        readings = [event for event in events if event["event"] == "reading"]
        lab.check(readings, "the app hears it under new addresses")
    accessory = listed(agent)[0]
    lab.equal((accessory["address"], accessory["isInSight"]), (IDENTITY, True), "the accessory in the list")
    lab.figure(f"lost and found under {ROTATIONS} new addresses", f"0, with {len(readings)} readings")


def advertisements(stream, kind=None):
    """The advertisements that have come."""
    came = []
    while reply := stream.poll():
        if advertisement := reply.get("advertisement"):
            came.append(advertisement)
    return [event for event in came if kind in (None, event["event"])]
