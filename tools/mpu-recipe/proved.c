/* SPDX-License-Identifier: MIT
 * What "proved" stands for: of which instructions, widths, constants, aliases and masks. */
#include "recipe/prove/prove.h"
#include "recipe/set/set.h"
#include "tools/mpu-recipe/commands.h"

#include <stdlib.h>
#include <string.h>

/* Tasks that hold and differ in nothing but their constant, as text. */
struct proved_line {
    enum isa_op op;
    uint8_t alias, width;
    bool masked, printed;
    char *constants; /* "0, 1, 5..9"; empty: it has none */
};
typedef VEC(struct proved_line) line_list;

static uint8_t alias_of(const struct insn *insn) {
    return (uint8_t)((insn->rs && insn->rs == insn->rt) | (insn->rs && insn->rs == insn->rd) << 1 |
                     (insn->rt && insn->rt == insn->rd) << 2);
}

static int compare_numbers(int64_t left, int64_t right) {
    return left < right ? -1 : left > right;
}

static int by_form(const void *left, const void *right) {
    const struct prove_task *x = left, *y = right;
    const int64_t a[] = {x->insn.op, alias_of(&x->insn), x->masked, x->insn.width, x->insn.imm},
                  b[] = {y->insn.op, alias_of(&y->insn), y->masked, y->insn.width, y->insn.imm};
    for (unsigned i = 0; i < 5; i++)
        if (a[i] != b[i])
            return compare_numbers(a[i], b[i]);
    return 0;
}

static bool same_line(const struct prove_task *x, const struct prove_task *y) {
    return x->insn.op == y->insn.op && alias_of(&x->insn) == alias_of(&y->insn) &&
           x->masked == y->masked && x->insn.width == y->insn.width;
}

/* Runs of three and more become first..last. */
static char *constants_of(const struct prove_task *tasks, size_t count) {
    struct str out = {0};
    for (size_t i = 0; i < count && form_has_constant(tasks[0].insn.op);) {
        size_t last = i;
        while (last + 1 < count && tasks[last + 1].insn.imm <= tasks[last].insn.imm + 1)
            last++;
        int32_t from = tasks[i].insn.imm, to = tasks[last].insn.imm;
        str_printf(&out, "%s%d", out.len ? ", " : "", from);
        if (to > from)
            str_printf(&out, "%s%d", to - from > 1 ? ".." : ", ", to);
        i = last + 1;
    }
    char *text = strdup(str_text(&out));
    str_free(&out);
    return text;
}

static void make_lines(const struct prove_tasks *sorted, line_list *lines) {
    for (size_t i = 0, end; i < sorted->len; i = end) {
        const struct prove_task *t = &sorted->data[i];
        for (end = i + 1; end < sorted->len && same_line(t, &sorted->data[end]);)
            end++;
        struct proved_line line = {.op = t->insn.op,
                                   .alias = alias_of(&t->insn),
                                   .width = t->insn.width,
                                   .masked = t->masked};
        line.constants = constants_of(t, end - i);
        vec_push(lines, line);
    }
}

static void print_alias(uint8_t alias, struct str *out) {
    static const char *const names[] = {"rt = rs", "rd = rs", "rd = rt"};
    for (unsigned i = 0; i < 3; i++)
        if (alias >> i & 1)
            str_printf(out, ", %s", names[i]);
}

/* A line and those that differ from it in their width alone. */
static void print_line(line_list *lines, size_t first, const struct isa_users *users,
                       struct str *out) {
    const struct proved_line *l = &lines->data[first];
    str_append(out, "  ");
    form_name(l->op, users, out);
    const char *before = l->width ? " at " : "";
    for (size_t i = first; i < lines->len; i++) {
        struct proved_line *x = &lines->data[i];
        if (x->op != l->op || x->alias != l->alias || x->masked != l->masked || x->printed ||
            strcmp(x->constants, l->constants) != 0)
            continue;
        x->printed = true;
        if (x->width)
            str_printf(out, "%s%u", before, x->width);
        before = ", ";
    }
    if (*l->constants)
        str_printf(out, ", constant %s", l->constants);
    print_alias(l->alias, out);
    str_append(out, l->masked ? ", under a mask\n" : "\n");
}

void proved_print(const struct prove_tasks *tasks, const struct isa_users *users, struct str *out) {
    struct prove_tasks held = {0};
    line_list lines = {0};
    for (size_t i = 0; i < tasks->len; i++)
        if (tasks->data[i].result == PROVE_HOLDS)
            vec_push(&held, tasks->data[i]);
    if (held.len)
        qsort(held.data, held.len, sizeof *held.data, by_form);
    make_lines(&held, &lines);
    for (size_t i = 0; i < lines.len; i++)
        if (!lines.data[i].printed)
            print_line(&lines, i, users, out);
    for (size_t i = 0; i < lines.len; i++)
        free(lines.data[i].constants);
    vec_free(&lines);
    vec_free(&held);
}
