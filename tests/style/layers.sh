#!/bin/sh
# SPDX-License-Identifier: MIT
# Which folder may include which (docs/architecture.md): every #include "folder/..." is checked, of
# sub-folders too.  Also: C++ has its rooms, no C source stands without its licence line, and what
# only one kind of machine has is named nowhere outside of machines/ and what is below.
#   layers.sh SOURCE
set -u
cd "$1" || exit 2
find support isa-spec object asm target recipe portable stage ptx pipeline machines disasm linker ezpim emu runtime pimeval tools tests \
    bench examples -type f \( -name '*.[chly]' -o -name '*.cpp' -o -name '*.inc' \) | sort | xargs awk '
BEGIN {
    # A folder, and those that it may include from: "x/" with all below it, "x" that folder alone.
    # Each may include from itself and what is below it.  The rule of a sub-folder holds in place of
    # the one above it; "*" stands for a kind of machine, the same on both sides.
    base = "isa-spec/ support/"
    may["support"] = ""
    may["isa-spec"] = "support/"
    may["object"] = base
    may["asm"] = "object/ " base
    may["portable"] = "object/ " base
    may["stage"] = "portable object/ " base
    may["ptx"] = "portable object/ " base
    may["pipeline"] = "stage portable object/ " base
    may["target"] = base
    may["recipe"] = "target/ " base
    may["recipe/search"] = base
    may["recipe/technology"] = "recipe/notation recipe/set target/ " base
    may["recipe/timing"] = "recipe/technology recipe/set target/ " base
    may["recipe/table"] = "recipe/set target/ " base
    may["recipe/prove"] = "recipe/verify recipe/set target/ " base
    kinds = "machines machines/dtc recipe/ object/ target/ " base
    may["machines"] = kinds
    may["machines/core/simt"] = "machines ptx portable object/ " base
    may["machines/core/dpu"] = "machines object/ " base
    may["machines/core/dpu/link"] = kinds " machines/core/dpu machines/core/dpu/runs machines/core/scalar machines/stored/link stage"
    may["machines/core/simt/link"] = kinds " machines/core/simt machines/core/simt/runs machines/core/scalar machines/golden/link stage ptx portable"
    may["machines/core/simt/time"] = kinds " machines/core/simt machines/core/simt/link machines/state ptx"
    may["machines/core/simt/run"] = kinds " machines/core/simt machines/core/simt/link machines/core/simt/runs machines/core/simt/time machines/core/scalar machines/state ptx portable"
    may["machines/core/simt/runs"] = "machines/core/simt machines/core/scalar ptx portable object/ " base
    may["machines/core/dpu/run"] = kinds " machines/core/dpu machines/core/dpu/link machines/core/dpu/runs machines/state machines/stored/link machines/stored/run machines/core/scalar stage portable"
    may["machines/core/scalar"] = "stage " base
    may["machines/core/dpu/runs"] = "machines/core/dpu machines/core/scalar object/ " base
    may["machines/dtc"] = "machines target/ " base
    may["machines/state"] = "machines target/ " base
    may["machines/check"] = "machines machines/golden/run machines/state portable target/ object/ " base
    may["machines/verify"] = "machines target/ " base
    may["machines/*/link"] = kinds " machines/stored/link"
    may["machines/slot/target"] = "target/ " base
    may["machines/slot/program"] = base
    may["machines/slot/library"] = "machines/slot/program recipe/ " base
    may["machines/slot/link"] = kinds " machines/slot/target machines/slot/program machines/slot/library"
    may["machines/slot/run"] = kinds " machines/state machines/slot/target machines/slot/link machines/slot/program machines/slot/library"
    may["machines/golden/link"] = kinds " machines/stored/link portable stage ptx pipeline"
    may["machines/golden/run"] = kinds " machines/golden/link machines/state portable"
    may["machines/*/run"] = kinds " machines/state machines/*/link machines/stored/link machines/stored/run"
    may["machines/*/verify"] = kinds " machines/*/ machines/verify"
    may["disasm"] = "object/ " base
    above = "machines machines/dtc object/ target/ " base
    may["linker"] = above
    may["linker/join"] = "linker " above
    may["linker/package"] = "linker " above
    may["linker/moves"] = "linker linker/package " above
    may["linker/check"] = "linker linker/join linker/package " above
    may["ezpim"] = "asm/ linker/ object/ target/ " base
    may["ezpim/ir"] = "object/ " base
    may["ezpim/code"] = "ezpim/ir asm/ linker/ object/ target/ " base
    may["ezpim/array"] = "ezpim ezpim/ir object/ " base
    may["ezpim/stage"] = "stage object/ " base
    may["ezpim/ez"] = "ezpim ezpim/stage stage pipeline portable ezpim/array ezpim/ir ezpim/code " may["ezpim"]
    may["ezpim/np"] = "ezpim ezpim/array ezpim/ir ezpim/code " may["ezpim"]
    may["ezpim/erc"] = "ezpim ezpim/ir ezpim/code " may["ezpim"]
    may["emu/timing"] = above
    may["emu/control"] = "emu/timing linker/ " above
    may["emu/place"] = "emu/control emu/timing linker/ " above
    may["emu/report"] = "emu/control emu/timing linker/ " above
    may["emu/page"] = "emu/report support/"
    may["emu/observe"] = "emu/report emu/control emu/timing linker/ " above
    may["runtime"] = "pipeline emu/ ezpim/ asm/ disasm/ linker/ " above
    may["runtime/dpu"] = "machines/core/dpu runtime runtime/include/mpu target/ " base # of one machine, whose host interface it is
    may["pimeval"] = "" # mpu/mpu.h, as it is installed
    may["tools"] = "tools/ runtime/ " may["runtime"]
    may["tools/mpu-run"] = "support/" # as anybody who writes on mpu/mpu.h
    may["tools/mpu-recipe"] = "machines/ recipe/ " may["tools"]
    may["tools/sequence-gen"] = "machines/ recipe/ target/ " base
}
FNR == 1 {
    if (!/SPDX-License-Identifier: MIT/ && FILENAME ~ /\.[ch]$/)
        complain("no SPDX line at the top")
    if (FILENAME ~ /\.cpp$/ && FILENAME !~ /^(support\/llvm|pimeval)\//)
        complain("C++ outside of support/llvm/ and pimeval/")
    folder = folder_of(FILENAME)
    rule = rule_of(folder)
    lists = FILENAME == "machines/list.c" || FILENAME == "machines/syntax.c" || FILENAME == "machines/datapaths.c"
    neutral = FILENAME ~ /^(linker|emu|runtime|disasm|tools)\// && FILENAME !~ /^tools\/(mpu-recipe|sequence-gen)\//
}
rule != "" && /^#include "[a-z-]+\// {
    used = $2
    gsub(/"/, "", used)
    if (!allowed(folder_of(used)))
        complain(folder "/ may not include " used)
    if (folder ~ /^linker/ && used == "machines/datapath.h")
        complain("the linker knows no run half")
}
# Front ends build on arrays, not the other way round.
FILENAME ~ /^ezpim\/array\// && /(^|[^A-Za-z_])(np|ez|NP|EZ)_[A-Za-z]/ { complain("names what a front end has") }
# What an operation of vectors becomes is said once, below: by ezpim/array/.
FILENAME ~ /^runtime\// && /(^|[^A-Za-z_])(ir_operation|ir_typed|ir_machine|ir_put|ir_float_[a-z_]*) *\(|code->insns|struct ir_insn/ {
    complain("makes instructions, which ezpim/array/ does")
}
# Words of one kind of machine, and kinds compared with one of them.
neutral && /plane_target|plane_strict|recipe_set|struct recipe_table|recipe_expand|row_class|bit_pipelined|TARGET_PLANE/ {
    complain("names what only plane machines have")
}
neutral && /(target|k->t|c->t)->kind *[!=]=|strcmp\([^)]*kind->name/ { complain("compares a kind") }
function folder_of(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}
# The rule of a folder, or of the nearest one above it; "*" where a kind stands.
function rule_of(path, general) {
    for (;;) {
        if (path in may)
            return path
        general = path
        if (sub(/^machines\/[a-z-]+\//, "machines/*/", general) && general in may)
            return general
        if (!sub(/\/[^\/]*$/, "", path))
            return ""
    }
}
function allowed(used, list, n, i, one, kind) {
    if (used == folder || index(used, folder "/") == 1 || (lists && used ~ /^machines\//))
        return folder !~ /^machines$/ || used == folder || lists || used == "machines/dtc"
    kind = folder
    sub(/^machines\//, "", kind)
    sub(/\/.*/, "", kind)
    n = split(may[rule], list, " ")
    for (i = 1; i <= n; i++) {
        one = list[i]
        sub(/\*/, kind, one)
        if (one ~ /\/$/ ? index(used "/", one) == 1 : used == one)
            return 1
    }
    return index(folder, rule) == 1 && (used == rule || index(used, rule "/") == 1)
}
function complain(what) { print FILENAME ":" FNR ": " what; bad = 1 }
END { exit bad }'
