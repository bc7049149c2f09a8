# SPDX-License-Identifier: GPL-3.0-or-later
"""The page in a pairing with digits: an operator's tab chooses the accessory, and types, shows or compares them."""

import json
import subprocess
import threading
import urllib.request

import bonds
from program import Program
from sessions import AppSession

PATIENCE = 300
ADDRESS = "http://127.0.0.1:8484"


class Page:
    """accessory-web, and a browser's tab in it."""

    def __init__(self, lab, agent):
        self.lab, self.folder, self.rows, self.stream = lab, lab.folder / "page", [], None
        self.folder.mkdir()
        self.program = Program(lab, "accessory-web", [
            "/lab/bin/accessory-web", "--socket", agent.socket_path, "--state", self.folder, "--runtime", self.folder])
        lab.open.append(self.program)
        lab.logs.append(self.program)
        lab.until(lambda: (self.folder / "control").exists(), "the page is served")
        link = subprocess.run(
            ["/lab/bin/accessoryctl", "web", "--runtime", self.folder], capture_output=True, text=True, check=True).stdout
        with self.ask("/login", code=link.split("#")[1].split()[0]) as reply:
            self.cookie = reply.headers["Set-Cookie"].split(";")[0]

    def ask(self, path, cookie=None, **body):
        return urllib.request.urlopen(urllib.request.Request(ADDRESS + path, json.dumps(body).encode(), {
            "Origin": ADDRESS, "Content-Type": "application/json", **({"Cookie": cookie} if cookie else {})}), timeout=170)

    def open_tab(self):
        self.stream = urllib.request.urlopen(
            urllib.request.Request(f"{ADDRESS}/events", headers={"Cookie": self.cookie}), timeout=170)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        kind = None
        for line in self.stream:
            word, _, rest = line.decode().rstrip("\n").partition(": ")
            if word == "event":
                kind = rest
            elif word == "data":
                self.rows.append((kind, json.loads(rest)))

    def change(self, path, **body):
        """Makes a change as a click does, without waiting for its end. Returns the list that gets the reply."""
        replies = []

        def act():
            with self.ask(path, self.cookie, **body) as reply:
                replies.append(json.loads(reply.read() or b"{}"))
        threading.Thread(target=act, daemon=True).start()
        return replies

    def find(self, what, search):
        """Waits for a message of the stream in which `search` finds something, and returns that."""
        return self.lab.until(
            lambda: next((found for kind, row in reversed(self.rows) if kind == "picker" and (found := search(row))), None),
            what, 60)


def pair(lab, peer, app, page, answer):
    """Chooses the accessory on the page for the app's picker, and answers its question."""
    page.rows.clear()
    app.call("ShowPicker")
    request = page.find("a request", lambda row: row.get("request", {}).get("request"))
    places = bonds.addresses(peer)
    candidate = page.find("the candidate", lambda row: row.get("of") == request and row.get("candidate", {}).get(
        "address") in places and row["candidate"]["candidate"])
    replies = page.change("/choose", request=request, candidate=candidate)
    asked = page.find("the question", lambda row: row.get("request", {}).get("request") == request and row["request"].get(
        "pairing") and row["request"])
    answer(request, asked["pairing"], asked.get("digits"))
    lab.until(lambda: replies, "the choice is done", 60)
    app.expect(*bonds.SETUP)
    return replies[0]


def scenario(lab):
    peer = lab.peer()
    peer.order("rotate")
    agent = bonds.start_agent(lab, peer)
    app, page = AppSession(agent), Page(lab, agent)
    page.open_tab()

    def types(request, question, _):
        lab.equal(question, "enterDigits", "the question")
        page.change("/answer", request=request, digits=peer.expect("shows").split()[1])

    def shows(_, question, digits):
        lab.equal(question, "showDigits", "the question")
        peer.expect("awaits digits")
        peer.order(f"digits {digits}")

    def compares(request, question, digits):
        lab.equal((question, digits), ("compare", peer.expect("compares").split()[1]), "the question")
        page.change("/answer", request=request, matches=True)

    for io, answer in (("display", types), ("keyboard", shows), ("yesno", compares)):
        peer.order(f"io {io}")
        lab.figure(io, pair(lab, peer, app, page, answer)["pairing"])
        bonds.check_secret(lab, app)
        bonds.await_end(lab, peer, agent)
        bonds.remove(lab, peer, agent, app)
