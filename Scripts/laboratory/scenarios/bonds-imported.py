# SPDX-License-Identifier: GPL-3.0-or-later
"""A gateway leaves bluetoothd: bonds from its folder come into the registry, and devices that it paired become accessories."""

import json
import re
import subprocess
import time

import bluetoothd
import bonds
import hci
from peer import IDENTITY
from program import Program
from sessions import AppSession, Operator

PATIENCE = 600


class Control(Program):
    """A person at bluetoothctl."""

    input = subprocess.PIPE

    def __init__(self, world):
        super().__init__(world, "bluetoothctl-person", ["bluetoothctl", "--agent", "NoInputNoOutput"])
        world.open.append(self)
        world.logs.append(self)

    def say(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()


def pair_elsewhere(lab, peer, daemon):
    """A person pairs the accessory with bluetoothctl."""
    control = Control(lab)
    control.say("scan on")
    lab.until(lambda: peer.address in [device[0] for device in daemon.devices().values()], "bluetoothd finds it", 30)
    control.say(f"pair {peer.address}")
    lab.until(lambda: daemon.bonded() == [IDENTITY], "bluetoothd is bonded", 30)
    control.say("scan off")
    control.say(f"disconnect {IDENTITY}")
    time.sleep(3)
    control.end()


def migrate(lab, agent):
    """The app asks for the device that bluetoothd has bonded, by the identifier that accessoryctl prints, and an operator
    agrees."""
    # It speaks to bluetoothd and not to the agent.
    command = ["/lab/bin/accessoryctl", "migrate", "--json", "--manifest", str(agent.home / "accessoryd.toml")]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in output.splitlines()]
    row = next(row for row in rows if row.get("address") == IDENTITY)
    app, operator = AppSession(agent), Operator(agent)
    app.call("ShowPicker", items=[{"item": "lock", "migrate": {"bluetoothIdentifier": row["bluetoothIdentifier"]}}])
    request = operator.request_of("lights", "migrate")
    operator.call("Agree", request=request)
    lab.until(lambda: "migrationComplete" in app.read(), "the app receives its accessory", 30)
    operator.close()
    return app


def show_damage(lab, agent):
    """Files of bluetoothd that are damaged, cut off, or have a key of a size that there is not: each is named, without its
    keys, and nothing is taken over."""
    file = next(bluetoothd.STORE.glob(f"*/{IDENTITY}/info"))
    text = file.read_text()
    damages = {"damaged": text.replace("\nKey=", "\nKey=Z"), "cut off": text[:text.index("[General]")],
               "other size": text.replace("\nEncSize=16", "\nEncSize=17")}
    for name, damaged in damages.items():
        lab.check(damaged != text, f"{name}: the file is another one")
        file.write_text(damaged)
        output = agent.tool("registry", "import-bonds", with_errors=True)
        lab.check(f"{IDENTITY}/info" in output and "is missing or damaged" in output, f"{name}: {output}")
        keys = re.findall(r"Key=(\w{32})", text)
        lab.check(not any(key in output.upper() for key in keys), f"{name}: no key is printed")
        lab.equal(owner(agent), ("bonded", "bluetoothd", IDENTITY), f"{name}: the bond")
    file.write_text(text)


def owner(agent):
    accessory = bonds.listed(agent)[0]
    return accessory["bond"], accessory.get("bondOwner"), accessory["address"]


def scenario(lab):
    peer = lab.peer()
    peer.order("rotate")
    bluetoothd.forget_all()
    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    pair_elsewhere(lab, peer, daemon)
    agent = bonds.start_agent(lab, peer)
    app = migrate(lab, agent)
    lab.equal(owner(agent), ("bonded", "bluetoothd", IDENTITY), "the bond after the migration")

    output = agent.tool("registry", "import-bonds", with_errors=True)
    lab.check("bluetoothd runs" in output, f"while bluetoothd runs, its bonds stay: {output}")
    output = agent.tool("registry", "import-bonds", "--identity-only", with_errors=True)
    lab.check("recognises" in output, f"the identity key alone: {output}")
    lab.figure("identity s", round(bonds.check_identity(lab, peer, agent), 2))

    daemon.end()
    agent.await_state("on", 30)
    hci.take_up(peer.index)
    show_damage(lab, agent)
    output = agent.tool("registry", "import-bonds", with_errors=True)
    lab.check("has its bond" in output, f"the bond is taken over: {output}")
    lab.equal(owner(agent), ("bonded", "gateway", IDENTITY), "the bond after the import")
    peer.order("rotate")
    peer.skip()
    lab.until(lambda: bonds.listed(agent)[0]["isInSight"], "the accessory is in sight", 30)
    lab.figure("connected s", round(bonds.check_secret(lab, app), 2))
    lab.check("asked to pair" not in [row[1] for row in peer.lines()[peer.read_count:]], "it is not paired again")
    bonds.await_end(lab, peer, agent)
    agent.tool("remove", app.identifier, "--yes")
    bonds.check_no_keys(lab, peer.index)
    lab.equal(agent.end(), 0, "the agent's exit status")
