# SPDX-License-Identifier: GPL-3.0-or-later
"""What several scenarios do: an agent under a load, and its figures."""

import time


def scanning(lab, controller, access, **settings):
    """An agent on the controller's adapter, scanning."""
    agent = lab.agent(radio=controller.name_of_adapter, access=access, **settings)
    agent.await_state("on", 30)
    controller.await_scan()
    return agent


def carry_load(lab, controller, agent, rate, seconds, kind="legacy", addresses=300, label=""):
    """Sends a load and waits until the agent has read it; answers what was written and read, and notes figures."""
    before, metrics = controller.count(), agent.metrics()
    usage = agent.usage()
    start = time.monotonic()
    controller.load(rate, seconds, kind, addresses)
    written = controller.await_load(seconds * 3 + 30)
    took = time.monotonic() - start
    count = difference(written, before, "events")
    # What is still under way; the questions behind that are not part of the load.
    time.sleep(0.3)
    after = agent.usage()
    read = settled(lab, agent, metrics)
    now = agent.metrics()
    dropped = now["receive_drops_total"] - metrics["receive_drops_total"]
    lab.figure(f"{label}written", count)
    lab.figure(f"{label}withheld", difference(written, before, "withheld"))
    lab.figure(f"{label}dropped", int(dropped))
    million = max(count, 1) / 1e6
    lab.figure(f"{label}s per million", round((after.seconds - usage.seconds) / million, 1))
    lab.figure(f"{label}waits/s", round((after.switches - usage.switches) / took))
    lab.figure(f"{label}RSS kB", after.resident)
    return count, read, int(dropped)


def carry_at(lab, rate):
    """Half a minute at this rate, in both manners."""
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        agent = scanning(lab, controller, access)
        count, read, dropped = carry_load(lab, controller, agent, rate, 30, label=f"\n         {access} ")
        hold_exact(lab, count, read, dropped)
        lab.check(count > 0.96 * 30 * rate, f"the load was written: {count}")
        agent.end()
        controller.end()


def difference(after, before, name):
    return after[name] - before[name]


def reports(metrics):
    """Report events that the agent has read: every event of a load has one report."""
    return int(metrics["reports_total"])


def settled(lab, agent, before=None):
    """What was read since, or at all, once nothing more comes."""
    last = -1
    while (now := reports(agent.metrics())) != last:
        last = now
        time.sleep(0.3)
    return last - (reports(before) if before else 0)


def hold_exact(lab, count, read, dropped, most=0):
    """Everything that was written was read, or is known to be dropped."""
    lab.equal(read + dropped, count, "read and dropped, and written")
    lab.check(dropped <= most, f"{dropped} were dropped")


def forget(lab, beginning, keep):
    """Drops figures that are of no interest here."""
    keep = (keep,) if isinstance(keep, str) else keep
    for name in [name for name in lab.figures if name.startswith(beginning) and not any(k in name for k in keep)]:
        del lab.figures[name]
