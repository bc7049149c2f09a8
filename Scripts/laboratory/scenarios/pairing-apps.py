# SPDX-License-Identifier: GPL-3.0-or-later
"""Who can use a bonded accessory: the app that is handed its socket, no other app, and what a service's restrictions add."""

import errno
import json
import subprocess

import bonds
from peer import IDENTITY
from sessions import AppSession, Operator

PATIENCE = 600
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


def scenario(lab):
    peer = lab.peer()
    peer.order("rotate")
    agent = bonds.start_agent(lab, peer, apps=bonds.CLIMATE)
    app, operator = AppSession(agent), Operator(agent)
    bonds.pair(lab, peer, agent, app, operator)
    bonds.await_end(lab, peer, agent)
    read_without_rights(lab, app)
    bonds.await_end(lab, peer, agent)

    # Another app has no right to the accessory, whose address it cannot learn either.
    other = AppSession(agent, "climate")
    lab.equal(other.refusal(accessory=app.identifier).name, "InvalidRequest", "a second app's connection")
    lab.equal(app.refusal("Resolve").name, "InvalidRequest", "the accessory's address")

    # It sets the same device up, which is not paired again, and only one app at a time has the link.
    peer.skip()
    other.call("ShowPicker")
    operator.set_up("climate", IDENTITY)
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
    bonds.check_secret(lab, other)
    bonds.await_end(lab, peer, agent)

    # Any local process can open a socket to a bonded device, but not in a service that may not use such sockets.
    system = lab.system()
    for restriction, outcome in (("", "sesame"), ("RestrictAddressFamilies=AF_UNIX", "EAFNOSUPPORT")):
        lab.equal(open_in_unit(lab, peer, agent, system, restriction), outcome, f"a service with {restriction or 'none'}")
    agent.tool("remove", other.identifier, "--yes")
    bonds.check_no_keys(lab, peer.index)
    lab.equal(agent.end(), 0, "the agent's exit status")
