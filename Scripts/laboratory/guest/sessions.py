# SPDX-License-Identifier: GPL-3.0-or-later
"""Apps and operators of scenarios, which speak to the agent's socket themselves: what each receives, and the sockets of
accessories that apps are handed."""

import json
import pwd
import socket
import struct

from agent import Refusal
from errors import ScenarioError
from transcripts import Transcript

SESSION, OPERATOR = "io.accessoryd.Session.", "io.accessoryd.Operator."
CAPABILITIES = ("display", "keyboard", "yesNo")


class AppSession:
    """A program with a session, of the account with the app's name. `received` are all replies, `events` the names of its
    events after `activated`, `accessories` its accessories by their identifiers."""

    def __init__(self, agent, name="lights", user=None):
        self.agent, self.user = agent, pwd.getpwnam(user or name).pw_uid
        self.received, self.events, self.accessories, self.token = [], [], {}, None
        self.failures, self.transcript = [], Transcript()
        self.stream = agent.client(self.user)
        self.stream.send(SESSION + "Activate", more=True, app=name)
        while "activated" not in self.events:
            self._take(self.stream.receive())
        self.events.remove("activated")

    def _take(self, reply):
        self.received.append(reply)
        self.transcript.add(reply)
        self.token = reply.get("session") or self.token
        for accessory in reply.get("accessories") or []:
            self.accessories[accessory["identifier"]] = accessory
        event = reply.get("event")
        if not event:
            return
        self.events.append(event["event"])
        if event.get("error"):
            self.failures.append(event["error"])
        if accessory := event.get("accessory"):
            if event["event"] == "accessoryRemoved":
                self.accessories.pop(accessory["identifier"], None)
            else:
                self.accessories[accessory["identifier"]] = accessory

    def read(self):
        """Takes the events that have come."""
        while reply := self.stream.poll():
            self._take(reply)
        return self.events

    def take_events(self):
        """The names of the events since the last call."""
        events, self.events = self.read(), []
        return events

    def expect(self, *events, seconds=30):
        """Waits for the last of these events, and checks that they have come in this order."""
        self.agent.world.until(lambda: events[-1] in self.read(), f"the app receives {events[-1]}", seconds)
        came = self.take_events()
        self.agent.world.equal(came, list(events), "the app's events")

    @property
    def identifier(self):
        """The identifier of its first accessory."""
        return next(iter(self.accessories))

    def call(self, method, **parameters):
        with self.agent.client(self.user) as client:
            client.socket.settimeout(90)
            return client.call(SESSION + method, session=self.token, **parameters)

    def connect(self, accessory=None):
        """Returns the socket that comes beside the reply."""
        with self.agent.client(self.user) as client:
            client.socket.settimeout(60)
            client.send(SESSION + "Connect", session=self.token, accessory=accessory or self.identifier)
            client.receive()
            if len(client.descriptors) != 1:
                raise ScenarioError(f"the reply came with {len(client.descriptors)} descriptors")
            return Link(client.descriptors[0])

    def refusal(self, method="Connect", accessory=None):
        """The error of a call, which must fail."""
        try:
            if method == "Connect":
                self.connect(accessory).socket.close()
            else:
                self.call(method, accessory=accessory or self.identifier)
        except Refusal as refusal:
            return refusal
        raise ScenarioError(f"{method} succeeds")


class Link:
    """A socket of the Attribute Protocol."""

    def __init__(self, descriptor):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)
        self.socket.settimeout(30)

    def ask(self, packet):
        """Sends a request, and returns its reply; the accessory may send more."""
        self.socket.send(packet)
        while True:
            reply = self.socket.recv(600)
            # Notification; Exchange MTU Request and discovery of the other side.
            if reply[0] not in (0x1B, 0x02, 0x04, 0x06, 0x08, 0x0A, 0x10):
                return reply

    def read(self, uuid):
        """The value of the characteristic with this UUID of two bytes (Read By Type Request), or the error's number."""
        reply = self.ask(struct.pack("<BHH", 0x08, 1, 0xFFFF) + uuid)
        return reply[4:] if reply[0] == 0x09 else reply[4]

    def close(self):
        self.socket.close()


