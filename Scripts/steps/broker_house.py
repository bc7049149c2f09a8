# SPDX-License-Identifier: GPL-3.0-or-later
"""What the steps of the bridges to brokers share: a simulated gateway, an operator that counts its events, kills."""
import contextlib
import json
import os
import pwd
import socket
import subprocess
import threading
import time

from bridge_programs import ROOT, Program, check

THERMOMETERS = ["C4:A1:00:00:00:01", "C4:A1:00:00:00:02"]
LAMP, UNKNOWN = "C4:A1:00:00:00:03", "C4:A1:00:00:00:04"
PASSWORD = "correct horse"


def turns(first):
    """Payloads of BTHome: temperature and humidity, of which each differs from those before."""
    return ", ".join(f'"40 02{(first + index).to_bytes(2, "little").hex()} 03{(4000 + index).to_bytes(2, "little").hex()}"'
                     .replace(" ", "") for index in range(400))


def scene():
    devices = "schema = 1\nseed = 0x3077E5\n"
    for address, first, dbm in [(THERMOMETERS[0], 1500, -50), (THERMOMETERS[1], 2200, -60)]:
        devices += (f'[[device]]\nname = "{address}"\naddress = "{address}"\naddress-type = "static"\ninterval = "50ms"\n'
                    f'turn = "150ms"\npayload = [{{ flags = 0x6 }}, {{ service = "FCD2", data = [{turns(first)}] }}]\n'
                    f'dbm = {dbm}\n')
    for address, data in [(LAMP, "a501"), (UNKNOWN, "a502")]:
        devices += (f'[[device]]\nname = "{address}"\naddress = "{address}"\naddress-type = "static"\ninterval = "100ms"\n'
                    f'payload = [{{ flags = 0x6 }}, {{ company = "0x0EEE", data = ["{data}"] }}]\ndbm = -55\n')
    return devices


MANIFEST = """schema = 1
[gateway]
radio = "h4:{folder}/controller"
board = "virtual"
changed-interval-ms = 100
[app.climate]
user = "daemon"
supports = ["Bluetooth"]
bluetooth-services = ["FCD2"]
[[app.climate.item]]
name = "Thermometer"
max-accessories = 4
descriptor.bluetooth-service-uuid = "FCD2"
[app.lights]
user = "bin"
supports = ["Bluetooth"]
bluetooth-company-identifiers = ["0x0EEE"]
[[app.lights.item]]
name = "Lamp"
descriptor.bluetooth-company-identifier = "0x0EEE"
descriptor.bluetooth-manufacturer-data-blob = "a501"
[bridge.climate]
user = "games"
apps = ["climate"]
may = ["pick", "rename", "remove"]
[bridge.lights]
user = "news"
apps = ["lights"]
"""


class Operator:
    """An operator's own reading of the agent's events, by epoch and sequence, over all ends of the agent."""

    def __init__(self, path):
        self.path, self.events, self.missed, self.cursor = path, {}, 0, None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            with contextlib.suppress(OSError, ValueError):
                self.read()
            time.sleep(0.02)

    def read(self):
        agent = socket.socket(socket.AF_UNIX)
        agent.connect(str(self.path))
        parameters = {"epoch": self.cursor[0], "sequence": self.cursor[1]} if self.cursor else {}
        agent.sendall(json.dumps(
            {"method": "io.accessoryd.Gateway.Watch", "parameters": parameters, "more": True}).encode() + b"\0")
        rest = b""
        while data := agent.recv(1 << 16):
            *messages, rest = (rest + data).split(b"\0")
            for message in messages:
                self.note(json.loads(message)["parameters"])

    def note(self, reply):
        if "epoch" in reply:
            if not self.cursor or self.cursor[0] != reply["epoch"]:
                # From the beginning of the agent's ring.
                self.cursor = (reply["epoch"], 0)
                raise ConnectionError
        elif "event" in reply:
            event = reply["event"]
            self.events[(event["epoch"], event["sequence"])] = event["app"]
            self.cursor = (event["epoch"], event["sequence"] + 1)
        self.missed += reply.get("missed", 0)

    def of(self, app):
        return {key for key, owner in list(self.events.items()) if owner == app}


