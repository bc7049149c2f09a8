# SPDX-License-Identifier: GPL-3.0-or-later
"""client.py PROGRAM FIGURES [SECONDS]: what an idle app takes that uses the library: memory, and wake-ups in this many
seconds (30). Prints a table, and writes "NAME NUMBER" lines to FIGURES."""

import json
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# After this time without work, Dispatch's threads have ended.
SETTLING_SECONDS = 15
ACCESSORIES = 8
# How much of its program an app has in memory depends on where the kernel loads it, by 1.8 MB. This many run at once, and
# the one in the middle counts.
CLIENTS = 7


def accessory(number):
    return {
        "identifier": f"{number:032x}", "bluetoothIdentifier": f"{number + 100:032x}", "displayName": f"Lamp {number}",
        "state": 20, "descriptor": {"bluetoothCompanyIdentifier": 0x0EEE}, "bond": "none", "isIdentityDurable": True}


def activate(connection):
    """Replies to Activate as the agent does: the session, and the app's accessories with the event."""
    request = b""
    while not request.endswith(b"\0"):
        part = connection.recv(4096)
        if not part:
            raise SystemExit("the client closed its connection")
        request += part
    if not json.loads(request[:-1])["method"].endswith(".Activate"):
        raise SystemExit("the client did not call Activate first")
    epoch = "e" * 32
    activated = {"sequence": 0, "epoch": epoch, "time": 1.0, "event": "activated", "eventType": 10}
    for parameters in (
            {"session": "5" * 32, "app": "lights", "epoch": epoch, "sequence": 0, "radio": "on"},
            {"event": activated, "accessories": [accessory(number) for number in range(ACCESSORIES)]}):
        connection.sendall(json.dumps({"parameters": parameters, "continues": True}).encode() + b"\0")


def memory(process):
    """Kilobytes in memory, and those of them that are in no file."""
    lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    values = dict(line.split(":", 1) for line in lines)
    return [int(values[name].split()[0]) for name in ("VmRSS", "RssAnon")]


def wake_ups(process):
    """How often the threads of a process went to sleep or lost the processor, by thread."""
    counts = {}
    for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
        lines = (thread / "status").read_text().splitlines()
        counts[thread.name] = sum(int(line.split(":")[1]) for line in lines if "ctxt_switches" in line)
    return counts


def difference(before, after):
    """Wake-ups from one count to another. A thread that ended meanwhile woke up once."""
    return sum(abs(after.get(thread, before.get(thread, 0) - 1) - before.get(thread, 0))
               for thread in {*before, *after})


def start(program, path, listener):
    """Starts the app, activates its session, and waits until it has said so."""
    client = subprocess.Popen([program], stdout=subprocess.PIPE, text=True, env={"ACCESSORYD_SOCKET": path})
    try:
        connection, _ = listener.accept()
        activate(connection)
        line = client.stdout.readline().strip()
        if line != f"10 {ACCESSORIES}":
            raise SystemExit(f"the client printed {line!r}")
    except BaseException:
        end(client)
        raise
    return client, connection


def end(client):
    client.kill()
    client.wait()


def main():
    program, figures = sys.argv[1:3]
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = f"{folder}/socket"
        listener.bind(path)
        listener.listen()
        listener.settimeout(20)
        clients = []
        try:
            for _ in range(CLIENTS):
                clients.append(start(program, path, listener))
            time.sleep(SETTLING_SECONDS)
            before = [wake_ups(client.pid) for client, _ in clients]
            time.sleep(seconds)
            after = [wake_ups(client.pid) for client, _ in clients]
            resident, own = (statistics.median(values) for values in zip(*(memory(client.pid) for client, _ in clients)))
        finally:
            for client, _ in clients:
                end(client)
    woken = sum(map(difference, before, after))
    with open(figures, "a") as file:
        for name, figure in ("resident-kilobytes", resident), ("anonymous-kilobytes", own), ("wake-ups", woken):
            print(f"client-{name} {figure}", file=file)
    print(f"{'an idle app, of it in no file':<48}{resident / 1024:>9.1f} MB{own / 1024:>9.1f} MB")
    print(f"{f'wake-ups of {CLIENTS} such apps in {seconds} s':<48}{woken:>12}")


main()
