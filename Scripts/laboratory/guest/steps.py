# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that several scenarios share: an agent under a load, and its figures."""

import time

# What the agent may have in memory under a load, a few per cent over what was measured: at most 12,400.
RESIDENT_KILOBYTES = 13_300


def start_scanning(lab, controller, access, **settings):
    """Starts an agent on the controller's adapter, and waits until it scans."""
    agent = lab.agent(radio=controller.name_of_adapter, access=access, **settings)
    agent.await_state("on", 30)
    controller.await_scan()
    return agent


def scan_again(lab, controller, agent, start, seconds_max):
    """Waits until the agent scans, at most `seconds_max` after `start`, and sends a load. All of it is read."""
    agent.await_state("on")
    controller.await_scan()
    took = time.monotonic() - start
    lab.figure("on again, scans after s", took)
    lab.check(took <= seconds_max, f"it took {took:.1f} s to scan again")
    check_counts(lab, *send_load(lab, controller, agent, 200, 2))


def send_load(lab, controller, agent, rate, seconds, kind="legacy", addresses=300, label=""):
    """Sends a load, waits until the agent has read it, and notes figures. Returns how many events were written, read
    and dropped."""
    before, metrics = controller.count(), agent.metrics()
    usage = agent.usage()
    start = time.monotonic()
    controller.load(rate, seconds, kind, addresses)
    written = controller.await_load(seconds * 3 + 30)
    took = time.monotonic() - start
    count = difference(written, before, "events")
    # Waits for events that the agent has not read yet; the calls after this are not part of the load.
    time.sleep(0.3)
    after = agent.usage()
    read = count_read(lab, agent, metrics)
    now = agent.metrics()
    dropped = now["receive_drops_total"] - metrics["receive_drops_total"]
    lab.figure(f"{label}written", count)
    lab.figure(f"{label}withheld", difference(written, before, "withheld"))
    lab.figure(f"{label}dropped", int(dropped))
    million = max(count, 1) / 1e6
    lab.figure(f"{label}s per million", round((after.seconds - usage.seconds) / million, 1))
    lab.figure(f"{label}waits/s", round((after.switches - usage.switches) / took))
    lab.figure(f"{label}RSS kB", after.resident)
    lab.check(after.resident <= RESIDENT_KILOBYTES, f"the agent has {after.resident} kB in memory")
    return count, read, int(dropped)


def check_rate(lab, rate):
    """Checks a load of this rate for half a minute, in both access modes."""
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        agent = start_scanning(lab, controller, access)
        count, read, dropped = send_load(lab, controller, agent, rate, 30, label=f"\n         {access} ")
        check_counts(lab, count, read, dropped)
        lab.check(count > 0.96 * 30 * rate, f"the load was written: {count}")
        agent.end()
        controller.end()


def difference(after, before, name):
    return after[name] - before[name]


def reports(metrics):
    """How many report events the agent has read; every event of a load has one report."""
    return int(metrics["reports_total"])


def count_read(lab, agent, before=None):
    """Waits until the agent reads no more events. Returns how many it has read since `before`, or since its start."""
    last = -1
    while (now := reports(agent.metrics())) != last:
        last = now
        time.sleep(0.3)
    return last - (reports(before) if before else 0)


def check_counts(lab, count, read, dropped, most=0):
    """Checks that every written event was read, or was counted as dropped."""
    lab.equal(read + dropped, count, "read and dropped, and written")
    lab.check(dropped <= most, f"{dropped} were dropped")


def drop_figures(lab, beginning, keep):
    """Removes the figures that begin so, except those that contain one of `keep`."""
    keep = (keep,) if isinstance(keep, str) else keep
    for name in [name for name in lab.figures if name.startswith(beginning) and not any(k in name for k in keep)]:
        del lab.figures[name]
