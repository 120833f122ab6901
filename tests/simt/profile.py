# SPDX-License-Identifier: MIT
"""Statistics of a launch by line, traces and logs of target `simt`: lines add up to kernels and to
the machine, a cycle of a subcore is an issue or one stall, and who watches changes no figure. What
a launch says that nobody can go on with.

    profile.py MPU_RUN SOURCE_DIR"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

mpu_run, root = sys.argv[1], pathlib.Path(sys.argv[2])
ptx = root / "tests" / "ptx"
SAXPY = [root / "examples/cuda/saxpy.ptx", "--launch", "saxpy<<<(n + 255) / 256, 256>>>(n, 2.5, x, y)", "--in", "x=iota",
         "--in", "y=iota", "--size", "n=5000", "--buffer", "x: f32[n]", "--buffer", "y: f32[n]"]
HISTOGRAM = [root / "examples/cuda/histogram.ptx", "--launch", "histogram<<<6, 96>>>(bytes, bins, 2000)", "--buffer",
             "bins: u32[256]", "--buffer", "bytes: u8[2000]", "--in", "bytes=" + ",".join(str(i * i % 251) for i in range(2000)), "--in", "bins=zeros"]
# two kernels, with .loc: lines of the source
KMEANS = [ptx / "nvcc/kmeans.lines.ptx", "--launch", "kmeans_assign<<<3, 64>>>(points, centres, best, 192, 8, 4)",
          "--launch", "kmeans_sum<<<3, 64>>>(points, best, sums, counts, 192, 4)", "--launch",
          "kmeans_assign<<<1, 32>>>(points, centres, best, 192, 8, 4)", "--buffer", "points: f32[768]",
          "--buffer", "centres: f32[32]", "--buffer", "best: i32[192]", "--buffer", "sums: f32[32]", "--buffer",
          "counts: i32[8]", "--in", "points=iota", "--in", "centres=iota"]

DATA = root / "examples/data"
# products and shifts; moves between lanes and cores; floats
PROGRAMS = ([root / "examples/popcount.ez", "--in", f"x={DATA}/popcount-x.npy"],
            [root / "examples/dot.ez", "--in", f"a={DATA}/dot-a.npy", "--in", f"b={DATA}/dot-b.npy"],
            [root / "examples/float/axpy-f16.ez", "--size", "n=2000", "--in", "a=3", "--in", "x=iota", "--in", "y=iota"])


def run(arguments, *more, code=0):
    done = subprocess.run([mpu_run, "--target", "simt", *map(str, arguments), *map(str, more)], capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == code, (arguments, more, done.returncode, done.stderr)
    return done


def stats(arguments, *more):
    s = json.loads(run(arguments, *more, "--stats", "json").stdout)
    del s["provenance"]
    return s


NAMED = {"kernel", "file", "line", "source_file", "source_line", "launches", "time_ps", "unit_time_ps", "transfer_time_ps",
         "transfer_bytes"}


def sums(rows):
    total = collections.Counter()
    for row in rows:
        total.update({k: v for k, v in row.items() if k not in NAMED and v is not None})
    return total


def adds_up(s):
    machine, kernels = s["machine"], s["by_kernel"]
    own = [k for k in kernels[0] if k in machine and k not in NAMED]
    assert {"subcore_cycles", "tsv_bytes", "row_hits", "row_misses", "row_conflicts", "shared_conflicts", "offloaded",
            "register_moves", "stall_barrier"} <= set(own), own
    for rows in (s["by_kernel_line"], s["by_kernel_source"]):
        for kernel in kernels:
            of = sums(r for r in rows if r["kernel"] == kernel["kernel"])
            assert all(kernel[k] == of[k] for k in own + ["executed", "micro_ops", "energy_fj"]), kernel["kernel"]
        for row in rows:
            assert row["subcore_cycles"] == row["executed"] + sum(v for k, v in row.items() if k.startswith("stall_")), row
    total = sums(kernels)
    assert all(total[k] == machine[k] for k in own), (total, machine)
    assert total["executed"] == machine["warp_instructions"] == machine["issue_cycles"]
    assert machine["subcore_cycles"] <= 4 * machine["cores_used_most"] * machine["cycles"]


def programs_add_up(s):
    """Runs of MPU instructions and their copies: parts, micro-ops and instructions have the same energy, each all of it."""
    parts = [p for p in s["by_component"] if p["component"] in {"alu", "registers", "dram", "tsv", "mesh", "other"}]
    of_parts, of_ops = sums(parts)["energy_fj"], sums(s["by_micro_op"])["energy_fj"]
    assert of_parts == of_ops > 0, (of_parts, of_ops)
    assert sums(s["by_instruction"])["energy_fj"] == s["total"]["energy_fj"]
    assert sums(s["by_micro_op"])["executed"] == sums(s["by_instruction"])["micro_ops"] == s["total"]["micro_ops"]


def lines_of_the_source(s):
    """What .loc says stands in both lists."""
    source = root / "tests/ptx/kernels/kmeans.cu"
    count, own = len(source.read_text().splitlines()), [r for r in s["by_kernel_source"] if r["file"] and r["file"].endswith(source.name)]
    assert len(own) > 10 and all(0 < r["line"] <= count for r in own)
    by = collections.Counter()
    for r in s["by_kernel_line"]:
        by[r["kernel"], r["source_file"], r["source_line"]] += r["executed"]
    assert by == {(r["kernel"], r["file"], r["line"]): r["executed"] for r in s["by_kernel_source"]}


TRACKS = r"(subcore|near unit|tsv|banks|blocks [1-8]) (\d+)"


def trace(path, s):
    """Tracks of units do not overlap, and are within the launch; subcores issue in them."""
    events = json.loads(path.read_text())["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    kinds, ends = collections.defaultdict(list), collections.defaultdict(int)
    launches = sorted((ps(e["ts"]), ps(e["ts"]) + ps(e["dur"])) for e in events
                      if e["ph"] == "X" and names[e["pid"], e["tid"]] == "kernels")
    assert len(launches) == sum(k["launches"] for k in s["by_kernel"])
    for e in events:
        at = e["pid"], e["tid"] if "tid" in e else 0
        found = re.fullmatch(TRACKS, names.get(at, ""))
        if e["ph"] != "X" or not found:
            continue
        begin, end = ps(e["ts"]), ps(e["ts"]) + ps(e["dur"])
        assert begin >= ends[at], (names[at], begin)
        ends[at] = end
        assert any(a <= begin and end <= b + 200000 for a, b in launches), (names[at], begin, end, launches)
        kinds[found[1].rstrip(" 12345678")].append(end - begin)
    assert {"subcore", "near unit", "tsv", "banks", "blocks"} == set(kinds), kinds.keys()
    # a span of a subcore has its issues, and stalls of 16 cycles at most between two
    cycles = sum(kinds["subcore"]) // 1000
    assert s["machine"]["issue_cycles"] <= cycles <= s["machine"]["subcore_cycles"]


def ps(microseconds):
    return round(microseconds * 1000000)


def log(text, s):
    """A line for each instruction of a warp that some lane carries out, in block and warp."""
    lines = [x for x in text.splitlines() if re.search(r"block +\d+", x)]
    assert 0 < len(lines) <= s["machine"]["warp_instructions"]
    assert all(re.search(r"warp +\d+", x) for x in lines), lines[0]
    places = {(int(m[1]), (m[2] or "").split("/")[-1]) for m in (re.search(r"; line (\d+)(?:, (\S+):\d+)?$", x) for x in lines)}
    own = {(r["line"], (r["source_file"] or "").split("/")[-1]) for r in s["by_kernel_line"] if r["executed"]}
    assert places == own, places ^ own


def log_of_runs(text):
    """Instructions of warps stand behind the MPU instruction that they are for."""
    ours = [x.split()[0] for x in text.splitlines() if re.search(r"block +\d+", x)]
    names = {x.split()[0]: x for x in text.splitlines() if not re.search(r"block +\d+", x)}
    assert len(set(ours)) > 1 and all("FMUL.16" in names[x] or "FADD.16" in names[x] for x in ours), (set(ours), names)


# Stage kernels: the file, what it is given, the lines of its statements, and among them one that reaches memory.
STAGES = ((root / "examples/stage/dot.s", ("x=iota", "y=iota"), {12, 13}, 13),
          (root / "examples/stage/histogram.s", ("x=zeros",), {10, 11}, 11),
          (root / "examples/stage/runs.s", ("x=zeros",), {13, 14}, 14),
          (root / "examples/stage/dot.ez", ("x=iota", "y=iota"), {9, 10}, 10))


def stage_lines(folder):
    """Statements of a stage kernel have their lines of the program; what stands around them, as where a thread is, has none."""
    for file, given, lines, reads in STAGES:
        arguments = [file, *[x for g in given for x in ("--in", g)]]
        s = stats(arguments)
        adds_up(s)
        text, rows = file.read_text().splitlines(), s["by_kernel_line"]
        own = {r["line"]: r for r in rows if r["line"]}
        body = [i for i, x in enumerate(text, 1) if re.search(r"\b(map|reduce|filter|window|combine|scan)\b", x)]
        assert own and min(own) >= body[0] and all(r["file"].endswith(file.name) for r in own.values()), (file, list(own), body)
        assert len(own) + sum(not r["line"] for r in rows) == len(rows) and sum(not r["line"] for r in rows) <= 1, file
        assert set(own) == lines, (file, list(own))
        assert own[reads]["column_reads"] > 0 and own[reads]["offloaded"] > 0, own[reads]
        watched = stats(arguments, "-j", "2", "--log", f"insn,uop:{folder}/log")
        assert watched == s, file
        said = {int(m[1]) for m in re.finditer(r"; line (\d+)", (pathlib.Path(folder) / "log").read_text()) if int(m[1])}
        assert said == set(own), (file, said, list(own))


# A barrier to which not all warps come, a lock that a lane of the same warp has, a block that waits for a later one.
STUCK = """.version 6.3
.target sm_75
.address_size 64
.visible .entry apart(.param .u64 p)
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	st.global.u32 [%rd1], 0;
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 64;
	@%p1 bra ONE;
	bar.sync 1, 96;
	ret;
