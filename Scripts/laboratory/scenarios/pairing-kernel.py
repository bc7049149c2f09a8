# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing through the kernel: Just Works, digits both ways, comparison, legacy pairing; every failure leaves nothing."""

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


def fail(lab, peer, agent, app, operator, name, act=None, events=bonds.FAILED):
    """A setup that fails while `act` does something with the request. Nothing of it stays."""
    peer.order("rotate")
    app.call("ShowPicker")
    request = operator.request_of("lights")
    call = operator.choose(request, bonds.addresses(peer))
    start = time.monotonic()
    if act:
        act(request)
    refusal = call.refusal()
    lab.figure(f"\n         {name} s", round(time.monotonic() - start, 1))
    lab.equal(refusal.name, "SetupFailed", f"{name}: the error")
    app.expect(*events)
    lab.equal(bonds.listed(agent), [], f"{name}: the app's accessories")
    bonds.check_no_keys(lab, peer.index)
    bonds.await_end(lab, peer, agent)
    for order in ("answer yes", "io none", "forget", "on"):
        peer.order(order)
    return refusal.parameters["reason"]


def show_failures(lab, peer, agent, app, operator):
    """Each failure has its own sentence."""
    reasons = []

    def failure(name, io, answer, act=None, **settings):
        peer.order(f"io {io}")
        peer.order(f"answer {answer}")
        reasons.append(fail(lab, peer, agent, app, operator, name, act, **settings))

    failure("refused", "none", "no")
    failure("silent", "none", "nothing")
    failure("wrong digits", "display", "yes", lambda request: (
        operator.question(request), operator.answer(request, digits=other(peer.expect("shows").split()[1]))))
    failure("digits differ", "yesno", "yes", lambda request: (
        operator.question(request), operator.answer(request, matches=False)))
    failure("no answer", "yesno", "yes", operator.question)
    failure("gone", "display", "yes", lambda request: (operator.question(request), peer.order("drop")))
    lab.equal(len(set(reasons)), len(reasons), f"the sentences: {reasons}")
    # The accessory's person says that the numbers differ, and the operator that they are the same.
    failure("differs there", "yesno", "wrong", lambda request: (
        operator.question(request), operator.answer(request, matches=True), peer.order("digits 0")))
    failure("cancelled", "display", "yes", lambda request: (
        operator.question(request), operator.call("Cancel", request=request)),
        events=[event for event in bonds.FAILED if event != "pickerSetupFailed"])


def other(digits):
    return f"{(int(digits) + 1) % 1_000_000:06d}"


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
    show_failures(lab, peer, agent, app, operator)
    lab.equal(agent.end(), 0, "the agent's exit status")
    bonds.check_no_keys(lab, peer.index)