class Operator:
    """Watches requests, says what its person can do, and answers. `received` are all replies."""

    def __init__(self, agent, capabilities=CAPABILITIES):
        self.agent = agent
        self.received, self.requests, self.candidates, self.closed = [], {}, {}, {}
        self.transcript, self.chosen = Transcript(), set()
        self.stream = agent.client()
        settings = {} if capabilities is None else {"capabilities": list(capabilities)}
        self.stream.send(OPERATOR + "Watch", more=True, **settings)
        agent.world.until(lambda: self.read() or self.is_synced, "the operator has everything")

    is_synced = False

    def close(self):
        self.stream.socket.close()

    def read(self):
        """Takes what has come. Returns whether anything has."""
        count = 0
        while reply := self.stream.poll():
            self._take(reply)
            count += 1
        return count > 0

    def _take(self, reply):
        self.received.append(reply)
        self.transcript.add(reply)
        if request := reply.get("request"):
            self.requests[request["request"]] = request
        elif candidate := reply.get("candidate"):
            self.candidates[reply["of"], candidate["candidate"]] = candidate
        elif gone := reply.get("gone"):
            self.candidates.pop((reply["of"], gone), None)
        elif closed := reply.get("closed"):
            self.requests.pop(closed, None)
            self.closed[closed] = reply
        elif reply.get("isSynced"):
            self.is_synced = True

    def expect_closed(self, request=None):
        """Waits until a request is closed, or all are."""
        def search():
            self.read()
            return request in self.closed if request else not self.requests
        self.agent.world.until(search, "the request is closed")

    def call(self, method, **parameters):
        with self.agent.client() as client:
            return client.call(OPERATOR + method, **parameters)

    def request_of(self, app, kind="setup", seconds=30):
        """Waits for a request of an app."""
        def search():
            self.read()
            return next((request for request in self.requests.values()
                         if request["app"] == app and request["kind"] == kind), None)
        return self.agent.world.until(search, f"the operator sees a request of {app}", seconds)["request"]

    def candidate_of(self, request, address, seconds=30):
        """Waits for the candidate with one of these addresses or network names, and returns its number."""
        addresses = [address] if isinstance(address, str) else address

        def search():
            self.read()
            return next((number for (of, number), candidate in self.candidates.items()
                         if of == request and candidate.get("address", candidate.get("ssid")) in addresses), None)
        return self.agent.world.until(search, f"{addresses} can be chosen", seconds)

    def choose(self, request, address, **parameters):
        """Chooses a device, and returns the call that replies after setup."""
        candidate = self.candidate_of(request, address)
        self.chosen.add((request, candidate))
        return self.begin("Choose", request=request, candidate=candidate, **parameters)

    def begin(self, method, more=False, **parameters):
        """Calls a method, and returns at once."""
        client = self.agent.client()
        client.socket.settimeout(120)
        client.send(OPERATOR + method, more=more, **parameters)
        return Call(self, client)

    def question(self, request, seconds=30):
        """Waits for a question, and returns it with its digits."""
        def search():
            self.read()
            return self.requests.get(request, {}).get("pairing")
        self.agent.world.until(search, "a question is open", seconds)
        return self.requests[request]["pairing"], self.requests[request].get("digits")

    def answer(self, request, **answer):
        """Answers with matches=True or False, or with digits="…"."""
        self.call("AnswerPairing", request=request, **answer)

    def set_up(self, app, address, answer=None, **parameters):
        """Chooses a device for the app's open request, and replies to a question with the function `answer`, which gets this
        operator, the request, the question and its digits. Returns the reply to the choice; raises a Refusal."""
        request = self.request_of(app)
        call = self.choose(request, address, **parameters)
        if answer:
            answer(self, request, *self.question(request))
        return call.result()


class Call:
    """A call whose reply has not come yet."""

    def __init__(self, operator, client):
        self.operator, self.client = operator, client

    def result(self, seconds=100):
        """Waits for the next reply, while the operator reads."""
        def receive():
            self.operator.read()
            return self.client.poll(0.02)
        return self.operator.agent.world.until(receive, "the call is answered", seconds)

    def refusal(self, seconds=100):
        try:
            reply = self.result(seconds)
        except Refusal as refusal:
            return refusal
        raise ScenarioError(f"the call succeeds: {json.dumps(reply)}")
