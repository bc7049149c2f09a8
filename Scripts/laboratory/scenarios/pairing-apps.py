# SPDX-License-Identifier: GPL-3.0-or-later
"""Who can use a bonded accessory: the app that is handed its socket, no other app, and what a service's restrictions add."""

import errno
import json
import os
import struct
import subprocess

import bonds
from peer import IDENTITY
from sessions import AppSession, Operator

PATIENCE = 600
# Linux, include/net/bluetooth/bluetooth.h: BT_SECURITY_HIGH.
HIGH = 3
READER = "/lab/laboratory/guest/att-reader.py"
WITHOUT_RIGHTS = ["/usr/bin/setpriv", "--reuid=daemon", "--regid=daemon", "--clear-groups", "--inh-caps=-all",
                  "--bounding-set=-all", "--no-new-privs"]
# An app's unit, with the line that the documentation recommends, or without it.
UNIT = f"""[Service]
Type=oneshot
User=daemon
NoNewPrivileges=yes
{{restriction}}
ExecStart=/usr/bin/python3 -B {READER} open {IDENTITY}
StandardOutput=truncate:/run/reader
"""


def read_without_rights(lab, app):
    """Hands the socket on to a process that has nothing else."""
    link = app.connect()
    done = subprocess.run([*WITHOUT_RIGHTS, "python3", "-B", READER, str(link.socket.fileno())],
                          pass_fds=[link.socket.fileno()], capture_output=True, text=True, check=True)
    link.close()
    lab.equal(json.loads(done.stdout), {"user": 1, "capabilities": 0, "value": "sesame"}, "what the process reads")


def open_in_unit(lab, peer, agent, system, restriction):
    """A service of another account opens a socket of its own."""
    system.write("run/systemd/system/reader.service", UNIT.format(restriction=restriction))
    system.systemctl("daemon-reload")
    system.systemctl("start", "reader.service")
    outcome = json.loads((system.root / "run/reader").read_text())
    bonds.await_end(lab, peer, agent)
    return outcome.get("value") or errno.errorcode[outcome["error"]]


def pair_beside(lab, peer, agent, app, operator, other):
    """While the device is paired for an app, the picker of another app cannot pair it, and stays open. Returns its request."""
    peer.order("io display")
    app.call("ShowPicker")
    request = operator.request_of("lights")
    call = operator.choose(request, bonds.addresses(peer))
    operator.question(request)
    other.call("ShowPicker")
    second = operator.request_of("climate")
    refusal = operator.choose(second, bonds.addresses(peer)).refusal()
    lab.check("another request pairs this device" in refusal.parameters["reason"], f"the refusal: {refusal.parameters}")
    operator.answer(request, digits=peer.expect("shows").split()[1])
    lab.equal(call.result()["pairing"], "digitsEntered", "how the device was paired")
    app.expect(*bonds.SETUP)
    peer.order("io none")
    return second


def demand_more(lab, peer, agent, app):
    """An app demands an authenticated link of its socket, which the bond does not give: this socket is of no more use. The
    bond and the next connection are as before."""
    link = app.connect()
    link.socket.setsockopt(bonds.SOL_BLUETOOTH, bonds.BT_SECURITY, struct.pack("<BB", HIGH, 0))
    error = error_of(link)
    lab.figure("a read after more was demanded", error)
    lab.check(error != "works", "the connection is of no more use")
    link.close()
    bonds.await_end(lab, peer, agent)
    lab.equal(bonds.listed(agent)[0]["bond"], "bonded", "the bond after more was demanded")
    lab.check(bonds.has_keys(peer.index), "the kernel has the keys")
    bonds.check_secret(lab, app)
    bonds.await_end(lab, peer, agent)


def demand_more_outside(lab, peer, agent, app):
    """A program that goes around the agent demands more than the bond gives. Whether it gets that, the figure says; the bond
    stays, and works."""
    try:
        os.close(bonds.open_link(IDENTITY, level=HIGH))
        lab.figure("a connection that demanded more", "made")
    except OSError as error:
        lab.figure("a connection that demanded more", errno.errorcode[error.errno])
    bonds.await_end(lab, peer, agent)
    lab.equal(bonds.listed(agent)[0]["bond"], "bonded", "the bond after another program demanded more")
    bonds.check_secret(lab, app)
    bonds.await_end(lab, peer, agent)


