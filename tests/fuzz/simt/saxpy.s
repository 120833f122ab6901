// SPDX-License-Identifier: MIT
.kernel "_Z5saxpyifPKfPf"
    .registers near 4 both 0 far 6 predicates 1
    .bytes parameters 24 param 24 local 0 spilled 0 shared 0
    .located near 4 far 13 both 0 none 0
    .placed near 4 far 16 both 0 none 0
    .parameter 0 4
    .parameter 4 4
    .parameter 8 8
    .parameter 16 8
    .function "_Z5saxpyifPKfPf"
    far  ld.param.u32 R5, [RZ]  ; 24
    far  s2r.u32 R4, %ctaid.x  ; 25
    far  s2r.u32 R6, %ntid.x  ; 26
    far  s2r.u32 R7, %tid.x  ; 27
    far  mad.lo.s32 R4, R4, R6, R7  ; 28
    far  setp.ge.s32 P0, R4, R5  ; 29
    far  @P0 bra L24, L24  ; 30
    near ld.param.f32 R0, [RZ+4]  ; 31
    far  ld.param.u64 R6, [RZ+16]  ; 32
    far  mov.u64 R6, R6  ; 33
    far  ld.param.u64 R8, [RZ+8]  ; 34
    far  mov.u64 R8, R8  ; 35
    far  mul.wide.s32 R4, R4, 4  ; 36
    far  add.s64 R8, R8, R4  ; 37
    near ld.global.f32 R1, [R8]  ; 38
    far  add.s64 R4, R6, R4  ; 39
    near ld.global.f32 R2, [R4]  ; 40
    near fma.rn.f32 R0, R1, R0, R2  ; 41
    far  st.global.f32 [R4], R0  ; 42
L24:
    far  exit  ; 44

