# SPDX-License-Identifier: GPL-3.0-or-later
"""README's story on the real radio: asked for, touched, used, hidden from others, renamed, removed, let in again."""

import pwd
import subprocess
import time

from errors import Failure

SESSION = "io.accessoryd.Session."
# What the item has beside what those of all scenarios have, and another app that looks for the same bulbs.
TOUCHED = """select = "touch"
descriptor.bluetooth-range = "immediate"
[app.scenes]
user = "camera"
supports = ["Bluetooth"]
bluetooth-company-identifiers = ["0x0EEE"]
[[app.scenes.item]]
name = "Light"
descriptor.bluetooth-company-identifier = "0x0EEE"
"""
BULB = "C4:A1:00:00:1E:27"
PATIENCE = 240


class App:
    """A program of an account, with a session that is active."""

    def __init__(self, lab, agent, name, account):
        self.lab = lab
        self.agent = agent
        self.user = pwd.getpwnam(account).pw_uid
        self.stream, self.calls = agent.client(self.user), agent.client(self.user)
        self.stream.send(SESSION + "Activate", more=True, app=name)
        self.token = None
        self.accessories = self.awaits("activated").get("accessories", [])

    def awaits(self, name):
        while True:
            reply = self.stream.receive()
            self.token = reply.get("session") or self.token
            event = reply.get("event")
            if event and event["event"] == name:
                return event

    def call(self, method, **parameters):
        return self.calls.call(SESSION + method, session=self.token, **parameters)

    def says(self):
        """The next advertisement of one of its accessories."""
        with self.agent.client(self.user) as air:
            air.send(SESSION + "WatchAdvertisements", more=True, session=self.token)
            while not (said := air.receive().get("advertisement")):
                pass
            return said

    def let_in(self):
        """It is given an accessory, and may use it."""
        accessory = self.awaits("accessoryAdded")["accessory"]["identifier"]
        self.lab.equal(self.call("Resolve", accessory=accessory)["address"], BULB, "the address of the accessory")
        self.lab.check("ee0ea55a0312" in self.says()["data"], "the advertisement of the accessory")
        self.awaits("pickerDidDismiss")
        return accessory

    def close(self):
        self.stream.socket.close()
        self.calls.socket.close()


def hold_hidden(lab, agent, accessory):
    """To another app it is as if the accessory were not there."""
    other = App(lab, agent, "scenes", "camera")
    lab.equal(other.accessories, [], "accessories of the other app")
    try:
        answer = other.call("Resolve", accessory=accessory)
    except Failure as refusal:
        answer = str(refusal)
    lab.check("InvalidRequest" in answer, f"what another app is told: {answer}")
    other.close()


def hold_refused(lab, agent):
    """What was removed is held at the gateway, and the operator is told why it is not let in."""
    words = ["/lab/bin/accessoryctl", "pick", "--json", "--socket", agent.socket_path]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as pick:
        sentence = f"the device was removed before; accessoryctl allow lights {BULB} lets it in"
        lab.check(any(sentence in line for line in pick.stdout), "the operator is told that it was removed before")
        pick.kill()
    lab.check("Lumo bulb" not in agent.tool("list"), "it is not let in")


def tell(lab, access):
    controller = lab.controller("/lab/Config/story-scene.toml")
    agent = lab.agent(radio=controller.name_of_adapter, access=access, item=TOUCHED)
    agent.await_state("on", 30)
    app = App(lab, agent, "lights", "lights")
    lab.equal(app.accessories, [], "accessories")
    start = time.monotonic()
    app.call("ShowPicker")
    app.awaits("pickerDidPresent")
    accessory = app.let_in()
    lab.figure(f"{access} touched after s", time.monotonic() - start)
    lab.check("Lumo bulb" in agent.tool("list"), "the operator sees it")
    hold_hidden(lab, agent, accessory)
    agent.tool("rename", "Lumo bulb", "Desk")
    lab.equal(app.awaits("accessoryChanged")["accessory"]["displayName"], "Desk", "its name")
    agent.tool("remove", "Desk", "--yes")
    lab.equal(app.awaits("accessoryRemoved")["accessory"]["identifier"], accessory, "the accessory that was removed")
    app.call("ShowPicker")
    app.awaits("pickerDidPresent")
    hold_refused(lab, agent)
    start = time.monotonic()
    agent.tool("allow", "lights", BULB)
    app.let_in()
    lab.figure(f"{access} let in again after s", time.monotonic() - start)
    app.close()
    agent.end()
    controller.end()


def scenario(lab):
    for access in ("exclusive", "shared"):
        tell(lab, access)