def claim_identity(lab, peer, agent, app, operator):
    """Another device, which a person sets up for a second app, claims the accessory's identity: it is refused, and the bond is
    as before."""
    keys = bonds.keys(peer.index, "ltk")
    peer.order("off")
    for order in ("neighbour claim", "neighbour rotate"):
        peer.order(order)
    app.call("ShowPicker")
    refusal = operator.choose(operator.request_of("lights"), [peer.address_of("neighbour ")]).refusal()
    lab.check("so could any other device" in refusal.parameters["reason"], f"the refusal: {refusal.parameters}")
    app.expect(*bonds.FAILED)
    for order in ("neighbour drop", "neighbour off", "on"):
        peer.order(order)
    lab.until(lambda: bonds.keys(peer.index, "ltk") == keys, "the kernel has the key of the bond", 10)
    lab.equal(bonds.listed(agent, "climate")[0]["bond"], "bonded", "the bond")


def error_of(link):
    link.socket.settimeout(5)
    try:
        link.read(bonds.OPEN)
        return "works"
    except (OSError, IndexError) as error:
        return type(error).__name__ if isinstance(error, (TimeoutError, IndexError)) else errno.errorcode[error.errno]


def scenario(lab):
    peer = lab.peer()
    peer.order("rotate")
    agent = bonds.start_agent(lab, peer, apps=bonds.CLIMATE)
    app, operator, other = AppSession(agent), Operator(agent), AppSession(agent, "climate")
    request = pair_beside(lab, peer, agent, app, operator, other)
    bonds.await_end(lab, peer, agent)
    read_without_rights(lab, app)
    bonds.await_end(lab, peer, agent)

    # Another app has no right to the accessory, whose address it cannot learn either.
    lab.equal(other.refusal(accessory=app.identifier).name, "InvalidRequest", "a second app's connection")
    lab.equal(app.refusal("Resolve").name, "InvalidRequest", "the accessory's address")

    # It sets the same device up, which is not paired again, and only one app at a time has the link.
    peer.skip()
    operator.choose(request, IDENTITY).result()
    other.expect(*[event for event in bonds.SETUP if event != "pickerSetupPairing"])
    lab.check("asked to pair" not in "".join(row[1] for row in peer.lines()[peer.read_count:]), "it is not paired again")
    lab.equal(other.accessories[other.identifier]["bond"], "bonded", "the bond of the second app's accessory")
    link = app.connect()
    lab.equal(other.refusal().name, "UserRestricted", "a second connection")
    link.close()
    bonds.await_end(lab, peer, agent)
    bonds.check_secret(lab, other)
    bonds.await_end(lab, peer, agent)

    # The bond stays with the last app. A removed app gets no socket.
    former = app.identifier
    agent.tool("remove", former, "--yes")
    app.expect("accessoryRemoved")
    lab.equal(app.refusal(accessory=former).name, "InvalidRequest", "a connection after the removal")
    lab.check(bonds.has_keys(peer.index), "the other app's accessory keeps the bond")
    claim_identity(lab, peer, agent, app, operator)
    bonds.check_secret(lab, other)
    bonds.await_end(lab, peer, agent)

    # Any local process can open a socket to a bonded device, but not in a service that may not use such sockets.
    system = lab.system()
    for restriction, outcome in (("", "sesame"), ("RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6", "EAFNOSUPPORT")):
        lab.equal(open_in_unit(lab, peer, agent, system, restriction), outcome, f"a service with {restriction or 'none'}")
    agent.tool("remove", other.identifier, "--yes")
    bonds.check_no_keys(lab, peer.index)
    for order in ("forget", "rotate"):
        peer.order(order)
    bonds.pair(lab, peer, agent, app, operator)
    bonds.await_end(lab, peer, agent)
    demand_more(lab, peer, agent, app)
    demand_more_outside(lab, peer, agent, app)
    lab.equal(agent.end(), 0, "the agent's exit status")
