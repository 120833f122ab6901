/* SPDX-License-Identifier: MIT
 * All 2^32 words (in the suite: any two of their fields).  Which of them are legal is written down
 * here a second time, by hand and per shape of instruction, with the number of legal words of each
 * shape as a formula. */
#include "tests/draws.h"
#include "isa-spec/isa.h"
#include "support/bits.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include <cmocka.h>

/* In the suite any two fields of a word, by `./dev fuzz` all words. */
#define ALL_WORDS 2

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

enum shape {
    UNKNOWN,
    RESERVED,
    NOTHING,       /* all of bits 23:0 are zero */
    ANYTHING,      /* every bit has a meaning */
    VALUE,         /* 22 bits, mode 0 */
    RFH_VRF,       /* VRF below 64 */
    LANE_MAP,      /* seven maps, each with the k that it can have */
    W_D,           /* width and rd */
    W_S_D,         /* width, rs, rd */
    W_S_T,         /* width, rs, rt */
    W_S_T_D,       /* all four */
    W_S_T_D_APART, /* rd != rt */
    W_EXTEND,      /* rt holds a source width less one, at most the width less one */
    ONLY_S,        /* rs and no width */
    F_S_D,         /* as W_S_D, W_S_T, W_S_T_D, the width being 16, 32 or 64 */
    F_S_T,
    F_S_T_D,
    B_S_D, /* the same, the width being 16 */
    B_S_T,
    B_S_T_D,
    F_CONVERT, /* width, rs, rd, and rt holds a conversion */
    PIECE0,
    PIECE1,
    PIECE2,
    PIECE3,
    PIECE4,
    PIECE5, /* immediates for bits 12k and up */
};

