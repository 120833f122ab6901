# What is said about every kind of mistake in a target file.
bad() {
    echo "--- $1" >&2
    printf 'schema: 1\nname: bad\n%s\n' "$2" >t.yaml
    mpu-recipe check --target t.yaml --op MOV 2>told
    code=$?
    sed 's|^\(targets/[a-z-]*.yaml\):[0-9]*:[0-9]*|\1|' told >&2
    echo "exit $code" >&2
    rm t.yaml told
}
bad "unknown key" 'extends: racer
clocks: { datapth_ps: 5 }'
bad "missing unit" 'extends: racer
clocks: { datapath: 5 }'
bad "missing section" 'kind: plane
array: { rows: 64, lanes: 64 }'
bad "value out of range" 'extends: racer
array: { sections: 100 }'
bad "cyclic extends" 'extends: ./t.yaml'
bad "null for nothing" 'extends: racer
ops: { NORR: null }'
bad "rows out of range" 'extends: racer
rows: { more: { range: "120..200" } }'
bad "two classes of one row" 'extends: racer
rows: { more: { range: "60..70" } }'
bad "no rows" 'extends: racer
rows: { more: { use: scratch } }'
bad "class of rows with a name that conditions know" 'extends: racer
rows: { C: { latch: true } }'
bad "latch with a row" 'extends: racer
rows: { carry: { latch: true, row: 3 } }'
bad "more homes than there may be" 'extends: racer
array: { rows: 200 }
rows:
  b: { row: 128, use: registers }
  c: { row: 129, use: registers }
  d: { row: 130, use: registers }
  e: { row: 131, use: registers }'
bad "a condition that holds in one home alone" 'extends: racer
array: { rows: 200 }
rows: { more: { range: "128..199", use: registers } }
ops: { NEAR: { in: [x], out: d, fn: "x", energy: 1, where: "class(x) == registers && class(d) == registers" } }'
bad "scratch in the registers" 'extends: racer
rows: { registers: { scratch: 8 } }'
bad "no row left" 'extends: mimdram
rows: { D: { scratch: 1003 } }'
bad "group of an unknown class" 'extends: mimdram
groups: { MORE: [T0, T7] }'
bad "group of a class of many rows" 'extends: mimdram
groups: { MORE: [T0, D] }'
bad "group with a constant row" 'extends: mimdram
groups: { MORE: [T0, C0] }'
bad "group of two wordlines of one cell" 'extends: mimdram
groups: { MORE: [DCC0, "!DCC0"] }'
bad "group of six" 'extends: mimdram
groups: { MORE: [T0, T1, T2, T3, DCC0, DCC1] }'
bad "only groups of two and four to activate first" 'extends: racer
rows: { registers: { range: "0..59" }, R0: { row: 60 }, R1: { row: 61 }, R2: { row: 62 }, R3: { row: 63 } }
groups: { TWO: [R0, R1], FOUR: [R0, R1, R2, R3] }
ops: { AP: { activate: 1, energy: e_column } }'
bad "a command with operands of its own" 'extends: mimdram
ops: { AP: { in: [a] } }'
bad "too many variants" "extends: mimdram
ops:
$(for i in $(seq 100); do echo "  A$i: { activate: 2, energy: e_ap }"; done)"
bad "no such operand" 'extends: racer
ops: { X: { in: [a, b], out: d, fn: "a & c", energy: e_column } }'
bad "six sources" 'extends: racer
ops: { X: { in: [a, b, c, e, f, g], out: d, fn: "a", energy: e_column } }'
bad "five sources and the old value" 'extends: racer
ops: { X: { in: [a, b, c, e, f], out: d, fn: "a & d", energy: e_column } }'
bad "old value of another output" 'extends: racer
ops: { X: { in: a, out: [d, e], fn: { d: a, e: d }, energy: e_column } }'
bad "output without a function" 'extends: racer
ops: { X: { in: a, out: [d, e], fn: { d: a }, energy: e_column } }'
bad "operand with the name of many rows" 'extends: racer
ops: { X: { in: scratch, out: d, fn: scratch, energy: e_column } }'
bad "operand with the name of M" 'extends: racer
ops: { X: { in: M, out: d, fn: M, energy: e_column } }'
bad "constant row written" 'extends: racer
ops: { X: { in: a, out: zero, fn: a, energy: e_column } }'
bad "gate that presets what it reads" 'extends: racer
ops:
  SET: { out: d, fn: "1", energy: e_column }
  X: { in: [a, d], out: d, fn: "a & d", preset: { d: 1, by: SET }, energy: e_column }'
