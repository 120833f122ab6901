# SPDX-License-Identifier: MIT
"""Opens a page in headless Chromium: no console message, no request, titles and links, and its looks.

    check.py BROWSER PAGE [SCREENSHOT.png [--rebase]]

Looks are compared by blocks of 16 x 16 pixels, of a page at half its size: fonts differ from one machine to the next, so a block
may differ by 48 of 255 on average, and 6 of 100 blocks by more."""
import base64
import html.parser
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy as np

SIZE = (1000, 1600)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
         "--remote-debugging-pipe"]
# Elements of the explorer that belong to instructions; the first whose instruction has some in each
# column; and how all of them look.
BELONG = r"""[...document.querySelectorAll('[class]')].filter(x => /\bi\d+\b/.test(x.className))"""
LINE = BELONG + """.find(x => x.offsetParent && document.querySelectorAll('.' + x.classList[0]).length > 4)"""
LOOKS = BELONG + """.map(x => x.className + ':' + getComputedStyle(x).backgroundColor).join('|')"""


class Browser:
    """A browser behind the DevTools protocol: messages as JSON that end in a NUL, on two pipes."""

    def __init__(self, path, profile):
        self.ours, theirs = os.pipe(), os.pipe()
        self.number, self.events, self.session = 0, [], None
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{self.ours[0]} 4>&{theirs[1]}', "sh", path, *FLAGS,
             f"--user-data-dir={profile}"], pass_fds=(self.ours[0], theirs[1]),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs[1])
        self.messages, self.rest = theirs[0], b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=SIZE[0], height=SIZE[1],
                  deviceScaleFactor=0.5, mobile=False)

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.messages, 1 << 16)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        call = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.ours[1], json.dumps(call).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                return got["result"]
            self.events.append(got)

    def open(self, url):
        self.call("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message())

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression)["result"].get("value")

    def close(self):
        self.process.kill()
        self.process.wait()


class Elements(html.parser.HTMLParser):
    """Pictures with their titles, links, and what they may lead to."""

    def __init__(self):
        super().__init__()
        self.open, self.pictures, self.links, self.ids, self.title = [], [], [], set(), ""

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.add(attrs.get("id"))
        if tag == "svg":
            self.pictures.append({"title": "", "desc": ""})
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        if tag not in ("meta", "br", "img", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1] in ("title", "desc") and "svg" in self.open \
                and self.open[-2] == "svg":
            self.pictures[-1][self.open[-1]] += data
        elif self.open and self.open[-1] == "title":
            self.title += data


def heard(events, url):
    """What the page said, and what it asked for besides itself."""
    for event in events:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled":
            yield f"console: {[x.get('value') for x in parameters['args']]}"
        if event.get("method") == "Log.entryAdded":
            yield f"console: {parameters['entry']['text']}"
        if event.get("method") == "Network.requestWillBeSent" and parameters["request"]["url"] != url:
            yield f"request: {parameters['request']['url']}"


def lights_up(browser):
    """Pointing at a line lights up what belongs to its instructions and nothing else, until one points away."""
    names, x, y = browser.value(f"""(() => {{ const line = {LINE}, box = line.getBoundingClientRect();
        return [line.className, box.x + box.width / 2, box.y + box.height / 2].join(); }})()""").split(",")
    looks = []
    for at in ((1, 1), (float(x), float(y)), (1, 1)):
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
        looks.append(browser.value(LOOKS).split("|"))
    changed = [b.split(":")[0] for a, b in zip(looks[0], looks[1]) if a != b]
    return len(changed) > 4 and all(set(x.split()) & set(names.split()) for x in changed) and looks[0] == looks[2]


def pixels(data):
    """A PNG of 8 bits a channel, not interlaced, as [height][width] of grey."""
    width, height, depth, kind = *np.frombuffer(data[16:24], ">u4"), data[24], data[25]
    channels = {0: 1, 2: 3, 6: 4}[kind]
    if depth != 8 or data[28]:
        raise ValueError("a PNG of another kind")
    at, packed = 8, b""
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        packed += data[at + 8:at + 8 + size] if data[at + 4:at + 8] == b"IDAT" else b""
        at += size + 12
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)
    out = np.zeros((height, int(width) * channels), np.uint8)
    for y, row in enumerate(rows):
        out[y] = unfiltered(row[0], row[1:], out[y - 1] if y else np.zeros_like(out[0]), channels)
    return out.reshape(height, width, channels)[:, :, :3].mean(axis=2)


def unfiltered(kind, row, above, channels):
    """RFC 2083, section 6."""
    if kind == 0:
        return row
    if kind == 2:
        return row + above
    out = bytearray()
    corner = bytes(channels) + above.tobytes()
    for i, (x, up) in enumerate(zip(row.tolist(), above.tolist())):
        a = out[i - channels] if i >= channels else 0
        c = corner[i]
        if kind == 1:
            guess = a
        elif kind == 3:
            guess = (a + up) // 2
        else:
            p = a + up - c
            near = [abs(p - a), abs(p - up), abs(p - c)]
            guess = (a, up, c)[near.index(min(near))]
        out.append((x + guess) & 255)
    return np.frombuffer(bytes(out), np.uint8)


def blocks(grey):
    height, width = grey.shape[0] // 16 * 16, grey.shape[1] // 16 * 16
    return grey[:height, :width].reshape(height // 16, 16, width // 16, 16).mean(axis=(1, 3))


def main():
    browser, page = sys.argv[1], pathlib.Path(sys.argv[2])
    faults = []
    url = page.resolve().as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(browser, folder)
        browser.open(url)
        elements = Elements()
        elements.feed(browser.value("document.documentElement.outerHTML"))
        shot = base64.b64decode(browser.call("Page.captureScreenshot")["data"])
        if page.name == "explorer.html" and not lights_up(browser):
            faults.append("pointing at a line lights up nothing")
        browser.close()
        faults += heard(browser.events, url)
        faults += [] if elements.title.strip() else ["the page has no title"]
        faults += [f"picture {i}: no {part}" for i, x in enumerate(elements.pictures, 1)
                   for part in ("title", "desc") if not x[part].strip()]
        faults += [] if elements.pictures or page.name == "explorer.html" else ["no picture"]
        faults += [f"link to nowhere: {x}" for x in elements.links
                   if not (x.startswith("#") and x[1:] in elements.ids)]
        if len(sys.argv) > 4:
            pathlib.Path(sys.argv[3]).write_bytes(shot)
        elif len(sys.argv) > 3:
            ours, wanted = blocks(pixels(shot)), blocks(pixels(pathlib.Path(sys.argv[3]).read_bytes()))
            if ours.shape != wanted.shape:
                faults.append(f"the screenshot has another size: {ours.shape}, {wanted.shape}")
            elif (np.abs(ours - wanted) > 48).mean() > 0.06:
                faults.append(f"{(np.abs(ours - wanted) > 48).mean():.1%} of the screenshot differ")
    for fault in faults:
        print(f"{page.name}: {fault}")
    print(f"{page.name}: {len(elements.pictures)} pictures, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
