# SPDX-License-Identifier: GPL-3.0-or-later
"""Apps talk to an accessory through sockets that the agent connects, which end with the app, its session and its rights."""

import ctypes
import errno
import os
import pwd
import signal
import socket
import struct
import time

import hci
from errors import ScenarioError
from peripheral import BULB, CONFIGURATION, VALUE, Peripheral, address_bytes

SESSION = "io.accessoryd.Session."
PATIENCE = 240
# A connection may keep the adapter from listening for this long.
DEAF_SECONDS_MAX = 0.3
# A connection ends at the latest this long after its app or its session.
END_SECONDS_MAX = 12
NOTIFICATIONS = 1000


# Another app, which has the same device.
CLIMATE = """
[app.climate]
user = "climate"
supports = ["Bluetooth"]
bluetooth-company-identifiers = ["0x0EEE"]
[[app.climate.item]]
id = "bulb"
name = "Bulb"
descriptor.bluetooth-company-identifier = "0x0EEE"
"""


class App:
    """A program with a session, of the account with the app's name."""

    def __init__(self, agent, name="lights"):
        self.agent, self.user = agent, pwd.getpwnam(name).pw_uid
        self.stream = agent.client(self.user)
        self.stream.send(SESSION + "Activate", more=True, app=name)
        self.token, self.accessories = None, None
        while self.accessories is None:
            reply = self.stream.receive()
            self.token = reply.get("session") or self.token
            if reply.get("event", {}).get("event") == "activated":
                self.accessories = [accessory["identifier"] for accessory in reply.get("accessories", [])]

    def call(self, method):
        with self.agent.client(self.user) as client:
            return client.call(SESSION + method, session=self.token, accessory=self.accessories[0])

    def connect(self):
        """Returns the socket that comes beside the reply."""
        with self.agent.client(self.user) as client:
            client.socket.settimeout(60)
            client.send(SESSION + "Connect", session=self.token, accessory=self.accessories[0])
            client.receive()
            if len(client.descriptors) != 1:
                raise ScenarioError(f"the reply came with {len(client.descriptors)} descriptors")
            return Link(client.descriptors[0])

    def refusal(self, method="Connect"):
        try:
            return self.call(method)
        except ScenarioError as error:
            return str(error)


class Link:
    """A socket of the Attribute Protocol."""

    def __init__(self, descriptor):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)
        self.socket.settimeout(30)

    def ask(self, packet):
        self.socket.send(packet)
        return self.socket.recv(600)

    def ending(self):
        """Reads to the end. Returns the error that the kernel gives, or 0."""
        try:
            while self.socket.recv(600):
                pass
            return 0
        except OSError as error:
            return error.errno


def open_directly(index_address):
    """A connected socket that the agent has nothing to do with."""
    descriptor = hci.libc.socket(socket.AF_BLUETOOTH, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC, 0)
    for call, address, kind in ((hci.libc.bind, index_address, 1), (hci.libc.connect, BULB, 2)):
        # struct sockaddr_l2: family, PSM, address, channel, kind of address.
        place = struct.pack("<HH6sHBx", socket.AF_BLUETOOTH, 0, address_bytes(address), 4, kind)
        if call(descriptor, place, len(place)) < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
    return descriptor


def show_copies(lab, bulb):
    """What the design rests on: a shutdown ends the connection although others have copies of the socket, and closing the
    last copy does."""
    first = open_directly("00:00:00:00:00:00")
    copy = os.dup(first)
    start = time.monotonic()
    socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=copy).shutdown(socket.SHUT_RDWR)
    lab.equal(os.read(first, 10), b"", "what a copy reads after the shutdown")
    lab.until(lambda: not bulb.is_connected, "the link ends after a shutdown", END_SECONDS_MAX)
    lab.figure("shutdown s", round(time.monotonic() - start, 1))
    os.close(first)
    os.close(open_directly("00:00:00:00:00:00"))
    lab.until(lambda: not bulb.is_connected, "the link ends with its last socket", END_SECONDS_MAX)


def connected(agent):
    return agent.status()["accessoriesConnected"]


def await_end(lab, bulb, agent, start, name):
    lab.until(lambda: not bulb.is_connected and connected(agent) == 0, f"the link ends: {name}", END_SECONDS_MAX)
    lab.figure(f"{name} s", round(time.monotonic() - start, 1))


def set_up(lab, agent, *names):
    for name in names:
        lab.check("bulb" in agent.tool("pick", "--app", name, "--device", BULB).lower(), f"the bulb is set up for {name}")


def show_killed(lab, bulb, agent):
    """An app that is killed cannot close its connection."""
    child = os.fork()
    if child == 0:
        try:
            # Both stay referenced, so that only the end of the process closes them.
            app = App(agent)
            link = app.connect()
            while link:
                signal.pause()
        finally:
            os._exit(1)
    try:
        lab.until(lambda: connected(agent) == 1, "the app is connected", 60)
        start = time.monotonic()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    await_end(lab, bulb, agent, start, "killed")


