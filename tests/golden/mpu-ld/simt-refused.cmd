# What near-bank SIMT cores do not carry out: kernel, line, and what it is.
head='.version 6.3\n.target sm_75\n.address_size 64\n'
try() {
    printf "$head$1" >k.ptx
    { printf '        .module m ptx\n'; cat k.ptx; printf '        .endmodule\n        .kernel k ptx(x: u64) in m\n        .launch k<<<1, 32>>>(0)\n        HALT\n'; } >k.s
    mpu-as -g k.s -o k.o && mpu-ld --target simt k.o -o k.mpu
}
# recursion
try '.func g(.param .b32 a);\n.func f(.param .b32 a)\n{\n\tcall.uni g, (a);\n\tret;\n}\n.func g(.param .b32 b)\n{\n\tcall.uni f, (b);\n\tret;\n}\n.visible .entry k(.param .u64 x)\n{\n\t.param .b32 p;\n\tcall.uni f, (p);\n\tret;\n}\n'
# an indirect call
try '.visible .entry k(.param .u64 x)\n{\n\t.reg .b64 %%rd<3>;\n\tld.param.u64 %%rd1, [x];\n\tcall (), %%rd1, ();\n\tret;\n}\n'
# a texture
try '.visible .entry k(.param .u64 x)\n{\n\t.reg .b32 %%r<9>;\n\ttex.2d.v4.u32.s32 {%%r1,%%r2,%%r3,%%r4}, [x, {%%r5,%%r6}];\n\tret;\n}\n'
# printf
try '.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.visible .entry k(.param .u64 x)\n{\n\t.param .b64 p;\n\t.param .b64 q;\n\t.param .b32 r;\n\tcall.uni (r), vprintf, (p, q);\n\tret;\n}\n'
# more shared memory than a core has
try '.visible .entry k(.param .u64 x)\n{\n\t.shared .align 4 .b8 big[100000];\n\tst.shared.u32 [big+4], 1;\n\tret;\n}\n'
# all registers far from the banks: those of the near side count there, and a near file is not looked at
ponb() {
    printf 'schema: 1\nname: small\nextends: simt-ponb\nsimt: { %s, source: assumed }\n' "$1" >small.yaml
    mpu-ld --target small.yaml k.o -o k.mpu
    echo "$1: $?" >&2
    rm small.yaml
}
{ printf '        .buffer inout x: u32[64]\n        .module m ptx\n'"$head"'.visible .entry k(.param .u64 x)\n{\n\t.reg .b32 %%r<9>;\n\t.reg .b64 %%d<9>;\n\tld.param.u64 %%d1, [x];\n\tld.global.u32 %%r1, [%%d1];\n\tld.global.u32 %%r2, [%%d1+128];\n\tadd.u32 %%r1, %%r1, %%r2;\n\tst.global.u32 [%%d1], %%r1;\n\tret;\n}\n        .endmodule\n        .kernel k ptx(x: u32[]) in m\n        .launch k<<<1, 32>>>(x)\n        HALT\n'; } >k.s
mpu-as -g k.s -o k.o
ponb 'far_rf_bytes: 384'
ponb 'far_rf_bytes: 512'
ponb 'near_rf: 128'
# calls that double at each of 20 levels
levels=$(for i in $(seq 1 20); do printf '.func f%d()\\n{\\n\\tcall f%d;\\n\\tcall f%d;\\n\\tret;\\n}\\n' $i $((i - 1)) $((i - 1)); done)
try ".func f0()\n{\n\t.reg .b32 %%r<3>;\n\tmov.u32 %%r1, 1;\n\tret;\n}\n$levels.visible .entry k(.param .u64 x)\n{\n\tcall f20;\n\tret;\n}\n"
