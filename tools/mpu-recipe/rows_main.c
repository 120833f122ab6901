/* SPDX-License-Identifier: MIT
 * recipe-rows [--sample] [--only TARGET] OUT TARGET.yaml...: writes ezpim/code/rows.csv (target
 * recipe-generate): how many rows of a VRF an instruction leaves for registers on each built-in
 * target, and on those of the files, whose registers lie in one section, a row for each bit, or in
 * partitions, a column for as many bits as there are of these. Elsewhere 64 registers of any width
 * have room.
 *
 * A line has the target, its sections, the instruction's opcode (of NOP: the rows before any
 * instruction), 0 or 1 for masked, which of its operands are one register (enum rows_alias), and
 * the rows at widths 1 .. 64; an instruction without a width has the same at all, one that does not
 * exist at a width 0, and of a product the width is that of its widest operand, or half of that of a
 * result that is longer than two of these.  A line that would be as that of operands apart is left
 * out.  Some constants are tried, and the worst counts.  A sample has widths 1, 5 and 33 alone; of
 * one target alone these are its lines. */
#include "ezpim/code/rows.h"
#include "recipe/technology/plane_target.h"
#include "recipe/set/recipe.h"
#include "recipe/set/set.h"
#include "support/alloc.h"
#include "support/file.h"
#include "tools/mpu-recipe/forms.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct rows_found {
    bool sample;
    const char *only; /* this target; NULL: all */
    uint32_t there;   /* before any instruction */
    /* By masked, alias, width; UINT32_MAX: there is no such instruction. */
    uint32_t least[OP_COUNT][2][ROWS_ALIASES][65];
};

/* width: where it counts, its own but for products. */
static void take(struct rows_found *found, const struct recipe_set *set, const struct insn *insn,
                 unsigned width, bool masked, unsigned alias) {
    struct uop_list list = {0};
    uint32_t *least = &found->least[insn->op][masked][alias][width];
    if (recipe_applies(insn) && recipe_expand(set, insn, masked, &list, NULL)) {
        uint32_t left = technology_rows_there(set->target) - technology_state_rows(set->target) -
                        recipe_highest_scratch(set->target, &list);
        *least = left < *least ? left : *least;
    }
    vec_free(&list);
}

/* Registers of rs, rt, rd, by enum rows_alias. */
static const uint8_t aliases[ROWS_ALIASES][3] = {
    {1, 2, 3}, {1, 1, 3}, {1, 2, 1}, {1, 2, 2}, {1, 1, 1}};

/* Products of which the widest operand, or half of the result, has so many bits: with a sum and
 * carries at all positions, going up, going down, or both; and the whole product. */
static void take_products(struct rows_found *found, const struct recipe_set *set, struct insn insn,
                          bool masked, unsigned alias) {
    const uint8_t k = insn.width, half = (uint8_t)((k + 1) / 2);
    const uint8_t whole = k < 32 ? (uint8_t)(2 * k) : 64;
    const struct isa_product shapes[] = {{k, k, 0, k, true, true},
                                         {k, k, 0, whole, true, true},
                                         {k, k, k, k, true, true},
                                         {k, half, half, k, true, true},
                                         {half, k, half, k, true, true}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        insn.width = shapes[i].width;
        isa_set_product(&insn, &shapes[i]);
        take(found, set, &insn, k, masked, alias);
    }
}

/* Widths at which products are expanded; between two of them they are taken to leave what they do
 * at the next: it is less. */
static bool is_step(unsigned width) {
    static const uint8_t steps[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 28, 32, 33, 48, 64};
    return memchr(steps, (int)width, sizeof steps);
}

static void fill_steps(struct rows_found *found) {
    for (unsigned k = 0; k < 2 * ROWS_ALIASES; k++) {
        uint32_t *least = found->least[OP_MULP][k / ROWS_ALIASES][k % ROWS_ALIASES];
        for (unsigned w = 63; w > 0; w--)
            least[w] = is_step(w) ? least[w] : least[w + 1];
    }
}

static void take_constants(struct rows_found *found, const struct recipe_set *set, struct insn insn,
                           bool masked, unsigned alias) {
    if (isa_has_shape(insn.op)) {
        if (is_step(insn.width))
            take_products(found, set, insn, masked, alias);
        return;
    }
    const int32_t constants[] = {insn.imm, 1, insn.width / 2, insn.width - 1, -1};
    for (size_t i = 0; i < (insn.imm ? sizeof constants / sizeof *constants : 1); i++) {
        insn.imm = constants[i];
        take(found, set, &insn, insn.width, masked, alias);
    }
}

static void take_instruction(struct rows_found *found, const struct recipe_set *set, enum isa_op op,
                             unsigned width) {
    for (unsigned i = 0; i < ROWS_ALIASES; i++) {
        struct form_choice c;
        struct insn insn;
        form_choice_init(&c);
        memcpy(c.registers, aliases[i], sizeof c.registers);
        if (form_make(&c, op, width, &insn)) {
            take_constants(found, set, insn, false, i);
            take_constants(found, set, insn, true, i);
        }
        form_choice_free(&c);
    }
}

