# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing through the kernel and bluetoothd, with the same transcripts; bluetoothd's restart, a bond that it removes, and
lost bonds that are made again through the other."""

import time

import bluetoothd
import bonds
import hci
from agent import Refusal
from peer import IDENTITY
from sessions import AppSession, Operator
import transcripts

PATIENCE = 900
# bluetoothd has the accessory's channel after pairing; the agent gets it for the app within this time.
FREE_SECONDS_MAX = 5
# Other devices that advertise during a pairing. As many reports are counted at least.
OTHERS = 20
# What the agent may have in memory after a setup, while it is connected to bluetoothd.
RESIDENT_KILOBYTES_MAX = 11_776


def rows(peer):
    """What the accessory has, whether it pairs in the legacy way, what the operator does, and the method."""
    return (("none", "off", None, "justWorks"), ("display", "off", bonds.enter_digits(peer), "digitsEntered"),
            ("keyboard", "off", bonds.show_digits(peer), "digitsShown"),
            ("yesno", "off", bonds.compare(peer), "digitsCompared"), ("none", "on", None, "justWorks"),
            ("display", "on", bonds.enter_digits(peer), "digitsEntered"))


def pair_in_each_way(lab, peer, agent, owner, act):
    """Pairs in each way; `act` follows each pairing. Returns what app and operator received, by method."""
    app, operator = AppSession(agent), Operator(agent)
    seen = {}
    for io, legacy, answer, method in rows(peer):
        for order in (f"io {io}", f"legacy {legacy}", "rotate", f"others {OTHERS}"):
            peer.order(order)
        name = f"{owner} {method}{' legacy' if legacy == 'on' else ''}"
        is_authenticated = method != "justWorks"
        before = peer.reports(agent)
        bonds.take_transcript(app, operator)
        start = time.monotonic()
        reply = bonds.pair(lab, peer, agent, app, operator, answer)
        lab.figure(f"\n         {name} s", round(time.monotonic() - start, 2))
        lab.equal((reply["pairing"], reply["isBondAuthenticated"]), (method, is_authenticated), "how it was paired")
        deaf = peer.deaf(start)
        lab.figure(f"{name} deaf s", round(deaf, 2))
        lab.check(deaf <= bonds.DEAF_SECONDS_MAX, f"{name}: the adapter was deaf for {deaf:.2f} s")
        written, read = (after - earlier for after, earlier in zip(peer.reports(agent), before))
        lab.figure(f"{name} reports", f"{read} of {written}")
        lab.check(OTHERS <= read == written, f"{name}: {read} of {written} reports were read")
        peer.order("others 0")
        operator.expect_closed()
        seen[method, legacy] = bonds.take_transcript(app, operator, reply)
        accessory = bonds.listed(agent)[0]
        lab.equal((accessory["bond"], accessory["bondOwner"], accessory["isBondAuthenticated"], accessory["address"]),
                  ("bonded", owner, is_authenticated, IDENTITY), "the bond in the list")
        act(app, operator)
    operator.close()
    for order in ("io none", "legacy off"):
        peer.order(order)
    return seen


def use_through_kernel(lab, peer, agent, app, operator):
    """What follows a pairing through the kernel: the app's connection, the removal."""
    bonds.check_secrecy(lab, peer, agent, app, operator)
    # With a connection of its own: that of the pairing is encrypted already.
    bonds.await_end(lab, peer, agent)
    bonds.check_secret(lab, app)
    bonds.await_end(lab, peer, agent)
    bonds.remove(lab, peer, agent, app)


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


def check_memory(lab, agent):
    """What the agent has in memory while bluetoothd keeps a bond for it."""
    resident = agent.usage().resident
    lab.figure("largest RSS kB", max(resident, lab.figures.get("largest RSS kB", 0)))
    lab.check(resident <= RESIDENT_KILOBYTES_MAX, f"the agent has {resident} kB in memory")


def use(lab, peer, agent, daemon, app):
    """What follows a pairing through bluetoothd: the app's connection, the identity, the removal."""
    check_memory(lab, agent)
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
    reconnect(lab, peer, agent, app)


