/* SPDX-License-Identifier: MIT
 * Another core than the DPU: six registers of 32 bits, no pairs, no calls, a product in one
 * instruction.  Its table of patterns is all that scalar_emit needs, of runs and of stage kernels;
 * its text is interpreted here.
 * So few registers are always short. */
#include "machines/core/scalar/stage.h"
#include "tests/core/dpu_rig.h"
#include "tests/draws.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- the core ---- */

#define THREE(op_, name_)                                                                          \
    { .op = SCALAR_##op_, .text = name_ " %c, %a, %b" }
#define BY(op_, name_)                                                                             \
    { .op = SCALAR_##op_, .least = 1, .most = 31, .text = name_ " %c, %a, %k" }
#define COMPARE(op_, name_, not_)                                                                  \
    {                                                                                              \
        .op = SCALAR_##op_, .text = name_ " %c, %a, %b", .unless = not_ " t, %a, %b; bt %L",       \
        .when = name_ " t, %a, %b; bt %L"                                                          \
    }
static const struct scalar_pattern patterns[] = {
    {.op = SCALAR_LOAD, .bytes = 4, .text = "load %c, %p, %o"},
    {.op = SCALAR_LOAD, .bytes = 1, .text = "load %c, %p, %o"},
    {.op = SCALAR_STORE, .bytes = 4, .text = "store %b, %p, %o"},
    {.op = SCALAR_STORE, .bytes = 1, .text = "store %b, %p, %o"},
    {.op = SCALAR_ADD, .immediate = 32, .text = "add %c, %a, %b"},
    {.op = SCALAR_SUB, .zero_a = true, .text = "sub %c, %a, %b"},
    THREE(MUL, "mul"),
    THREE(AND, "and"),
    THREE(OR, "or"),
    THREE(XOR, "xor"),
    {.op = SCALAR_NOT, .text = "not %c, %a"},
    BY(SHL, "shl"),
    BY(SHR, "shr"),
    BY(SAR, "sar"),
    {.op = SCALAR_ZERO_EXTEND, .least = 1, .most = 31, .text = "and %c, %a, %m"},
    COMPARE(EQ, "eq", "ne"),
    COMPARE(NE, "ne", "eq"),
    COMPARE(LTU, "ltu", "geu"),
    COMPARE(GEU, "geu", "ltu"),
    COMPARE(LTS, "lts", "ges"),
    COMPARE(GES, "ges", "lts"),
};
static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5"};
static const struct scalar_core core = {
    .patterns = patterns,
    .count = sizeof patterns / sizeof *patterns,
    .names = names,
    .registers = 6,
    .zero = "0",
    .same = "move ",
    .move = "move %c, %a",
    .constant = "move %c, %b",
    .if_zero = "eq t, %a, 0; bt %L",
    .if_not_zero = "ne t, %a, 0; bt %L",
    .spill = "store %b, m, %o",
    .reload = "load %c, m, %o",
};

/* Arrays are one word each, the stack lies behind them. */
#define STACK 1024u
static void at(const void *context, uint32_t array, uint32_t element, const char **reg,
               uint32_t *offset) {
    (void)context, (void)element;
    *reg = "m";
    *offset = 4 * array;
}

/* ---- its interpreter: a line at a time ---- */

struct machine_state {
    uint32_t x[7]; /* the last one is t */
    uint32_t memory[1024];
};
static uint32_t number_of(const struct machine_state *s, const char *name) {
    return name[0] == 'x'   ? s->x[name[1] - '0']
           : name[0] == 't' ? s->x[6]
                            : (uint32_t)strtoll(name, NULL, 10);
}
static uint32_t computed(const char *op, uint32_t a, uint32_t b) {
    const struct {
        const char *name;
        uint32_t value;
    } of[] = {{"move", a},
              {"add", a + b},
              {"sub", a - b},
              {"mul", a * b},
              {"and", a & b},
              {"or", a | b},
              {"xor", a ^ b},
              {"not", ~a},
              {"shl", a << (b & 31)},
              {"shr", a >> (b & 31)},
              {"sar", (uint32_t)((int32_t)a >> (b & 31))},
              {"eq", a == b},
              {"ne", a != b},
              {"ltu", a < b},
              {"geu", a >= b},
              {"lts", (int32_t)a < (int32_t)b},
              {"ges", (int32_t)a >= (int32_t)b}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strcmp(of[i].name, op) == 0)
            return of[i].value;
    fail_msg("no instruction '%s'", op);
    return 0;
}
static void interpret(struct machine_state *s, const char *text) {
    char op[16], a[16], b[16], c[16], label[24];
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        a[0] = b[0] = c[0] = '\0';
        if (line[0] == '.')
            continue;
        assert_true(sscanf(line, " %15[a-z] %15[^,\n], %15[^,\n], %15[^\n]", op, a, b, c) >= 2);
        uint32_t *to = a[0] == 'x' ? &s->x[a[1] - '0'] : &s->x[6];
        if (strcmp(op, "load") == 0) {
            *to = s->memory[number_of(s, c) / 4];
        } else if (strcmp(op, "store") == 0) {
            s->memory[number_of(s, c) / 4] = *to;
        } else if (strcmp(op, "bt") != 0) {
            *to = computed(op, number_of(s, b), number_of(s, c));
        } else if (s->x[6]) {
            snprintf(label, sizeof label, "\n%s:\n", a);
            line = strstr(line, label);
            assert_non_null(line);
        }
    }
}

/* ---- random runs ---- */

static const enum isa_op ops[] = {
    OP_ADD,          OP_SUB,    OP_XOR,  OP_AND,  OP_OR,    OP_MUL,     OP_MAX,    OP_MINS,
    OP_MOV,          OP_INC,    OP_SHLI, OP_SARI, OP_CMPLT, OP_MUX,     OP_CMPGES, OP_GETC,
    OP_SETMASK_COND, OP_UNMASK, OP_MAC,  OP_ABS,  OP_SEL,   OP_ANDMASK, OP_ADDI,   OP_CASS};
static struct insn draw(uint64_t *seed) {
    struct insn x = {.op = ops[rig_random(seed) % (sizeof ops / sizeof *ops)]};
    const struct isa_info *info = isa_info(x.op);
    x.width = info->flags & ISA_WIDTH ? 32 : 0;
    uint8_t *regs[] = {&x.rs, &x.rt, &x.rd};
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] <= ROLE_RD)
            *regs[info->operands[i]] = (uint8_t)(rig_random(seed) % 12);
    x.imm = isa_constant_role(info) >= 0 ? (int32_t)(rig_random(seed) % 40) : 0;
    return x;
}
static uint32_t spilled;
static void one(uint64_t seed) {
    uint8_t bits[64] = {0};
    struct insn insns[40];
    struct rig r;
    memset(bits, 32, 12);
    size_t n = 1 + rig_random(&seed) % 40, wrong = 0;
    for (size_t i = 0; i < n; i++)
        insns[i] = draw(&seed);
    rig_open(&r, bits, 1, 1, &seed);
    struct machine_state s = {.memory = {0}};
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++)
        s.memory[a] = r.state.values[a] ? (uint32_t)r.state.values[a][0] : 0;
    bool masked = rig_random(&seed) & 1, on = masked;
    const struct scalar_run run = {.insns = insns, .count = n, .masked = masked, .reg_bits = bits};
    const struct scalar_places places = {at, NULL, NULL, STACK, core.registers};
    struct scalar_body b = {.from = 0};
    struct scalar_code about = {0};
    scalar_id none = 0;
    assert_true(scalar_from_run(&b, &run, 0, &wrong));
    scalar_finish(&b);
    if (!scalar_emit(&core, &b, &places, &r.text, &about, &none))
        fail_msg("no pattern for %u", b.values.data[none - 1].op);
    interpret(&s, str_text(&r.text));
    spilled += about.spills;
    for (size_t i = 0; i < n; i++) {
        uint32_t flags = isa_info(insns[i].op)->flags;
        rig_golden(&r.state, &insns[i], 0, on && !(flags & ISA_UNMASKED));
        on = (on || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    for (unsigned a = 0; a < SCALAR_ARRAYS; a++)
        if (r.state.values[a] && (uint32_t)r.state.values[a][0] != s.memory[a]) {
            struct str what = {0};
            rig_print(insns, n, &what);
            fail_msg("array %u: %" PRIu32 ", golden %" PRIu64 "%s\n%s", a, s.memory[a],
                     r.state.values[a][0], str_text(&what), str_text(&r.text));
        }
    vec_free(&about.routines);
    scalar_free(&b);
    rig_close(&r);
}
static void random_runs(void **state) {
    (void)state;
    for (unsigned i = 0; i < draws(DRAWS_CORE_SMALL); i++)
        one(7000 + i);
    assert_true(spilled > draws(DRAWS_CORE_SMALL));
}

/* ---- a stage kernel: the same patterns ---- */

enum { MAP_ROWS = 4 };
/* Elements of the lap's rows, one after another. */
static void row_at(const void *context, uint32_t array, uint32_t element, const char **reg,
                   uint32_t *offset) {
    (void)context;
    *reg = "m";
    *offset = 4 * (MAP_ROWS * array + element);
}
static void stage_map(void **state) {
    static const char text[] = "length n;\n"
                               "map (in x, in y, out z) {\n"
                               "    i32 a = x[0] * 3 + (y[0] ^ x[0]);\n"
                               "    if (x[0] < y[0]) { a = a - 7; } else { a = a << 2; }\n"
                               "    z[0] = a;\n"
                               "}\n";
    static const struct kernel_parameter parameters[] = {
        {.name = "x", .kind = PARAMETER_BUFFER, .type = {TYPE_INT, 32}},
        {.name = "y", .kind = PARAMETER_BUFFER, .type = {TYPE_INT, 32}},
        {.name = "z", .kind = PARAMETER_BUFFER, .type = {TYPE_INT, 32}},
        {.name = "n", .kind = PARAMETER_NUMBER, .type = {TYPE_UINT, 64}}};
    const struct kernel_decl decl = {.name = "f",
                                     .form = "stage",
                                     .bytes = text,
                                     .size = sizeof text - 1,
                                     .parameters = parameters,
                                     .parameter_count = 4};
    const struct scalar_places places = {row_at, NULL, NULL, STACK, core.registers};
    struct diag *d = diag_new(NULL, NULL);
    struct stage_kernel *kernel = stage_read(&decl, "f", d);
    struct scalar_stage s;
    struct scalar_body b = {.from = 0};
    struct scalar_code about = {0};
    struct str code = {0};
    scalar_id none = 0;
    (void)state;
    if (!kernel)
        fail_msg("%s", diag_first(d));
    if (!scalar_stage_open(&s, kernel) || !scalar_from_stage(&b, &s, MAP_ROWS, false))
        fail_msg("%s", str_text(&s.wrong));
    scalar_finish(&b);
    assert_true(scalar_emit(&core, &b, &places, &code, &about, &none));
    uint64_t seed = 99;
    for (unsigned tries = 0; tries < 200; tries++) {
        struct machine_state m = {.memory = {0}};
        const uint32_t *x = NULL, *y = NULL, *z = NULL;
        for (uint32_t i = 0; i < s.arrays.len; i++) {
            const struct scalar_stage_array *a = &s.arrays.data[i];
            uint32_t *at = &m.memory[MAP_ROWS * i];
            assert_int_equal(a->kind, SCALAR_BLOCK);
            const char *name = kernel->arrays[a->index]->text;
            *(*name == 'x' ? &x : *name == 'y' ? &y : &z) = at;
            for (unsigned k = 0; k < MAP_ROWS; k++)
                at[k] = (uint32_t)rig_number(&seed, 32);
        }
        assert_true(x && y && z);
        interpret(&m, str_text(&code));
        for (unsigned k = 0; k < MAP_ROWS; k++) {
            uint32_t sum = x[k] * 3 + (y[k] ^ x[k]);
            assert_int_equal(z[k], (int32_t)x[k] < (int32_t)y[k] ? sum - 7 : sum << 2);
        }
    }
    str_free(&code);
    vec_free(&about.routines);
    scalar_free(&b);
    scalar_stage_close(&s);
    stage_free(kernel);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_runs), cmocka_unit_test(stage_map)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
