/* SPDX-License-Identifier: MIT
 * Random programs: compiled at every level, run on golden and on racer's micro-ops, and compared
 * with the evaluator of expr.c, element by element. */
#include "tests/draws.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ELEMENTS = 70,
    INPUTS = 5,
    SHARED = 4 /* the input without a group */,
    OUTPUTS = 3,
    LOCALS = 3,
    DEPTH = 4,
    POOL = 4000
};
#define PROGRAMS draws(DRAWS_EZPIM_EXPRESSIONS)

struct statement {
    unsigned target;
    enum rkind compound; /* R_VAR: plain */
    const struct rnode *value;
};

struct program {
    struct rcontext c;
    struct str text;
    struct statement statements[2 * (OUTPUTS + LOCALS)];
    unsigned statement_count;
};

static void declare(struct program *p, const char *format, unsigned number, bool known) {
    struct rvar *v = &p->c.vars[p->c.var_count++];
    snprintf(v->name, sizeof v->name, format, number);
    v->type = rtype_random(p->c.rng);
    v->known = known;
}

static void print_declarations(struct program *p) {
    str_append(&p->text, "size n;\ngroup g[n];\n");
    for (unsigned v = 0; v < INPUTS + OUTPUTS; v++) {
        str_printf(&p->text, "%s %s: ", v < INPUTS ? "in" : "out", p->c.vars[v].name);
        rtype_text(p->c.vars[v].type, &p->text);
        str_append(&p->text, v == SHARED ? ";\n" : " @ g;\n");
    }
}

static struct statement *add_statement(struct program *p, unsigned target) {
    struct statement *s = &p->statements[p->statement_count++];
    *s = (struct statement){target, R_VAR, rnode_random(&p->c, p->c.vars[target].type, DEPTH)};
    return s;
}

static void print_let(struct program *p, unsigned v) {
    const struct statement *s = add_statement(p, v);
    str_printf(&p->text, "    let %s: ", p->c.vars[v].name);
    rtype_text(p->c.vars[v].type, &p->text);
    str_append(&p->text, " = ");
    rnode_text(&p->c, s->value, &p->text);
    str_append(&p->text, ";\n");
    p->c.vars[v].known = true;
}

static void print_assign(struct program *p, unsigned v) {
    static const enum rkind kinds[] = {R_ADD, R_SUB, R_XOR, R_AND};
    static const char *const words[] = {"+=", "-=", "^=", "&="};
    struct statement *s = add_statement(p, v);
    const char *op = "=";
    if (p->c.vars[v].known && !p->c.vars[v].type.is_bool && rng_below(p->c.rng, 2)) {
        unsigned k = rng_below(p->c.rng, 4);
        s->compound = kinds[k];
        op = words[k];
    }
    str_printf(&p->text, "    %s %s ", p->c.vars[v].name, op);
    rnode_text(&p->c, s->value, &p->text);
    str_append(&p->text, ";\n");
    p->c.vars[v].known = true;
}

static void make_program(struct program *p, struct rng *r, bool all_operations) {
    p->c = (struct rcontext){
        .rng = r, .all_operations = all_operations, .pool = p->c.pool, .pool_size = POOL};
    str_clear(&p->text);
    p->statement_count = 0;
    for (unsigned i = 0; i < INPUTS; i++)
        declare(p, "x%u", i, true);
    for (unsigned i = 0; i < OUTPUTS; i++)
        declare(p, "z%u", i, false);
    for (unsigned i = 0; i < LOCALS; i++)
        declare(p, "t%u", i, false);
    print_declarations(p);
    str_append(&p->text, "main {\n  compute g {\n");
    for (unsigned i = 0; i < LOCALS; i++) {
        print_let(p, INPUTS + OUTPUTS + i);
        print_assign(p, INPUTS + i % OUTPUTS);
    }
    for (unsigned i = 0; i < LOCALS; i++) /* the second ensemble has no locals */
        p->c.vars[INPUTS + OUTPUTS + i].known = false;
    str_append(&p->text, "  }\n  compute g {\n");
    print_assign(p, INPUTS + rng_below(r, OUTPUTS));
    str_append(&p->text, "  }\n}\n");
}

static void put_input(mpu_session *s, const struct rvar *v, const uint64_t *patterns,
                      uint32_t ndim) {
    unsigned bytes;
    unsigned char data[ELEMENTS * 8];
    mpu_array a = {
        .type = rtype_storage(v->type, &bytes), .ndim = ndim, .shape = {ELEMENTS}, .data = data};
    mpu_error *e = NULL;
    for (unsigned i = 0; i < ELEMENTS; i++) {
        uint64_t x =
            v->type.is_signed ? (uint64_t)rtype_signed(patterns[i], v->type.bits) : patterns[i];
        memcpy(data + i * bytes, &x, bytes);
    }
    if (mpu_session_put(s, v->name, &a, &e) != MPU_OK)
        fail_with("put", e);
}

