# SPDX-License-Identifier: MIT
"""Opens a page in headless Chromium: no console message, no request, titles and links, and its looks.

    check.py BROWSER PAGE [SCREENSHOT.png [--rebase]]

Looks are compared by blocks of 16 x 16 pixels, of a page at half its size: fonts differ from one machine to the next, so a block
may differ by 48 of 255 on average, and 6 of 100 blocks by more."""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

import numpy as np

SIZE = (1000, 1600)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking",
         "--disable-component-update", "--no-first-run", "--disable-sync", "--force-device-scale-factor=0.5",
         "--enable-logging=stderr", "--v=0", f"--window-size={SIZE[0]},{SIZE[1]}"]


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


def opened(browser, page, folder, seen):
    """(the DOM, what was said, what was asked for, screenshot if that is wanted)"""
    net, shot = folder / "net.json", folder / "shot.png"
    url = page.resolve().as_uri()
    common = [browser, *FLAGS, f"--user-data-dir={folder}/profile"]
    dom = subprocess.run([*common, f"--log-net-log={net}", "--dump-dom", url], capture_output=True,
                         timeout=120, check=True)
    if seen:
        subprocess.run([*common, f"--screenshot={shot}", url], capture_output=True, timeout=120,
                       check=True)
    said = re.findall(r"CONSOLE.*", dom.stderr.decode(errors="replace"))
    return dom.stdout.decode(), said, requests(net, url), shot


def requests(net, url):
    """URLs that the page asked for: what the browser wants for itself has no origin."""
    text = net.read_text().rstrip().rstrip(",")
    try:
        log = json.loads(text)
    except json.JSONDecodeError:
        log = json.loads(text + "]}")
    found = set()
    for event in log["events"]:
        parameters = event.get("params") or {}
        origin = parameters.get("initiator", "not an origin")
        if origin != "not an origin" and parameters.get("url", url) != url:
            found.add(parameters["url"])
    return found


def pixels(path):
    """A PNG of 8 bits a channel, not interlaced, as [height][width] of grey."""
    data = path.read_bytes()
    width, height, depth, kind = *np.frombuffer(data[16:24], ">u4"), data[24], data[25]
    channels = {0: 1, 2: 3, 6: 4}[kind]
    if depth != 8 or data[28]:
        raise ValueError(f"{path}: a PNG of another kind")
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
    with tempfile.TemporaryDirectory() as folder:
        dom, said, asked, shot = opened(browser, page, pathlib.Path(folder), len(sys.argv) > 3)
        elements = Elements()
        elements.feed(dom)
        faults += [f"console: {line}" for line in said]
        faults += [f"request: {url}" for url in sorted(asked)]
        faults += [] if elements.title.strip() else ["the page has no title"]
        faults += [f"picture {i}: no {part}" for i, x in enumerate(elements.pictures, 1)
                   for part in ("title", "desc") if not x[part].strip()]
        faults += [] if elements.pictures or page.name == "explorer.html" else ["no picture"]
        faults += [f"link to nowhere: {x}" for x in elements.links
                   if not (x.startswith("#") and x[1:] in elements.ids)]
        if len(sys.argv) > 4:
            pathlib.Path(sys.argv[3]).write_bytes(shot.read_bytes())
        elif len(sys.argv) > 3:
            ours, wanted = blocks(pixels(shot)), blocks(pixels(pathlib.Path(sys.argv[3])))
            if ours.shape != wanted.shape:
                faults.append(f"the screenshot has another size: {ours.shape}, {wanted.shape}")
            elif (np.abs(ours - wanted) > 48).mean() > 0.06:
                faults.append(f"{(np.abs(ours - wanted) > 48).mean():.1%} of the screenshot differ")
    for fault in faults:
        print(f"{page.name}: {fault}")
    print(f"{page.name}: {len(elements.pictures)} pictures, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
