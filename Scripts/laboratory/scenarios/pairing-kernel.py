# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing through the kernel: Just Works, digits both ways, comparison, legacy pairing; another program's attempt."""

import os
import time

import bonds
from peer import IDENTITY
from sessions import AppSession, Operator

PATIENCE = 900
NEIGHBOUR = "C4:A1:00:00:1E:28"


def show_methods(lab, peer, agent, app, operator):
    """Each way to pair, its bond, an encrypted value, and the removal."""
    rows = (
        ("none", "off", None, "justWorks", False),
        ("display", "off", bonds.enter_digits(peer), "digitsEntered", True),
        ("keyboard", "off", bonds.show_digits(peer), "digitsShown", True),
        ("yesno", "off", bonds.compare(peer), "digitsCompared", True),
        ("none", "on", None, "justWorks", False),
        ("display", "on", bonds.enter_digits(peer), "digitsEntered", True),
    )
    for io, legacy, answer, method, is_authenticated in rows:
        for order in (f"io {io}", f"legacy {legacy}", "rotate"):
            peer.order(order)
        name = f"{method}{' legacy' if legacy == 'on' else ''}"
        before = peer.reports(agent)
        operator.take_seen()
        start = time.monotonic()
        reply = bonds.pair(lab, peer, agent, app, operator, answer)
        lab.figure(f"\n         {name} s", round(time.monotonic() - start, 2))
        lab.equal((reply["pairing"], reply["isBondAuthenticated"]), (method, is_authenticated), "how it was paired")
        deaf = peer.deaf(start)
        lab.figure(f"{name} deaf s", round(deaf, 2))
        lab.check(deaf <= bonds.DEAF_SECONDS_MAX, f"the adapter was deaf for {deaf:.2f} s")
        written, read = (after - earlier for after, earlier in zip(peer.reports(agent), before))
        lab.figure(f"{name} reports", f"{read} of {written}")
        lab.check(0 < read <= written, f"{read} of {written} reports were read")
        operator.expect(f"closed {method} {is_authenticated}")
        accessory = bonds.listed(agent)[0]
        lab.equal((accessory["bond"], accessory["bondOwner"], accessory["isBondAuthenticated"], accessory["address"]),
                  ("bonded", "gateway", is_authenticated, IDENTITY), "the bond in the list")
        lab.check(bonds.has_keys(peer.index), "the kernel has the keys")
        bonds.check_secret(lab, app)
        bonds.await_end(lab, peer, agent)
        bonds.remove(lab, peer, agent, app)
    peer.order("legacy off")


def show_foreign_attempt(lab, peer, agent, app, operator):
    """Another program has the kernel pair another device while a question of the agent's pairing is open."""
    peer.order("io display")
    peer.order("neighbour on")
    before = refused(agent)
    app.call("ShowPicker")
    request = operator.request_of("lights")
    call = operator.choose(request, bonds.addresses(peer))
    operator.question(request)
    digits = peer.expect("shows").split()[1]
    # Connects without a bond, for which the kernel begins to pair by itself.
    link = bonds.open_link(NEIGHBOUR)
    peer.expect("neighbour asked to pair")
    peer.expect("neighbour pairing failed")
    os.close(link)
    lab.until(lambda: refused(agent) > before, "the attempt is counted")
    lab.check(not bonds.has_keys(peer.index, NEIGHBOUR), "the kernel has no key of the other device")
    operator.answer(request, digits=digits)
    lab.equal(call.result()["pairing"], "digitsEntered", "how the agent's device was paired")
    app.expect(*bonds.SETUP)
    lab.check(not bonds.has_keys(peer.index, NEIGHBOUR), "the kernel has no key of the other device")
    peer.order("neighbour off")
    bonds.remove(lab, peer, agent, app)
    peer.order("io none")


def refused(agent):
    """How many pairings the agent refused that it did not begin."""
    return agent.log_text().count("that the agent did not begin was refused")


def scenario(lab):
    peer = lab.peer()
    agent = bonds.start_agent(lab, peer)
    app, operator = AppSession(agent), Operator(agent)
    show_methods(lab, peer, agent, app, operator)
    show_foreign_attempt(lab, peer, agent, app, operator)
    lab.equal(agent.end(), 0, "the agent's exit status")
    bonds.check_no_keys(lab, peer.index)