static void run_statements(const struct program *p, uint64_t *values) {
    for (unsigned i = 0; i < p->statement_count; i++) {
        const struct statement *s = &p->statements[i];
        struct rtype t = p->c.vars[s->target].type;
        uint64_t v = rnode_value(&p->c, s->value, values);
        v = s->value->kind == R_LITERAL ? v & rtype_mask(t) : rtype_widen(v, s->value->type, t);
        uint64_t old = values[s->target];
        switch (s->compound) {
        case R_ADD:
            v = old + v;
            break;
        case R_SUB:
            v = old - v;
            break;
        case R_XOR:
            v = old ^ v;
            break;
        case R_AND:
            v = old & v;
            break;
        default:
            break;
        }
        values[s->target] = v & rtype_mask(t);
    }
}

static void compare_output(const struct program *p, mpu_session *s, unsigned var,
                           uint64_t values[][R_MAX_VARS], const char *where) {
    const struct rvar *v = &p->c.vars[var];
    unsigned bytes;
    rtype_storage(v->type, &bytes);
    mpu_array a = {0};
    mpu_error *e = NULL;
    if (mpu_session_get(s, v->name, &a, &e) != MPU_OK)
        fail_with("get", e);
    for (unsigned i = 0; i < ELEMENTS; i++) {
        uint64_t got = 0;
        memcpy(&got, (unsigned char *)a.data + i * bytes, bytes);
        got &= rtype_mask(v->type);
        if (got != values[i][var])
            fail_msg("%s[%u] on %s is %llx, expected %llx, in\n%s", v->name, i, where,
                     (unsigned long long)got, (unsigned long long)values[i][var],
                     str_text(&p->text));
    }
    mpu_array_free(&a);
}

static void run_on(const struct program *p, const mpu_program *program, const mpu_target *t,
                   uint64_t values[][R_MAX_VARS]) {
    mpu_error *e = NULL;
    mpu_config config = {.size = sizeof config, .init = "random:7"};
    mpu_session *s = mpu_session_new(program, t, &config, &e);
    if (!s)
        fail_with(str_text(&p->text), e);
    for (unsigned v = 0; v < INPUTS; v++) {
        uint64_t patterns[ELEMENTS];
        for (unsigned i = 0; i < ELEMENTS; i++)
            patterns[i] = values[i][v];
        put_input(s, &p->c.vars[v], patterns, v == SHARED ? 0 : 1);
    }
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_with(str_text(&p->text), e);
    for (unsigned v = INPUTS; v < INPUTS + OUTPUTS; v++)
        compare_output(p, s, v, values, mpu_target_name(t));
    mpu_session_free(s);
}

static void run_program(struct program *p, struct rng *r, int level, mpu_target *const *targets,
                        unsigned target_count) {
    static uint64_t inputs[ELEMENTS][R_MAX_VARS];
    mpu_program *program = build_program(str_text(&p->text), level);
    for (unsigned i = 0; i < ELEMENTS; i++) {
        for (unsigned v = 0; v < INPUTS; v++)
            inputs[i][v] = i && v == SHARED ? inputs[0][v] : rtype_pattern(r, p->c.vars[v].type);
        run_statements(p, inputs[i]);
    }
    for (unsigned t = 0; t < target_count; t++)
        run_on(p, program, targets[t], inputs);
    mpu_program_free(program);
}

/* What runs: the suite's programs, or those of the command line. */
static uint64_t first_seed = 0, programs;

/* Every second program keeps to what all targets have, and runs on racer too. */
static void test_random_programs(void **state) {
    (void)state;
    mpu_target *targets[] = {mpu_target_open("golden", NULL, NULL),
                             mpu_target_open("racer", NULL, NULL)};
    assert_non_null(targets[0]);
    assert_non_null(targets[1]);
    struct program p = {.c.pool = calloc(POOL, sizeof(struct rnode))};
    for (uint64_t i = first_seed; i - first_seed < programs; i++) {
        struct rng r = {i};
        make_program(&p, &r, i % 2);
        run_program(&p, &r, (int)(i / 2 % 3), targets, i % 2 ? 1 : 2);
    }
    free(p.c.pool);
    str_free(&p.text);
    mpu_target_close(targets[0]);
    mpu_target_close(targets[1]);
}

/* [FIRST_SEED COUNT]: other programs than the suite's, for longer runs. */
int main(int argc, char **argv) {
    programs = PROGRAMS;
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        programs = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
