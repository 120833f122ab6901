# SPDX-License-Identifier: MIT
"""The page of mpu-objdump --html: XML with the parts it should have, which belong together as the program
says; names that are markup stay text; no page is too large.
    html.py BIN SOURCE"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BIN, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
H = "{http://www.w3.org/1999/xhtml}"
COLUMNS = ["Source", "Instructions", "Recipes", "Micro-ops, the first time", "Planes"]
TWO = """group g[8];
in x: u8 @ g;
out y: u8 @ g;
main {
  compute g {
    y = x * x + 1;   // <script>alert("&")</script>
    y = y ^ x;
  }
}
"""


def run(*words, code=0):
    done = subprocess.run([BIN / words[0], *map(str, words[1:])], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout + done.stderr


def page(*words):
    run("mpu-objdump", "--html", "page.html", *words)
    bytes_ = pathlib.Path("page.html").read_bytes()
    assert len(bytes_) <= 1000000, len(bytes_)
    run("mpu-objdump", "--html", "again.html", *words)
    assert pathlib.Path("again.html").read_bytes() == bytes_, "the same command, other bytes"
    root = xml.fromstring(bytes_)
    allowed = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "input", "label", "div", "section"}
    for e in root.iter():
        assert e.tag.removeprefix(H) in allowed, e.tag
        assert not set(e.keys()) & {"src", "href", "onclick", "style"}, e.keys()
    css = "".join(e.text for e in root.iter(H + "style"))
    assert "url(" not in css and "@import" not in css
    return root


def tabs(root):
    """For each target a dictionary: column -> lines of (classes, text)."""
    found = []
    for div in root.iter(H + "div"):
        if not (div.get("class") or "").startswith("t "):
            continue
        lines = {s.find(H + "h2").text: [(set((p.get("class") or "").split()), p.text or "") for p in s.iter(H + "p")]
                 for s in div.iter(H + "section")}
        assert list(lines) == COLUMNS, list(lines)
        found.append(lines)
    return found


def of(lines, index):
    return [text for classes, text in lines if f"i{index}" in classes]


def belongs_together():
    run("ezpim", "-g", "two.ez", "-o", "two.mpu")
    names = ["racer", "mimdram", "pluto-bsa", "upmem"]
    root = page("--target", ",".join(names), "--in", "x=iota", "two.mpu")
    assert [e.text for e in root.iter(H + "label")] == names
    assert len([e for e in root.iter(H + "input") if e.get("checked")]) == 1
    values = [int(v) for v in run("mpu-run", "--target", "racer", "--in", "x=iota", "--print", "y", "two.mpu").split("= ")[1].split()]
    for name, tab in zip(names, tabs(root)):
        mul = [i for i in range(6) if "MUL.8" in of(tab["Instructions"], i)[0]]
        assert len(mul) == 1
        assert any("y = x * x" in text for text in of(tab["Source"], mul[0])), name
        assert any("<script>" in text for text in of(tab["Source"], mul[0])), name
        assert any(text.startswith("MUL.8") or "MUL.8" in text for text in of(tab["Recipes"], mul[0])), name
        assert len(of(tab["Micro-ops, the first time"], mul[0])) > 5, name
        css = "".join(e.text for e in root.iter(H + "style"))
        assert f".t{names.index(name)}:has(.i{mul[0]}:hover) .i{mul[0]}" in css
        if name == "upmem":
            assert "does not tell" in tab["Planes"][0][1]
            continue
        # what XOR, the last one, left is y
        planes = of(tab["Planes"], 3)[1:]
        lanes = [re.fullmatch(r" *r\d+\[ *(\d+)\] ([01.]{16})", text).groups() for text in planes]
        assert [int(bit) for bit, _ in lanes] == list(range(7, -1, -1))
        assert [sum(int(row[k]) << int(bit) for bit, row in lanes) for k in range(8)] == values, name


def without_data():
    tab = tabs(page("--target", "racer", "two.mpu"))[0]
    assert "--in" in tab["Micro-ops, the first time"][0][1] and "--in" in tab["Planes"][0][1]
    assert len(tab["Recipes"]) > 50


def hostile():
    """Files, targets, marks and comments that are markup, of 10 KB."""
    evil = "a<b>&\"' ]]>--"
    folder = pathlib.Path("<&\"'")
    folder.mkdir()
    (folder / "two.ez").write_text(TWO.replace("alert", "<&" * 5000))
    mark = "<i>&" * 40
    pathlib.Path("mark.s").write_text(
        "        .geometry lanes=4\n        COMPUTE RFH0 VRF0\n" + f'        MARK "{mark}"\n' +
        "        INV.8 r0 r1 ; " + "<&>" * 3400 + "\n        COMPUTE_DONE\n")
    target = pathlib.Path(evil.replace("/", "") + ".yaml")
    target.write_text(run("mpu-run", "--print-target", "racer"))
    run("ezpim", "-g", folder / "two.ez", "-o", folder / "two.mpu")
    root = page("--target", f"./{target},racer", "--in", "x=iota", folder / "two.mpu")
    assert root.find(f"{H}head/{H}title").text == str(folder / "two.mpu")
    assert [e.text for e in root.iter(H + "label")] == [f"./{target}", "racer"]
    assert tabs(root)[0]["Source"][0][1] == str(folder / "two.ez")
    run("mpu-as", "-g", "-o", "mark.o", "mark.s")
    run("mpu-ld", "--target", "racer", "-o", "mark.mpu", "mark.o")
    root = page("--target", "racer", "mark.mpu")
    assert any(mark in text for _, text in tabs(root)[0]["Instructions"])


def bounds():
    """Long programs are cut, and the page says so."""
    lines = ["        .geometry lanes=4", "        COMPUTE RFH0 VRF0"]
    lines += [f"        ADD.{8 * (1 + i % 8)} r{i % 7} r{i % 5} r{i % 11}" for i in range(20000)]
    pathlib.Path("long.s").write_text("\n".join(lines + ["        COMPUTE_DONE", ""]))
    run("mpu-as", "-g", "-o", "long.o", "long.s")
    run("mpu-ld", "--target", "racer", "-o", "long.mpu", "long.o")
    for targets, data in [("racer", ["--in", "RFH0.VRF0.r0:u8=1,2,3"]), ("racer,mimdram,duality-cache,racer-magic", [])]:
        root = page("--target", targets, *data, "long.mpu")
        for tab in tabs(root):
            for column in ["Source", "Instructions", *(["Micro-ops, the first time"] if data else [])]:
                last = tab[column][-1]
                assert last[0] == {"cut"} and "more lines do not fit" in last[1], (column, last)
            assert len(tab["Instructions"]) > 100


def refusals():
    for words, code, text in [
            (["--html", "no.html", "two.mpu"], 2, "--target T,... names them"),
            (["--html", "no.html", "--target", "racer", "-d", "two.mpu"], 2, "goes with no other action"),
            (["--html", "two.mpu", "--target", "racer", "two.mpu"], 2, "two.mpu"),
            (["--target", "racer", "--in", "x=1", "two.mpu"], 2, "--in is for --html"),
            (["--html", "no.html", "--target", "racer", "--in", "x", "two.mpu"], 2, "NAME=DATA"),
            (["--html", "no.html", "--target", "racer", "--in", "z=1", "two.mpu"], 1, "z"),
            (["--html", "no.html", "--target", "racer", "--in", "x=1", "two.mpu"], 1, "shape"),
            (["--html", "no/no.html", "--target", "racer", "two.mpu"], 3, "no/no.html"),
            (["--html", "no.html", "--target", "racer", "mark.o"], 1, "not an object")]:
        said = run("mpu-objdump", *words, code=code)
        assert text in said, (words, said)
    assert not pathlib.Path("no.html").exists()


with tempfile.TemporaryDirectory() as folder:
    import os
    os.chdir(folder)
    pathlib.Path("two.ez").write_text(TWO)
    for test in [belongs_together, without_data, hostile, bounds, refusals]:
        test()
