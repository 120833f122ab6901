/* SPDX-License-Identifier: MIT
 * Loops on the toy core: in its assembler, each line where the loop has it.  Worker w of m has the
 * elements w, w + m and so on: x15 counts. */
#include "tests/machines/loop/on.h"

#include "machines/golden/link/golden.h"
#include "tests/machines/core/core.h"

#include <inttypes.h>

/* x1 and on: parameters, then names; the last three are for values on their way. */
enum { VALUE = 11, OTHER, PLACE };

static unsigned reg_of(uint32_t slot) {
    return slot == LOOP_I ? 15 : slot;
}

static bool fits(int64_t number) {
    return number >= INT16_MIN && number <= INT16_MAX;
}

/* The address of an element in x[into]. */
static void address(const struct loop_operand *x, unsigned into, struct str *out) {
    if (x->index_slot == LOOP_NO_SLOT)
        str_printf(out, "li x%u %" PRId64 "; ", into, x->number);
    str_printf(out, "li x%u 3; shl x%u x%u x%u; add x%u x%u x%u; ", PLACE, into,
               x->index_slot == LOOP_NO_SLOT ? into : reg_of(x->index_slot), PLACE, into, into,
               reg_of(x->slot));
}

/* The register that has the operand, made in x[into] if need be. */
static unsigned operand(const struct loop_operand *x, unsigned into, struct str *out) {
    if (x->kind == LOOP_VALUE)
        return reg_of(x->slot);
    if (x->kind == LOOP_NUMBER) {
        str_printf(out, "li x%u %" PRId64 "; ", into, x->number);
        return into;
    }
    address(x, into, out);
    str_printf(out, "ld x%u (x%u); ", into, into);
    return into;
}

static const char *mnemonic(const char *op) {
    return op[0] == '-'                   ? "sub"
           : op[0] == '&'                 ? "and"
           : op[0] == '|'                 ? "or"
           : op[0] == '^'                 ? "xor"
           : op[0] == '>'                 ? "shr"
           : op[0] == '<' && op[1] == '<' ? "shl"
           : op[0] == '<'                 ? "ltu"
                                          : "add";
}

static void statement(const struct loop_statement *s, struct str *out) {
    bool element = s->to.kind == LOOP_ELEMENT;
    unsigned to = element ? VALUE : reg_of(s->to.slot), left = operand(&s->left, VALUE, out),
             right = s->op[0] ? operand(&s->right, OTHER, out) : 0;
    str_printf(out, "%s x%u x%u x%u; ", mnemonic(s->op), to, left, right);
    if (!element)
        return;
    address(&s->to, OTHER, out);
    str_printf(out, "st x%u (x%u); ", VALUE, OTHER);
}

static void to_line(uint32_t *line, uint32_t wanted, struct str *out) {
    for (; *line < wanted; ++*line)
        str_char(out, '\n');
}

static bool number_fits(const struct loop_operand *x, uint32_t line,
                        struct machine_kernel_fault *fault) {
    if (x->kind == LOOP_NONE || fits(x->number))
        return true;
    str_printf(&fault->what, "the core's li takes no %" PRId64, x->number);
    fault->line = line;
    return false;
}

static bool fine_for_core(const struct portable_kernel *k, struct machine_kernel_fault *fault) {
    if (k->slots > VALUE) {
        str_append(&fault->what, "the core has registers for 10 parameters and names");
        return false;
    }
    bool fine = number_fits(&k->bound, k->bound_line, fault);
    for (size_t i = 0; i < k->body.len && fine; i++) {
        const struct loop_statement *s = &k->body.data[i];
        fine = number_fits(&s->to, s->line, fault) && number_fits(&s->left, s->line, fault) &&
               number_fits(&s->right, s->line, fault);
    }
    return fine;
}

static void translate(const struct portable_kernel *k, struct str *out) {
    uint32_t line = 1;
    to_line(&line, k->bound_line, out);
    str_append(out, "lap: ");
    unsigned bound = operand(&k->bound, VALUE, out);
    str_printf(out, "ltu x%u x15 x%u; beqz x%u out; ", VALUE, bound, VALUE);
    for (uint32_t slot = LOOP_PARAMETERS + k->parameters; slot < k->slots; slot++)
        str_printf(out, "li x%u 0; ", reg_of(slot));
    for (size_t i = 0; i < k->body.len; i++) {
        to_line(&line, k->body.data[i].line, out);
        statement(&k->body.data[i], out);
    }
    str_printf(out, "add x15 x15 x14; li x%u 1; bnez x%u lap; out: end", VALUE, VALUE);
}

static bool compile(const struct machine_library *l, const struct machine_launches *program,
                    const struct kernel_decl *decl, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    struct portable_fault wrong = {.line = 0};
    struct str text = {0};
    struct stored_text own = {.words = {0}};
    struct str entry = {0};
    const struct kernel_decl one = golden_own_text(decl, &entry);
    struct portable_kernel *k = loop_read(&one, &wrong);
    (void)l, (void)program;
    str_append(&fault->what, str_text(&wrong.what));
    fault->line = wrong.line;
    str_free(&wrong.what);
    bool fine = k && fine_for_core(k, fault);
    if (fine) {
        translate(k, &text);
        fine = stored_assemble_kernel(&core_stored.isa, str_text(&text), &own, &fault->what);
    }
    for (size_t i = 0; fine && i < own.words.len; i++)
        stored_put_word(&core_stored.isa, own.words.data[i], &out->code);
    if (k)
        loop_free(k);
    str_free(&text);
    str_free(&entry);
    out->lines = own.lines.data;
    out->line_count = (uint32_t)own.lines.len;
    own.lines.data = NULL;
    stored_text_free(&own);
    return fine;
}

const struct machine_form loop_on_core = {.name = "loop",
                                          .whole = true,
                                          .takes = TAKES_GRID | TAKES_BLOCK,
                                          .declare = golden_declare,
                                          .compile = compile,
                                          .print = stored_print_kernel};
