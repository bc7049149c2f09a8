# SPDX-License-Identifier: GPL-3.0-or-later
"""agent PROGRAM FIGURES: what the running agent takes. Prints a table, and writes "NAME NUMBER" lines to
FIGURES; a number that cannot be measured here is "-"."""

import contextlib
import itertools
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

import scene
from agent import STRACE, Agent, CannotTrace, DoesNotScan, Instructions, SystemCalls, counts
from clock import Clock
from controller import report

DEVICES = 2000
ACCESSORIES = 2000
# The lines of an export that one message holds.
LINES_AT_ONCE = 30
ADVERTISERS = 500
EVENTS = 500
QUIET_DEVICES = 20
QUIET_REPORTS = 200
# By processor and libc.
WAITS = ("epoll_wait", "epoll_pwait", "epoll_pwait2")


class Figures:
    def __init__(self, path):
        self.file = open(path, "w")

    def write(self, name, value):
        self.file.write(f"{name} {'-' if value is None else value}\n")
        self.file.flush()


def say(what, *numbers):
    print(f"{what:<48}{''.join(f'{number:>12}' for number in numbers)}", flush=True)


def measure_memory(program, figures):
    """Full tables: more devices than rows, long payloads, events of targets that change; two watchers."""
    with Agent(program) as agent:
        watchers = [agent.client(), agent.client()]
        for watcher in watchers:
            watcher.watch()
            threading.Thread(target=drain, args=(watcher,), daemon=True).start()
        client = agent.client()
        for state in range(3):
            agent.controller.send_at(5000, scene.crowd(DEVICES * 6 // 5, 600, state, long=True))
            # A device that changed a second ago may be reported again.
            time.sleep(1)
        devices, resident, anonymous = client.metric("devices"), *agent.memory()
        if devices != DEVICES:
            sys.exit(f"the agent knows {devices} devices, not {DEVICES}")
    figures.write("resident-kilobytes", resident)
    figures.write("anonymous-kilobytes", anonymous)
    megabytes = (f"{number / 1024:.1f} MB" for number in (resident, anonymous))
    say("memory, of it in no file", *megabytes)


def drain(watcher):
    try:
        while True:
            watcher.receive()
    except (OSError, SystemExit):
        return


def measure_start(program, figures):
    """From the first instruction until the agent scans; then it ends."""
    with Agent(program, before=["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]) as agent:
        instructions = int(re.search(r"Collected : (\d+)", agent.end())[1])
    calls = None
    with tempfile.NamedTemporaryFile("r") as table:
        try:
            with Agent(program, before=[*STRACE, "-o", table.name]) as agent:
                agent.end()
            calls = sum(counts(table.read()).values())
        except DoesNotScan as error:
            report_untraced(error)
    figures.write("start-instructions", instructions)
    measure_accessories(program, figures, instructions)
    figures.write("start-calls", calls)
    shown = "-" if calls is None else calls
    say("instructions, calls from start to scan, and end", f"{instructions / 1e6:.1f} M", shown)


def measure_accessories(program, figures, bare_start):
    """What each of many accessories adds to a start, and takes in a list, while none is in sight."""
    listed = start = each = None
    with tempfile.TemporaryDirectory() as folder:
        state, file = pathlib.Path(folder) / "state", pathlib.Path(folder) / "callgrind"
        with Agent(program, state=state) as agent:
            client, lines = agent.client(), list(scene.registry(ACCESSORIES))
            for first in range(0, len(lines), LINES_AT_ONCE):
                client.send("Import", interface="Operator", lines=lines[first:first + LINES_AT_ONCE], begins=first == 0,
                            commits=first + LINES_AT_ONCE >= len(lines))
                client.receive()
        with Agent(program, before=Instructions.before(file), state=state) as agent:
            client = agent.client()
            # It waits until the registry is read.
            count_accessories(client)
            try:
                with Instructions(agent.process, file) as taken:
                    count_accessories(client)
                listed = taken.count // ACCESSORIES
            except subprocess.SubprocessError as error:
                print(f"callgrind cannot be asked here, so accessories are not counted: {error}", file=sys.stderr)
        if listed:
            with Agent(program, before=Instructions.before("/dev/null"), state=state) as agent:
                count_accessories(agent.client())
                start = int(re.search(r"Collected : (\d+)", agent.end())[1]) - listed * ACCESSORIES
            each = (start - bare_start) // ACCESSORIES
    figures.write(f"start-instructions@{ACCESSORIES}", start)
    figures.write(f"start-instructions-per-accessory@{ACCESSORIES}", each)
    figures.write(f"list-instructions-per-accessory@{ACCESSORIES}", listed)
    if listed:
        say("start with 2,000 accessories; each; each in a list", f"{start / 1e6:.0f} M", each, listed)


def count_accessories(client):
    client.send("List", more=True, interface="Operator")
    count = sum(1 for _ in iter(lambda: client.receive_reply().get("continues"), None))
    if count != ACCESSORIES:
        sys.exit(f"the list has {count} accessories, not {ACCESSORIES}")


def report_untraced(error):
    print(f"strace cannot trace here, so system calls are not counted: {error}", file=sys.stderr)


def measure_quiet_room(program, figures):
    """System calls, and turns of the loop, for 20 reports a second: one every 50 ms, 10 ms early or late, and at random
    (a Poisson process)."""
    chance = random.Random(1)
    times = [index * 0.05 + chance.uniform(-0.01, 0.01) for index in range(1, QUIET_REPORTS + 1)]
    streams = {
        "20": [after - before for before, after in zip([0, *times], times)],
        "20-random": [chance.expovariate(20) for _ in range(QUIET_REPORTS)],
    }
    with Agent(program) as agent:
        client = agent.client()
        agent.controller.send_at(5000, scene.crowd(QUIET_DEVICES, scene.TARGETS))
        client.awaits("reports_total", QUIET_DEVICES)
        for name, gaps in streams.items():
            packets = itertools.islice(advertisers(QUIET_DEVICES), QUIET_REPORTS)
            measure_stream(
                agent, client, figures, name, QUIET_REPORTS,
                "at 20/s, " + ("at random" if "random" in name else "50 ± 10 ms"),
                lambda: agent.controller.send_after(gaps, packets))


def measure_calls(program, figures):
    """System calls, and turns of the loop, for reports that come evenly; a watcher receives the found devices."""
    with Agent(program) as agent:
        agent.client().watch()
        client = agent.client()
        agent.controller.send_at(5000, scene.crowd(ADVERTISERS, scene.TARGETS))
        client.awaits("reports_total", ADVERTISERS)
        for rate, seconds in (1, 8), (500, 4), (1000, 3), (5000, 3):
            packets = itertools.islice(advertisers(ADVERTISERS), rate * seconds)
            measure_stream(
                agent, client, figures, rate, rate * seconds, f"at {rate:,}/s",
                lambda: agent.controller.send_at(rate, packets))


def measure_stream(agent, client, figures, name, count, what, send):
    """Counts the system calls and turns for the `count` reports that `send` sends."""
    try:
        taken = count_calls(client, agent.process, count, send)
    except CannotTrace as error:
        report_untraced(error)
        taken = (None, None)
    for kind, number in zip(("calls", "turns"), taken):
        figures.write(f"{kind}-per-1000-reports@{name}", number and round(number * 1000 / count))
    say(f"calls, turns per report {what}", *("-" if number is None else f"{number / count:.3f}" for number in taken))


def count_calls(client, process, count, send):
    """System calls and turns for `count` reports; every turn waits once."""
    before = client.metric("reports_total")
    with SystemCalls(process) as system:
        send()
        # The last are read within an interval.
        time.sleep(0.1)
    client.awaits("reports_total", before + count)
    waits = sum(number for name, number in system.counts.items() if name in WAITS)
    return sum(system.counts.values()), waits


def advertisers(count):
    """An endless repetition of the same devices' reports."""
    return itertools.cycle(list(scene.crowd(count, scene.TARGETS)))


# How many seconds each rate lasts: a multiple of those between two samples of the history.
RATES = {20: 20, 170: 10, 1000: 5, 5000: 5}
# So that no sample is taken where what is counted begins or ends.
WARM_UP = 17
# What an open request looks for: one item, for which there is a device, or one for each target; nothing when closed.
REQUESTS = {"closed": [], "one-item": [4], "12-items": range(scene.TARGETS)}
# Of devices that send once a second.
REQUEST_RATE = 200


def measure_instructions(program, figures):
    """Instructions for each report of known devices of the agent as it runs, without a client; and allocations. At 20 a second
    each report of one device has a turn of its own, at 5,000 a hundred have one: what they differ by is a turn."""
    each, allocations = {}, None
    try:
        each, allocations = count_instructions(program)
        each["turn"] = each["one device"] - each[5000]
        each |= {name: count_request(program, items) for name, items in REQUESTS.items()}
    except subprocess.SubprocessError as error:
        print(f"callgrind cannot be asked here, so instructions of the running agent are not counted: {error}", file=sys.stderr)
    for rate in RATES:
        figures.write(f"instructions-per-report@{rate}", each.get(rate))
    figures.write("instructions-per-turn", each.get("turn"))
    figures.write("running-allocations", allocations)
    say("instructions a report at 20, 170, 1,000, 5,000/s", *(each.get(rate, "-") for rate in RATES))
    say("instructions a turn; allocations in all of these", each.get("turn", "-"), "-" if allocations is None else allocations)
    for name in REQUESTS:
        figures.write(f"request-instructions@{name}", each.get(name))
    say("at 200/s without a request, with 1 item, with 12", *(each.get(name, "-") for name in REQUESTS))


def count_instructions(program):
    each, allocations = {}, 0
    with counted(program) as (agent, instructions):
        # The history sets memory aside for each device with its first samples.
        agent.clock.play(20, advertisers(QUIET_DEVICES), WARM_UP)
        for rate, seconds in RATES.items():
            with instructions() as taken:
                agent.clock.play(rate, advertisers(QUIET_DEVICES), seconds)
            each[rate] = taken.count // (rate * seconds)
            allocations += taken.allocations
        # Meanwhile the others are lost.
        agent.clock.play(20, advertisers(1), WARM_UP)
        with instructions() as taken:
            agent.clock.play(20, advertisers(1), RATES[20])
        each["one device"] = taken.count // (20 * RATES[20])
        allocations += taken.allocations
    return each, allocations


def count_request(program, items):
    """Instructions a report, while an operator watches a request for these items."""
    with counted(program, prepare=lambda agent: items and open_request(agent, items)) as (agent, instructions):
        agent.clock.play(REQUEST_RATE, advertisers(REQUEST_RATE), WARM_UP)
        with instructions() as taken:
            agent.clock.play(REQUEST_RATE, advertisers(REQUEST_RATE), RATES[20])
    return taken.count // (REQUEST_RATE * RATES[20])


def open_request(agent, items):
    watcher, opener = agent.client(), agent.client()
    watcher.send("Watch", more=True, interface="Operator")
    opener.send("Open", more=True, interface="Operator", app="benchmark", items=[f"item-{index}" for index in items],
                discoveryTimeout="unbounded")
    opener.receive()
    while not watcher.receive().get("request"):
        pass
    for client in watcher, opener:
        threading.Thread(target=drain, args=(client,), daemon=True).start()


@contextlib.contextmanager
def counted(program, prepare=lambda _: None):
    """An agent whose instructions can be counted, and whose time is said, from when it was prepared on."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "callgrind"
        with Agent(program, before=Instructions.before(file), clock=Clock()) as agent:
            prepare(agent)
            agent.clock.begin(agent.controller, scene.crowd(1, 1))
            yield agent, lambda: Instructions(agent.process, file)


def measure_wakeups(program, figures, interval):
    """Wake-ups, measured without strace, because it is slow."""
    with Agent(program, interval) as agent:
        client = agent.client()
        agent.controller.send_at(5000, scene.crowd(ADVERTISERS, scene.TARGETS))
        client.awaits("reports_total", ADVERTISERS)
        before = client.metric("turns_total")
        seconds = agent.controller.send_at(1000, itertools.islice(advertisers(ADVERTISERS), 5000))
        # The last turn is that of the query itself.
        turns = client.metric("turns_total") - before - 1
    figures.write(f"wake-ups-per-second@{interval}", round(turns / seconds))
    say(f"wake-ups a second at 1,000/s, every {interval} ms", f"{turns / seconds:.1f}")


def measure_latency(program):
    """From a report of a new device until a watcher has its event."""
    for rate in 0, 500:
        with Agent(program) as agent:
            watcher = agent.client()
            watcher.watch()
            done = threading.Event()
            flood = threading.Thread(target=beside, args=(agent.controller, rate, done))
            flood.start()
            times = []
            chance = random.Random(1)
            for index in range(EVENTS):
                time.sleep(chance.uniform(0.02, 0.04))
                device = scene.address(1 << 20 | index)
                start = time.perf_counter()
                agent.controller.send(report(device, scene.target(index)))
                watcher.found(scene.text(device))
                times.append((time.perf_counter() - start) * 1000)
            done.set()
            flood.join()
        times.sort()
        say(
            f"report to event, {rate}/s beside, p50 p90 p99 max",
            *(f"{times[min(EVENTS - 1, EVENTS * part // 100)]:.2f} ms" for part in (50, 90, 99, 100)))


def beside(controller, rate, done):
    """Sends reports of unknown devices until the test is done."""
    if rate:
        devices = range(ADVERTISERS)
        packets = itertools.cycle([report(scene.address(index), scene.unknown(index)) for index in devices])
        controller.send_at(rate, itertools.takewhile(lambda _: not done.is_set(), packets))


def main():
    program, figures = sys.argv[1], Figures(sys.argv[2])
    measure_memory(program, figures)
    measure_start(program, figures)
    measure_instructions(program, figures)
    measure_calls(program, figures)
    measure_quiet_room(program, figures)
    for interval in 20, 50:
        measure_wakeups(program, figures, interval)
    measure_latency(program)


try:
    main()
except DoesNotScan as error:
    sys.exit(f"the agent has not begun to scan: {error}")
