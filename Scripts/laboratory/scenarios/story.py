# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's session on the real radio: set up, touched, used, hidden, renamed, removed, and allowed again."""

import pwd
import subprocess
import time

from errors import ScenarioError

SESSION = "io.accessoryd.Session."
# Additional keys of the item, and another app with an item for the same bulbs.
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
    """A program of an account, with an active session."""

    def __init__(self, lab, agent, name, account):
        self.lab = lab
        self.agent = agent
        self.user = pwd.getpwnam(account).pw_uid
        self.stream, self.calls = agent.client(self.user), agent.client(self.user)
        self.stream.send(SESSION + "Activate", more=True, app=name)
        self.token = None
        self.accessories = self.await_event("activated").get("accessories", [])

    def await_event(self, name):
        while True:
            reply = self.stream.receive()
            self.token = reply.get("session") or self.token
            event = reply.get("event")
            if event and event["event"] == name:
                return event

    def call(self, method, **parameters):
        return self.calls.call(SESSION + method, session=self.token, **parameters)

    def next_advertisement(self):
        """The next advertisement of one of the app's accessories."""
        with self.agent.client(self.user) as air:
            air.send(SESSION + "WatchAdvertisements", more=True, session=self.token)
            while not (advertisement := air.receive().get("advertisement")):
                pass
            return advertisement

    def await_accessory(self):
        """Waits for an accessory, and checks that the app can use it."""
        accessory = self.await_event("accessoryAdded")["accessory"]["identifier"]
        self.lab.equal(self.call("Resolve", accessory=accessory)["address"], BULB, "the address of the accessory")
        self.lab.check("ee0ea55a0312" in self.next_advertisement()["data"], "the advertisement of the accessory")
        self.await_event("pickerDidDismiss")
        return accessory

    def close(self):
        self.stream.socket.close()
        self.calls.socket.close()


def check_hidden(lab, agent, accessory):
    """Checks that another app cannot see the accessory."""
    other = App(lab, agent, "scenes", "camera")
    lab.equal(other.accessories, [], "accessories of the other app")
    try:
        answer = other.call("Resolve", accessory=accessory)
    except ScenarioError as error:
        answer = str(error)
    lab.check("InvalidRequest" in answer, f"the reply to another app: {answer}")
    other.close()


def check_refused(lab, agent):
    """Checks that a removed device at the gateway is refused, and that the operator sees the reason."""
    command = ["/lab/bin/accessoryctl", "pick", "--json", "--socket", agent.socket_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as pick:
        sentence = f"the device was removed before; accessoryctl allow lights {BULB} lets it in"
        lab.check(any(sentence in line for line in pick.stdout), "the operator sees that the device was removed before")
        pick.kill()
    lab.check("Lumo bulb" not in agent.tool("list"), "the device is not in the list")


def run(lab, access):
    controller = lab.controller("/lab/Config/story-scene.toml")
    agent = lab.agent(radio=controller.name_of_adapter, access=access, item=TOUCHED)
    agent.await_state("on", 30)
    app = App(lab, agent, "lights", "lights")
    lab.equal(app.accessories, [], "accessories")
    start = time.monotonic()
    app.call("ShowPicker")
    app.await_event("pickerDidPresent")
    accessory = app.await_accessory()
    lab.figure(f"{access} touched after s", time.monotonic() - start)
    lab.check("Lumo bulb" in agent.tool("list"), "the accessory is in the operator's list")
    check_hidden(lab, agent, accessory)
    agent.tool("rename", "Lumo bulb", "Desk")
    lab.equal(app.await_event("accessoryChanged")["accessory"]["displayName"], "Desk", "its name")
    agent.tool("remove", "Desk", "--yes")
    removed = app.await_event("accessoryRemoved")["accessory"]["identifier"]
    lab.equal(removed, accessory, "the accessory that was removed")
    app.call("ShowPicker")
    app.await_event("pickerDidPresent")
    check_refused(lab, agent)
    start = time.monotonic()
    agent.tool("allow", "lights", BULB)
    app.await_accessory()
    lab.figure(f"{access} allowed again after s", time.monotonic() - start)
    app.close()
    agent.end()
    controller.end()


def scenario(lab):
    for access in ("exclusive", "shared"):
        run(lab, access)
