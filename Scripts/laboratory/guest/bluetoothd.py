# SPDX-License-Identifier: GPL-3.0-or-later
"""bluetoothd, which shares the adapter, and the bus that it needs."""

import pathlib
import re
import shutil
import subprocess

from errors import ScenarioError
from program import Program


# Where bluetoothd keeps its bonds, in a folder for each adapter, one for each device in it.
STORE = pathlib.Path("/var/lib/bluetooth")


def forget_all():
    """Empties bluetoothd's folder, in which an earlier scenario may have left devices."""
    for folder in STORE.iterdir():
        shutil.rmtree(folder)


class Bluetoothd(Program):
    def __init__(self, world, auto_enable=True):
        if not hasattr(world, "bus"):
            world.bus = Program(world, "dbus-daemon", ["dbus-daemon", "--system", "--nofork", "--nopidfile"])
            world.open.append(world.bus)
            world.until(lambda: _bus_answers(), "the bus answers")
        settings = world.folder / "main.conf"
        settings.write_text(f"[Policy]\nAutoEnable={'true' if auto_enable else 'false'}\n")
        super().__init__(world, "bluetoothd", ["/usr/libexec/bluetooth/bluetoothd", "-n", "-f", settings])
        self.await_bus()

    def await_bus(self):
        self.world.until(lambda: _has("org.bluez"), "bluetoothd is on the bus")

    def devices(self):
        """The addresses, and whether they are bonded, of all devices that bluetoothd knows, by their object paths."""
        text = _call("org.freedesktop.DBus.ObjectManager.GetManagedObjects", service="org.bluez")
        if text is None:
            raise ScenarioError("bluetoothd does not list its devices")
        found = {}
        for part in text.split("object path")[1:]:
            path = re.match(r' "(/org/bluez/hci\d+/dev_[0-9A-F_]+)"\n', part)
            address = re.search(r'string "Address"\s+variant\s+string "([0-9A-F:]+)"', part)
            if path and address and "org.bluez.Device1" in part:
                found[path[1]] = address[1], bool(re.search(r'string "(Bonded|Paired)"\s+variant\s+boolean true', part))
        return found

    def bonded(self):
        """The addresses of the devices that it is bonded with."""
        return [address for address, is_bonded in self.devices().values() if is_bonded]

    def control(self, *words):
        """Runs a command of bluetoothctl."""
        return subprocess.run(["bluetoothctl", "--timeout", "10", *words], capture_output=True, text=True).stdout

    def discover(self, world):
        """Starts a client for which bluetoothd scans as long as it runs."""
        script = "(echo scan on; exec sleep 1000) | bluetoothctl"
        client = Program(world, "bluetoothctl", ["sh", "-c", script])
        world.open.append(client)
        return client


class GATTServer(Program):
    """bluetoothctl, which serves dice on an adapter. `characteristics` are rows: UUID, flags, first value."""

    input = subprocess.PIPE

    def __init__(self, world, adapter, service, characteristics):
        super().__init__(world, "bluetoothctl", ["bluetoothctl"])
        world.open.append(self)
        world.logs.append(self)
        world.until(lambda: adapter in self.log_text(), "bluetoothctl knows the adapter")
        # The line after register-service says that the service is primary; after register-characteristic comes the value.
        self.say(f"select {adapter}", "power on", "menu gatt", f"register-service {service}", "yes")
        for uuid, flags, value in characteristics:
            self.say(f"register-characteristic {uuid} {flags}", _hexadecimal(value))
        self.say("register-application")
        world.until(lambda: "Application registered" in self.log_text(), "the services are registered")
        self.say("back", "menu advertise", f"uuids {service}", "back", "advertise on")
        world.until(lambda: "Advertising object registered" in self.log_text(), "the adapter advertises")
        self.say("menu gatt")

    def say(self, *lines):
        for line in lines:
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()


def _hexadecimal(value):
    return " ".join(f"0x{byte:02x}" for byte in value)


def _bus_answers():
    return _call("org.freedesktop.DBus.GetId") is not None


def _has(name):
    answer = _call("org.freedesktop.DBus.NameHasOwner", f"string:{name}")
    return answer is not None and "true" in answer


def _call(method, *arguments, service="org.freedesktop.DBus"):
    command = ["dbus-send", "--system", "--print-reply", f"--dest={service}", "/", method, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None