static void take_target(struct rows_found *found, const struct recipe_set *set) {
    struct form_choice c;
    uint32_t there = technology_rows_there(set->target) - technology_state_rows(set->target);
    found->there = there < found->there ? there : found->there;
    form_choice_init(&c);
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (unsigned w = 1; form_is_wanted(&c, (enum isa_op)op) && w <= 64; w++)
            if (w == 1 || (isa_info((enum isa_op)op)->flags & ISA_WIDTH &&
                           (!found->sample || w == 5 || w == 33)))
                take_instruction(found, set, (enum isa_op)op, w);
    if (!found->sample)
        fill_steps(found);
    form_choice_free(&c);
}

static void print_line(const uint32_t least[65], bool has_width, struct str *out) {
    for (unsigned w = 1; w <= 64; w++) {
        uint32_t rows = least[has_width ? w : 0];
        str_printf(out, ",%" PRIu32, rows == UINT32_MAX ? 0 : rows);
    }
    str_char(out, '\n');
}

/* Without rt and rd that can be one register, say, there are none. */
static bool has_any(const uint32_t least[65]) {
    for (unsigned w = 0; w <= 64; w++)
        if (least[w] != UINT32_MAX)
            return true;
    return false;
}

static void print_all(const struct rows_found *found, const struct target *target,
                      struct str *out) {
    struct form_choice c;
    const char *name = target->name;
    uint32_t there[65] = {found->there}, sections = plane_target(target)->sections;
    form_choice_init(&c);
    str_printf(out, "%s,%" PRIu32 ",0x%02x,0,0", name, sections, isa_info(OP_NOP)->opcode);
    print_line(there, false, out);
    for (unsigned op = 0; op < OP_COUNT; op++) {
        bool has_width = isa_info((enum isa_op)op)->flags & ISA_WIDTH;
        for (unsigned k = 0; form_is_wanted(&c, (enum isa_op)op) && k < 2 * ROWS_ALIASES; k++) {
            const uint32_t(*least)[65] = found->least[op][k / ROWS_ALIASES];
            unsigned alias = k % ROWS_ALIASES;
            if (alias &&
                (!has_any(least[alias]) || memcmp(least[alias], least[0], sizeof least[0]) == 0))
                continue;
            str_printf(out, "%s,%" PRIu32 ",0x%02x,%u,%u", name, sections,
                       isa_info((enum isa_op)op)->opcode, k / ROWS_ALIASES, alias);
            print_line(least[alias], has_width, out);
        }
    }
    form_choice_free(&c);
}

/* Whether registers may have no room there. */
static bool may_be_full(const struct target *target) {
    return plane_target(target)->sections == 1 || plane_target(target)->partitioned;
}

static bool write_target(const char *name, struct rows_found *found, struct str *out,
                         struct diag *diag) {
    struct target *t = target_open(name, NULL, 0, diag);
    struct recipe_set *s = t && may_be_full(t) ? recipe_set_open(t, diag) : NULL;
    bool fine = t && (s || !may_be_full(t));
    found->there = UINT32_MAX;
    memset(found->least, 0xff, sizeof found->least);
    if (s) {
        take_target(found, s);
        print_all(found, t, out);
    }
    recipe_set_free(s);
    target_free(t);
    return fine;
}

static bool write_all(struct rows_found *found, char **files, struct str *out, struct diag *diag) {
    size_t count;
    const char *const *names = target_names(&count);
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++)
        if (!found->only || strcmp(found->only, names[i]) == 0)
            fine = write_target(names[i], found, out, diag);
    for (; *files && fine; files++)
        fine = write_target(*files, found, out, diag);
    return fine;
}

int main(int argc, char **argv) {
    struct diag_printer printer = {.out = stderr, .prefix = "recipe-rows"};
    struct diag *d = diag_new(diag_print, &printer);
    struct rows_found *r = xcalloc(1, sizeof *r);
    struct str out = {0};
    r->sample = argc > 1 && strcmp(argv[1], "--sample") == 0;
    argv += r->sample;
    if (argv[1] && argv[2] && strcmp(argv[1], "--only") == 0) {
        r->only = argv[2];
        argv += 2;
    }
    bool fine = argv[1];
    if (!fine)
        diag_error(d, NO_SPAN,
                   "usage: recipe-rows [--sample] [--only TARGET] OUT.csv TARGET.yaml...");
    fine = fine && write_all(r, argv + 2, &out, d);
    if (fine) {
        fine = file_write(argv[1], str_text(&out), out.len);
        if (!fine)
            diag_error(d, NO_SPAN, "cannot write '%s': %s", argv[1], strerror(errno));
    }
    str_free(&out);
    free(r);
    diag_free(d);
    return fine ? 0 : 1;
}
