# SPDX-License-Identifier: GPL-3.0-or-later
"""A camera that is found by its network: picked, confirmed, renamed, renamed outside, removed, and added again."""

import time

import networks
import steps
from agent import Refusal
from sessions import SESSION, AppSession, Operator

PATIENCE = 600
AWAITING, AUTHORIZED = 10, 20
PORCH = "C4:A1:00:00:2F:14"
SCENE = f"""schema = 1
seed = 1
[[device]]
name = "porch camera"
address = "{PORCH}"
address-type = "static"
interval = "200ms"
payload = [{{ flags = 0x6 }}, {{ company = "0x0EEE", data = "0200" }}]
dbm = -60
"""
# Two apps look for the same networks; one of them also for a camera that Bluetooth finds and that is joined by network.
APPS = """[app.camera]
user = "camera"
supports = ["Bluetooth", "WiFi"]
bluetooth-company-identifiers = ["0x0EEE"]
[[app.camera.item]]
name = "Gate camera"
setup-options = ["confirmAuthorization"]
descriptor.ssid-prefix = "Cam-"
[[app.camera.item]]
name = "Porch camera"
descriptor.bluetooth-company-identifier = "0x0EEE"
descriptor.bluetooth-manufacturer-data-blob = "02"
descriptor.bluetooth-manufacturer-data-mask = "ff"
descriptor.ssid-prefix = "Porch-"
[[app.camera.item]]
name = "For scans without a picker"
select = "automatic"
descriptor.ssid = "No such network"
[app.garden]
user = "lights"
supports = ["WiFi"]
[[app.garden.item]]
name = "Garden camera"
descriptor.ssid-prefix = "Cam-"
"""


class Watch:
    """The events of networks, as the words of each."""

    def __init__(self, agent):
        self.stream, self.events = agent.client(), []
        self.stream.send("Watch", more=True)

    def has(self, *words):
        while reply := self.stream.poll():
            if event := reply.get("network"):
                self.events.append((event["event"], event["app"], event["ssid"], event["reason"]))
        return words in self.events


def refuse(lab, call, what):
    try:
        call()
    except Refusal as refusal:
        return lab.equal(refusal.name, "InvalidRequest", what)
    return lab.check(False, f"{what} succeeds")


def pick(lab, agent, app, operator, name, state, sees=None):
    """The operator chooses a candidate for the app, after `sees`, if that is given. Returns the new accessory."""
    before = set(app.accessories)
    # The operator may learn later than the app that the request before is over.
    operator.expect_closed()
    begin = time.monotonic()
    app.call("ShowPicker")
    request = operator.request_of("camera")
    if sees:
        sees()
    operator.candidate_of(request, name)
    offered = {candidate.get("ssid") for (of, _), candidate in operator.candidates.items() if of == request} - {None}
    lab.equal(offered, {name} - {PORCH}, "the networks that can be chosen")
    lab.figure(f"\n         {name} in sight after s", time.monotonic() - begin)
    operator.choose(request, name).result()
    app.expect("pickerDidPresent", "accessoryAdded")
    new, = set(app.accessories) - before
    lab.equal(app.accessories[new]["state"], state, f"the state of {name}")
    return new


def finish(lab, app, accessory, network, **parameters):
    app.call("FinishAuthorization", accessory=accessory, **parameters)
    app.expect("accessoryChanged", "pickerDidDismiss", "pickerFinished")
    found = app.accessories[accessory]
    lab.equal((found["state"], found["ssid"]), (AUTHORIZED, network), "the accessory that its app has confirmed")


def rename(lab, agent, app, operator, accessory, name):
    """The app asks for a name, which becomes the network's, too."""
    with agent.client(app.user) as client:
        client.socket.settimeout(90)
        client.send(SESSION + "RenameAccessory", session=app.token, accessory=accessory, renameOptions=1)
        operator.call("Name", request=operator.request_of("camera", "rename"), name=name)
        client.receive()
    app.expect("accessoryChanged")
    found = app.accessories[accessory]
    lab.equal((found["displayName"], found["ssid"]), (name, name), "the renamed accessory")


def scenario(lab):
    controller = lab.controller(SCENE)
    radios = networks.Radios(lab)
    radios.send([b"Cam-0001", b"Cam", b"Home"])
    agent = steps.start_scanning(lab, controller, "shared", more=f'wifi = "{networks.INTERFACE}"', item=APPS)
    app, other, operator = AppSession(agent, "camera"), AppSession(agent, "garden", "lights"), Operator(agent)
    watch = Watch(agent)

    gate = pick(lab, agent, app, operator, "Cam-0001", AWAITING)
    refuse(lab, lambda: app.call("FinishAuthorization", accessory=gate, ssid="Cam-0002"), "another network's name")
    finish(lab, app, gate, "Cam-0001", ssid="Cam-0001")
    lab.check(watch.has("found", "camera", "Cam-0001", "matched"), f"the watch shows it: {watch.events}")

    rename(lab, agent, app, operator, gate, "Cam-gate")
    radios.send([b"Cam-gate"])
    lab.until(lambda: watch.has("lost", "camera", "Cam-0001", "silence"), "its old name is lost", 200, 1)
    lab.check("Cam-gate" in agent.tool("list"), "the operator's list has its name")

    # Its own network is not offered; one with another name is another accessory.
    lab.until(lambda: watch.has("found", "camera", "Cam-gate", "matched"), "its new name is found")
    moved = pick(lab, agent, app, operator, "Cam-9", AWAITING, sees=lambda: radios.send([b"Cam-gate", b"Cam-9"]))
    finish(lab, app, moved, "Cam-9")

    lab.equal(other.take_events(), [], "events of the other app")
    refuse(lab, lambda: other.call("RemoveAccessory", accessory=gate), "the removal by another app")
    for accessory in (gate, moved):
        app.call("RemoveAccessory", accessory=accessory)
        app.expect("accessoryRemoved")
    radios.send([b"Cam-gate"])
    lab.until(lambda: watch.has("lost", "camera", "Cam-9", "silence"), "the second name is lost", 200, 1)
    again = pick(lab, agent, app, operator, "Cam-gate", AWAITING)
    lab.check(again != gate, "the accessory that was added again has another identifier")
    finish(lab, app, again, "Cam-gate")

    porch = pick(lab, agent, app, operator, PORCH, AWAITING)
    lab.check("ssid" not in app.accessories[porch], "only the beginning of its network's name is known")
    refuse(lab, lambda: app.call("FinishAuthorization", accessory=porch), "an authorization without a name")
    refuse(lab, lambda: app.call("FinishAuthorization", accessory=porch, ssid="Cam-9"), "a name with another beginning")
    finish(lab, app, porch, "Porch-7", ssid="Porch-7")
    lab.equal(agent.end(), 0, "the agent's exit status")
    radios.end()
    controller.end()
