// SPDX-License-Identifier: MIT
.kernel "_Z9histogramPKhPji"
    .registers near 6 both 6 far 9 predicates 2
    .bytes parameters 20 param 20 local 0 spilled 0 shared 1024
    .located near 8 far 18 both 5 none 0
    .placed near 8 far 35 both 7 none 0
    .parameter 0 8
    .parameter 8 8
    .parameter 16 4
    .function "_Z9histogramPKhPji"
    far  ld.param.u32 R18, [RZ+16]  ; 24
    both s2r.u32 R8, %tid.x  ; 25
    far  setp.gt.s32 P0, R8, 255  ; 26
    both s2r.u32 R9, %ntid.x  ; 27
    near mov.u64 R0, 0  ; 28
    both mov.u32 R6, R8  ; 29
    far  @P0 bra L19, L19  ; 30
L9:
    near mul.wide.s32 R2, R6, 4  ; 32
    near add.s64 R2, R0, R2  ; 33
    near mov.u32 R4, 0  ; 34
    far  st.shared.u32 [R2], R4  ; 35
    both add.s32 R6, R6, R9  ; 36
    far  setp.lt.s32 P1, R6, 256  ; 37
    far  @P1 bra L9, L19  ; 38
L19:
    far  ld.param.u64 R12, [RZ+8]  ; 40
    far  bar.sync 0  ; 43
    far  s2r.u32 R14, %ctaid.x  ; 46
    far  mad.lo.s32 R19, R14, R9, R8  ; 47
    far  setp.ge.s32 P1, R19, R18  ; 48
    far  @P1 bra L48, L48  ; 49
    far  ld.param.u64 R14, [RZ]  ; 50
    far  mov.u64 R14, R14  ; 51
    far  s2r.u32 R16, %nctaid.x  ; 52
    far  mul.lo.s32 R20, R16, R9  ; 53
L32:
    far  cvt.s64.s32 R16, R19  ; 55
    far  add.s64 R16, R14, R16  ; 56
    near ld.global.u8 R2, [R16]  ; 57
    near mul.wide.u32 R2, R2, 4  ; 58
    near add.s64 R2, R0, R2  ; 59
    far  atom.shared.add.u32 RZ, [R2], 1  ; 60
    far  add.s32 R19, R19, R20  ; 61
    far  setp.lt.s32 P1, R19, R18  ; 62
    far  @P1 bra L32, L48  ; 63
L48:
    far  mov.u64 R12, R12  ; 65
    far  bar.sync 0  ; 68
    far  @P0 bra L53, L53  ; 71
    far  bra L60  ; 72
L53:
    far  exit  ; 74
L54:
    both add.s32 R8, R8, R9  ; 76
    far  setp.lt.s32 P0, R8, 256  ; 77
    far  @P0 bra L60, L59  ; 78
L59:
    far  bra L53  ; 79
L60:
    both mul.wide.s32 R6, R8, 4  ; 81
    near add.s64 R2, R0, R6  ; 82
    both ld.shared.u32 R10, [R2]  ; 83
    far  setp.eq.s32 P0, R10, 0  ; 84
    far  @P0 bra L54, L54  ; 85
    far  add.s64 R14, R12, R6  ; 86
    far  atom.global.add.u32 RZ, [R14], R10  ; 87
    far  bra L54  ; 88

