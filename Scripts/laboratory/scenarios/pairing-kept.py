# SPDX-License-Identifier: GPL-3.0-or-later
"""A bond outlives power cycle, replugging, restart, SIGKILL and new addresses; a lost one is shown, and paired again. With
exclusive access none of its keys stay in the kernel."""

import time

import bonds
from sessions import AppSession, Operator

PATIENCE = 900


def reconnect(lab, peer, agent, name):
    """An app connects under a new private address: encrypted, and nothing is paired."""
    peer.order("rotate")
    # Its own reports tell the agent that it is there.
    app = AppSession(agent)
    lab.until(lambda: bonds.listed(agent)[0]["isInSight"], f"{name}: the accessory is in sight", 30)
    peer.skip()
    start = time.monotonic()
    took = bonds.check_secret(lab, app)
    deaf = peer.deaf(start)
    lab.figure(f"\n         {name}: connected s", round(took, 2))
    lab.figure(f"{name}: deaf s", round(deaf, 2))
    lab.check(deaf <= bonds.DEAF_SECONDS_MAX, f"{name}: the adapter was deaf for {deaf:.2f} s")
    lab.check(not [row for row in peer.lines()[peer.read_count:] if row[1] == "asked to pair"], f"{name}: not paired again")
    bonds.await_end(lab, peer, agent)
    return app


def show_lost(lab, peer, agent, app, name, lose):
    """A bond that one side lost: the app and operators see it; an operator pairs again, under the same identifier."""
    identifier = app.identifier
    lose()
    refusal = app.refusal()
    lab.figure(f"\n         {name}", refusal.parameters["reason"])
    lab.check("pair" in refusal.parameters["cure"], f"the cure says how to pair: {refusal.parameters['cure']}")
    app.expect("accessoryChanged")
    lab.equal(app.accessories[identifier]["bond"], "lost", "the accessory's bond, as its app sees it")
    lab.equal(bonds.listed(agent)[0]["bond"], "lost", "the bond in the list")
    lab.check("lost" in agent.tool("list"), "accessoryctl list shows it")
    lab.check("lost" in agent.tool("status"), "accessoryctl status shows it")
    bonds.await_end(lab, peer, agent)
    output = agent.tool("pair", identifier, "--yes", with_errors=True)
    app.expect("accessoryChanged")
    lab.equal((app.accessories[identifier]["bond"], app.identifier), ("bonded", identifier), f"paired again: {output}")
    bonds.await_end(lab, peer, agent)
    bonds.check_secret(lab, app)
    bonds.await_end(lab, peer, agent)


def set_access(agent, former, access, act):
    """Writes another access into the manifest, and has the agent use it."""
    path = agent.home / "accessoryd.toml"
    path.write_text(path.read_text().replace(f'access = "{former}"', f'access = "{access}"'))
    act()
    agent.await_state("on", 30)


def show_change_of_access(lab, peer, agent):
    """An agent that holds its adapter alone from now on leaves none of the keys that it has loaded, whether its manifest
    is read again or it is started with another one."""
    def reload():
        lab.check(agent.tool("reload"), "the manifest is read again")

    for act in (reload, lambda: bonds.restart(peer, agent)):
        lab.until(lambda: bonds.has_keys(peer.index), "the kernel has the keys with shared access", 10)
        set_access(agent, "shared", "exclusive", act)
        for kind in bonds.LISTS:
            lab.equal(bonds.keys(peer.index, kind), [], f"the kernel's list of {kind}s")
        set_access(agent, "exclusive", "shared", reload)


def scenario(lab):
    peer = lab.peer("--others", "0")
    peer.order("rotate")
    agent = bonds.start_agent(lab, peer)
    app, operator = AppSession(agent), Operator(agent)
    identity = bonds.IdentityWatch(peer, agent)
    bonds.pair(lab, peer, agent, app, operator)
    identity.check(lab, "gateway")
    operator.close()
    bonds.await_end(lab, peer, agent)
    bonds.check_rotations(lab, peer, agent, app)
    app = reconnect(lab, peer, agent, "new address")
    for name, act in bonds.INTERRUPTIONS.items():
        act(peer, agent)
        app = reconnect(lab, peer, agent, name)
    show_lost(lab, peer, agent, app, "the device forgot", lambda: peer.order("forget"))
    show_lost(lab, peer, agent, app, "the kernel forgot", lambda: lab.equal(
        bonds.unpair_in_kernel(peer.index), 0, "the status of unpairing"))
    show_change_of_access(lab, peer, agent)
    bonds.remove(lab, peer, agent, AppSession(agent))
    lab.equal(agent.end(), 0, "the agent's exit status")
