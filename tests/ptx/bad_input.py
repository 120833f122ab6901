# SPDX-License-Identifier: MIT
"""Launches that are wrong, or never end: each ends with one message, which names the kernel and,
where one is to blame, line, block and thread.

    bad_input.py MPU_RUN TARGET[,TARGET..]"""
import pathlib
import re
import subprocess
import sys
import tempfile

mpu_run, targets = sys.argv[1], sys.argv[2].split(",")

HEAD = """.version 7.0
.target sm_75
.address_size 64
"""
# %d0: the array, %d1: the thread's place in it, %r0: the thread, %r1: the block
BEGIN = """.visible .entry _Z1kPjj(.param .u64 data, .param .u32 n)
{
	.reg .pred %p<9>;
	.reg .b32 %r<19>;
	.reg .b64 %d<9>;
	.shared .align 16 .b8 own[64];
	ld.param.u64 %d0, [data];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mul.wide.u32 %d1, %r0, 4;
	add.s64 %d1, %d0, %d1;
	setp.eq.u32 %p1, %r0, 3;
"""


def kernel(body, head=""):
    return HEAD + head + BEGIN + body + "\tret;\n}\n"


STORE = "\tst.global.u32 [%d1], %r0;\n"
TWO = kernel(STORE) + BEGIN.replace("_Z1kPjj", "_Z1kPfi") + "\tret;\n}\n"
K = "k<<<2, 32>>>(x, 1)"
# what happens, text, launch, what the message says, place: line of the body, block, thread
CASES = [
    ("too few arguments", kernel(STORE), "k<<<1, 32>>>(x)", "2 parameters", None),
    ("too many arguments", kernel(STORE), "k<<<1, 32>>>(x, 1, 2)", "2 parameters", None),
    ("a number that is too large", kernel(STORE), "k<<<1, 32>>>(x, 4294967296)", "4294967296", None),
    ("a number for a buffer", kernel(STORE), "k<<<1, 32>>>(1, 1)",
     "expected the name of a buffer", None),
    ("a grid of 0", kernel(STORE), "k<<<0, 32>>>(x, 1)", "extent", None),
    ("a block of 0", kernel(STORE), "k<<<1, 0>>>(x, 1)", "extent", None),
    ("a block above 1,024", kernel(STORE), "k<<<1, 1025>>>(x, 1)", "at most 1024", None),
    ("a block above 1,024 in three dimensions", kernel(STORE), "k<<<1, [32, 32, 2]>>>(x, 1)",
     "at most 1024", None),
    ("more shared memory than there is", kernel(STORE), "k<<<1, 32, 99999999>>>(x, 1)",
     "bytes of shared memory", None),
    ("no entry of that name", kernel(STORE), "kk<<<1, 32>>>(x, 1)", "no kernel 'kk'", None),
    ("an entry that is nearly there", kernel(STORE).replace("_Z1k", "_Z5saxpy"),
     "saxpi<<<1, 32>>>(x, 1)", "did you mean 'saxpy'?", None),
    ("two entries of that name", TWO, K, "two kernels are called 'k'", None),
    ("recursion", kernel("\tcall.uni f, ();\n", ".func f()\n{\n\tcall.uni f, ();\n\tret;\n}\n"), K,
     "recursion", None),
    ("an indirect call", kernel("\tcall %d1, ();\n"), K, "indirect calls are not there", None),
    ("a texture", kernel("\ttex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [t, {%r0}];\n"), K,
     "opcode tex is not there", None),
    ("a texture at the top", kernel(STORE, ".global .texref t;\n"), K, "textures", None),
    ("printf", kernel("\t{\n\t.param .b64 a;\n\t.param .b64 b;\n\t.param .b32 r;\n"
                      "\tcall.uni (r), vprintf, (a, b);\n\t}\n",
                      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"), K,
     "printf", None),
    ("a vector that is misaligned", kernel("\tld.global.v2.u32 {%r2, %r3}, [%d0+4];\n"), K,
     "no multiple of 8", (0, 0, 0)),
    ("a vector that is misaligned in one thread",
     kernel("\t@%p1 add.s64 %d0, %d0, 8;\n\tst.global.v4.u32 [%d0], {%r0, %r0, %r0, %r0};\n"), K,
     "no multiple of 16", (1, 0, 3)),
    ("an address in no buffer", kernel("\t@%p1 st.global.u32 [%d0+65536], %r0;\n"), K,
     "lie in no buffer", (0, 0, 3)),
    ("the null pointer", kernel("\tmov.u64 %d2, 0;\n\tld.u32 %r2, [%d2];\n"), K,
     "lie in no buffer", (1, 0, 0)),
    ("behind shared memory", kernel("\t@%p1 ld.shared.u32 %r2, [own+64];\n"), K,
     "shared memory", (0, 0, 3)),
    ("a barrier that some do not come to",
     kernel("\t@%p1 bra END;\n\tbar.sync 0;\nEND:\n\tadd.s32 %r2, %r0, 1;\n\tbar.sync 1;\n"), K,
     "divergent barrier", (None, 0, None)),
    ("a barrier in a branch, unaligned",
     kernel("\t@%p1 bra A;\n\tbarrier.sync 0;\n\tbra END;\nA:\n\tbarrier.sync 0;\nEND:\n"), K,
     "divergent barrier", (None, 0, None)),
    ("another barrier in each branch",
     kernel("\t@%p1 bra A;\n\tbar.sync 0;\n\tbra END;\nA:\n\tbar.sync 2;\nEND:\n"), K,
     "divergent barrier", (None, 0, None)),
    ("a barrier in a loop that some leave",
     kernel("L:\n\tbar.sync 0;\n\tadd.s32 %r0, %r0, 1;\n\tsetp.lt.u32 %p2, %r0, 33;\n"
            "\t@%p2 bra L;\n\tbar.sync 1;\n"), K, "divergent barrier", (None, 0, None)),
    ("a barrier above 15", kernel("\tbar.sync 16;\n"), K, "barrier 16", (0, 0, 0)),
    ("a shuffle that some do not come to",
     kernel("\t@%p1 bra END;\n\tshfl.sync.idx.b32 %r2, %r0, 0, 31, -1;\nEND:\n\tbar.sync 0;\n"), K,
     "do not come to shfl", (1, 0, None)),
    ("a lane that is not in its own mask", kernel("\tvote.sync.any.pred %p2, %p1, 2;\n"), K,
     "is not in the mask", (0, 0, 0)),
    ("a lock that a warp takes by turns",
     kernel("L:\n\tatom.global.cas.b32 %r2, [%d0+252], 0, 1;\n\tsetp.ne.u32 %p2, %r2, 0;\n"
            "\t@%p2 bra L;\n\tbar.warp.sync -1;\n\tatom.global.exch.b32 %r2, [%d0+252], 0;\n"), K,
     "", (None, 0, None)),
    ("a lock in shared memory",
     kernel("L:\n\tatom.shared.cas.b32 %r2, [own], 0, 1;\n\tsetp.ne.u32 %p2, %r2, 0;\n"
            "\t@%p2 bra L;\n\tbar.sync 0;\n"), K, "", (None, 0, None)),
    ("a block that waits for a later one",
     kernel("\tsetp.eq.u32 %p2, %r1, 1;\n\t@%p2 st.global.u32 [%d0+252], 1;\n"
            "L:\n\tld.volatile.global.u32 %r2, [%d0+252];\n\tsetp.eq.u32 %p2, %r2, 0;\n"
            "\t@%p2 bra L;\n"), K, "later block", (None, 0, None)),
    ("a loop without an end", kernel("L:\n\tbra L;\n"), K, "", (None, 0, None)),
    ("trap", kernel("\t@%p1 trap;\n"), K, "trap", (0, 0, 3)),
    ("a store to a constant", kernel("\tmov.u64 %d2, c;\n\tst.const.u32 [%d2], 1;\n",
                                     ".const .u32 c = 1;\n"), K, "", None),
]
# 50 registers of each of 1,024 threads, and shared memory that the interpreter has: a core has neither
MANY = ("\t.reg .f32 %f<50>;\n" + "".join("\tld.global.f32 %%f%d, [%%d0+%d];\n" % (i, 4 * i) for i in range(50)) +
        "".join("\tfma.rn.f32 %%f0, %%f%d, %%f%d, %%f0;\n" % (i, 49 - i) for i in range(50)) +
        "\tst.global.f32 [%d0], %f0;\n")
ON_CORES = [
    ("more registers than there are", kernel(MANY), "k<<<1, 1024>>>(x, 1)", "registers", None),
    ("more shared memory than a core has", kernel(STORE), "k<<<1, 32, 70000>>>(x, 1)",
     "a core has 65536", None),
]
# asked to end by the limit of seconds: each stretch between barriers is short
LIMITED = [
    ("a loop around a barrier", kernel("L:\n\tbar.sync 0;\n\tbra L;\n"), K, "limit of 1 seconds", None),
]


def check(target, what, text, launch, says, place, folder, *options):
    (folder / "k.ptx").write_text(text)
    try:
        done = subprocess.run([mpu_run, "--target", target, "k.ptx", "--launch", launch, "--in",
                               "x=zeros", "--buffer", "x: u32[64]", *options], cwd=folder,
                              capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "it comes to no end"
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if done.returncode not in (1, 2, 3, 4):
        return "it ends with %d: %s" % (done.returncode, done.stderr)
    if len(errors) != 1:
        return "%d messages: %s" % (len(errors), done.stderr)
    if says not in done.stderr:
        return "'%s' is not said: %s" % (says, done.stderr)
    if place:
        first = next(i for i, x in enumerate(text.splitlines(), 1) if "setp.eq.u32 %p1" in x) + 1
        at = re.search(r"kernel 'k',(?: pc \d+,)? k\.ptx:(\d+): .*block \((\d+),0,0\), thread \((\d+),0,0\)",
                       errors[0])
        if not at:
            return "no line, block and thread: " + errors[0]
        got = int(at[1]) - first, int(at[2]), int(at[3])
        if any(x not in (None, y) for x, y in zip(place, got)):
            return "at %s, and not %s: %s" % (got, place, errors[0])
    return None


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for target in targets:
            limited = [case + (pathlib.Path(folder), "--max-seconds", "1") for case in LIMITED]
            for case in [case + (pathlib.Path(folder),) for case in CASES + ON_CORES * (target != "golden")] + limited:
                what, problem = case[0], check(target, *case)
                if problem:
                    print("%s: %s: %s" % (target, what, problem))
                    wrong += 1
    return wrong != 0


sys.exit(main())
