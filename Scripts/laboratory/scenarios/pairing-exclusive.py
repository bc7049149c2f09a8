# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing in exclusive access: the adapter is lent to the kernel and taken again, also by an agent that was killed and
when the adapter is unplugged; operators see how long. Beside bluetoothd it is refused. The agent's keys are in no core dump."""

import os
import pathlib
import resource
import signal
import subprocess
import time

import bluetoothd
import bonds
import hci
from sessions import AppSession, Operator

PATIENCE = 700
GAP_SECONDS_MAX = 3
# After this long without a report a device counts as lost.
SILENCE_SECONDS = 10


class Watch:
    """The changes of the radio since it was made, as operators watch them, and the devices that were lost by silence."""

    def __init__(self, agent):
        self.agent, self.changes, self.lost = agent, [], []
        self.stream = agent.client()
        self.stream.send("Watch", more=True)

    def read(self):
        while reply := self.stream.poll():
            if change := reply.get("radioChanged"):
                self.changes.append(change)
            if (event := reply.get("event")) and event.get("reason") == "silence":
                self.lost.append(event)
        return self.changes

    def gap(self, lab):
        """How long the radio did not scan, once it scans again."""
        lab.until(lambda: any(change["state"] == "on" for change in self.read()), "the radio scans again", 60)
        changes, self.changes = self.changes, []
        lab.check(all(change.get("isForPairing") for change in changes), f"the changes are for a pairing: {changes}")
        lab.equal([change["state"] for change in changes], ["recovering", "on"], "the radio's changes")
        return changes[-1]["gap"]


def check_clean(lab, peer):
    """No key is in the kernel, and nothing but the agent has the adapter."""
    for kind in bonds.LISTS:
        lab.equal(bonds.keys(peer.index, kind), [], f"the kernel's list of {kind}s")


def set_access(peer, agent, access, act):
    """Writes another manifest, and has the agent use it."""
    (agent.home / "accessoryd.toml").write_text(bonds.manifest(peer, access=access))
    act()
    agent.await_state("on", 30)


def show_change_of_access(lab, peer, agent):
    """An agent that holds its adapter alone from now on leaves none of the keys that it has loaded, whether its manifest
    is read again or it is started with another one."""
    app, operator = AppSession(agent), Operator(agent)
    bonds.pair(lab, peer, agent, app, operator)
    bonds.await_end(lab, peer, agent)
    for act in (lambda: agent.tool("reload"), lambda: bonds.restart(peer, agent)):
        lab.until(lambda: bonds.has_keys(peer.index), "the kernel has the keys with shared access", 10)
        set_access(peer, agent, "exclusive", act)
        check_clean(lab, peer)
        set_access(peer, agent, "shared", lambda: agent.tool("reload"))
    set_access(peer, agent, "exclusive", lambda: agent.tool("reload"))
    remove(lab, peer, agent)


def show_pairing(lab, peer, agent, app, operator, watch):
    """Just Works: how long the radio pauses, what the app gets, and that no device counts as lost."""
    app.call("ShowPicker")
    request = operator.request_of("lights")
    operator.candidate_of(request, bonds.addresses(peer))
    note = operator.requests[request].get("pairingNote", "")
    lab.check("pauses" in note and "no app can connect" in note, f"the operator reads before: {note}")
    reply = operator.choose(request, bonds.addresses(peer)).result()
    lab.equal(reply["pairing"], "justWorks", "how it was paired")
    gap = watch.gap(lab)
    lab.figure("Just Works gap s", gap)
    lab.check(gap <= GAP_SECONDS_MAX, f"the radio paused for {gap:.2f} s")
    app.expect(*bonds.SETUP)
    check_clean(lab, peer)
    lab.equal(agent.metrics()["radio_pauses_total"], 1, "pauses")
    lab.equal(watch.lost, [], "devices lost by silence")
    # The bond is good for the identity alone.
    lab.figure("identity s", round(bonds.check_identity(lab, peer, agent), 2))
    lab.equal(app.refusal().name, "InvalidRequest", "a connection in exclusive access")


def show_digits(lab, peer, agent, app, operator, watch):
    """A person takes longer to answer than a silent device stays in sight."""
    peer.order("io yesno")
    app.call("ShowPicker")
    request = operator.request_of("lights")
    call = operator.choose(request, bonds.addresses(peer))
    operator.question(request)
    lab.equal(agent.radio()["state"], "recovering", "the radio, while it is lent")
    lab.check("pairs a device" in agent.radio()["detail"], agent.radio()["detail"])
    time.sleep(SILENCE_SECONDS + 2)
    operator.answer(request, matches=True)
    lab.equal(call.result()["pairing"], "digitsCompared", "how it was paired")
    gap = watch.gap(lab)
    lab.figure("digits gap s", gap)
    lab.check(gap > SILENCE_SECONDS, f"the radio paused for {gap:.2f} s only")
    lab.equal(watch.lost, [], "devices lost by silence")
    app.expect(*bonds.SETUP)
    check_clean(lab, peer)
    peer.order("io none")


