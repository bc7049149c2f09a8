# SPDX-License-Identifier: GPL-3.0-or-later
"""The apps of scenarios that use the library for apps: the example apps, and link-probe."""

import shutil
import subprocess

from program import Program

SERVICE = "12345678-1234-1234-1234-123456789ABC"
ROLL = "12345679-1234-1234-1234-123456789ABC"
# A setting, a text, and a value with which the dice of bumble end the connection.
SIDES, TEXT, END = "FF01", "FF02", "FF06"
MANIFEST = f"""schema = 1
[gateway]
radio = "hci{{index}}"
access = "shared"
board = "virtual"
[app.dice]
user = "lights"
supports = ["Bluetooth"]
bluetooth-services = ["{SERVICE}"]
[app.devices]
user = "climate"
supports = ["Bluetooth"]
bluetooth-services = ["{SERVICE}"]
bluetooth-company-identifiers = ["0x0EEE"]
[app.probe]
user = "camera"
supports = ["Bluetooth"]
bluetooth-services = ["{SERVICE}"]
[[app.probe.item]]
name = "Dice"
descriptor.bluetooth-service-uuid = "{SERVICE}"
"""


class App(Program):
    """A program of an account, with the agent `agent`."""

    input = subprocess.PIPE

    def __init__(self, world, agent, user, name, *arguments):
        # Out of the folder that the host shares, which may not let the account in.
        path = world.folder / name
        if not path.exists():
            shutil.copy(f"/mnt/apps/{name}", path)
            path.chmod(0o755)
        self.read_count = 0
        super().__init__(world, name, [
            "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "env",
            f"ACCESSORYD_SOCKET={agent.socket_path}", path, *arguments])
        world.open.append(self)
        world.logs.append(self)
        # The log has the lines of an earlier program with this name, too.
        self.read_count = self.start_count

    def start(self):
        self.start_count = len(self.log_text().splitlines()) if self.path.exists() else 0
        super().start()

    def say(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def new_lines(self):
        return self.log_text().splitlines()[self.read_count:]

    def expect(self, *lines, seconds=60):
        """Waits until the program has printed these lines, in any order, since the last call."""
        self.world.until(lambda: set(lines) <= set(self.new_lines()), f"{self.name} prints {lines}", seconds)
        rows = self.new_lines()
        self.read_count += 1 + max(rows.index(line) for line in lines)

    def quit(self):
        self.say("quit")
        self.world.until(lambda: not self.is_running, f"{self.name} ends")
        self.world.equal(self.process.returncode, 0, f"the exit status of {self.name}")


def choose(agent, app, address, name):
    """The operator chooses a device for the app that asks for one."""
    with agent.client() as stream, agent.client() as calls:
        stream.send("io.accessoryd.Operator.Watch", more=True)
        requests = set()
        while True:
            reply = stream.receive()
            request, candidate = reply.get("request"), reply.get("candidate")
            if request and request["app"] == app:
                requests.add(request["request"])
            if candidate and reply["of"] in requests and candidate["address"] == address:
                return calls.call(
                    "io.accessoryd.Operator.Choose", request=reply["of"], candidate=candidate["candidate"], name=name)


def probe(lab, agent, address):
    """Starts link-probe, whose accessory is the device with this address, and waits until it knows the device."""
    lab.check("Dice" in agent.tool("pick", "--app", "probe", "--device", address), "the dice are set up")
    started = App(lab, agent, "camera", "link-probe")
    started.expect("activated: 1 accessories", "connected")
    return started


def check_long_value(app, uuid, byte_count):
    """Writes a value, and reads it back."""
    app.say(f"write {uuid} {byte_count}")
    app.expect(f"written {uuid}: done")
    app.say(f"read {uuid}")
    app.expect(f"value {uuid}: {bytes(number & 0xFF for number in range(byte_count)).hex()}")


def values(app, uuid):
    """The values of a characteristic among the lines that are new, as hexadecimal digits."""
    beginning = f"value {uuid}: "
    return [line.removeprefix(beginning) for line in app.new_lines() if line.startswith(beginning)]
