/* SPDX-License-Identifier: MIT
 * Operations, their numbers, and the modifiers that they have most. */
#include "machines/core/simt/words.h"

#include <string.h>

static const struct {
    uint8_t ptx, code, sub;
} ops[] = {
#define OP(id, ptx, code, sub) {PTX_OP_##ptx, code, sub},
#include "machines/core/simt/ops.def"
#undef OP
};

enum ptx_op simt_ptx_op(enum simt_op op) {
    return (enum ptx_op)ops[op].ptx;
}

/* ---- numbers of W0 ---- */

static const struct {
    uint8_t op, space;
} accesses[] =
    {/* from number FIRST_ACCESS on; PTX_GENERIC: any space, which a word of its own says */
     {SIMT_LD, PTX_GLOBAL},   {SIMT_LD, PTX_SHARED},   {SIMT_LD, PTX_LOCAL},
     {SIMT_LD, PTX_CONST},    {SIMT_LD, PTX_PARAM},    {SIMT_LD, PTX_GENERIC},
     {SIMT_ST, PTX_GLOBAL},   {SIMT_ST, PTX_SHARED},   {SIMT_ST, PTX_LOCAL},
     {SIMT_ST, PTX_PARAM},    {SIMT_ST, PTX_GENERIC},  {SIMT_ATOM, PTX_GLOBAL},
     {SIMT_ATOM, PTX_SHARED}, {SIMT_ATOM, PTX_GENERIC}};
#define FIRST_ACCESS 45
#define ACCESSES     (sizeof accesses / sizeof *accesses)

enum simt_op simt_memory_op(unsigned code) {
    if (code < FIRST_ACCESS || code >= FIRST_ACCESS + ACCESSES)
        return SIMT_OPS;
    return (enum simt_op)accesses[code - FIRST_ACCESS].op;
}

enum ptx_space simt_code_space(unsigned code) {
    return simt_memory_op(code) == SIMT_OPS ? PTX_GENERIC
                                            : (enum ptx_space)accesses[code - FIRST_ACCESS].space;
}

unsigned simt_op_code(const struct simt_insn *insn) {
    unsigned code = ops[insn->op].code;
    for (unsigned i = 0; i < ACCESSES && simt_is_access((enum simt_op)insn->op); i++)
        if (accesses[i].op == insn->op && accesses[i].space == insn->m.space)
            return FIRST_ACCESS + i;
    return code;
}

unsigned simt_op_sub(enum simt_op op) {
    return ops[op].sub;
}

enum simt_op simt_op_of(unsigned code, unsigned sub) {
    unsigned i = 0;
    if (simt_memory_op(code) != SIMT_OPS)
        return sub ? SIMT_OPS : simt_memory_op(code);
    while (i < SIMT_OPS && (ops[i].code != code || ops[i].sub != sub))
        i++;
    return (enum simt_op)i;
}

/* ---- types ---- */

static const uint8_t types[16] = {PTX_PRED, PTX_U8,  PTX_S8,    PTX_U16,    PTX_S16, PTX_F16,
                                  PTX_U32,  PTX_S32, PTX_F32,   PTX_U64,    PTX_S64, PTX_F64,
                                  255,      255,     PTX_F16X2, PTX_NO_TYPE};

enum ptx_type simt_code_type(unsigned code) {
    return types[code] == 255 ? PTX_TYPES : (enum ptx_type)types[code];
}

unsigned simt_type_code(enum ptx_type type) {
    unsigned code = 0;
    if (type >= PTX_B8 && type <= PTX_B64)
        type = (enum ptx_type)(type - PTX_B8 + PTX_U8);
    while (types[code] != type)
        code++;
    return code;
}

/* ---- presets ---- */