def reconnect(lab, peer, agent, app):
    """Connects under a new private address, and pairs nothing."""
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
    """One bond, a restart of bluetoothd, what else it outlives, and both ways of losing it."""
    app, operator = AppSession(agent), Operator(agent)
    peer.order("rotate")
    identity = bonds.IdentityWatch(peer, agent)
    bonds.pair(lab, peer, agent, app, operator)
    identity.check(lab, "bluetoothd")
    operator.close()
    connect_soon(lab, app)
    bonds.await_end(lab, peer, agent)
    bonds.check_rotations(lab, peer, agent, app)
    show_restart(lab, peer, agent, daemon, app)
    for name, act in bonds.INTERRUPTIONS.items():
        act(peer, agent)
        app = AppSession(agent)
        reconnect(lab, peer, agent, app)
        lab.figure(f"\n         {name}, and connected under a new address", "yes")
    show_lost(lab, peer, agent, app, "the device forgot", lambda: peer.order("forget"))
    show_lost(lab, peer, agent, app, "bluetoothctl remove", lambda: (
        daemon.control("remove", IDENTITY), peer.order("forget")))
    remove(lab, peer, agent, daemon, app)


def await_backend(lab, agent, words, act):
    """Has `act` start or end bluetoothd, and waits until the agent pairs through the other."""
    before = len(agent.log_text())
    act()
    lab.until(lambda: words in agent.log_text()[before:], f"the log says: {words}", 20)
    agent.await_state("on", 30)


def pair_again(lab, peer, agent, app, owner):
    """The accessory, whose bond is lost and which has a private address, is paired again."""
    lab.until(lambda: bonds.listed(agent)[0]["bond"] == "lost", "the bond is lost", 20)
    peer.order("drop")
    bonds.await_end(lab, peer, agent)
    for order in ("forget", "rotate"):
        peer.order(order)
    output = agent.tool("pair", app.identifier, "--yes", with_errors=True)
    accessory = bonds.listed(agent)[0]
    lab.equal((accessory["bond"], accessory.get("bondOwner")), ("bonded", owner), f"paired again: {output}")
    # Once when the bond was lost.
    app.expect("accessoryChanged", "accessoryChanged")
    bonds.await_end(lab, peer, agent)


def show_change_of_owner(lab, peer, agent, daemon):
    """A lost bond is made again by the program that pairs now, whatever address the accessory has."""
    app, operator = AppSession(agent), Operator(agent)
    peer.order("rotate")
    bonds.pair(lab, peer, agent, app, operator)
    operator.close()
    bonds.await_end(lab, peer, agent)
    daemon.control("remove", IDENTITY)
    lab.until(lambda: bonds.listed(agent)[0]["bond"] == "lost", "the bond is lost", 20)
    await_backend(lab, agent, "paired through the kernel", daemon.end)
    pair_again(lab, peer, agent, app, "gateway")
    lab.equal(bonds.unpair_in_kernel(peer.index), 0, "the status of unpairing")
    lab.until(lambda: bonds.listed(agent)[0]["bond"] == "lost", "the bond is lost", 20)
    await_backend(lab, agent, "bluetoothd runs", daemon.start)
    lab.until(lambda: ready(daemon) == [], "bluetoothd lists its devices", 20)
    pair_again(lab, peer, agent, app, "bluetoothd")
    remove(lab, peer, agent, daemon, app)


def scenario(lab):
    peer = lab.peer("--others", "0")
    peer.order("rotate")
    bluetoothd.forget_all()
    agent = bonds.start_agent(lab, peer)
    through_kernel = pair_in_each_way(
        lab, peer, agent, "gateway", lambda *watchers: use_through_kernel(lab, peer, agent, *watchers))
    lab.equal(agent.end(), 0, "the agent's exit status")
    bonds.check_no_keys(lab, peer.index)

    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer)
    lab.figure("RSS kB before", agent.usage().resident)
    through_daemon = pair_in_each_way(
        lab, peer, agent, "bluetoothd", lambda app, _: use(lab, peer, agent, daemon, app))
    transcripts.check_same(lab, through_kernel, through_daemon)
    show_kept(lab, peer, agent, daemon)
    show_change_of_owner(lab, peer, agent, daemon)
    lab.equal(agent.end(), 0, "the agent's exit status")
