# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated radios for networks, and networks around them: beacons that a radio in monitor mode sends."""

import ctypes
import pathlib
import socket
import struct
import subprocess
import threading
import time

from errors import ScenarioError

# Each radio hears the others. The first one is the agent's, the second one sends beacons.
INTERFACE, SENDER = "wlan0", "wlan1"
CHANNEL, MEGAHERTZ = 6, 2437
# A radiotap header without fields (linux/include/net/ieee80211_radiotap.h).
RADIOTAP = bytes([0, 0, 8, 0, 0, 0, 0, 0])
ETH_P_ALL, SO_ATTACH_FILTER = 3, 26
# A scan stays on a channel for 30 ms after its probe request (IEEE80211_CHANNEL_TIME in net/mac80211/scan.c).
DWELL_SECONDS = 0.025
RATES = bytes([1, 4, 0x82, 0x84, 0x8B, 0x96])
# RSN with CCMP and a passphrase.
RSN = bytes.fromhex("30140100000fac040100000fac040100000fac020000")


def run(*arguments, check=True):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    if check and done.returncode:
        raise ScenarioError(f"{' '.join(arguments)} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def start_scan(channels=(), interface=INTERFACE):
    """Lets another program start a scan. Returns whether it could: one may be under way.

    It does not wait: a program that listens only after its request can miss the end of a short scan, and iw then waits on.
    """
    words = ["iw", "dev", interface, "scan", "trigger", *channels]
    return subprocess.run(words, capture_output=True, timeout=60).returncode == 0


def beacon(number, name, padding=0):
    """A beacon of network 02:42:00:00:xx:yy with this name, and vendor elements of `padding` bytes."""
    address = struct.pack(">HHH", 0x0242, 0, number)
    header = bytes([0x80, 0, 0, 0]) + b"\xff" * 6 + address + address + bytes(2)
    # Time stamp, interval, and capabilities: an access point with privacy.
    fixed = bytes(8) + struct.pack("<HH", 100, 0x11)
    elements = bytes([0, len(name)]) + name + RATES + bytes([3, 1, CHANNEL]) + RSN
    while padding > 0:
        piece = min(padding, 250)
        elements += bytes([221, piece + 3, 0, 0x11, 0x22]) + b"Z" * piece
        padding -= piece
    return RADIOTAP + header + fixed + elements


def receive_probe_requests(air):
    """Lets only probe requests through, of all the frames that a radio in monitor mode hears."""
    # A load of the radiotap header's length, one of the byte behind the header, and a comparison (linux/filter.h).
    program = [(0x30, 0, 0, 2), (0x07, 0, 0, 0), (0x50, 0, 0, 0), (0x15, 0, 1, 0x40), (0x06, 0, 0, 2048), (0x06, 0, 0, 0)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in program))
    air.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("@HP", len(program), ctypes.addressof(code)))


class Radios:
    """The radios of mac80211_hwsim, from construction to `end`."""

    def __init__(self, lab, count=2, **options):
        self.lab = lab
        lab.open.append(self)
        run("modprobe", "-r", "mac80211_hwsim", check=False)
        run("modprobe", "mac80211_hwsim", f"radios={count}", *[f"{key}={value}" for key, value in options.items()])
        lab.until(lambda: pathlib.Path(f"/sys/class/net/wlan{count - 1}").exists(), "the radios are there")
        self.frames, self.sending = [], None
        run("ip", "link", "set", INTERFACE, "up")

    def send(self, names, padding=0):
        """From now on responds to each scan with a beacon of every network: of as many as fit into the time that a scan
        stays on a channel, and of the next ones in the next scan."""
        frames = [beacon(number, name, padding) for number, name in enumerate(names)]
        if self.sending:
            self.frames[:] = frames
            return
        run("iw", "dev", SENDER, "set", "type", "monitor")
        run("ip", "link", "set", SENDER, "up")
        run("iw", "dev", SENDER, "set", "channel", str(CHANNEL))
        self.frames, self.sending = frames, threading.Event()
        threading.Thread(target=self._respond, daemon=True).start()

    def _respond(self):
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as air:
            receive_probe_requests(air)
            air.bind((SENDER, ETH_P_ALL))
            air.settimeout(0.2)
            count = 0
            while not self.sending.is_set():
                try:
                    air.recv(2048)
                    end = time.monotonic() + DWELL_SECONDS
                    for _ in range(len(self.frames)):
                        air.send(self.frames[count % len(self.frames)])
                        count += 1
                        if time.monotonic() > end:
                            break
                except TimeoutError:
                    continue
                except OSError:
                    return  # The radio was unplugged.

    def scan(self, channels=("freq", str(MEGAHERTZ))):
        """Lets another program scan the channel of the networks, or all channels if none is given, and waits for the end."""
        self.lab.until(lambda: start_scan(channels), "another program starts a scan", 40)
        self._known()

    def _known(self):
        """What both sources deliver, as text, while no scan is under way."""
        return self.lab.until(
            lambda: (text := run("/lab/bin/network-list", INTERFACE)) and "scanning" not in text and text, "no scan is on")

    def lists(self):
        """What both sources deliver: {source: [(address, name, frequency, signal, security)]}, and {source: error}."""
        lists, errors, refused = {}, {}, {}
        for line in self._known().splitlines():
            source, *words = line.split()
            if words[0] == "error":
                errors[source] = words[1]
            elif words[0] == "refused":
                refused[source] = int(words[1])
                lists.setdefault(source, [])
            else:
                lists.setdefault(source, []).append(tuple(words))
        return lists, errors, refused

    def end(self):
        """Unplugs the radios."""
        if self.sending:
            self.sending.set()
        run("modprobe", "-r", "mac80211_hwsim", check=False)


# An app with an item that is found by its network, for the end of the manifest: the agent starts scans for it.
ITEM = """[app.camera]
user = "camera"
supports = ["WiFi"]
[[app.camera.item]]
id = "gate"
name = "Gate camera"
select = "automatic"
descriptor.ssid = "No such network"
"""


def wifi(agent):
    return agent.status()["wifi"]
