# SPDX-License-Identifier: GPL-3.0-or-later
"""Failures of pairing, with the same transcripts through kernel and bluetoothd; a bond that another program made, a pairing
of another program, and its agent; an adapter that vanishes, a picker that closes, a bluetoothd that ends or starts, while
a question is open."""

import os
import subprocess
import time

import bluetoothd
import bonds
import hci
from program import Program
import transcripts
from peer import IDENTITY
from sessions import AppSession, Operator

PATIENCE = 900
NEIGHBOUR = "C4:A1:00:00:1E:28"
# What the transcripts say through the kernel, what through bluetoothd, and why.
KEEPS = "the agent removes a bond from the kernel, whose list is its own, and leaves bluetoothd's to bluetoothd"
DIFFERENCES = {"already paired": (
    ('"code": 150', '"code": 750', KEEPS),
    ("connectionFailed", "userRestricted", KEEPS),
    ("the kernel had a bond with the device that is not in the registry, and it was removed",
     "the adapter has a bond with the device that is not in the registry", KEEPS),
    ("choose it again; if it refuses then, have it forget the gateway first",
     "remove that bond with bluetoothctl remove, or let the app take the device over with accessoryctl migrate; if bluetoothd "
     "lists no such bond, restart bluetoothd", KEEPS),
), "adapter gone": (
    ('app: {"radio"', None, "bluetoothd switches the new adapter off and on, and replies before or after the radio is back"),
)}


