# SPDX-License-Identifier: GPL-3.0-or-later
"""A gateway with a simulated radio and accessory-esphome, for Scripts/steps/esphome and Scripts/steps/home-assistant."""
import contextlib
import json
import os
import pwd
import socket
import struct

from bridge_programs import ROOT, Program, check

__all__ = ["ACCOUNT", "ROOT", "Program", "Stream", "bridge_program", "check", "device", "gateway_programs", "is_listening"]
# The account of the bridge.
ACCOUNT = "games"
IS_ACCESSORY = 256


def is_listening(port, host="127.0.0.1"):
    with contextlib.suppress(OSError), socket.create_connection((host, port), 1):
        return True
    return False


def device(address, interval, dbm, payload):
    """A device of the scene, which sends this payload (TOML). The interval is in milliseconds.

    Without an address it changes its own.
    """
    own = f'address = "{address}"\naddress-type = "static"' if address else 'address-type = "non-resolvable"\nrotation = "20s"'
    return f'[[device]]\nname = "device"\n{own}\ninterval = "{interval}ms"\ndbm = {dbm}\n{payload}\n'


def gateway_programs(tools, folder, log, devices, manifest, *, inside=()):
    """The radio and the agent. `inside` comes before each command."""
    (folder / "board").mkdir()
    (folder / "board/virtual.toml").write_bytes((ROOT / "Board/virtual.toml").read_bytes())
    (folder / "scene.toml").write_text("schema = 1\nseed = 0xE5F0E5F0\n" + "".join(devices))
    (folder / "accessoryd.toml").write_text(
        f'schema = 1\n[gateway]\nradio = "h4:{folder}/controller"\nboard = "virtual"\n{manifest}')
    controller = Program(
        [*inside, tools / "virtual-controller", folder / "scene.toml", "--socket", folder / "controller"], log,
        (folder / "controller").exists)
    agent = Program(
        [*inside, tools / "accessoryd", "--manifest", folder / "accessoryd.toml", "--socket", folder / "socket", "--state",
         folder / "state"], log, (folder / "socket").exists)
    return controller, agent


def bridge_program(tools, folder, log, port, *options, inside=(), host="127.0.0.1"):
    """The bridge, and the folder with its key."""
    home = folder / f"bridge-{port}"
    home.mkdir()
    account = pwd.getpwnam(ACCOUNT)
    os.chown(home, account.pw_uid, -1)
    return Program(
        [*inside, "setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups",
         tools / "accessory-esphome", "--socket", folder / "socket", "--port", str(port), "--state", home, "--runtime", home,
         *options], log, lambda: is_listening(port, host)), home


class Stream:
    """An operator's stream of everything that the radio hears."""

    def __init__(self, path):
        self.call = socket.socket(socket.AF_UNIX)
        self.call.connect(str(path))
        self.call.sendall(json.dumps(
            {"method": "io.accessoryd.Gateway.WatchReports", "parameters": {"forward": "everything"}}).encode() + b"\0")
        self.reports = socket.socket(fileno=socket.recv_fds(self.call, 65536, 1)[1][0])

    def read(self):
        """Yields the address of each report that has come, and whether it is an accessory's."""
        with contextlib.suppress(BlockingIOError):
            while message := self.reports.recv(65536, socket.MSG_DONTWAIT):
                yield from self._records(message)

    @staticmethod
    def _records(message):
        _, kind, count, _, _, missed = struct.unpack_from("<BBHIQQ", message)
        assert missed == 0, "the test itself is too slow"
        offset = 24
        for _ in range(count if kind == 0 else 0):
            length, _, _, flags = struct.unpack_from("<HBBH", message, offset)
            yield message[offset + 16:offset + 22][::-1].hex(":").upper(), bool(flags & IS_ACCESSORY)
            offset += length
