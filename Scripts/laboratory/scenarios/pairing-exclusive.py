# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing in exclusive access: the adapter is let go and taken again, which operators see; beside bluetoothd it fails."""

import time

import bluetoothd
import bonds
import hci
from peer import IDENTITY
from sessions import AppSession, Operator

PATIENCE = 600
GAP_SECONDS_MAX = 3


def radio_changes(stream):
    changes = []
    while reply := stream.poll():
        if change := reply.get("radioChanged"):
            changes.append(change)
    return changes


def show_gap(lab, peer, agent, app, operator, name):
    """Pairs, and measures how long the agent did not scan."""
    with agent.client() as stream:
        stream.send("Watch", more=True)
        app.call("ShowPicker")
        request = operator.request_of("lights")
        operator.candidate_of(request, bonds.addresses(peer))
        lab.check(operator.requests[request].get("pairingNote"), "the operator is warned of the pause")
        start = time.monotonic()
        reply = operator.choose(request, bonds.addresses(peer)).result()
        agent.await_state("on", 30)
        lab.until(lambda: not peer.is_deaf(), "the adapter scans again", 10)
        gaps = [on - off for off, on in peer.pauses(start, time.monotonic())]
        lab.figure(f"{name} gap s", round(max(gaps), 2))
        lab.figure("deaf in all s", round(sum(gaps), 2))
        lab.check(max(gaps) <= GAP_SECONDS_MAX, f"the adapter was deaf for {max(gaps):.1f} s")
        changes = radio_changes(stream)
        lab.figure("radioChanged", len(changes))
        lab.check(len(changes) >= 2, f"the stream has the pause and its end: {changes}")
    app.expect(*bonds.SETUP)
    return reply


def scenario(lab):
    peer = lab.peer()
    peer.order("rotate")
    bluetoothd.forget_all()
    agent = bonds.start_agent(lab, peer, access="exclusive")
    app, operator = AppSession(agent), Operator(agent)
    reply = show_gap(lab, peer, agent, app, operator, "Just Works")
    lab.equal(reply["pairing"], "justWorks", "how it was paired")
    # The bond is good for the identity alone.
    lab.figure("identity s", round(bonds.check_identity(lab, peer, agent), 2))
    lab.equal(app.refusal().name, "InvalidRequest", "a connection in exclusive access")
    lab.check(not bonds.keys(peer.index, "ltk"), "the kernel has no keys while the agent has the adapter")
    agent.kill()
    agent.start_again()
    agent.await_state("on", 30)
    lab.figure("restarted, identity s", round(bonds.check_identity(lab, peer, agent), 2))
    app = AppSession(agent)
    agent.tool("remove", app.identifier, "--yes")
    lab.equal(bonds.listed(agent), [], "the app's accessories")
    peer.order("forget")

    # bluetoothd takes the adapter as soon as the agent lets it go.
    lab.bluetoothd(auto_enable=False)
    operator = Operator(agent)
    app = AppSession(agent)
    app.call("ShowPicker")
    refusal = operator.choose(operator.request_of("lights"), bonds.addresses(peer)).refusal()
    lab.equal(refusal.name, "SetupFailed", "the error beside bluetoothd")
    lab.check("bluetoothd" in refusal.parameters["reason"], f"the reason: {refusal.parameters['reason']}")
    lab.equal(agent.radio()["state"], "on", "the radio, which was not let go")
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.check(hci.flags(peer.index) is not None and IDENTITY not in str(bonds.keys(peer.index, "ltk")), "no key is left")