def show_reload(lab, bulb, agent, app):
    """Without the app's item, the app may not use the accessory any more."""
    link, start = app.connect(), time.monotonic()
    path = agent.home / "accessoryd.toml"
    text = path.read_text()
    path.write_text(text.replace('id = "bulb"', 'id = "other"', 1))
    agent.tool("reload")
    await_end(lab, bulb, agent, start, "reloaded")
    lab.equal(link.ending(), errno.ECONNABORTED, "what the app reads after the reload")
    path.write_text(text)
    agent.tool("reload")


def show_exclusive(lab, agent):
    """The same gateway with exclusive access, and the app that still has an accessory."""
    path = agent.home / "accessoryd.toml"
    path.write_text(path.read_text().replace('access = "shared"', 'access = "exclusive"'))
    agent.start_again()
    refusal = App(agent, "climate").refusal()
    lab.check("InvalidRequest" in refusal and "exclusive" in refusal, f"in exclusive access no app connects: {refusal}")
    lab.equal(agent.end(), 0, "the agent's exit status")


def talk(lab, bulb, agent, app, other):
    """Connects, reads, and receives notifications while the scan goes on."""
    start = time.monotonic()
    link = app.connect()
    lab.figure("connected s", round(time.monotonic() - start, 2))
    lab.equal(connected(agent), 1, "connected accessories")
    lab.equal(link.ask(struct.pack("<BH", 0x0A, VALUE)), b"\x0bopen", "the value of the bulb")
    lab.equal(app.call("ReadRSSI"), {"rssi": -47}, "the signal of the connection")
    for caller in (app, other):
        refusal = caller.refusal()
        lab.check("UserRestricted" in refusal and "lights" not in refusal, f"a second connection is refused: {refusal}")
    lab.equal(link.ask(struct.pack("<BHH", 0x12, CONFIGURATION, 1)), b"\x13", "the reply to the configuration")
    before = agent.metrics()["reports_total"]
    bulb.notify(NOTIFICATIONS)
    numbers = [struct.unpack_from("<I", link.socket.recv(600), 3)[0] for _ in range(NOTIFICATIONS)]
    lab.equal(numbers, list(range(NOTIFICATIONS)), "the notifications")
    lab.check(agent.metrics()["reports_total"] > before, "the agent heard other devices meanwhile")
    pause = bulb.longest_pause(start, time.monotonic())
    lab.figure("deaf s", round(pause, 2))
    lab.check(pause <= DEAF_SECONDS_MAX, f"the adapter did not listen for {pause:.2f} s")
    return link


def scenario(lab):
    bulb = lab.peripheral()
    hci.take_up(bulb.index)
    show_copies(lab, bulb)
    agent = lab.agent(radio=f"hci{bulb.index}", access="shared", item=CLIMATE)
    agent.await_state("on", 30)
    set_up(lab, agent, "lights", "climate")
    app, other = App(agent), App(agent, "climate")

    link = talk(lab, bulb, agent, app, other)
    start = time.monotonic()
    link.socket.close()
    await_end(lab, bulb, agent, start, "closed")

    link = app.connect()
    bulb.drop()
    lab.until(lambda: connected(agent) == 0, "the agent knows that the bulb ended the link")
    link.socket.close()

    link, start = app.connect(), time.monotonic()
    lab.check("disconnected" in agent.tool("disconnect", app.accessories[0]), "an operator ends the connection")
    await_end(lab, bulb, agent, start, "operator")
    lab.check("is not connected" not in agent.tool("list"), "the list is printed")
    link.socket.close()

    link, start = app.connect(), time.monotonic()
    app.stream.socket.close()
    await_end(lab, bulb, agent, start, "session")
    link.socket.close()

    show_killed(lab, bulb, agent)
    app = App(agent)
    show_reload(lab, bulb, agent, app)
    bulb.is_present = False
    start = time.monotonic()
    lab.check("ConnectionFailed" in app.refusal(), "a bulb out of reach is an error")
    lab.figure("out of reach s", round(time.monotonic() - start))
    lab.check(28 <= time.monotonic() - start <= 35, "after 30 s")
    pause = bulb.longest_pause(start, time.monotonic())
    lab.check(pause <= DEAF_SECONDS_MAX, f"the adapter did not listen for {pause:.2f} s while it waited for the bulb")
    bulb.is_present = True

    link, start = app.connect(), time.monotonic()
    agent.tool("remove", app.accessories[0], "--yes")
    await_end(lab, bulb, agent, start, "removed")
    lab.equal(link.ending(), errno.ECONNABORTED, "what the app reads after the removal")
    metrics = agent.metrics()
    lab.equal(int(metrics["accessory_connections_total"]), 7, "connections")
    for end, count in (("app", 1), ("accessory", 1), ("operator", 1), ("session", 2), ("removed", 2)):
        lab.equal(int(metrics[f'accessory_connections_ended_total{{end="{end}"}}']), count, f"ends by {end}")
    lab.equal(agent.end(), 0, "the agent's exit status")
    show_exclusive(lab, agent)