/* By opcode, as the reference documents it. */
static const uint8_t shapes[256] = {
    [0x01] = NOTHING,
    [0x02] = NOTHING,
    [0x03] = NOTHING,
    [0x04] = RFH_VRF,
    [0x05] = NOTHING,
    [0x06] = VALUE,
    [0x07] = ANYTHING,
    [0x08] = NOTHING,
    [0x09] = ANYTHING,
    [0x0A] = ANYTHING,
    [0x0B] = ANYTHING,
    [0x0C] = ANYTHING,
    [0x0D] = VALUE,
    [0x0E] = LANE_MAP,
    /* JUMP RETURN GOTO JUMP_COND JUMP_NONE JUMP_ANY REPEAT REPEAT_END */
    [0x10] = ANYTHING,
    [0x11] = NOTHING,
    [0x12] = ANYTHING,
    [0x13] = ANYTHING,
    [0x14] = ANYTHING,
    [0x15] = ANYTHING,
    [0x16] = VALUE,
    [0x17] = NOTHING,
    /* SEND SEND_DONE RECV RECIPE MARK PRINT ASSERT */
    [0x18] = ANYTHING,
    [0x19] = NOTHING,
    [0x1A] = ANYTHING,
    [0x1B] = VALUE,
    [0x1C] = VALUE,
    [0x1D] = VALUE,
    [0x1E] = VALUE,
    /* masks */
    [0x20] = W_D,
    [0x21] = ONLY_S,
    [0x22] = NOTHING,
    [0x23] = NOTHING,
    [0x24] = ONLY_S,
    [0x25] = NOTHING,
    [0x26] = NOTHING,
    [0x28] = W_D,
    [0x29] = ONLY_S,
    [0x2A] = W_D,
    /* MOV INIT0 INIT1 ZEXT SEXT LI LIK1..5 */
    [0x30] = W_S_D,
    [0x31] = W_D,
    [0x32] = W_D,
    [0x33] = W_EXTEND,
    [0x34] = W_EXTEND,
    [0x38] = PIECE0,
    [0x39] = PIECE1,
    [0x3A] = PIECE2,
    [0x3B] = PIECE3,
    [0x3C] = PIECE4,
    [0x3D] = PIECE5,
    /* ADD SUB INC DEC NEG ABS MUL MAC QDIV RDIV QRDIV SDIV SREM FLDIV FLMOD RELU */
    [0x40] = W_S_T_D,
    [0x41] = W_S_T_D,
    [0x42] = W_S_D,
    [0x43] = W_S_D,
    [0x44] = W_S_D,
    [0x45] = W_S_D,
    [0x46] = W_S_T_D,
    [0x47] = W_S_T_D,
    [0x48] = W_S_T_D,
    [0x49] = W_S_T_D,
    [0x4A] = W_S_T_D_APART,
    [0x4B] = W_S_T_D,
    [0x4C] = W_S_T_D,
    [0x4D] = W_S_T_D,
    [0x4E] = W_S_T_D,
    [0x4F] = W_S_D,
    /* ADDI ANDI MULI CMPEQI CMPLTI CMPGTI */
    [0x50] = PIECE0,
    [0x51] = PIECE0,
    [0x52] = PIECE0,
    [0x53] = PIECE0,
    [0x54] = PIECE0,
    [0x55] = PIECE0,
    [0x5F] = ANYTHING, /* MULP: four fields of six bits */
    /* comparisons, FUZZY */
    [0x60] = W_S_T,
    [0x61] = W_S_T,
    [0x62] = W_S_T,
    [0x63] = W_S_T,
    [0x64] = W_S_T,
    [0x65] = W_S_T,
    [0x66] = W_S_T,
    [0x67] = W_S_T,
    [0x68] = W_S_T,
    [0x69] = W_S_T,
    [0x6A] = W_S_T_D,
    /* MAX MIN MAXS MINS CAS CASS MUX SEL */
    [0x70] = W_S_T_D,
    [0x71] = W_S_T_D,
    [0x72] = W_S_T_D,
    [0x73] = W_S_T_D,
    [0x74] = W_S_T,
    [0x75] = W_S_T,
    [0x76] = W_S_T_D,
    [0x77] = W_S_T_D,
    /* AND NAND NOR OR XOR XNOR INV BFLIP POPC */
    [0x80] = W_S_T_D,
    [0x81] = W_S_T_D,
    [0x82] = W_S_T_D,
    [0x83] = W_S_T_D,
    [0x84] = W_S_T_D,
    [0x85] = W_S_T_D,
    [0x86] = W_S_D,
    [0x87] = W_S_D,
    [0x88] = W_S_D,
    /* LSHIFT, shifts by a constant (every field has a meaning), by a register */
    [0x90] = W_S_D,
    [0x91] = W_S_T_D,
    [0x92] = W_S_T_D,
    [0x93] = W_S_T_D,
    [0x94] = W_S_T_D,
    [0x95] = W_S_T_D,
    [0x96] = W_S_T_D,
    /* floating point */
    [0xA0] = F_S_T_D,
    [0xA1] = F_S_T_D,
    [0xA2] = F_S_T_D,
    [0xA3] = F_S_T_D,
    [0xA4] = F_S_D,
    [0xA5] = F_S_T,
    [0xA6] = F_S_T,
    [0xA7] = F_S_T,
    [0xA8] = F_S_T,
    [0xA9] = F_S_D,
    [0xAA] = F_S_D,
    [0xAB] = F_S_T_D,
    [0xAC] = F_S_T_D,
    [0xAD] = F_S_D,
    [0xAE] = F_S_D,
    [0xAF] = F_CONVERT,
    [0xB0] = B_S_T_D,
    [0xB1] = B_S_T_D,
    [0xB2] = B_S_T_D,
    [0xB3] = B_S_T_D,
    [0xB4] = B_S_D,
    [0xB5] = B_S_T,
    [0xB6] = B_S_T,
    [0xB7] = B_S_T,
    [0xB8] = B_S_T,
    [0xB9] = B_S_D,
    [0xBA] = B_S_D,
    [0xBB] = B_S_T_D,
    [0xBC] = B_S_T_D,
    [0xBD] = B_S_D,
    [0xBE] = B_S_D,
    [0xBF] = ANYTHING,
    /* 0xB0..0xFF: see shape_of */
};

static enum shape user_shape(unsigned opcode) {
    switch (opcode >> 2) {
    case 0xE0 >> 2:
    case 0xE4 >> 2:
        return W_S_D;
    case 0xE8 >> 2:
    case 0xEC >> 2:
    case 0xF0 >> 2:
        return W_S_T;
    case 0xF4 >> 2:
        return W_S_T_D_APART;
    default:
        return W_S_T_D;
    }
}

