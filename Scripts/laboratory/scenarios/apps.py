# SPDX-License-Identifier: GPL-3.0-or-later
"""The example apps set up dice that bumble plays, connect to them, and receive their rolls."""

import apps
import hci
from relay import DICE

PATIENCE = 400


def await_no_connection(lab, agent, dice):
    lab.until(
        lambda: not dice.adapter.is_connected and agent.status()["accessoriesConnected"] == 0, "the connection ends")


def run_dice(lab, agent, dice):
    """Adds the dice, rolls them, changes a setting, removes them and adds them again."""
    app = apps.App(lab, agent, "lights", "dice")
    app.expect("activated: 0 accessories")
    for roll in (5, 2):
        app.say("add")
        apps.choose(agent, "dice", DICE, "Dice")
        app.expect("accessoryAdded: Dice", "picker: done", "connected: Dice", "ready", "sides: 6")
        dice.adapter.order(f"roll {roll}")
        app.expect(f"rolled: {roll}")
        app.say("sides 20")
        app.expect("sides: 20")
        app.say("sides 6")
        app.expect("sides: 6")
        app.say("remove")
        app.expect("accessoryRemoved: Dice", "remove: done")
        await_no_connection(lab, agent, dice)
    app.quit()


def run_devices(lab, agent, dice):
    """Adds the dice in a picker, and finds them in a list; each time a roll arrives."""
    app = apps.App(lab, agent, "climate", "devices", "picker")
    app.expect("ready: 0 devices")
    app.say("find")
    apps.choose(agent, "devices", DICE, "Dice")
    app.expect("found: Dice, dice", "ended: done")
    connect(app, dice, 3)
    dice.adapter.drop()
    app.expect("connected: Dice", f"subscribed to {apps.ROLL}")
    app.quit()
    await_no_connection(lab, agent, dice)

    app = apps.App(lab, agent, "climate", "devices", "list")
    app.expect("ready: 0 devices")
    app.say("find")
    app.expect("found: Dice, dice")
    connect(app, dice, 1)
    app.quit()
    await_no_connection(lab, agent, dice)


def connect(app, dice, roll):
    app.say("connect Dice")
    app.expect("connected: Dice", f"subscribed to {apps.ROLL}")
    dice.adapter.order(f"roll {roll}")
    app.expect(f"Dice sends {roll:02x}")


def scenario(lab):
    dice = lab.bumble_dice()
    hci.take_up(dice.adapter.index)
    agent = lab.agent(manifest=apps.MANIFEST.format(index=dice.adapter.index))
    agent.await_state("on", 30)
    run_dice(lab, agent, dice)
    run_devices(lab, agent, dice)
    lab.equal(int(agent.metrics()["accessory_connections_total"]), dice.adapter.connections, "connections")
    lab.equal(agent.end(), 0, "the agent's exit status")