def open_question(peer, agent):
    """An agent whose pairing awaits digits."""
    peer.order("io display")
    app, operator = AppSession(agent), Operator(agent)
    app.call("ShowPicker")
    request = operator.request_of("lights")
    call = operator.choose(request, bonds.addresses(peer))
    operator.question(request)
    return call


def show_no_core_dump(lab, agent):
    """An agent that holds keys is ended by a signal that asks for a core dump, and leaves none."""
    folder = lab.folder / "cores"
    folder.mkdir()
    pathlib.Path("/proc/sys/kernel/core_pattern").write_text(f"{folder}/core.%p")
    other = subprocess.Popen(["sleep", "60"])
    for process in (other, agent.process):
        process.send_signal(signal.SIGABRT)
        lab.equal(process.wait(30), -signal.SIGABRT, "how the process ended")
    lab.equal(os.listdir(folder), [f"core.{other.pid}"], "core dumps, of which another program leaves one")


def remove(lab, peer, agent):
    app = AppSession(agent)
    agent.tool("remove", app.identifier, "--yes")
    lab.equal(bonds.listed(agent), [], "the app's accessories")
    peer.order("forget")
    peer.order("rotate")


def scenario(lab):
    # The agent lowers it.
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    peer = lab.peer()
    peer.order("rotate")
    bluetoothd.forget_all()
    peer.await_adapter()
    flags = hci.flags(peer.index)
    agent = bonds.start_agent(lab, peer, access="exclusive")
    app, operator, watch = AppSession(agent), Operator(agent), Watch(agent)
    show_pairing(lab, peer, agent, app, operator, watch)
    show_no_core_dump(lab, agent)
    agent.start_again()
    agent.await_state("on", 30)
    lab.figure("restarted, identity s", round(bonds.check_identity(lab, peer, agent), 2))
    remove(lab, peer, agent)
    set_access(peer, agent, "shared", lambda: agent.tool("reload"))
    show_change_of_access(lab, peer, agent)
    show_digits(lab, peer, agent, AppSession(agent), Operator(agent), Watch(agent))
    remove(lab, peer, agent)

    # The kernel has the adapter when the agent is killed.
    open_question(peer, agent)
    agent.kill()
    agent.start_again()
    agent.await_state("on", 30)
    check_clean(lab, peer)
    lab.equal(bonds.listed(agent), [], "the app's accessories")
    # It was up before the first run, and not only because the kernel had it for a pairing.
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.until(lambda: hci.flags(peer.index) == flags, f"the adapter's flags are as before: {flags:#x}", 5)
    agent.start_again()
    agent.await_state("on", 30)
    peer.order("forget")
    peer.order("rotate")

    # When it is stopped.
    open_question(peer, agent)
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.until(lambda: hci.flags(peer.index) == flags, f"the adapter's flags are as before: {flags:#x}", 5)
    check_clean(lab, peer)
    agent.start_again()
    agent.await_state("on", 30)
    peer.order("forget")
    peer.order("rotate")

    # And when it is unplugged.
    call = open_question(peer, agent)
    peer.order("replug")
    refusal = call.refusal()
    lab.equal(refusal.name, "SetupFailed", "the error without an adapter")
    agent.await_state("on", 60)
    check_clean(lab, peer)
    for order in ("io none", "forget", "rotate"):
        peer.order(order)
    lab.equal(bonds.listed(agent), [], "the app's accessories")

    # bluetoothd would take the adapter as soon as the agent lets it go.
    lab.bluetoothd(auto_enable=False)
    before = agent.metrics()["radio_pauses_total"]
    operator, app = Operator(agent), AppSession(agent)
    app.call("ShowPicker")
    request = operator.request_of("lights")
    refusal = operator.choose(request, bonds.addresses(peer)).refusal()
    lab.equal(refusal.name, "SetupFailed", "the error beside bluetoothd")
    lab.check("bluetoothd" in refusal.parameters["reason"], f"the reason: {refusal.parameters['reason']}")
    lab.equal(agent.radio()["state"], "on", "the radio, which was not lent")
    lab.equal(agent.metrics()["radio_pauses_total"], before, "pauses")
    lab.equal(agent.end(), 0, "the agent's exit status")