static enum shape shape_of(unsigned opcode) {
    if (opcode >= 0xC0)
        return user_shape(opcode);
    return (enum shape)shapes[opcode];
}

/* Immediates that fit n bits, signed or unsigned. */
static uint64_t fitting(int n) {
    if (n >= 12)
        return 4096;
    return n <= 0 ? 0 : ((uint64_t)3 << n) / 2;
}

static uint64_t piece_count(int k) {
    uint64_t sum = 0;
    for (int w = 1; w <= 64; w++)
        sum += 64 * fitting(w - 12 * k);
    return sum;
}

static uint64_t legal_count(enum shape s) {
    switch (s) {
    case UNKNOWN:
    case RESERVED:
        return 0;
    case NOTHING:
        return 1;
    case ANYTHING:
    case W_S_T_D:
        return 1u << 24;
    case VALUE:
        return 1u << 22;
    case RFH_VRF:
        return 4096 * 64;
    case LANE_MAP: /* identity and reverse, shift and rotate, gather and scatter, broadcast */
        return 2 + 2 * (1u << 20) + 2 * ((1u << 19) - 1) + (1u << 19);
    case W_D:
        return 64 * 64;
    case W_S_D:
    case W_S_T:
        return 64 * 64 * 64;
    case W_S_T_D_APART:
        return 64 * 64 * 64 * 63;
    case W_EXTEND:
        return 64 * 64 * (64 * 65 / 2);
    case ONLY_S:
        return 64;
    case F_S_D:
    case F_S_T:
        return 3 * 64 * 64;
    case F_S_T_D:
        return 3 * 64 * 64 * 64;
    case B_S_D:
    case B_S_T:
        return 64 * 64;
    case B_S_T_D:
        return 64 * 64 * 64;
    case F_CONVERT: /* ten, and ten more at width 16 */
        return 64 * 64 * (3 * 10 + 10);
    case PIECE0:
    case PIECE1:
    case PIECE2:
    case PIECE3:
    case PIECE4:
    case PIECE5:
        return piece_count((int)s - PIECE0);
    }
    return 0;
}

static bool piece_legal(uint32_t word, int k) {
    int w = (int)(word >> 18 & 63) + 1, imm = (int)(word & 4095), n = w - 12 * k;
    if (n >= 12)
        return true;
    int value = imm >= 2048 ? imm - 4096 : imm;
    return n > 0 && 2 * value >= -(1 << n) && value <= (1 << n) - 1;
}

static bool lane_map_legal(uint32_t mode, uint32_t k) {
    bool positive = k > 0 && k < 1u << 19;
    switch (mode) {
    case 0:
    case 5:
        return k == 0;
    case 1:
    case 2:
        return true;
    case 3:
    case 4:
        return positive;
    default:
        return mode == 6 && (positive || k == 0);
    }
}

static inline bool float_legal(enum shape s, uint32_t word) {
    uint32_t w = word >> 18 & 63, rd = word >> 12 & 63, rt = word & 63;
    bool some = w == 15 || w == 31 || w == 63;
    switch (s) {
    case F_S_D:
        return some && rt == 0;
    case F_S_T:
        return some && rd == 0;
    case F_S_T_D:
        return some;
    case B_S_D:
        return w == 15 && rt == 0;
    case B_S_T:
        return w == 15 && rd == 0;
    case B_S_T_D:
        return w == 15;
    default: /* F_CONVERT */
        return some && (rt < 16 || w == 15) && rt < 32 && (rt % 16 < 6 || rt % 16 / 4 == 2);
    }
}

static inline bool legal(enum shape s, uint32_t word) {
    uint32_t w = word >> 18 & 63, rd = word >> 12 & 63, rs = word >> 6 & 63, rt = word & 63;
    switch (s) {
    case UNKNOWN:
    case RESERVED:
        return false;
    case NOTHING:
        return (word & 0xFFFFFF) == 0;
    case ANYTHING:
    case W_S_T_D:
        return true;
    case VALUE:
        return (word >> 22 & 3) == 0;
    case RFH_VRF:
        return (word & 0xFFF) < 64;
    case LANE_MAP:
        return lane_map_legal(word >> 20 & 15, word & 0xFFFFF);
    case W_D:
        return rs == 0 && rt == 0;
    case W_S_D:
        return rt == 0;
    case W_S_T:
        return rd == 0;
    case W_S_T_D_APART:
        return rd != rt;
    case W_EXTEND:
        return rt <= w;
    case ONLY_S:
        return w == 0 && rd == 0 && rt == 0;
    case F_S_D:
    case F_S_T:
    case F_S_T_D:
    case B_S_D:
    case B_S_T:
    case B_S_T_D:
    case F_CONVERT:
        return float_legal(s, word);
    default:
        return piece_legal(word, (int)s - PIECE0);
    }
}

