# SPDX-License-Identifier: GPL-3.0-or-later
"""Failures of pairing through bluetoothd: refusal, silence, wrong digits, its end and start; and another agent."""

import subprocess
import time

import bluetoothd
import bonds
import hci
from program import Program
from sessions import AppSession, Operator

PATIENCE = 900


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


def fail(lab, peer, agent, daemon, app, operator, name, act=None):
    """A setup that fails. Nothing of it stays in bluetoothd or the kernel."""
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
    lab.figure(f"{name} reason", refusal.parameters["reason"])
    app.expect(*bonds.FAILED)
    lab.equal(bonds.listed(agent), [], f"{name}: the app's accessories")
    if daemon.is_running:
        lab.until(lambda: not daemon.bonded(), f"{name}: bluetoothd has no bonds", 10)
    bonds.check_no_keys(lab, peer.index)
    bonds.await_end(lab, peer, agent)
    for order in ("answer yes", "io none", "forget"):
        peer.order(order)
    return refusal.parameters["reason"]


def show_failures(lab, peer, agent, daemon, app, operator):
    reasons = []

    def failure(name, io, answer, act=None):
        peer.order(f"io {io}")
        peer.order(f"answer {answer}")
        reasons.append(fail(lab, peer, agent, daemon, app, operator, name, act))

    failure("refused", "none", "no")
    failure("silent", "none", "nothing")
    failure("wrong digits", "display", "yes", lambda request: (
        operator.question(request),
        operator.answer(request, digits=f"{(int(peer.expect('shows').split()[1]) + 1) % 1_000_000:06d}")))
    failure("digits differ", "yesno", "yes", lambda request: (
        operator.question(request), operator.answer(request, matches=False)))
    failure("gone", "display", "yes", lambda request: (operator.question(request), peer.order("drop")))
    lab.equal(len(set(reasons)), len(reasons), f"the sentences: {reasons}")


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
    agent.tool("remove", app.identifier, "--yes")
    app.expect("accessoryRemoved")
    lab.until(lambda: not daemon.bonded(), "bluetoothd has no bonds", 10)
    peer.order("forget")


def show_start(lab, peer, agent, daemon, app, operator):
    """A bluetoothd that starts while the kernel pairs for the agent ends that, and the next pairing is through it."""
    agent.await_state("on", 30)
    peer.order("io display")
    reason = fail(lab, peer, agent, daemon, app, operator, "bluetoothd starts", lambda request: (
        operator.question(request), daemon.start(), daemon.await_bus()))
    lab.check("bluetoothd started" in reason, f"the reason: {reason}")
    peer.order("rotate")
    bonds.pair(lab, peer, agent, app, operator)
    lab.equal(bonds.listed(agent)[0]["bondOwner"], "bluetoothd", "the owner of the next bond")
    agent.tool("remove", app.identifier, "--yes")
    lab.until(lambda: not daemon.bonded(), "bluetoothd has no bonds", 10)


def scenario(lab):
    peer = lab.peer()
    bluetoothd.forget_all()
    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer)
    app, operator = AppSession(agent), Operator(agent)
    show_failures(lab, peer, agent, daemon, app, operator)
    show_other_agent(lab, peer, agent, daemon, app, operator)
    peer.order("io display")
    fail(lab, peer, agent, daemon, app, operator, "bluetoothd ends", lambda request: (
        operator.question(request), daemon.end()))
    show_start(lab, peer, agent, daemon, app, operator)
    lab.equal(agent.end(), 0, "the agent's exit status")
