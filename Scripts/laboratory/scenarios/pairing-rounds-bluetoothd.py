# SPDX-License-Identifier: GPL-3.0-or-later
"""A hundred pairings and removals through bluetoothd: its list and the kernel's are empty, memory does not grow."""

import bluetoothd
import bonds
import hci
from sessions import AppSession, Operator

WHEN = "release"
PATIENCE = 1800
ROUNDS, FIRST = 100, 10
GROWTH_KILOBYTES_MAX = 100
# 11,712 to 12,040 were measured.
RESIDENT_KILOBYTES_MAX = 13_300


def scenario(lab):
    # Alone on the air, and without data in its scan response: bluetoothd finds it all the same.
    peer = lab.peer("--others", "0")
    bluetoothd.forget_all()
    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer, apps=bonds.UNPAIRED)
    app, operator = AppSession(agent), Operator(agent)
    bonds.fill_registry(peer, agent, operator)
    resident, before = agent.usage().resident, None
    lab.check(resident <= RESIDENT_KILOBYTES_MAX, f"the agent has {resident} kB in memory before its first bond")
    for number in bonds.paced(ROUNDS):
        peer.order("rotate")
        bonds.pair(lab, peer, agent, app, operator)
        if number == 1:
            bonds.fill_events(app, operator)
        bonds.remove_accessory(agent, app)
        lab.until(lambda: not daemon.bonded(), "bluetoothd has no bonds", 10)
        bonds.check_no_keys(lab, peer.index)
        bonds.await_end(lab, peer, agent)
        peer.order("forget")
        if number == FIRST:
            before = bonds.settled_usage(lab, agent)
    after = bonds.settled_usage(lab, agent)
    growth = after.anonymous - before.anonymous
    lab.figure("RSS kB before", resident)
    lab.figure("after", after.resident)
    lab.figure("growth of RssAnon kB", growth)
    lab.figure("descriptors", after.descriptors)
    lab.check(growth <= GROWTH_KILOBYTES_MAX, f"memory grew by {growth} kB")
    lab.equal(after.descriptors, before.descriptors, "descriptors")
    lab.equal(daemon.bonded(), [], "bluetoothd's bonds")
    lab.equal(agent.end(), 0, "the agent's exit status")
