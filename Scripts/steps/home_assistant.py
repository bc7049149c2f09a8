# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of Home Assistant's REST and WebSocket interfaces, for Scripts/steps/home-assistant."""
import base64
import json
import os
import socket
import struct
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT_SECONDS = 30
CLIENT = "http://owner.example/"
OWNER = {"client_id": CLIENT, "name": "Owner", "username": "owner", "password": "only for this test", "language": "en"}


class RefusedError(Exception):
    """Home Assistant has refused a command, with this sentence."""


class WebSocket:
    """A WebSocket (RFC 6455) that carries text messages of any length, and answers pings."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port), TIMEOUT_SECONDS)
        self.stream = self.socket.makefile("rb")
        self.socket.sendall((
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        if b" 101 " not in self.stream.readline():
            raise ConnectionError("this is no WebSocket")
        while self.stream.readline() not in (b"\r\n", b""):
            pass

    def close(self):
        self.stream.close()
        self.socket.close()

    def send(self, value):
        self._send(1, json.dumps(value).encode())

    def receive(self):
        message = b""
        while True:
            first, length = self._read(2)
            if length >= 126:
                length = int.from_bytes(self._read(2 if length == 126 else 8), "big")
            payload = self._read(length)
            if first & 15 == 9:
                self._send(10, payload)
            elif first & 15 == 8:
                raise ConnectionError("Home Assistant has closed the connection")
            elif first & 15 in (0, 1):
                message += payload
                if first & 128:
                    return json.loads(message)

    def _read(self, count):
        read = self.stream.read(count)
        if len(read) < count:
            raise ConnectionError("the connection has ended")
        return read

    def _send(self, kind, payload):
        mask = os.urandom(4)
        length = bytes([128 | len(payload)]) if len(payload) < 126 else b"\xfe" + struct.pack(">H", len(payload))
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(bytes([128 | kind]) + length + mask + masked)


class HomeAssistant:
    """Home Assistant, as its owner uses it. A new one has no owner: onboard() makes one."""

    def __init__(self, host, port):
        self.host, self.port, self.token = host, port, None

    # REST

    def request(self, method, path, body=None, *, form=False):
        data = None
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None:
            data = urllib.parse.urlencode(body).encode() if form else json.dumps(body).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded" if form else "application/json"
        request = urllib.request.Request(f"http://{self.host}:{self.port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise RefusedError(f"{method} {path}: {error.code} {error.read().decode()[:300]}") from None
        return json.loads(text) if text else None

    def is_ready(self):
        """Whether it replies, and has set up what it is made of."""
        try:
            return self.token is None and bool(self.request("GET", "/api/onboarding")) or (
                self.token is not None and self.request("GET", "/api/config")["state"] == "RUNNING")
        except (OSError, RefusedError):
            return False

    def onboard(self):
        """Makes the owner, and a token that lasts."""
        code = self.request("POST", "/api/onboarding/users", OWNER)["auth_code"]
        grant = {"grant_type": "authorization_code", "code": code, "client_id": CLIENT}
        self.token = self.request("POST", "/auth/token", grant, form=True)["access_token"]
        self.request("POST", "/api/onboarding/core_config", {})
        self.request("POST", "/api/onboarding/analytics", {})
        self.request("POST", "/api/onboarding/integration", {"client_id": CLIENT, "redirect_uri": f"{CLIENT}?auth_callback=1"})
        self.token = self.command("auth/long_lived_access_token", client_name="test", lifespan=30)

    def states(self):
        return {state["entity_id"]: state for state in self.request("GET", "/api/states")}

    def answer_flow(self, flow, answer):
        return self.request("POST", f"/api/config/config_entries/flow/{flow}", answer)

    # WebSocket

    def command(self, kind, **values):
        with self._connection() as connection:
            return connection.command(kind, **values)

    def first_event(self, kind, seconds):
        """The first event of a subscription; None when none comes."""
        with self._connection() as connection:
            connection.command(kind)
            connection.socket.socket.settimeout(seconds)
            try:
                while True:
                    message = connection.socket.receive()
                    if message["type"] == "event":
                        return message["event"]
            except TimeoutError:
                return None

    def act(self, domain, service, /, **values):
        """Calls an action, as a button or an automation does."""
        return self.command("call_service", domain=domain, service=service, service_data=values)

    def make_dashboard(self, name, cards, *, panel=False):
        self.command("lovelace/dashboards/create", url_path=name, title=name.title(), mode="storage", allow_single_word=True)
        view = {"title": name.title(), "cards": cards, "panel": panel}
        self.command("lovelace/config/save", url_path=name, config={"views": [view]})

    def flows(self, handler):
        """What was discovered for an integration, and awaits its owner."""
        return [flow for flow in self.command("config_entries/flow/progress") if flow["handler"] == handler]

    def entities(self, platform):
        return [entity for entity in self.command("config/entity_registry/list") if entity["platform"] == platform]

    def _connection(self):
        return _Connection(self.host, self.port, self.token)


class _Connection:
    """A WebSocket whose user is known."""

    def __init__(self, host, port, token):
        self.socket, self.count = WebSocket(host, port, "/api/websocket"), 0
        self.socket.receive()
        self.socket.send({"type": "auth", "access_token": token})
        if self.socket.receive()["type"] != "auth_ok":
            raise RefusedError("the token is refused")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def command(self, kind, **values):
        self.count += 1
        self.socket.send({"id": self.count, "type": kind, **values})
        while (message := self.socket.receive()).get("id") != self.count or message["type"] != "result":
            pass
        if not message["success"]:
            raise RefusedError(message["error"]["message"])
        return message["result"]
