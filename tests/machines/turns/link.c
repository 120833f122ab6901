/* SPDX-License-Identifier: MIT
 * The link half: keys of target files, the table of instructions, kernels. */
#include "tests/machines/turns/turns.h"

#define KEY(name, field, most, help) STORED_KEY(name, struct turns_keys, field, most, help)
static const struct target_key_spec keys[] = {
    {"turns", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "one core"},
    KEY("turns.memory_bytes", stored.memory_bytes, UINT64_C(1) << 32, "for registers of lanes"),
    KEY("turns.buffer_bytes", stored.buffer_bytes, UINT64_C(1) << 40, "for buffers, bytes"),
    KEY("turns.gap_cycles", gap_cycles, 1000, "from a word of a thread to its next, cycles"),
    KEY("turns.access_cycles", access_cycles, 1000, "that an access keeps the memory, cycles"),
    KEY("turns.latency_cycles", latency_cycles, 1000, "until an access is done, cycles"),
    KEY("energy.alu_fj", alu_fj, MAX_FJ, "instruction, fJ"),
    KEY("energy.access_fj", access_fj, MAX_FJ, "load or store, fJ"),
    KEY("turns.watchdog", stored.watchdog, UINT64_C(1) << 40, "words until a thread is stopped"),
};

const struct target_kind turns_kind = {.name = "toy-turns",
                                       .costs = true,
                                       .measured = true,
                                       .keys = keys,
                                       .key_count = sizeof keys / sizeof *keys,
                                       .own_size = sizeof(struct turns_keys)};

/* ---- instructions ---- */

/* clang-format off */
/* X(name, number), in the order of enum turns_operation. */
#define OPERATIONS(X, y)                                                                           \
    X(add, 0, y) X(sub, 1, y) X(and, 2, y) X(or, 3, y) X(xor, 4, y) X(nand, 5, y) X(nor, 6, y)     \
    X(shl, 7, y) X(shr, 8, y) X(sar, 9, y) X(lt, 10, y) X(lts, 11, y) X(eq, 12, y) X(ne, 13, y)    \
    X(mul, 14, y) X(max, 15, y)
#define CONDITIONS(X, name, op)                                                                    \
    X(name, op, "", "", 0)                                                                         \
    X(name, op, ".b0", "t", 1) X(name, op, ".b1", "t", 2) X(name, op, ".b2", "t", 3)               \
    X(name, op, ".b3", "t", 4) X(name, op, ".b4", "t", 5) X(name, op, ".b5", "t", 6)               \
    X(name, op, ".b6", "t", 7) X(name, op, ".b7", "t", 8) X(name, op, ".b8", "t", 9)               \
    X(name, op, ".b9", "t", 10) X(name, op, ".b10", "t", 11) X(name, op, ".b11", "t", 12)          \
    X(name, op, ".b12", "t", 13) X(name, op, ".b13", "t", 14) X(name, op, ".b14", "t", 15)         \
    X(name, op, ".b15", "t", 16) X(name, op, ".b16", "t", 17) X(name, op, ".b17", "t", 18)         \
    X(name, op, ".b18", "t", 19) X(name, op, ".b19", "t", 20) X(name, op, ".b20", "t", 21)         \
    X(name, op, ".b21", "t", 22) X(name, op, ".b22", "t", 23) X(name, op, ".b23", "t", 24)         \
    X(name, op, ".b24", "t", 25) X(name, op, ".b25", "t", 26) X(name, op, ".b26", "t", 27)         \
    X(name, op, ".b27", "t", 28) X(name, op, ".b28", "t", 29) X(name, op, ".z", "t", 30)           \
    X(name, op, ".nz", "t", 31)
/* clang-format on */

#define NUMBER(op, number, condition)    (TURNS_FIRST + 64 * (op) + 32 * (number) + (condition))
#define REGISTER_TEXT(name, op, c, t, n) [NUMBER(op, 0, n)] = {#name c, "dab" t},
#define NUMBER_TEXT(name, op, c, t, n)   [NUMBER(op, 1, n)] = {#name c, "dai" t},
#define TEXTS(name, op, y)               CONDITIONS(REGISTER_TEXT, name, op) CONDITIONS(NUMBER_TEXT, name, op)

#define ARITHMETIC UINT64_C(0xfff000000000)
#define PATTERN(op, number, n)                                                                     \
    {                                                                                              \
        UINT64_C(1) << 46 | (uint64_t)(op) << 42 | (uint64_t)(number) << 41 | (uint64_t)(n) << 36, \
            ARITHMETIC                                                                             \
    }
#define REGISTER_PATTERN(name, op, c, t, n) [NUMBER(op, 0, n)] = PATTERN(op, 0, n),
#define NUMBER_PATTERN(name, op, c, t, n)   [NUMBER(op, 1, n)] = PATTERN(op, 1, n),
#define PATTERNS(name, op, y)                                                                      \
    CONDITIONS(REGISTER_PATTERN, name, op) CONDITIONS(NUMBER_PATTERN, name, op)
