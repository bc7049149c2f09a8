# SPDX-License-Identifier: GPL-3.0-or-later
"""An app asks for a bulb, a touch on the real radio gives it one, and an operator takes it away, in both manners."""

import pwd
import time

SESSION = "io.accessoryd.Session."
# What the item has beside what those of all scenarios have.
TOUCHED = """select = "touch"
descriptor.bluetooth-range = "immediate"
"""
BULB = "C4:A1:00:00:1E:27"


class App:
    """A program of the account "lights"."""

    def __init__(self, lab, agent):
        self.lab = lab
        user = pwd.getpwnam("lights").pw_uid
        self.stream, self.calls = agent.client(user), agent.client(user)
        self.stream.send(SESSION + "Activate", more=True, app="lights")
        self.token = None

    def awaits(self, name):
        while True:
            reply = self.stream.receive()
            self.token = reply.get("session") or self.token
            event = reply.get("event")
            if event and event["event"] == name:
                return event

    def call(self, method, **parameters):
        return self.calls.call(SESSION + method, session=self.token, **parameters)

    def close(self):
        self.stream.socket.close()
        self.calls.socket.close()


def tell(lab, access):
    controller = lab.controller("/lab/Config/story-room.toml")
    agent = lab.agent(radio=controller.name_of_adapter, access=access, item=TOUCHED)
    agent.await_state("on", 30)
    app = App(lab, agent)
    app.awaits("activated")
    start = time.monotonic()
    app.call("ShowPicker")
    app.awaits("pickerDidPresent")
    added = app.awaits("accessoryAdded")
    lab.figure(f"{access} touched after s", time.monotonic() - start)
    accessory = added["accessory"]["identifier"]
    lab.equal(app.call("Resolve", accessory=accessory)["address"], BULB, "the address of the accessory")
    app.awaits("pickerDidDismiss")
    lab.check("Lumo bulb" in agent.tool("list"), "the operator sees it")
    agent.tool("remove", "Lumo bulb", "--yes")
    lab.equal(app.awaits("accessoryRemoved")["accessory"]["identifier"], accessory, "the accessory that was removed")
    app.close()
    agent.end()
    controller.end()


def scenario(lab):
    for access in ("exclusive", "shared"):
        tell(lab, access)
