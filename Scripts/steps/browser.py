# SPDX-License-Identifier: GPL-3.0-or-later
"""Chromium, by its WebDriver, for the picture of Scripts/steps/home-assistant."""
import base64
import io
import json
import subprocess
import time
import urllib.request

from PIL import Image

PORT = 9515
WIDTH = 900
COLORS = 64
TIMEOUT_SECONDS = 60
# The text of a page, with that of the elements that its elements hide.
TEXT = """
const text = (node) => [...node.childNodes].map((child) =>
  (child.nodeType == 3 ? child.data : "") + (child.shadowRoot ? text(child.shadowRoot) : "") + text(child)).join(" ");
return text(document.body);
"""


class Browser:
    """A session of Chromium without a screen."""

    def __enter__(self):
        self.driver = subprocess.Popen(["chromedriver", f"--port={PORT}"], stdout=subprocess.DEVNULL)
        self.path = ""
        self._wait(lambda: self.call("GET", "/status")["ready"])
        options = {"args": ["--headless=new", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1"]}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self.path = f"/session/{session['sessionId']}"
        return self

    def __exit__(self, *_):
        self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{PORT}{self.path}{path}", body and json.dumps(body).encode(),
            {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            return json.load(response)["value"]

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def execute(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": arguments})

    def shoot(self, url, text, height):
        """The picture of a page, once it shows this text."""
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": WIDTH, "height": height, "deviceScaleFactor": 1, "mobile": False}})
        self.open(url)
        self._wait(lambda: text in self.execute(TEXT))
        # What is drawn moves into its place.
        time.sleep(3)
        return Image.open(io.BytesIO(base64.b64decode(self.call("GET", "/screenshot")))).convert("RGB")

    @staticmethod
    def _wait(condition):
        end = time.monotonic() + TIMEOUT_SECONDS
        while True:
            try:
                if condition():
                    return
            except OSError:
                pass
            assert time.monotonic() < end, "the page does not show what it should"
            time.sleep(0.2)


def keep_picture(home, file, pages):
    """Keeps a PNG of these pages of Home Assistant, one below the other: path, a text that is shown last, height."""
    origin = f"http://{home.host}:{home.port}"
    tokens = {
        "access_token": home.token, "token_type": "Bearer", "expires_in": 86400, "refresh_token": "", "hassUrl": origin,
        "clientId": f"{origin}/", "expires": (int(time.time()) + 86400) * 1000}
    picture = Image.new("RGB", (WIDTH, sum(height for _, _, height in pages)))
    offset = 0
    with Browser() as browser:
        # A page of the same origin, where the token can be left.
        browser.open(f"{origin}/manifest.json")
        browser.execute(
            "localStorage.hassTokens = arguments[0]; localStorage.dockedSidebar = '\"always_hidden\"';", json.dumps(tokens))
        for path, text, height in pages:
            picture.paste(browser.shoot(f"{origin}{path}", text, height), (0, offset))
            offset += height
    picture.quantize(COLORS).save(file, optimize=True)