static enum isa_error illegal_error(enum shape s, enum isa_error e) {
    if (s == UNKNOWN)
        return ISA_UNKNOWN_OPCODE;
    if (s == RESERVED)
        return ISA_RESERVED_OPCODE;
    return e == ISA_NONZERO_FIELD || e == ISA_BAD_FIELD || e == ISA_BAD_MODE ? e : ISA_OK;
}

static bool same(const struct insn *a, const struct insn *b) {
    return a->op == b->op && a->width == b->width && a->rs == b->rs && a->rt == b->rt &&
           a->rd == b->rd && a->mode == b->mode && a->rfh == b->rfh && a->vrf == b->vrf &&
           a->vrf_src == b->vrf_src && a->vrf_dst == b->vrf_dst && a->imm == b->imm &&
           a->lut == b->lut;
}

/* What became of a word. */
enum verdict { WRONG, REFUSED, LEGAL };

/* decode(encode(x)) = x and encode(decode(word)) = word, or the word is refused as it must be. */
static inline enum verdict judge(enum shape s, uint32_t word) {
    struct insn x;
    uint32_t back;
    enum isa_error e = isa_decode(word, &x);
    if ((e == ISA_OK) != legal(s, word))
        return WRONG;
    if (e != ISA_OK)
        return e == illegal_error(s, e) ? REFUSED : WRONG;
    bool holds = isa_encode(&x, &back) == ISA_OK && back == word;
    return holds && isa_info(x.op)->opcode == word >> 24 ? LEGAL : WRONG;
}

struct proof {
    atomic_uint next;          /* opcode to be taken up */
    _Atomic uint64_t bad_word; /* UINT64_MAX: none */
    uint64_t counts[256];
};

static void judge_of(struct proof *p, enum shape s, uint32_t word) {
    enum verdict v = judge(s, word);
    p->counts[word >> 24] += v == LEGAL;
    if (v == WRONG)
        p->bad_word = word;
}

/* What two six-bit fields at `a` and `b` hold, whatever it is, beside values at the ends of what
 * the other two can be. */
static void prove_fields(struct proof *p, uint32_t opcode, unsigned a, unsigned b) {
    static const uint32_t ends[] = {0, 1, 31, 32, 62, 63};
    const enum shape s = shape_of(opcode);
    unsigned others[2], n = 0;
    for (unsigned at = 0; at < 24; at += 6)
        if (at != a && at != b)
            others[n++] = at;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            uint32_t rest = opcode << 24 | ends[i] << others[0] | ends[k] << others[1];
            for (uint32_t both = 0; both < 1u << 12; both++)
                judge_of(p, s, rest | (both & 63) << a | both >> 6 << b);
        }
}

static void prove_opcode(struct proof *p, uint32_t opcode) {
    const enum shape s = shape_of(opcode);
    if (draws(DRAWS_ISA_WORDS) == ALL_WORDS) {
        for (uint32_t low = 0; low < 1u << 24; low++)
            judge_of(p, s, opcode << 24 | low);
        return;
    }
    for (unsigned a = 0; a < 24; a += 6)
        for (unsigned b = a + 6; b < 24; b += 6)
            prove_fields(p, opcode, a, b);
}

static void *prove(void *context) {
    struct proof *p = context;
    for (uint32_t opcode; (opcode = atomic_fetch_add(&p->next, 1)) < 256;)
        prove_opcode(p, opcode);
    return NULL;
}

