# SPDX-License-Identifier: GPL-3.0-or-later
"""The page in a pairing with digits: an operator's tab chooses the accessory, and types, shows or compares them."""

import json
import subprocess
import threading

import bonds
from program import Program
from sessions import AppSession
from tab import Tab

PATIENCE = 300


class Page:
    """accessory-web, and a tab in it."""

    def __init__(self, lab, agent):
        self.lab, self.rows = lab, []
        folder = lab.folder / "page"
        folder.mkdir()
        program = Program(lab, "accessory-web", [
            "/lab/bin/accessory-web", "--socket", agent.socket_path, "--state", folder, "--runtime", folder])
        lab.open.append(program)
        lab.logs.append(program)
        lab.until(lambda: (folder / "control").exists(), "the page is served")
        self.tab = Tab(subprocess.run(
            ["/lab/bin/accessoryctl", "web", "--runtime", folder], capture_output=True, text=True, check=True).stdout)
        threading.Thread(target=self._read, daemon=True).start()
        lab.until(lambda: any(name == "synced" for name, _ in self.rows), "the tab is there")

    def _read(self):
        for row in self.tab.events():
            self.rows.append(row)

    def change(self, path, **body):
        """Makes a change as a click does, without waiting for its end. Returns the list that gets the reply."""
        replies = []

        def act():
            with self.tab.post(path, **body) as reply:
                replies.append(json.loads(reply.read() or b"{}"))
        threading.Thread(target=act, daemon=True).start()
        return replies

    def find(self, what, search):
        """Waits for a message of the stream in which `search` finds something, and returns that."""
        return self.lab.until(
            lambda: next((found for name, row in reversed(self.rows) if name == "picker" and (found := search(row))), None),
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
