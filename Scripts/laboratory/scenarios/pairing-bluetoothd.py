# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing through bluetoothd: the same transcripts as through the kernel; its restart, and a bond that it removes."""

import time

import bluetoothd
import bonds
import hci
from agent import Refusal
from peer import IDENTITY
from sessions import AppSession, Operator

PATIENCE = 900
# bluetoothd has the accessory's channel after pairing; the agent gets it for the app within this time.
FREE_SECONDS_MAX = 5


def rows(peer):
    return (("none", None, "justWorks"), ("display", bonds.enter_digits(peer), "digitsEntered"),
            ("keyboard", bonds.show_digits(peer), "digitsShown"), ("yesno", bonds.compare(peer), "digitsCompared"))


def transcripts(lab, peer, agent, owner, act):
    """Pairs in each way; `act` follows each pairing. Returns what operator and app received, by method."""
    app, operator = AppSession(agent), Operator(agent)
    seen = {}
    for io, answer, method in rows(peer):
        peer.order(f"io {io}")
        peer.order("rotate")
        operator.take_seen()
        start = time.monotonic()
        reply = bonds.pair(lab, peer, agent, app, operator, answer)
        lab.figure(f"\n         {owner} {method} s", round(time.monotonic() - start, 2))
        lab.equal(reply["pairing"], method, "how it was paired")
        seen[method] = operator.take_seen()
        accessory = bonds.listed(agent)[0]
        lab.equal((accessory["bond"], accessory["bondOwner"], accessory["isBondAuthenticated"], accessory["address"]),
                  ("bonded", owner, method != "justWorks", IDENTITY), "the bond in the list")
        act(app)
    operator.close()
    peer.order("io none")
    return seen


def connect_soon(lab, app):
    """Connects as soon as the channel is free. Returns how long that took."""
    start = time.monotonic()
    while True:
        try:
            bonds.check_secret(lab, app)
            break
        except Refusal:
            lab.check(time.monotonic() - start <= FREE_SECONDS_MAX, "the channel is free")
            time.sleep(0.1)
    took = time.monotonic() - start
    lab.figure("channel free after s", round(took, 2))
    lab.check(took <= FREE_SECONDS_MAX, f"the channel was free after {took:.1f} s")


def use(lab, peer, agent, daemon, app):
    """What follows a pairing through bluetoothd: the app's connection, the identity, the removal."""
    connect_soon(lab, app)
    bonds.await_end(lab, peer, agent)
    lab.figure("identity s", round(bonds.check_identity(lab, peer, agent), 2))
    lab.equal(daemon.bonded(), [IDENTITY], "bluetoothd's bonds")
    remove(lab, peer, agent, daemon, app)


def remove(lab, peer, agent, daemon, app):
    agent.tool("remove", app.identifier, "--yes")
    app.expect("accessoryRemoved")
    lab.until(lambda: not daemon.bonded(), "bluetoothd has no bonds", 10)
    bonds.check_no_keys(lab, peer.index)
    bonds.await_end(lab, peer, agent)
    peer.order("forget")


def show_restart(lab, peer, agent, daemon, app):
    """The bond outlives a restart of bluetoothd, after which the device's object has another path."""
    paths = set(daemon.devices())
    daemon.end()
    daemon.start()
    lab.until(lambda: daemon.is_running and ready(daemon) == [IDENTITY], "bluetoothd has the bond again", 20)
    lab.check(set(daemon.devices()) != paths, "the device's object has another path")
    agent.await_state("on", 30)
    peer.order("rotate")
    lab.until(lambda: bonds.listed(agent)[0]["isInSight"], "the accessory is in sight", 30)
    peer.skip()
    connect_soon(lab, app)
    lab.check("asked to pair" not in [row[1] for row in peer.lines()[peer.read_count:]], "it is not paired again")
    bonds.await_end(lab, peer, agent)


def ready(daemon):
    try:
        return daemon.bonded()
    except bluetoothd.ScenarioError:
        return None


def show_lost(lab, peer, agent, app, name, lose):
    identifier = app.identifier
    lose()
    if name == "the device forgot":
        lab.figure(f"\n         {name}", app.refusal().parameters["reason"])
    app.expect("accessoryChanged")
    lab.equal(app.accessories[identifier]["bond"], "lost", f"{name}: the accessory's bond")
    refusal = app.refusal()
    lab.figure(f"\n         {name}, then", refusal.parameters["reason"])
    bonds.await_end(lab, peer, agent)
    output = agent.tool("pair", identifier, "--yes", with_errors=True)
    app.expect("accessoryChanged")
    lab.equal((app.accessories[identifier]["bond"], app.identifier), ("bonded", identifier), f"paired again: {output}")
    connect_soon(lab, app)
    bonds.await_end(lab, peer, agent)


def show_kept(lab, peer, agent, daemon):
    """One bond, a restart of bluetoothd, and both ways of losing it."""
    app, operator = AppSession(agent), Operator(agent)
    peer.order("rotate")
    bonds.pair(lab, peer, agent, app, operator)
    operator.close()
    connect_soon(lab, app)
    bonds.await_end(lab, peer, agent)
    show_restart(lab, peer, agent, daemon, app)
    show_lost(lab, peer, agent, app, "the device forgot", lambda: peer.order("forget"))
    show_lost(lab, peer, agent, app, "bluetoothctl remove", lambda: (
        daemon.control("remove", IDENTITY), peer.order("forget")))
    remove(lab, peer, agent, daemon, app)


def scenario(lab):
    peer = lab.peer()
    bluetoothd.forget_all()
    agent = bonds.start_agent(lab, peer)
    through_kernel = transcripts(lab, peer, agent, "gateway", lambda app: bonds.remove(lab, peer, agent, app))
    lab.equal(agent.end(), 0, "the agent's exit status")

    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer)
    through_daemon = transcripts(lab, peer, agent, "bluetoothd", lambda app: use(lab, peer, agent, daemon, app))
    lab.equal(through_daemon, through_kernel, "what operators see, through bluetoothd and through the kernel")
    show_kept(lab, peer, agent, daemon)
    lab.equal(agent.end(), 0, "the agent's exit status")