static void all_words(void **state) {
    (void)state;
    if (MPU_SANITIZED) {
        print_message("all 2^32 words: skipped under sanitizers\n");
        skip();
    }
    static struct proof p;
    pthread_t other;
    p.bad_word = UINT64_MAX;
    assert_int_equal(pthread_create(&other, NULL, prove, &p), 0);
    prove(&p);
    pthread_join(other, NULL);
    if (p.bad_word != UINT64_MAX)
        fail_msg("word 0x%08x", (unsigned)p.bad_word);
    uint64_t total = 0;
    if (draws(DRAWS_ISA_WORDS) != ALL_WORDS)
        return;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        if (p.counts[opcode] != legal_count(shape_of(opcode)))
            fail_msg("opcode 0x%02x has %llu legal words", opcode,
                     (unsigned long long)p.counts[opcode]);
        total += p.counts[opcode];
    }
    print_message("%llu of 4294967296 words are legal\n", (unsigned long long)total);
}

/* Runs under sanitizers too: bits of each opcode at random, and around every field's ends. */
static void some_words(void **state) {
    (void)state;
    uint64_t seed = 1, count = 0;
    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        for (unsigned i = 0; i < 20000; i++) {
            uint64_t r = splitmix64(&seed), sparse = r & splitmix64(&seed) & splitmix64(&seed);
            uint32_t word = opcode << 24 | (uint32_t)((i & 1 ? r : sparse) & 0xFFFFFF);
            enum verdict v = judge(shape_of(opcode), word);
            if (v == WRONG)
                fail_msg("word 0x%08x", (unsigned)word);
            count += v == LEGAL;
        }
    }
    assert_true(count > 100000);
}

/* Any struct at all is either refused or comes back as it was. */
static void any_insn(void **state) {
    (void)state;
    uint64_t seed = 2;
    unsigned accepted = 0;
    for (unsigned i = 0; i < 2000000; i++) {
        struct insn x = {.op = (enum isa_op)(splitmix64(&seed) % OP_COUNT)}, y;
        uint64_t r = splitmix64(&seed), s = splitmix64(&seed);
        x.width = r & 1 ? (uint8_t)(r >> 8 & 127) : 0;
        x.rs = r & 2 ? (uint8_t)(r >> 16 & 127) : 0;
        x.rt = r & 4 ? (uint8_t)(r >> 24 & 127) : 0;
        x.rd = r & 8 ? (uint8_t)(r >> 32 & 127) : 0;
        x.mode = r & 16 ? (uint8_t)(r >> 40 & 7) : 0;
        x.vrf = r & 32 ? (uint16_t)(r >> 48) : 0;
        x.imm = s & 1 ? (int32_t)(s >> 32) >> (s >> 8 & 31) : 0;
        x.rfh = s & 2 ? (uint16_t)(s >> 16 & 8191) : 0;
        x.lut = s & 4 ? (uint16_t)(s >> 48 & 8191) : 0;
        uint32_t word;
        if (isa_encode(&x, &word) != ISA_OK)
            continue;
        accepted++;
        assert_int_equal(isa_decode(word, &y), ISA_OK);
        if (x.op >= OP_LIK1 && x.op <= OP_LIK5)
            x.imm &= 0xFFF;
        if (isa_has_table(x.op))
            x.width = 0; /* that of its table, which the word does not say */
        if (isa_has_shape(x.op)) {
            x.width = 0;
            x.imm = 0;
        }
        assert_true(same(&x, &y));
    }
    assert_true(accepted > 1000);
}

static void every_op_has_a_shape(void **state) {
    (void)state;
    bool seen[256] = {false};
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const struct isa_info *info = isa_info((enum isa_op)op);
        assert_false(seen[info->opcode]);
        seen[info->opcode] = true;
        assert_int_equal((info->flags & ISA_RESERVED) != 0, shape_of(info->opcode) == RESERVED);
        assert_int_not_equal(shape_of(info->opcode), UNKNOWN);
        assert_int_equal((info->flags & ISA_USER) != 0, info->opcode >= 0xC0);
    }
    for (unsigned opcode = 0; opcode < 0xB0; opcode++)
        assert_int_equal(seen[opcode], shape_of(opcode) != UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_has_a_shape),
        cmocka_unit_test(some_words),
        cmocka_unit_test(any_insn),
        cmocka_unit_test(all_words),
    };
    return cmocka_run_group_tests_name("isa encoding", tests, NULL, NULL);
}