def wait_for(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    print(f"good: {what}", flush=True)


def is_listening(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def make_certificates(folder):
    """A certificate that is good, and one that has expired, by one authority."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out",
            "ca.crt", "-days", "2", "-subj", "/CN=Authority")
    (folder / "index.txt").touch()
    (folder / "serial").write_text("01\n")
    (folder / "ca.cnf").write_text(
        "[ca]\ndefault_ca = c\n[c]\ndir = .\ndatabase = index.txt\nserial = serial\nnew_certs_dir = .\ncertificate = ca.crt\n"
        "private_key = ca.key\ndefault_md = sha256\npolicy = p\nunique_subject = no\nx509_extensions = e\n[p]\n"
        "commonName = supplied\n[e]\nsubjectAltName = DNS:localhost\n")
    for name, dates in [("good", ["-days", "2"]), ("expired", ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"])]:
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out",
                f"{name}.csr", "-subj", "/CN=localhost")
        openssl("ca", "-batch", "-config", "ca.cnf", "-in", f"{name}.csr", "-out", f"{name}.crt", *dates)
    for path in folder.iterdir():
        path.chmod(0o644)


def compare(operator, app, events, resets, resets_min, accessory_count=2):
    """Compares what came, as functions, with what an operator has read from the agent itself. Returns how many came twice."""
    def received():
        return [(event["epoch"], event["sequence"]) for event in events()]

    def hidden():
        """Numbers of events that are not for this bridge: of other apps, and of devices that are no accessories yet."""
        return {(event["epoch"], event["sequence"] - 1 - back) for event in events()
                for back in range(event.get("passed", 0))}

    check(len(resets()) >= resets_min, f"{len(resets())} resets were announced")
    epochs = list(dict.fromkeys(epoch for epoch, _ in received()))
    first = received()[0]
    # Nothing is said of what came before the first one.
    wanted = {key for key in operator.of(app) if key[0] != first[0] or key[1] >= first[1]}
    wait_for(lambda: not {key for key in wanted if key[0] == epochs[-1]} - set(received()) - hidden(),
             "no event of the last run is missing")
    keys = received()
    # Before a reset says so, a reader has everything up to the position that it names.
    ends = {reset["last"]["epoch"]: reset["last"]["sequence"] for reset in resets() if "last" in reset}
    for epoch in set(ends) & set(epochs[:-1]):
        missing = {key for key in wanted if key[0] == epoch and key[1] < ends[epoch]} - set(keys) - hidden()
        check(not missing,
              sorted(missing) or f"none of a run that was killed is missing before {ends[epoch]}, which its reset names")
    accessories = {event["accessory"] for event in events() if "accessory" in event}
    check(len(accessories) == accessory_count and len(hidden() & wanted) < 20, "what was hidden is of devices that were no accessories yet")
    # The operator did not read the last events of an agent that was killed.
    read = {epoch: max(key[1] for key in wanted if key[0] == epoch) for epoch in {key[0] for key in wanted}}
    check(not {key for key in keys if key[1] <= read.get(key[0], -1)} - wanted, "none is of another app or invented")
    doubles = len(keys) - len(set(keys))
    print(f"good: {len(set(keys))} events came, {doubles} of them twice; {len(resets())} resets", flush=True)
    check(not operator.missed, "the operator missed none")
    return doubles


def keeps_addresses(messages):
    """Checks that no address left, in three spellings."""
    text = json.dumps(messages).upper()
    for address in [*THERMOMETERS, LAMP, UNKNOWN]:
        for form in [address, address.replace(":", ""), str(int(address.replace(":", ""), 16))]:
            check(form not in text, f"no address left: {form}")


def call(path, method, **parameters):
    """Makes an operator's call, and returns its last reply."""
    agent = socket.socket(socket.AF_UNIX)
    agent.connect(str(path))
    agent.sendall(json.dumps(
        {"method": f"io.accessoryd.Operator.{method}", "parameters": parameters, "more": method == "Open"}).encode() + b"\0")
    rest = b""
    while data := agent.recv(1 << 16):
        *messages, rest = (rest + data).split(b"\0")
        for reply in map(json.loads, messages):
            if "error" in reply:
                raise AssertionError(reply)
            if not reply.get("continues"):
                return reply
    raise AssertionError("the agent has ended")


class House:
    """The programs of a gateway, in a folder."""

    def __init__(self, tools, folder, log):
        self.tools, self.folder, self.log = tools, folder, log
        (folder / "board").mkdir()
        (folder / "board/virtual.toml").write_bytes((ROOT / "Board/virtual.toml").read_bytes())
        (folder / "scene.toml").write_text(scene())
        (folder / "accessoryd.toml").write_text(MANIFEST.format(folder=folder))
        self.controller = Program(
            [tools / "virtual-controller", folder / "scene.toml", "--socket", folder / "controller"], log,
            (folder / "controller").exists)
        self.agent = Program(
            [tools / "accessoryd", "--manifest", folder / "accessoryd.toml", "--socket", folder / "socket", "--state",
             folder / "state"], log, (folder / "socket").exists)
        self.bridges, self.logs = {}, {}

    def make_bridge(self, kind, name, account, configuration, **credentials):
        """A bridge accessory-KIND under an account; its credentials are files beside its configuration."""
        home = self.folder / f"bridge-{name}"
        home.mkdir()
        for credential, content in {"password": PASSWORD + "\n", **credentials}.items():
            (home / credential).write_text(content)
        os.chown(home, pwd.getpwnam(account).pw_uid, -1)
        (home / f"{kind}.toml").write_text(configuration)
        log = (home / "log").open("w+")
        state = ["--state", home] if kind == "mqtt" else []
        self.bridges[name] = Program(
            [self.tools / f"accessory-{kind}", "--socket", self.folder / "socket", *state, "--config", home / f"{kind}.toml"],
            log, lambda: True, user=account, env={"CREDENTIALS_DIRECTORY": str(home)})
        self.logs[name] = home / "log"
        return self.bridges[name]

    def said(self, name):
        return self.logs[name].read_text()

    def call(self, method, **parameters):
        return call(self.folder / "socket", method, **parameters)

    @staticmethod
    def wait_for_events(count):
        """Waits until some events more have come, of which `count` says how many there are."""
        before = count()
        wait_for(lambda: count() > before + 10, "events pass", 60)

    def kill_in_each_order(self, programs, count):
        """Kills a bridge, a broker and the agent, alone and together, and lets some events pass before and after."""
        for order in [["bridge"], ["broker"], ["agent"], ["bridge", "broker"], ["broker", "agent"], ["agent", "bridge"]]:
            self.wait_for_events(count)
            for name in order:
                programs[name].kill()
            time.sleep(0.3)
            for name in order:
                if name == "agent":
                    (self.folder / "socket").unlink()
                programs[name].start()
            print("killed", " and ".join(order), flush=True)
