# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGTERM and SIGKILL while a person names a device that is paired already: no bond stays, in the kernel or in bluetoothd,
with SIGTERM not even until the next run."""

import time

import bluetoothd
import bonds
import hci
from sessions import AppSession, Operator

PATIENCE = 600
# The person types the accessory's name before it is written.
NAMED = 'setup-options = ["rename"]'


def await_naming(lab, peer, agent, has_bond, is_on_behalf=False):
    """A device is paired, and its accessory not written, for an app or for an operator on its behalf. Returns who has the
    request open."""
    operator, app = Operator(agent), AppSession(agent)
    peer.order("rotate")
    if is_on_behalf:
        opener = operator.begin("Open", more=True, app="lights")
    else:
        opener = app
        app.call("ShowPicker")
    request = operator.request_of("lights")
    operator.choose(request, bonds.addresses(peer))
    lab.until(lambda: operator.read() or operator.requests[request]["phase"] == "naming", "a name is asked for", 30)
    lab.until(has_bond, "there is a bond", 10)
    return opener


def stop_while_naming(lab, peer, agent, owner, has_bond, has_no_bond):
    """Stops the agent after pairing and before the accessory is written. Nothing stays."""
    for name, is_on_behalf in ((f"{owner}, app", False), (f"{owner}, operator", True)):
        opener = await_naming(lab, peer, agent, has_bond, is_on_behalf)
        start = time.monotonic()
        lab.equal(agent.end(), 0, "the agent's exit status")
        lab.figure(f"{name}, stopped s", round(time.monotonic() - start, 1))
        lab.check(has_no_bond(), "the bond is removed when the agent has ended")
        del opener
        agent.start_again()
        agent.await_state("on", 30)
        peer.order("forget")


def kill_while_naming(lab, peer, agent, has_bond, has_no_bond, is_noted=None):
    """Kills the agent after pairing and before the accessory is written. Nothing stays, and the device can be set up."""
    opener = await_naming(lab, peer, agent, has_bond)
    # The disk takes some time, and a kill before it leaves the bond.
    if is_noted:
        lab.until(lambda: is_noted(agent), "the registry has the removal", 10)
    agent.kill()
    del opener
    lab.check(has_bond(), "the bond outlives the agent")
    agent.start_again()
    agent.await_state("on", 30)
    # A removal that bluetoothd refuses is tried again after a minute.
    start = time.monotonic()
    lab.until(has_no_bond, "the bond is removed", 80)
    lab.figure("killed, removed after s", round(time.monotonic() - start, 1))
    lab.equal(bonds.listed(agent), [], "the app's accessories")
    bonds.await_end(lab, peer, agent)
    for order in ("forget", "rotate"):
        peer.order(order)

    operator, app = Operator(agent), AppSession(agent)
    app.call("ShowPicker")
    reply = operator.set_up("lights", bonds.addresses(peer), name="Front door")
    lab.equal(reply["displayName"], "Front door", "the accessory's name")
    app.expect("pickerDidPresent", "pickerSetupPairing", "pickerSetupRename", "accessoryAdded", "pickerDidDismiss",
               "pickerFinished")
    lab.check(has_bond(), "the new bond is kept")
    bonds.await_end(lab, peer, agent)
    return app


def scenario(lab):
    peer = lab.peer("--others", "0")
    bluetoothd.forget_all()
    agent = bonds.start_agent(lab, peer, item=NAMED)
    has_bond, has_no_bond = lambda: bonds.has_keys(peer.index), lambda: not bonds.has_keys(peer.index)
    stop_while_naming(lab, peer, agent, "gateway", has_bond, has_no_bond)
    app = kill_while_naming(lab, peer, agent, has_bond, has_no_bond)
    bonds.remove(lab, peer, agent, app)
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.figure("through the kernel, bonds left", 0)

    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer, item=NAMED)
    stop_while_naming(lab, peer, agent, "bluetoothd", daemon.bonded, lambda: not daemon.bonded())
    is_noted = lambda agent: "removal" in agent.tool("registry", "export").lower()
    app = kill_while_naming(lab, peer, agent, daemon.bonded, lambda: not daemon.bonded(), is_noted)
    agent.tool("remove", app.identifier, "--yes")
    lab.until(lambda: not daemon.bonded(), "bluetoothd has no bonds", 10)
    bonds.check_no_keys(lab, peer.index)
    lab.figure("through bluetoothd, bonds left", 0)
    lab.equal(agent.end(), 0, "the agent's exit status")
