# SPDX-License-Identifier: GPL-3.0-or-later
"""Home Assistant's Bluetooth (bleak-esphome) connects through accessory-esphome to dice that bumble plays: services, values,
1,000 notifications; a link that is lost, one that the dice end, and dice out of reach."""

import subprocess

import apps
import hci
from program import Program
from relay import DICE

PATIENCE = 600
ACCOUNT = "camera"
MANIFEST = apps.MANIFEST + f"""
[bridge.homeassistant]
user = "{ACCOUNT}"
"""


class Account(Program):
    """A program of the bridge's account."""

    input = subprocess.PIPE

    def __init__(self, world, name, *command):
        super().__init__(world, name, [
            "setpriv", f"--reuid={ACCOUNT}", f"--regid={ACCOUNT}", "--clear-groups", "env", "HOME=/tmp", *command])
        world.open.append(self)
        world.logs.append(self)
        self.read_count = 0

    def go_on(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def expect(self, beginning, seconds=120):
        """Waits for the next line that begins so, and returns it."""
        def found():
            rows = self.log_text().splitlines()
            return next((row for row in range(self.read_count, len(rows)) if rows[row].startswith(beginning)), None)
        self.world.until(lambda: found() is not None or not self.is_running, f"{self.name} prints {beginning}", seconds)
        row = found()
        self.world.check(row is not None, f"{self.name} ends without {beginning}: {self.log_text(5)}")
        self.read_count = row + 1
        return self.log_text().splitlines()[row]


def scenario(lab):
    dice = lab.bumble_dice()
    hci.take_up(dice.adapter.index)
    agent = lab.agent(manifest=MANIFEST.format(index=dice.adapter.index))
    agent.await_state("on", 30)
    lab.check("Dice" in agent.tool("pick", "--app", "probe", "--device", DICE), "the dice are set up")

    home = lab.folder / "bridge"
    home.mkdir()
    subprocess.run(["chown", ACCOUNT, home], check=True)
    bridge = Account(
        lab, "accessory-esphome", "/lab/bin/accessory-esphome", "--socket", agent.socket_path, "--state", home,
        "--runtime", home)
    lab.until(lambda: "the agent is there" in bridge.log_text(), "the bridge is there")
    client = Account(
        lab, "esphome-client", "python3", "-B", "/lab/laboratory/guest/esphome-client.py",
        (home / "key").read_text().strip(), DICE, *(
            f"0000{uuid}-0000-1000-8000-00805f9b34fb".lower() for uuid in [apps.TEXT]), apps.ROLL.lower(),
        f"0000{apps.END}-0000-1000-8000-00805f9b34fb".lower())
    lab.equal(client.expect("features"), "features 103", "what the bridge offers")
    lab.equal(client.expect("connected"), "connected, MTU 517", "the connection")
    lab.check(apps.ROLL.lower() in client.expect(f"service {apps.SERVICE.lower()}"), "the services")
    for byte_count in (1, 23, 512):
        client.expect(f"value of {byte_count}")
    client.expect("notified")
    dice.adapter.order("burst 1000")
    lab.equal(client.expect("1000"), "1000 notifications in order True", "the notifications")
    client.expect("disconnected")
    lab.until(lambda: not dice.adapter.is_connected, "the connection ends")
    client.go_on()

    client.expect("waits for the end")
    dice.adapter.lose()
    client.expect("the link is lost")
    client.go_on()
    client.expect("ended by the device")
    dice.adapter.is_present = False
    client.go_on()
    client.expect("out of reach")
    lab.equal(bridge.end(), 0, "the bridge's exit status")
    lab.equal(agent.end(), 0, "the agent's exit status")
