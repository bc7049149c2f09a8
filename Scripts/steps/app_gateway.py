# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated gateway, an operator and running apps, for Scripts/steps/app-session and Scripts/steps/gatt-apps.

The manifest is what accessoryctl suggest writes from the app's Info.plist, with the account that runs this; the radio is
simulated, and an accessory with the services of the Info.plist is in reach; the operator, who uses accessoryctl pick, is played
through the same interface.
"""
import contextlib
import json
import os
import pathlib
import plistlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 60
ADDRESS = "F0:F1:D1:CE:00:06"
SCENE = """schema = 1
seed = 0xACCE550E
[[device]]
name = "{app}"
address = "{address}"
address-type = "static"
interval = "100ms"
payload = [{{ flags = 0x6 }}, {{ services = [{services}] }}]
dbm = -50
"""
GATEWAY = """schema = 1
[gateway]
radio = "h4:{folder}/controller"
board = "virtual"
"""


class App:
    """A running app, and the lines that it has printed."""

    def __init__(self, tools, path, name, *arguments):
        print(f"{name}$", name, *arguments, flush=True)
        self.name, self.lines, self.changed = name, [], threading.Condition()
        self.process = subprocess.Popen(
            [tools / name, *arguments], env={"PATH": "/usr/bin:/bin", "ACCESSORYD_SOCKET": str(path)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line)
                self.changed.notify()

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def expect(self, *beginnings):
        """Waits for a line with each of these beginnings, and prints them in this order."""
        for beginning in beginnings:
            with self.changed:
                found = self.changed.wait_for(
                    lambda: [line for line in self.lines if line.startswith(beginning)], TIMEOUT_SECONDS)
            if not found:
                sys.exit(f"{self.name} does not print {beginning}, but\n{''.join(self.lines)}")
            print(f"{self.name}: {found[0]}", end="", flush=True)

    def quit(self):
        self.type("quit")
        if self.process.wait(TIMEOUT_SECONDS) != 0:
            sys.exit(f"{self.name} ends with {self.process.returncode}")


class Operator:
    """A connection to the agent as an operator."""

    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT_SECONDS)
        self.socket.connect(f"{folder}/socket")
        self.rest = b""

    def send(self, method, more=False, **parameters):
        call = {"method": f"io.accessoryd.Operator.{method}", "parameters": parameters, "more": more}
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self):
        while b"\0" not in self.rest:
            data = self.socket.recv(1 << 16)
            if not data:
                sys.exit("the agent has hung up")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        reply = json.loads(text)
        if "error" in reply:
            sys.exit(f"the agent refuses: {reply}")
        return reply["parameters"]


def choose(folder, name="Dice"):
    """Chooses the accessory for the app that asks."""
    watch, operator = Operator(folder), Operator(folder)
    watch.send("Watch", more=True)
    while True:
        reply = watch.receive()
        candidate = reply.get("candidate")
        if candidate and candidate["address"] == ADDRESS:
            operator.send("Choose", request=reply["of"], candidate=candidate["candidate"], name=name)
            operator.receive()
            return


@contextlib.contextmanager
def running(command, path, log):
    """Runs a program that serves a socket, and waits until the socket exists."""
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        wait = f'until [ -S "{path}" ]; do kill -0 {program.pid} || exit 1; sleep 0.05; done'
        if subprocess.run(["sh", "-c", wait]).returncode != 0:
            sys.exit(pathlib.Path(log.name).read_text())
        yield
    finally:
        program.terminate()
        program.wait()


@contextlib.contextmanager
def gateway(tools, app, shown=False):
    """A folder with a running agent whose manifest has the app. `shown` prints how its section is made."""
    # The caller may have blocked the signals that end the agent.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    command = f"accessoryctl suggest --plist Scripts/examples/{app}/Info.plist --app {app}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env={"PATH": f"{tools}:/usr/bin:/bin"}, text=True, check=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if shown:
        print(f"$ {command}\n" + "".join(re.findall(r"(?m)^[^#\n].*\n", done.stdout)), end="", flush=True)
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = pathlib.Path(name)
        (folder / "board").mkdir()
        shutil.copy(ROOT / "Board/virtual.toml", folder / "board")
        declared = plistlib.loads((ROOT / f"Scripts/examples/{app}/Info.plist").read_bytes())
        services = ", ".join(f'"{uuid}"' for uuid in declared["NSAccessorySetupBluetoothServices"])
        (folder / "scene.toml").write_text(SCENE.format(app=app, address=ADDRESS, services=services))
        account = pwd.getpwuid(os.getuid()).pw_name
        section = re.sub(r'(?m)^user = ".*"', f'user = "{account}"', done.stdout)
        (folder / "accessoryd.toml").write_text(GATEWAY.format(folder=folder) + section)
        log = (folder / "log").open("w+")
        with running(
                [tools / "virtual-controller", folder / "scene.toml", "--socket", folder / "controller"],
                folder / "controller", log), \
            running(
                [tools / "accessoryd", "--manifest", folder / "accessoryd.toml", "--socket", folder / "socket", "--state",
                 folder / "state"], folder / "socket", log):
            yield folder