#define OTHER(op) [op] = {(uint64_t)(op) << 40, UINT64_C(0xff0000000000)}

static const struct stored_op ops[TURNS_OPS] = {
    [TURNS_END] = {"end", ""},     [TURNS_GET] = {"get", "dp"},
    [TURNS_PUT] = {"put", "dp"},   [TURNS_SET] = {"set", "dn"},
    [TURNS_LOAD] = {"load", "da"}, [TURNS_STORE] = {"store", "da"},
    [TURNS_LOCK] = {"lock", "k"},  [TURNS_UNLOCK] = {"unlock", "k"},
    [TURNS_NAP] = {"nap", "u"},    [TURNS_JUMP] = {"jump", "t"},
    OPERATIONS(TEXTS, 0)};
static const struct stored_pattern patterns[TURNS_OPS] = {
    OTHER(TURNS_END),  OTHER(TURNS_GET),   OTHER(TURNS_PUT),       OTHER(TURNS_SET),
    OTHER(TURNS_LOAD), OTHER(TURNS_STORE), OTHER(TURNS_LOCK),      OTHER(TURNS_UNLOCK),
    OTHER(TURNS_NAP),  OTHER(TURNS_JUMP),  OPERATIONS(PATTERNS, 0)};

static const struct stored_field fields[] = {
    {'d', STORED_REGISTER, 30, 6}, {'a', STORED_REGISTER, 24, 6},
    {'b', STORED_REGISTER, 18, 6}, {'i', STORED_NUMBER, 18, 6},
    {'n', STORED_NUMBER, 0, 30},   {'u', STORED_UNSIGNED, 0, 12},
    {'t', STORED_TARGET, 0, 12},   {'p', STORED_PLACE, 0, 15},
    {'k', STORED_NAME, 0, 2},      {.letter = 0},
};
static const struct stored_bits upper[] = {{12, 6}, {.bits = 0}};
static const char *const locks[] = {"red", "green", "blue", "white", NULL};
static const struct stored_more more[] = {{'i', upper, NULL}, {'k', NULL, locks}, {.letter = 0}};

static const char *const routines[OP_COUNT] = {
    [OP_MOV] = "get x1 rs; put x1 rd; end",
    [OP_INIT0] = "set x1 0; put x1 rd; end",
    [OP_LI] = "set x1 imm; put x1 rd; end",
    [OP_ADD] = "get x1 rs; get x2 rt; add x1 x1 x2; put x1 rd; end",
    [OP_SUB] = "get x1 rs; get x2 rt; sub x1 x1 x2; put x1 rd; end",
    [OP_INC] = "get x1 rs; add x1 x1 1; put x1 rd; end",
    [OP_MUL] = "get x39 rs; get x38 rt; mul x39 x39 x38; put x39 rd; end",
    [OP_XOR] = "get x1 rs; get x2 rt; xor x1 x1 x2; put x1 rd; end",
    [OP_MAX] = "get x1 rs; get x2 rt; max x1 x1 x2; put x1 rd; end",
    [OP_CMPLT] = "get x1 rs; get x2 rt; lt.nz x1 x1 x2 yes; yes: put x1 C; end",
    [OP_CMPEQ] = "get x1 rs; get x2 rt; eq x1 x1 x2; put x1 C; end",
    [OP_SETMASK_COND] = "get x1 C; get x2 valid; and x1 x1 x2; put x1 M; end",
    [OP_UNMASK] = "get x1 valid; put x1 M; end",
    [OP_GETMASK] = "get x1 M; set x2 0; sub x1 x2 x1; put x1 rd; end",
    [OP_SETMASK] = "get x1 rs; get x2 valid; and x1 x1 x2; put x1 M; end",
};

const struct stored_kind turns_stored = {
    .machine = &turns_machine,
    .isa = {.ops = ops,
            .op_count = TURNS_OPS,
            .fields = fields,
            .patterns = patterns,
            .more = more,
            .word_bits = 48,
            .registers = TURNS_REGISTERS},
    .routines = routines,
    .predicate = "get x9 M; and.nz x9 x9 1 on; end; on: ",
    .form = "turns",
    .arguments = 37, /* x38 and x39 are the workers' */
    .access_bytes = 8,
};

static const char *const suffixes[] = {".turns", NULL};
static const struct machine_form form = {
    STORED_FORM,          .name = "turns",
    .whole = true,        .takes = TAKES_GRID | TAKES_BLOCK | TAKES_UNITS,
    .suffixes = suffixes, .text_suffix = ".turns"};
const struct machine_form *const turns_forms[] = {&form, NULL};

static struct machine_code *read_code(const void *bytes, size_t size, const char **problem) {
    return stored_read(&turns_stored, bytes, size, problem);
}

const struct machine turns_machine = {STORED_MACHINE,    .kind = &turns_kind, .own = &turns_stored,
                                      .code_version = 1, .read = read_code,   .forms = turns_forms};
