# SPDX-License-Identifier: GPL-3.0-or-later
"""An app asks an accessory that awaits authorization for its network's name, and finishes, fails, is silent, or is killed."""

import os
import signal
import struct

import bonds
import hci
from apps import SERVICE
from relay import DICE
from sessions import AppSession, Operator

PATIENCE = 500
# The characteristic whose value is the name of the accessory's network, and that name.
NAME, NETWORK = struct.pack("<H", 0xFF02), "short"
MANIFEST = f"""schema = 1
[gateway]
radio = "hci{{index}}"
access = "shared"
board = "virtual"
[app.lights]
user = "lights"
supports = ["Bluetooth", "WiFi"]
bluetooth-services = ["{SERVICE}"]
[[app.lights.item]]
name = "Dice"
descriptor.bluetooth-service-uuid = "{SERVICE}"
descriptor.ssid-prefix = "sho"
"""
# ASAccessory.AccessoryState.
AWAITING, AUTHORIZED = 10, 20
# How long an app may take (design, section 7), and some more.
SILENCE_SECONDS = 150
# A link ends at the latest this long after its app.
END_SECONDS_MAX = 12


def connected(agent):
    return agent.status()["accessoriesConnected"]


def await_end(lab, agent):
    lab.until(lambda: connected(agent) == 0, "the link ends", END_SECONDS_MAX)


def set_up(lab, operator, app, addresses):
    """An operator chooses the accessory, which awaits the app then. Returns its identifier."""
    app.call("ShowPicker")
    accessory = operator.set_up("lights", addresses)["accessory"]
    lab.until(lambda: app.read() and accessory in app.accessories, "the app has the accessory")
    lab.equal(app.accessories[accessory]["state"], AWAITING, "the accessory's state")
    return accessory


def show_finished(lab, agent, app, other):
    """The session that asked reads the name, and finishes with it; its connection goes on."""
    accessory = set_up(lab, Operator(agent), app, DICE)
    refusal = other.refusal(accessory=accessory)
    lab.equal((refusal.name, refusal.parameters["field"]), ("InvalidRequest", "accessory"), "another session is refused")
    lab.equal(app.call("Resolve", accessory=accessory)["address"], DICE, "the address")
    link = app.connect(accessory)
    name = link.read(NAME).decode()
    lab.equal(name, NETWORK, "the network's name")
    finished = app.call("FinishAuthorization", accessory=accessory, ssid=name)["accessory"]
    lab.equal((finished["state"], finished["ssid"]), (AUTHORIZED, NETWORK), "the accessory")
    lab.equal(link.read(NAME).decode(), NETWORK, "what the connection reads afterwards")
    link.close()
    await_end(lab, agent)
    remove(lab, agent, app, accessory)


def remove(lab, agent, app, accessory):
    agent.tool("remove", accessory, "--yes")
    lab.until(lambda: app.read() is not None and accessory not in app.accessories, "the app has lost the accessory")


def show_undone(lab, agent, app, is_silent):
    """The app reads, and gives the accessory back or says nothing more. Nothing stays."""
    accessory = set_up(lab, Operator(agent), app, DICE)
    link = app.connect(accessory)
    lab.equal(link.read(NAME).decode(), NETWORK, "the network's name")
    if not is_silent:
        app.call("FailAuthorization", accessory=accessory)
    lab.until(
        lambda: app.read() is not None and accessory not in app.accessories, "the setup is undone", SILENCE_SECONDS)
    await_end(lab, agent)
    link.close()
    lab.equal(bonds.listed(agent), [], "accessories")
    lab.equal(app.refusal(accessory=accessory).name, "InvalidRequest", "the app has no right any more")


def show_killed(lab, agent):
    """The app is killed while it is connected. Its next run finds the accessory waiting, and finishes it."""
    operator, child = Operator(agent), os.fork()
    if child == 0:
        try:
            app = AppSession(agent)
            app.call("ShowPicker")
            lab.until(lambda: app.read() and app.accessories, "the app has the accessory", 60)
            link = app.connect()
            while link:
                signal.pause()
        finally:
            os._exit(1)
    try:
        accessory = operator.set_up("lights", DICE)["accessory"]
        lab.until(lambda: connected(agent) == 1, "the app is connected", 60)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    await_end(lab, agent)
    app = AppSession(agent)
    lab.equal(app.accessories[accessory]["state"], AWAITING, "the accessory's state at the next run")
    lab.equal(app.refusal(accessory=accessory).name, "InvalidRequest", "the next run did not ask for it")
    app.call("FinishAuthorization", accessory=accessory, ssid=NETWORK)
    link = app.connect(accessory)
    lab.equal(link.read(NAME).decode(), NETWORK, "the network's name")
    link.close()


def show_bonded(lab):
    """A bonded accessory can be connected, and has no address for its app, before it is authorized and after."""
    peer = lab.peer("--others", "0")
    agent = bonds.start_agent(lab, peer, item='setup-options = ["confirmAuthorization"]')
    app = AppSession(agent)
    accessory = set_up(lab, Operator(agent), app, bonds.addresses(peer))
    for state in (AWAITING, AUTHORIZED):
        lab.equal(app.accessories[accessory]["state"], state, "the accessory's state")
        lab.equal(app.refusal("Resolve", accessory).name, "InvalidRequest", "a bonded accessory's address is the agent's")
        link = app.connect(accessory)
        lab.equal(link.read(bonds.SECRET), b"sesame", "what only a bond may read")
        link.close()
        await_end(lab, agent)
        if state == AWAITING:
            app.call("FinishAuthorization", accessory=accessory)
            lab.until(lambda: app.read() and app.accessories[accessory]["state"] == AUTHORIZED, "it is authorized")
    lab.equal(agent.end(), 0, "the agent's exit status")


def scenario(lab):
    dice = lab.bumble_dice()
    hci.take_up(dice.adapter.index)
    agent = lab.agent(manifest=MANIFEST.format(index=dice.adapter.index))
    agent.await_state("on", 30)
    app, other = AppSession(agent), AppSession(agent)
    show_finished(lab, agent, app, other)
    show_undone(lab, agent, app, is_silent=False)
    show_undone(lab, agent, app, is_silent=True)
    show_killed(lab, agent)
    lab.equal(agent.end(), 0, "the agent's exit status")
    show_bonded(lab)
