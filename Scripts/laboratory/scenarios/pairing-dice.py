# SPDX-License-Identifier: GPL-3.0-or-later
"""The dice of the library's examples, which pair: the app adds them, rolls them over an encrypted link, and removes them."""

import apps
import bonds
from sessions import Operator

PATIENCE = 400


def scenario(lab):
    peer = lab.peer("--dice")
    peer.order("rotate")
    peer.await_adapter()
    agent = lab.agent(manifest=apps.MANIFEST.format(index=peer.index))
    agent.await_state("on", 30)
    operator = Operator(agent)
    app = apps.App(lab, agent, "lights", "dice")
    app.expect("activated: 0 accessories")
    for roll in (5, 2):
        app.say("add paired")
        reply = operator.set_up("dice", bonds.addresses(peer), name="Dice")
        lab.equal(reply["pairing"], "justWorks", "how the dice were paired")
        app.expect("accessoryAdded: Dice", "picker: done", "connected: Dice", "ready", "sides: 6")
        peer.order(f"notify {roll:02x}")
        app.expect(f"rolled: {roll}")
        app.say("remove")
        app.expect("accessoryRemoved: Dice", "remove: done")
        bonds.check_no_keys(lab, peer.index)
        bonds.await_end(lab, peer, agent)
        peer.order("forget")
        peer.order("rotate")
    app.quit()
    lab.equal(agent.end(), 0, "the agent's exit status")
