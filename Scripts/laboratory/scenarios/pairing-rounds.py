# SPDX-License-Identifier: GPL-3.0-or-later
"""A hundred pairings and removals through the kernel: its lists are empty, memory and descriptors do not grow."""

import bonds
from sessions import AppSession, Operator

WHEN = "release"
PATIENCE = 1500
ROUNDS, FIRST = 100, 10
# How much memory may be used more after the last round than after round FIRST.
GROWTH_KILOBYTES_MAX = 100


def scenario(lab):
    peer = lab.peer("--others", "0")
    agent = bonds.start_agent(lab, peer, apps=bonds.UNPAIRED)
    app, operator = AppSession(agent), Operator(agent)
    bonds.fill_registry(peer, agent, operator)
    before = None
    for number in bonds.paced(ROUNDS):
        peer.order("rotate")
        bonds.pair(lab, peer, agent, app, operator)
        if number == 1:
            bonds.fill_events(app, operator)
        bonds.remove(lab, peer, agent, app)
        bonds.await_end(lab, peer, agent)
        if number == FIRST:
            before = bonds.settled_usage(lab, agent)
    after = bonds.settled_usage(lab, agent)
    growth = after.anonymous - before.anonymous
    lab.figure("RssAnon kB", after.anonymous)
    lab.figure("growth kB", growth)
    lab.figure("descriptors", after.descriptors)
    lab.check(growth <= GROWTH_KILOBYTES_MAX, f"memory grew by {growth} kB")
    lab.equal(after.descriptors, before.descriptors, "descriptors")
    lab.equal(bonds.listed(agent), [], "the app's accessories")
    bonds.check_no_keys(lab, peer.index)
    lab.equal(agent.end(), 0, "the agent's exit status")
