# SPDX-License-Identifier: GPL-3.0-or-later
"""Failures of pairing: the same transcripts through kernel and bluetoothd; another agent; bluetoothd ends, and starts.

Only bluetoothd has an agent of another program, and only it can end or start meanwhile."""

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


def other(digits):
    return f"{(int(digits) + 1) % 1_000_000:06d}"


def show_failures(lab, peer, agent, owner, daemon=None):
    """Each failure has its own sentence. Returns what app and operator received, by the failure's name."""
    app, operator = AppSession(agent), Operator(agent)
    seen = {}

    def failure(name, io, answer, act=None, **settings):
        peer.order(f"io {io}")
        peer.order(f"answer {answer}")
        seen[name] = bonds.fail(lab, peer, agent, app, operator, f"{owner} {name}", act, daemon=daemon, **settings)

    failure("refused", "none", "no")
    failure("silent", "none", "nothing")
    failure("wrong digits", "display", "yes", lambda request: (
        operator.question(request), operator.answer(request, digits=other(peer.expect("shows").split()[1]))))
    failure("digits differ", "yesno", "yes", lambda request: (
        operator.question(request), operator.answer(request, matches=False)))
    failure("no answer", "yesno", "yes", operator.question)
    failure("gone", "display", "yes", lambda request: (operator.question(request), peer.order("drop")))
    lab.equal(len({reason for reason, _ in seen.values()}), len(seen), f"the sentences: {seen}")
    # The accessory's person says that the numbers differ, and the operator that they are the same.
    failure("differs there", "yesno", "wrong", lambda request: (
        operator.question(request), operator.answer(request, matches=True), peer.order("digits 0")))
    failure("cancelled", "display", "yes", lambda request: (
        operator.question(request), operator.call("Cancel", request=request)),
        events=[event for event in bonds.FAILED if event != "pickerSetupFailed"])
    operator.close()
    # After a cancelled request an app has to wait.
    time.sleep(5)
    return seen


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
    reason, _ = bonds.fail(lab, peer, agent, app, operator, "bluetoothd starts", lambda request: (
        operator.question(request), daemon.start(), daemon.await_bus()), daemon=daemon)
    lab.check("bluetoothd started" in reason, f"the reason: {reason}")
    peer.order("rotate")
    bonds.pair(lab, peer, agent, app, operator)
    lab.equal(bonds.listed(agent)[0]["bondOwner"], "bluetoothd", "the owner of the next bond")
    agent.tool("remove", app.identifier, "--yes")
    lab.until(lambda: not daemon.bonded(), "bluetoothd has no bonds", 10)


def scenario(lab):
    peer = lab.peer("--others", "0")
    bluetoothd.forget_all()
    agent = bonds.start_agent(lab, peer)
    through_kernel = show_failures(lab, peer, agent, "gateway")
    lab.equal(agent.end(), 0, "the agent's exit status")
    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer)
    through_daemon = show_failures(lab, peer, agent, "bluetoothd", daemon)
    app, operator = AppSession(agent), Operator(agent)
    show_other_agent(lab, peer, agent, daemon, app, operator)
    peer.order("io display")
    bonds.fail(lab, peer, agent, app, operator, "bluetoothd ends", lambda request: (
        operator.question(request), daemon.end()), daemon=daemon)
    show_start(lab, peer, agent, daemon, app, operator)
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.equal(through_daemon, through_kernel, "what operators see, through bluetoothd and through the kernel")
