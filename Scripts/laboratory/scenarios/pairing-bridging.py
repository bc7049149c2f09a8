# SPDX-License-Identifier: GPL-3.0-or-later
"""A device for LE and BR/EDR: the link key that comes with the pairing is kept, loaded again, and named to the app, and it
is named, too, where bluetoothd keeps it."""

import bluetoothd
import bonds
import hci
from peer import PUBLIC
from sessions import AppSession, Operator

PATIENCE = 300
OPTIONS = '"bluetoothPairingLE", "bluetoothTransportBridging"'
EVENTS = ["pickerDidPresent", "pickerSetupPairing", "pickerSetupBridging", "accessoryAdded", "pickerDidDismiss",
          "pickerFinished"]


def has_link_key(peer):
    return any(PUBLIC.lower() in line for line in bonds.keys(peer.index, "link key"))


def pair(lab, peer, agent):
    """Sets the device up, and returns the app that it belongs to."""
    app, operator = AppSession(agent), Operator(agent)
    app.call("ShowPicker")
    operator.set_up("lights", PUBLIC)
    app.expect(*EVENTS)
    lab.check(has_link_key(peer), "the kernel has the link key")
    identifier = app.accessories[app.identifier].get("bluetoothTransportBridgingIdentifier")
    lab.equal(identifier, PUBLIC.replace(":", "").lower(), "the identifier for bridging")
    return app


def scenario(lab):
    peer = lab.peer("--classic", "--public")
    bluetoothd.forget_all()
    agent = bonds.start_agent(lab, peer, options=OPTIONS)
    pair(lab, peer, agent)
    lab.figure("it was", peer.find(" paired ")[0].split(" ", 1)[1])
    bonds.await_end(lab, peer, agent)

    # The adapter's keys go with it.
    peer.order("replug")
    peer.await_adapter()
    agent.await_state("on", 30)
    lab.until(lambda: has_link_key(peer), "the link key is loaded after replugging", 10)
    lab.equal(agent.end(), 0, "the agent's exit status")
    peer.order("replug")
    peer.await_adapter()
    lab.check(not has_link_key(peer), "a new adapter has no keys")
    agent.start_again()
    agent.await_state("on", 30)
    lab.until(lambda: has_link_key(peer), "the link key is loaded after a restart", 10)
    app = AppSession(agent)
    bonds.check_secret(lab, app)
    bonds.await_end(lab, peer, agent)
    agent.tool("remove", app.identifier, "--yes")
    bonds.check_no_keys(lab, peer.index)
    lab.equal(agent.end(), 0, "the agent's exit status")

    peer.order("forget")
    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer, options=OPTIONS)
    app = pair(lab, peer, agent)
    lab.equal(daemon.bonded(), [PUBLIC], "bluetoothd's bonds")
    agent.tool("remove", app.identifier, "--yes")
    lab.until(lambda: not daemon.bonded(), "bluetoothd has no bonds", 10)
    bonds.check_no_keys(lab, peer.index)
    lab.equal(agent.end(), 0, "the agent's exit status")