ONE:
	bar.sync 2, 128;
	ret;
}
.visible .entry lock(.param .u64 p)
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
AGAIN:
	atom.global.cas.b32 %r1, [%rd1], 0, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra AGAIN;
	st.global.u32 [%rd1], 0;
	ret;
}
.visible .entry later(.param .u64 p)
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r2, %ctaid.x;
	setp.ne.u32 %p2, %r2, 0;
	@%p2 bra GIVE;
WAIT:
	ld.volatile.global.u32 %r1, [%rd1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra WAIT;
	ret;
GIVE:
	st.global.u32 [%rd1], 1;
	ret;
}
.visible .entry awaits(.param .u64 p)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r3, 7;
WAIT:
	mul.lo.s32 %r4, %r3, 5;
	ld.volatile.global.u32 %r2, [%rd1+4];
	setp.eq.u32 %p2, %r3, 8;
	ld.volatile.global.u32 %r1, [%rd1];
	setp.eq.u32 %p1, %r1, 0;
	mul.lo.s32 %r5, %r3, 3;
	ld.volatile.global.u32 %r6, [%rd1+8];
	@%p1 bra WAIT;
	st.global.u32 [%rd1], %r2;
	st.global.u32 [%rd1], %r4;
	st.global.u32 [%rd1], %r5;
	st.global.u32 [%rd1], %r6;
	@%p2 st.global.u32 [%rd1], %r6;
	ret;
}
"""
STOPS = (("apart<<<1, 128>>>(x)", [], "stuck.ptx:17: block (0,0,0), thread (0,0,0): divergent barrier",
          [r"warp 0: pc \d+, line 17 of its text, '[a-z]+ +bar.sync 2, 128', lanes ffffffff: waits at barrier 2, scoreboard empty",
           r"warp 2: pc \d+, line 14 of its text, '[a-z]+ +bar.sync 1, 96', lanes ffffffff: waits at barrier 1, scoreboard empty"]),
         ("lock<<<1, 64>>>(x)", [], "stuck.ptx:27: block (0,0,0), thread (1,0,0): it goes round",
          [r"warp 0: pc 1, line 27 of its text, '.*atom.*', lanes fffffffe: goes round, scoreboard empty; below on its stack ffffffff to pc \d+",
           r"warp 1: pc 1, line 27 of its text, .*, lanes ffffffff: goes round, scoreboard empty"]),
         ("later<<<2, 32>>>(x)", [], "stuck.ptx:43: block (0,0,0), thread (0,0,0): it goes round",
          [r"warp 0: pc 6, line 43 of its text, '.*ld.*', lanes ffffffff: goes round, scoreboard empty"]),
         ("lock<<<1, 64>>>(x)", ["--set", "simt.watchdog=100"], "it comes to no end in 100 instructions (simt.watchdog)",
          [r"warp 0: pc 1, line 27 of its text, .*: could go on, scoreboard empty.*",
           r"warp 1: pc 0, line 25 of its text, .*: could go on, scoreboard empty"]),
         # what its loop leaves on its way: a product near the banks and a word of them, not what it has waited for
         ("awaits<<<1, 64>>>(x)", [], "stuck.ptx:59: block (0,0,0), thread (0,0,0): it goes round",
          [rf"warp {w}: pc 2, line 59 of its text, .*: goes round, scoreboard R\d+ of pc 7, line 64 \((TSVs|ALU)\), R\d+ of pc 8, line 65 \(memory\)"
           for w in (0, 1)]),
         ("awaits<<<1, 64>>>(x)", ["--set", "simt.timing=false"], "it goes round",
          [r"warp 0: pc 2, line 59 of its text, .*: goes round"]),
         ("awaits<<<1, 64>>>(x)", ["--set", "simt.watchdog=1024"], "it comes to no end in 1024 instructions (simt.watchdog)",
          [r"warp 0: pc 8, line 65 of its text, .*: could go on, scoreboard .*P\d+ of pc 6, line 63 .*"]))


def stuck(folder):
    """A launch that does not go on says of each warp of the block where it is, what lies on its stack and what it waits for."""
    text = pathlib.Path(folder) / "stuck.ptx"
    text.write_text(STUCK)
    for launch, more, message, warps in STOPS:
        err = run([text, "--launch", launch, "--buffer", "x: u32[4]", "--in", "x=zeros"], *more, code=4).stderr
        assert message in err, err
        for warp in warps:
            assert re.search(f"note: {warp}$", err, re.M), (warp, err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for arguments in (SAXPY, HISTOGRAM, KMEANS):
            s = stats(arguments)
            adds_up(s)
            file = pathlib.Path(folder) / "trace.json"
            watched = stats(arguments, "--trace", file, "--log", f"insn,uop:{folder}/log")
            assert watched == s
            trace(file, s)
            log((pathlib.Path(folder) / "log").read_text(), s)
            if arguments is KMEANS:
                lines_of_the_source(s)
        for keys in (["simt.policy=near"], ["simt.cores=one", "simt.shared=far"], ["simt.lsu_queue=1", "simt.rows=1"]):
            adds_up(stats(HISTOGRAM, *[x for k in keys for x in ("--set", k)]))
        for arguments in PROGRAMS:
            s = stats(arguments)
            programs_add_up(s)
            assert stats(arguments, "-j", "2", "--trace", file) == s
        run(PROGRAMS[2], "--log", f"insn,uop:{folder}/log")
        log_of_runs((pathlib.Path(folder) / "log").read_text())
        stage_lines(folder)
        stuck(folder)
        text = run(KMEANS, "--stats", "text:full").stdout
        assert "by_kernel_line" in text and "by_kernel_source" in text and "stall_tsv" in text


main()