#define BAR_THREADS 3
enum { ANY, WHOLE, REAL }; /* first type */
struct preset {
    uint8_t code, index, of, sub;
    struct ptx_modifiers m; /* beside type[0], space, vector */
};
#define ROUND(r)                                                                                   \
    { .round = PTX_##r }
#define FLAGS(f)                                                                                   \
    { .flags = (f) }
#define COMPARE(c)                                                                                 \
    { .compare = PTX_##c }
#define MODE(x)                                                                                    \
    { .mode = PTX_##x }
#define OPERATION(x)                                                                               \
    { .operation = PTX_##x }
#define SECOND(t)                                                                                  \
    {                                                                                              \
        .type = { 0, PTX_##t }                                                                     \
    }
#define CVT(r, t)                                                                                  \
    { .type = {0, PTX_##t}, .round = PTX_##r }
#define NOTHING                                                                                    \
    { .flags = 0 }
#define FTZ_APPROX (PTX_APPROX | PTX_FTZ)
static const struct preset presets[] = {
    {2, 0, ANY, 0, NOTHING}, /* BAR, BAR_WARP */
    {2, 1, ANY, 1, NOTHING},
    {2, 2, ANY, 0, MODE(ARRIVE)},
    {2, BAR_THREADS, ANY, 0, NOTHING}, /* with a number of threads */
    {10, 0, ANY, 0, SECOND(S32)},      /* SLCT */
    {10, 1, ANY, 0, SECOND(F32)},
    {12, 0, ANY, 0, COMPARE(EQ)}, /* SETP */
    {12, 1, ANY, 0, COMPARE(NE)},
    {12, 2, ANY, 0, COMPARE(LT)},
    {12, 3, ANY, 0, COMPARE(LE)},
    {12, 4, ANY, 0, COMPARE(GT)},
    {12, 5, ANY, 0, COMPARE(GE)},
    {12, 6, ANY, 0, COMPARE(EQU)},
    {12, 7, ANY, 0, COMPARE(NEU)},
    {12, 8, ANY, 0, COMPARE(LTU)},
    {12, 9, ANY, 0, COMPARE(LEU)},
    {12, 10, ANY, 0, COMPARE(GTU)},
    {12, 11, ANY, 0, COMPARE(GEU)},
    {12, 12, ANY, 0, COMPARE(NUM)},
    {12, 13, ANY, 0, COMPARE(NAN)},
    {13, 0, ANY, 0, SECOND(U32)}, /* CVT */
    {13, 1, ANY, 0, SECOND(S32)},
    {13, 2, ANY, 0, SECOND(U64)},
    {13, 3, ANY, 0, SECOND(S64)},
    {13, 4, ANY, 0, SECOND(U16)},
    {13, 5, ANY, 0, SECOND(S16)},
    {13, 6, ANY, 0, SECOND(U8)},
    {13, 7, ANY, 0, SECOND(S8)},
    {13, 8, ANY, 0, SECOND(F32)},
    {13, 9, ANY, 0, CVT(RN, S32)},
    {13, 10, ANY, 0, CVT(RN, U32)},
    {13, 11, ANY, 0, CVT(RN, F64)},
    {13, 12, ANY, 0, CVT(RZI, F32)},
    {13, 13, ANY, 0, CVT(RN, F32)},
    {13, 14, ANY, 0, SECOND(F16)},
    {14, 0, ANY, 0, NOTHING}, /* ADD */
    {14, 1, ANY, 0, FLAGS(PTX_FTZ)},
    {14, 2, ANY, 0, FLAGS(PTX_CC)},
    {14, 3, ANY, 0, FLAGS(PTX_SAT)},
    {14, 4, ANY, 0, ROUND(RZ)},
    {15, 0, ANY, 0, NOTHING}, /* SUB */
    {15, 1, ANY, 0, FLAGS(PTX_FTZ)},
    {15, 2, ANY, 0, FLAGS(PTX_CC)},
    {15, 3, ANY, 0, FLAGS(PTX_SAT)},
    {15, 4, ANY, 0, ROUND(RZ)},
    {16, 0, WHOLE, 0, COMPARE(LO)}, /* MUL */
    {16, 1, WHOLE, 0, COMPARE(HI)},
    {16, 2, WHOLE, 0, COMPARE(WIDE)},
    {16, 0, REAL, 0, NOTHING},
    {16, 1, REAL, 0, FLAGS(PTX_FTZ)},
    {16, 2, REAL, 0, FLAGS(PTX_SAT)},
    {16, 3, REAL, 0, ROUND(RZ)},
    {16, 4, REAL, 0, ROUND(RM)},
    {16, 5, REAL, 0, ROUND(RP)},
    {17, 0, ANY, 0, COMPARE(LO)}, /* MAD */
    {17, 1, ANY, 0, COMPARE(HI)},
    {17, 2, ANY, 0, COMPARE(WIDE)},
    {19, 0, WHOLE, 0, NOTHING}, /* DIV */
    {19, 0, REAL, 0, ROUND(RN)},
    {19, 1, REAL, 0, FLAGS(PTX_APPROX)},
    {19, 2, REAL, 0, FLAGS(FTZ_APPROX)},
    {19, 3, REAL, 0, FLAGS(PTX_FULL)},
    {21, 0, ANY, 0, NOTHING}, /* ABS, NEG, MIN, MAX */
    {21, 1, ANY, 0, FLAGS(PTX_FTZ)},
    {22, 0, ANY, 0, NOTHING},
    {22, 1, ANY, 0, FLAGS(PTX_FTZ)},
    {23, 0, ANY, 0, NOTHING},
    {23, 1, ANY, 0, FLAGS(PTX_FTZ)},
    {24, 0, ANY, 0, NOTHING},
    {24, 1, ANY, 0, FLAGS(PTX_FTZ)},
    {25, 0, ANY, 0, NOTHING}, /* ADDC, SUBC, MADC, MUL24, MAD24 */
    {25, 1, ANY, 1, NOTHING},
    {25, 2, ANY, 2, COMPARE(LO)},
    {25, 3, ANY, 3, COMPARE(LO)},
    {25, 4, ANY, 4, COMPARE(LO)},
    {26, 0, ANY, 0, NOTHING}, /* POPC, CLZ, BFIND, BREV, CNOT */
    {26, 1, ANY, 1, NOTHING},
    {26, 2, ANY, 2, NOTHING},
    {26, 3, ANY, 3, NOTHING},
    {26, 4, ANY, 4, NOTHING},
    {29, 0, ANY, 0, SECOND(U32)}, /* DP4A */
    {29, 1, ANY, 0, SECOND(S32)},
    {30, 0, ANY, 0, ROUND(RN)}, /* FMA */
    {30, 1, ANY, 0, {.round = PTX_RN, .flags = PTX_FTZ}},
    {30, 2, ANY, 0, ROUND(RZ)},
    {30, 3, ANY, 0, ROUND(RM)},
    {30, 4, ANY, 0, ROUND(RP)},
    {31, 0, ANY, 0, MODE(FINITE)}, /* TESTP */
    {31, 1, ANY, 0, MODE(INFINITE)},
    {31, 2, ANY, 0, MODE(NUMBER_TEST)},
    {31, 3, ANY, 0, MODE(NOTANUMBER)},
    {31, 4, ANY, 0, MODE(NORMAL)},
    {31, 5, ANY, 0, MODE(SUBNORMAL)},
    {33, 0, ANY, 0, ROUND(RN)}, /* RCP, SQRT */
    {33, 1, ANY, 0, FLAGS(PTX_APPROX)},
    {33, 2, ANY, 0, FLAGS(FTZ_APPROX)},
    {34, 0, ANY, 0, ROUND(RN)},
    {34, 1, ANY, 0, FLAGS(PTX_APPROX)},
    {34, 2, ANY, 0, FLAGS(FTZ_APPROX)},
    {35, 0, ANY, 0, FLAGS(PTX_APPROX)}, /* RSQRT, SIN, COS, LG2, EX2, TANH */
    {35, 1, ANY, 1, FLAGS(PTX_APPROX)},
    {35, 2, ANY, 2, FLAGS(PTX_APPROX)},
    {35, 3, ANY, 3, FLAGS(PTX_APPROX)},
    {35, 4, ANY, 4, FLAGS(PTX_APPROX)},
    {35, 5, ANY, 5, FLAGS(PTX_APPROX)},
    {35, 6, ANY, 0, FLAGS(FTZ_APPROX)},
    {35, 7, ANY, 1, FLAGS(FTZ_APPROX)},
    {35, 8, ANY, 2, FLAGS(FTZ_APPROX)},
    {35, 9, ANY, 3, FLAGS(FTZ_APPROX)},
    {35, 10, ANY, 4, FLAGS(FTZ_APPROX)},
    {43, 0, ANY, 0, {.mode = PTX_LEFT, .flags = PTX_WRAP}}, /* SHF */
    {43, 1, ANY, 0, {.mode = PTX_LEFT, .flags = PTX_CLAMP}},
    {43, 2, ANY, 0, {.mode = PTX_RIGHT, .flags = PTX_WRAP}},
    {43, 3, ANY, 0, {.mode = PTX_RIGHT, .flags = PTX_CLAMP}},
    {60, 0, ANY, 0, MODE(UP)}, /* SHFL */
    {60, 1, ANY, 0, MODE(DOWN)},
    {60, 2, ANY, 0, MODE(BFLY)},
    {60, 3, ANY, 0, MODE(IDX)},
    {61, 0, ANY, 0, MODE(ALL)}, /* VOTE */
    {61, 1, ANY, 0, MODE(ANY)},
    {61, 2, ANY, 0, MODE(UNI)},
    {61, 3, ANY, 0, MODE(BALLOT)},
    {63, 0, ANY, 0, OPERATION(ADD_OP)}, /* REDUX */
    {63, 1, ANY, 0, OPERATION(MIN_OP)},
    {63, 2, ANY, 0, OPERATION(MAX_OP)},
    {63, 3, ANY, 0, OPERATION(AND)},
    {63, 4, ANY, 0, OPERATION(OR)},
    {63, 5, ANY, 0, OPERATION(XOR)},
};
#define PRESETS (sizeof presets / sizeof *presets)

/* Flags that all forms of an op have, or that change nothing, are not told. */
#define TOLD(flags) ((flags) & ~(PTX_HINT | PTX_SYNC | PTX_TO))

static bool same(const struct ptx_modifiers *a, const struct ptx_modifiers *b) {
    return simt_type_code((enum ptx_type)a->type[1]) == simt_type_code((enum ptx_type)b->type[1]) &&
           a->round == b->round && a->compare == b->compare && a->operation == b->operation &&
           a->mode == b->mode && TOLD(a->flags) == TOLD(b->flags);
}

static bool is_of(const struct preset *p, enum ptx_type type) {
    return p->of == ANY || (p->of == REAL) == ptx_type_float(type);
}

/* The first preset of a number; PRESETS: it has none but that without modifiers. */
static size_t first_of(unsigned code) {
    size_t i = 0;
    while (i < PRESETS && presets[i].code != code)
        i++;
    return i;
}

static unsigned atomic_preset(const struct simt_insn *insn) {
    const struct ptx_modifiers m = {.operation = insn->m.operation};
    return insn->m.operation && same(&insn->m, &m) ? insn->m.operation - 1u : SIMT_NO_PRESET;
}

unsigned simt_preset(const struct simt_insn *insn) {
    const unsigned code = simt_op_code(insn), sub = simt_op_sub((enum simt_op)insn->op);
    static const struct ptx_modifiers nothing = {.flags = 0};
    size_t i = first_of(code);
    if (insn->op == SIMT_ATOM)
        return atomic_preset(insn);
    if (simt_counts_threads(insn))
        return BAR_THREADS;
    if (i == PRESETS)
        return same(&insn->m, &nothing) ? 0 : SIMT_NO_PRESET;
    for (; i < PRESETS && presets[i].code == code; i++)
        if (presets[i].sub == sub && is_of(&presets[i], (enum ptx_type)insn->m.type[0]) &&
            same(&insn->m, &presets[i].m))
            return presets[i].index;
    return SIMT_NO_PRESET;
}

static void put(const struct ptx_modifiers *from, struct ptx_modifiers *to) {
    to->type[1] = from->type[1];
    to->round = from->round;
    to->compare = from->compare;
    to->operation = from->operation;
    to->mode = from->mode;
    to->flags = from->flags;
}

bool simt_preset_put(unsigned code, unsigned index, struct simt_insn *insn) {
    struct ptx_modifiers m = {.flags = 0};
    size_t i = first_of(code);
    unsigned sub = 0;
    if (simt_memory_op(code) == SIMT_ATOM) {
        m.operation = (uint8_t)(index + 1);
        if (m.operation > PTX_MAX_OP)
            return false;
    } else if (i == PRESETS) {
        if (index)
            return false;
    } else {
        while (i < PRESETS && presets[i].code == code &&
               (presets[i].index != index || !is_of(&presets[i], (enum ptx_type)insn->m.type[0])))
            i++;
        if (i == PRESETS || presets[i].code != code)
            return false;
        m = presets[i].m;
        sub = presets[i].sub;
        if (code == 2 && index == BAR_THREADS)
            insn->source_count = 2;
    }
    insn->op = (uint8_t)simt_op_of(code, sub);
    put(&m, &insn->m);
    return insn->op != SIMT_OPS;
}