class OtherAgent(Program):
    """bluetoothctl as the default agent, which says yes to everything."""

    input = subprocess.PIPE

    def __init__(self, world):
        super().__init__(world, "other-agent", ["bluetoothctl", "--agent", "KeyboardDisplay"])
        world.open.append(self)
        world.logs.append(self)
        world.until(lambda: "Agent registered" in self.log_text(), "the other agent is registered")
        self.say("default-agent")
        world.until(lambda: "Default agent request successful" in self.log_text(), "the other agent is the default one")

    def say(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()


def other(digits):
    return f"{(int(digits) + 1) % 1_000_000:06d}"


def show_failures(lab, peer, agent, owner, daemon=None):
    """Each failure has its own sentence. Returns the transcripts, by the failure's name."""
    app, operator = AppSession(agent), Operator(agent)
    seen, reasons = {}, set()

    def failure(name, io, answer, act=None, **settings):
        peer.order(f"io {io}")
        peer.order(f"answer {answer}")
        reason, seen[name] = bonds.fail(
            lab, peer, agent, app, operator, f"{owner} {name}", act, daemon=daemon, **settings)
        reasons.add(reason)

    failure("refused", "none", "no")
    failure("silent", "none", "nothing")
    failure("wrong digits", "display", "yes", lambda request: (
        operator.question(request), operator.answer(request, digits=other(peer.expect("shows").split()[1]))))
    failure("digits differ", "yesno", "yes", lambda request: (
        operator.question(request), operator.answer(request, matches=False)))
    failure("no answer", "yesno", "yes", operator.question)
    failure("gone", "display", "yes", lambda request: (operator.question(request), peer.order("drop")))
    seen["already paired"], reason = show_other_bond(lab, peer, agent, app, operator, owner, daemon)
    reasons.add(reason)
    lab.equal(len(reasons), len(seen), f"the sentences: {reasons}")
    # The accessory's person types other digits than the operator sees.
    failure("wrong digits there", "keyboard", "wrong", lambda request: (
        peer.expect("awaits digits"), peer.order(f"digits {operator.question(request)[1]}")))
    # The accessory's person says that the numbers differ, and the operator that they are the same.
    failure("differs there", "yesno", "wrong", lambda request: (
        operator.question(request), operator.answer(request, matches=True), peer.order("digits 0")))
    failure("adapter gone", "display", "yes", lambda request: (operator.question(request), peer.order("replug")))
    peer.await_adapter()
    agent.await_state("on", 30)
    for name, end in (("cancelled", lambda request: operator.call("Cancel", request=request)),
                      ("picker closed", lambda request: app.call("CancelPicker"))):
        failure(name, "display", "yes", lambda request, end=end: (operator.question(request), end(request)),
                events=[event for event in bonds.FAILED if event != "pickerSetupFailed"])
        # After a cancelled request an app has to wait.
        time.sleep(5)
    operator.close()
    return seen


def show_other_bond(lab, peer, agent, app, operator, owner, daemon):
    """A bond that another program made, in the kernel or in bluetoothd, is named, and what the agent says of it cures it.
    Returns the transcript, and the reason."""
    if daemon:
        pair_with_other(lab, peer, daemon)
    else:
        bonds.load_bond_in_kernel(lab, peer.index)
    reason, seen = bonds.fail(
        lab, peer, agent, app, operator, f"{owner} already paired", daemon=daemon, address="settle",
        bonded=[IDENTITY] if daemon else None)
    lab.check("has a bond" in reason or "had a bond" in reason, f"the reason: {reason}")
    if daemon:
        daemon.control("remove", IDENTITY)
    peer.order("rotate")
    bonds.pair(lab, peer, agent, app, operator)
    if daemon:
        remove(lab, peer, agent, daemon, app)
    else:
        bonds.remove(lab, peer, agent, app)
    bonds.await_end(lab, peer, agent)
    return seen, reason


def show_kernel_bond(lab, peer, agent, daemon, app, operator):
    """Beside bluetoothd, a bond that only the kernel has is named too; a restart of bluetoothd removes it."""
    bonds.load_bond_in_kernel(lab, peer.index)
    reason, _ = bonds.fail(
        lab, peer, agent, app, operator, "a bond of the kernel", daemon=daemon, address="settle", bonded=[])
    lab.check("bond" in reason, f"the reason: {reason}")
    daemon.end()
    daemon.start()
    daemon.await_bus()
    bonds.check_no_keys(lab, peer.index)
    agent.await_state("on", 30)
    peer.order("rotate")
    bonds.pair(lab, peer, agent, app, operator)
    remove(lab, peer, agent, daemon, app)


def pair_with_other(lab, peer, daemon):
    """Another program pairs the accessory through bluetoothd."""
    peer.order("rotate")
    other = OtherAgent(lab)
    other.say("scan on")
    lab.until(lambda: peer.address in [address for address, _ in daemon.devices().values()], "bluetoothd finds it", 30)
    other.say(f"pair {peer.address}")
    lab.until(lambda: daemon.bonded() == [IDENTITY], "the other program pairs it", 30)
    other.say(f"disconnect {IDENTITY}")
    peer.expect("disconnected")
    other.end()


def show_foreign_attempt(lab, peer, agent, owner, remove):
    """Another program has the kernel pair another device while a question of the agent's pairing is open."""
    app, operator = AppSession(agent), Operator(agent)
    for order in ("io display", "rotate", "neighbour on"):
        peer.order(order)
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
    # bluetoothd refuses it itself: one question at a time reaches the agent.
    if owner == "gateway":
        lab.until(lambda: refused(agent) > before, "the attempt is counted")
    lab.check(not bonds.has_keys(peer.index, NEIGHBOUR), "the kernel has no key of the other device")
    operator.answer(request, digits=digits)
    lab.equal(call.result()["pairing"], "digitsEntered", "how the agent's device was paired")
    app.expect(*bonds.SETUP)
    lab.check(not bonds.has_keys(peer.index, NEIGHBOUR), "the kernel has no key of the other device")
    lab.figure(f"\n         {owner}: foreign attempts that the agent refused", refused(agent) - before)
    peer.order("neighbour off")
    operator.close()
    remove(app)
    peer.order("io none")


def refused(agent):
    """How many pairings the agent refused that it did not begin."""
    return agent.log_text().count("that the agent did not begin was refused")


def remove(lab, peer, agent, daemon, app):
    agent.tool("remove", app.identifier, "--yes")
    app.expect("accessoryRemoved")
    lab.until(lambda: not daemon.bonded(), "bluetoothd has no bonds", 10)
    bonds.check_no_keys(lab, peer.index)
    peer.order("forget")


def show_other_agent(lab, peer, agent, daemon, app, operator):
    """Another program is bluetoothd's default agent: the agent's own is asked, because it called Pair."""
    other = OtherAgent(lab)
    peer.order("io yesno")
    peer.order("rotate")
    app.call("ShowPicker")
    reply = operator.set_up("lights", bonds.addresses(peer), bonds.compare(peer))
    lab.equal((reply["pairing"], reply["isBondAuthenticated"]), ("digitsCompared", True), "how it was paired")
    app.expect(*bonds.SETUP)
    other.end()
    remove(lab, peer, agent, daemon, app)


def show_start(lab, peer, agent, daemon, app, operator):
    """A bluetoothd that starts while the kernel pairs for the agent ends that, and the next pairing is through it."""
    agent.await_state("on", 30)
    peer.order("io display")
    reason, _ = bonds.fail(lab, peer, agent, app, operator, "bluetoothd starts", lambda request: (
        operator.question(request), daemon.start(), daemon.await_bus()), daemon=daemon)
    lab.check("bluetoothd started" in reason, f"the reason: {reason}")
    peer.order("rotate")
    bonds.pair(lab, peer, agent, app, operator)
    lab.equal(bonds.listed(agent)[0]["bondOwner"], "bluetoothd", "the owner of the next bond")
    app.take_events()
    remove(lab, peer, agent, daemon, app)


def scenario(lab):
    peer = lab.peer("--others", "0")
    peer.order("rotate")
    bluetoothd.forget_all()
    agent = bonds.start_agent(lab, peer)
    through_kernel = show_failures(lab, peer, agent, "gateway")
    show_foreign_attempt(lab, peer, agent, "gateway", lambda app: bonds.remove(lab, peer, agent, app))
    lab.equal(agent.end(), 0, "the agent's exit status")
    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer)
    through_daemon = show_failures(lab, peer, agent, "bluetoothd", daemon)
    transcripts.check_same(lab, through_kernel, through_daemon, DIFFERENCES)
    show_foreign_attempt(lab, peer, agent, "bluetoothd", lambda app: remove(lab, peer, agent, daemon, app))
    app, operator = AppSession(agent), Operator(agent)
    show_other_agent(lab, peer, agent, daemon, app, operator)
    peer.order("io none")
    show_kernel_bond(lab, peer, agent, daemon, app, operator)
    peer.order("io display")
    reason, _ = bonds.fail(lab, peer, agent, app, operator, "bluetoothd ends", lambda request: (
        operator.question(request), daemon.end()), daemon=daemon)
    lab.check("bluetoothd started or ended" in reason, f"the reason: {reason}")
    show_start(lab, peer, agent, daemon, app, operator)
    lab.equal(agent.end(), 0, "the agent's exit status")