bad "old value behind an included preset" 'extends: racer
ops: { X: { in: a, out: d, fn: "d & !a", preset: included, energy: e_column } }'
bad "preset by a micro-op with sources" 'extends: racer
ops: { X: { in: a, out: d, fn: "d & !a", preset: { d: 1, by: NOR }, energy: e_column } }'
bad "preset to the other value" 'extends: racer
ops:
  SET: { out: d, fn: "1", energy: e_column }
  X: { in: a, out: d, fn: "d | !a", preset: { d: 0, by: SET }, energy: e_column }'
bad "condition on an unknown class" 'extends: racer
ops: { X: { in: a, out: d, fn: a, where: "class(a) == scrtch", energy: e_column } }'
bad "condition that never holds" 'extends: racer
ops: { X: { in: a, out: d, fn: a, where: "class(d) == one", energy: e_column } }'
bad "no energy" 'extends: racer
ops: { X: { in: a, out: d, fn: a } }'
bad "unknown time" 'extends: racer
ops: { X: { in: a, out: d, fn: a, time: t_gat, energy: e_column } }'
bad "mask by no latch" 'extends: racer
mask: { by: latch, latch: scratch, and: NOR, load: COPY }'
bad "mask by a latch without its micro-ops" 'extends: racer
rows: { tag: { latch: true } }
mask: { by: latch, latch: tag }'
bad "mask with a micro-op that does something else" 'extends: racer
rows: { tag: { latch: true } }
ops: { LDT: { in: a, out: tag, fn: "!a", energy: e_column }, ANDT: { in: [a, tag], out: tag, fn: "a & tag", energy: e_column } }
mask: { by: latch, latch: tag, and: ANDT, load: LDT }'
bad "unknown set" 'extends: racer
sets: { fast: { clocks.datapath_ps: 1000 } }
set: fats'
bad "set of an unknown key" 'extends: racer
sets: { fast: { clocks.datapath: 1000 } }'
bad "two sets of one number" 'extends: racer
sets: { fast: { clocks.datapath_ps: 1000 }, faster: { clocks: { datapath_ps: 500 } } }
set: fast+faster'
bad "source of nothing" 'extends: racer
clocks: { source: { datapath: "a paper" } }'
bad "unknown mode of the host link" 'extends: racer
host: { modes: { serail: { in_bytes_per_s: 1, out_bytes_per_s: 1 } } }'
bad "unknown key of a mode" 'extends: racer
host: { modes: { serial: { in_bytes_per_s: 1, out_bytes_per_s: 1, setup: 3 } } }'
bad "broadcast from the VRFs" 'extends: racer
host: { modes: { broadcast: { in_bytes_per_s: 1, out_bytes_per_s: 1 } } }'
bad "mode without a direction" 'extends: racer
host: { modes: { parallel: { in_bytes_per_s: 1 } } }'
bad "mode without a bandwidth" 'extends: racer
host: { modes: { serial: { in_bytes_per_s: 0, out_bytes_per_s: 1 } } }'
bad "unknown scope" 'extends: racer
host: { modes: { serial: { in_bytes_per_s: 1, out_bytes_per_s: 1, scope: rank } } }'
bad "no bandwidth but that of a mode" 'extends: racer
host: { bytes_per_s: null, modes: { parallel: { in_bytes_per_s: 1, out_bytes_per_s: 1 } } }'
bad "a mode that is no block" 'extends: racer
host: { modes: { serial: 7 } }'
bad "copies without a time" 'extends: racer
network: { register_ps: null }'
bad "a micro-op that takes no energy" 'extends: mimdram
ops: { AP: { energy: "0*e_ap" } }'
bad "a unit of energy" 'extends: racer
energy: { unit: pJ }'
bad "a row that no command opens" 'extends: mimdram
ops: { AP: { where: "rows > 5" } }'
bad "rows for computing that are too many to tell apart" 'extends: racer
rows: { scratch: { range: "64..90" }, comp: { range: "91..125", use: compute } }
ops: { X: { in: [a], out: d, fn: a, energy: e_column, where: "row(d) == row(a) + 1" } }'
bad "a preset of two outputs to two values" 'extends: racer
ops: { SET: { out: d, fn: "0", energy: e_column }, X: { in: [a], out: [d, e], fn: { d: "!a", e: "a" }, energy: e_column, preset: { d: 0, e: 1, by: SET } } }'
