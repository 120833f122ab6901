/* SPDX-License-Identifier: MIT
 * From an instruction to the templates of its forms. */
#include "recipe/table/made.h"

#include "recipe/table/forms.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct form_maker {
    const struct table_layout *layout;
    const struct recipe_set *set;
    struct table_memory *memory, *lasting;
    struct diag *diag;
};

/* ---- lists ---- */

static bool same_uop(const struct uop *left, const struct uop *right) {
    bool same = left->kind == right->kind && left->section == right->section &&
                left->nsrc == right->nsrc && left->ndst == right->ndst &&
                left->pipelined == right->pipelined && left->predicate == right->predicate &&
                left->forwarded == right->forwarded;
    return same && memcmp(left->src, right->src, sizeof left->src) == 0 &&
           memcmp(left->dst, right->dst, sizeof left->dst) == 0;
}

bool table_same_list(const struct uop_list *left, const struct uop_list *right) {
    bool same = left->len == right->len;
    for (size_t i = 0; same && i < left->len; i++)
        same = same_uop(&left->data[i], &right->data[i]);
    return same;
}

static bool expand(const struct form_maker *maker, const struct insn *insn, bool masked,
                   struct uop_list *out, struct diag *diag) {
    out->len = 0;
    return recipe_expand(maker->set, insn, masked, out, diag);
}

/* The list with predicates. */
static void put_mask(const struct insn *insn, struct uop_list *list) {
    if (isa_info(insn->op)->flags & ISA_UNMASKED)
        return;
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < list->data[i].ndst; k++) {
            enum plane_class c = PLANE_CLASS(list->data[i].dst[k]);
            if (c == PLANE_REGISTER || c == PLANE_C)
                list->data[i].predicate = PLANE(PLANE_M, 0, 0);
        }
}

/* r0, r1, r2 of a list become the registers of `insn`. */
static void put_registers(const struct insn *insn, uint32_t *planes, unsigned count) {
    const uint32_t regs[] = {insn->rs, insn->rt, insn->rd};
    for (unsigned i = 0; i < count; i++)
        if (PLANE_CLASS(planes[i]) == PLANE_REGISTER && PLANE_NUMBER(planes[i]) >> 6 < 3)
            planes[i] = PLANE(PLANE_REGISTER, 0,
                              regs[PLANE_NUMBER(planes[i]) >> 6] << 6 | (planes[i] & 63));
}

/* ---- what the list depends on ---- */

/* True if the recipe for distinct registers serves this alias too. */
static bool alias_is_free(const struct form_maker *maker, const struct insn *insn,
                          const struct uop_list *list) {
    struct insn plain = table_plain_insn(insn, 0);
    struct uop_list other = {0};
    bool same = expand(maker, &plain, false, &other, maker->diag);
    for (size_t i = 0; i < other.len; i++) {
        put_registers(insn, other.data[i].src, other.data[i].nsrc);
        put_registers(insn, other.data[i].dst, other.data[i].ndst);
    }
    same &= table_same_list(list, &other);
    vec_free(&other);
    return same;
}

/* How a list differs from that for another constant: only in operands that are 0 here and 1
 * there. */
struct list_difference {
    bool fine;
    size_t first; /* micro-op, or the length of the list */
};

static struct list_difference compare_bits(const struct uop_list *zeros,
                                           const struct uop_list *ones) {
    struct list_difference x = {zeros->len == ones->len, zeros->len};
    for (size_t i = 0; x.fine && i < zeros->len; i++) {
        struct uop a = zeros->data[i];
        for (unsigned k = 0; k < a.nsrc; k++)
            if (a.src[k] == PLANE(PLANE_CONST, 0, 0) &&
                ones->data[i].src[k] == PLANE(PLANE_CONST, 0, 1)) {
                a.src[k] = PLANE(PLANE_CONST, 0, 1);
                x.first = x.first < i ? x.first : i;
            }
        x.fine = same_uop(&a, &ones->data[i]);
    }
    return x;
}

static void mark_bits(struct uop_list *zeros, const struct uop_list *ones) {
    for (size_t i = 0; i < zeros->len; i++)
        for (unsigned k = 0; k < zeros->data[i].nsrc; k++)
            if (zeros->data[i].src[k] != ones->data[i].src[k])
                zeros->data[i].src[k] = PLANE(PLANE_CONST, 0, CONSTANT_BIT);
}

/* Which bit of the constant is an operand, moved up as far as its lowest bit is. */
static int bit_wanted(const struct table_token *token, unsigned operand) {
    return token->position + token->entry.operands[operand].offset;
}

static bool is_constant_bit(const struct table_operand *operand) {
    return operand->class == PLANE_CONST && operand->number == CONSTANT_BIT;
}

/* Where the lowest bit of the constant goes, if this is the first micro-op that has it. */
static uint8_t constant_place(const struct table_token *token) {
    for (unsigned k = 0; k < TABLE_MAX_OPERANDS; k++)
        if (is_constant_bit(&token->entry.operands[k]))
            return (uint8_t)bit_wanted(token, k);
    return 0;
}

/* The tokens of a list whose operands include the constant's bits; constant 1 shows where its
 * lowest bit goes. */
static void find_general(const struct form_maker *maker, struct insn insn,
                         struct table_general *general) {
    struct uop_list lists[3] = {{0}};
    static const int32_t constants[3] = {0, -1, 1};
    bool fine = table_form_has_immediate(insn.op);
    for (unsigned i = 0; i < 3; i++) {
        insn.imm = constants[i];
        fine = fine && expand(maker, &insn, false, &lists[i], NULL);
    }
    struct list_difference all = compare_bits(&lists[0], &lists[1]);
    struct list_difference lowest = compare_bits(&lists[0], &lists[2]);
    if (fine && all.fine && lowest.fine) {
        struct table_token *tokens = xcalloc(lists[0].len + 1, sizeof *tokens);
        mark_bits(&lists[0], &lists[1]);
        general->count = lists[0].len;
        fine = table_tokens(maker->layout, &insn, &lists[0], tokens);
        general->shift =
            fine && lowest.first < general->count ? constant_place(&tokens[lowest.first]) : 0;
        if (fine)
            general->tokens = tokens;
        else
            free(tokens);
    }
    if (!general->tokens)
        general->count = 0;
    for (unsigned i = 0; i < 3; i++)
        vec_free(&lists[i]);
}

/* True if the general tokens with the bits of this constant are those of its list. */
static bool general_fits(const struct table_general *general, int32_t imm,
                         const struct table_token *tokens, size_t count) {
    bool fits = count == general->count;
    uint64_t constant = (uint64_t)(int64_t)imm << general->shift;
    for (size_t i = 0; fits && i < count; i++) {
        struct table_token t = general->tokens[i];
        for (unsigned k = 0; k < TABLE_MAX_OPERANDS; k++)
            if (is_constant_bit(&t.entry.operands[k]))
                t.entry.operands[k] = (struct table_operand){
                    .class = PLANE_CONST, .number = constant >> bit_wanted(&t, k) & 1};
        fits = memcmp(&t, &tokens[i], sizeof t) == 0;
    }
    return fits;
}

static const struct table_general *general_of(const struct form_maker *maker,
                                              const struct insn *insn) {
    const struct recipe_form instruction = {.opcode = isa_info(insn->op)->opcode,
                                            .width = insn->width,
                                            .alias = table_form_alias(insn)};
    const struct table_general *found = table_memory_general(maker->lasting, &instruction);
    if (found)
        return found;
    struct table_general *general = xcalloc(1, sizeof *general);
    find_general(maker, *insn, general);
    return table_memory_put_general(maker->lasting, &instruction, general);
}

/* ---- templates ---- */

struct template_comparison {
    const struct table_layout *layout;
    const struct table_token *tokens;
    size_t at, count;
};

static bool compare_token(void *context, const struct table_entry *entry,
                          const struct table_course *course) {
    struct template_comparison *c = context;
    size_t at = c->at++;
    return at < c->count && table_gives(c->layout, entry, course, &c->tokens[at]);
}

static bool entries_give(const struct form_maker *maker, const struct entry_list *entries,
                         const struct table_token *tokens, size_t count) {
    struct template_comparison c = {maker->layout, tokens, 0, count};
    struct table_run run = {.entries = entries->data, .emit = compare_token, .context = &c};
    return entries->len <= UINT32_MAX && table_walk(&run, 0, (uint32_t)entries->len, 0) &&
           c.at == count;
}

/* One template after the other. */
static void put_unrolled(const struct table_token *tokens, size_t count, struct entry_list *out) {
    int32_t here = 0;
    out->len = 0;
    for (size_t i = 0; i < count; i++) {
        struct table_entry move, e = tokens[i].entry;
        memset(&move, 0, sizeof move);
        move.kind = ENTRY_MOVE;
        move.move.mode = MOVE_TO;
        move.move.value = tokens[i].position;
        e.forward = tokens[i].forward;
        if (tokens[i].position != here)
            vec_push(out, move);
        vec_push(out, e);
        here = tokens[i].position;
    }
}

static void make_entries(const struct form_maker *maker, const struct table_token *tokens,
                         size_t count, struct entry_list *out) {
    table_roll(maker->layout, tokens, count, out);
    if (!entries_give(maker, out, tokens, count))
        put_unrolled(tokens, count, out);
    for (size_t i = 0; i < out->len; i++)
        out->data[i].words = (uint16_t)table_entry_words(maker->layout, &out->data[i]);
}

/* ---- forms ---- */

static bool fails(const struct form_maker *maker, const struct insn *insn) {
    diag_error(maker->diag, NO_SPAN, "%s.%u: its recipe on target '%s' does not fit a recipe table",
               isa_info(insn->op)->name, insn->width, maker->set->target->name);
    return false;
}

/* The form of a list, which it may take. */
static const struct table_made_form *make_form(const struct form_maker *maker,
                                               struct recipe_form form, const struct insn *insn,
                                               struct uop_list *list) {
    struct table_token *tokens = xcalloc(list->len + 1, sizeof *tokens);
    const struct table_made_form *made = NULL;
    bool fine = table_tokens(maker->layout, insn, list, tokens) || fails(maker, insn);
    const struct table_general *g =
        fine && table_form_has_constant(insn->op) ? general_of(maker, insn) : NULL;
    if (g && g->tokens && general_fits(g, insn->imm, tokens, list->len)) {
        form.constant = CONSTANT_BITS;
        form.shift = g->shift;
        form.imm = 0;
        memcpy(tokens, g->tokens, g->count * sizeof *tokens);
    }
    if (fine)
        made = table_memory_form(maker->memory, &form);
    if (fine && !made) {
        struct table_made_form *m = xcalloc(1, sizeof *m);
        *m = (struct table_made_form){.form = form, .insn = *insn, .list = *list};
        make_entries(maker, tokens, list->len, &m->entries);
        *list = (struct uop_list){0};
        made = table_memory_put_form(maker->memory, m);
    }
    free(tokens);
    return made;
}

/* The masked form, where it is not the same list with predicates, and the plain one. */
static bool make_both(const struct form_maker *maker, struct recipe_form form,
                      const struct insn *insn, struct uop_list *plain,
                      struct table_made_forms *out) {
    struct uop_list masked = {0}, derived = {0};
    bool fine = expand(maker, insn, true, &masked, maker->diag);
    for (size_t i = 0; i < plain->len; i++)
        vec_push(&derived, plain->data[i]);
    put_mask(insn, &derived);
    if (fine && !table_same_list(&masked, &derived)) {
        form.masking = MASKING_ON;
        for (size_t i = 0; i < masked.len; i++)
            masked.data[i].predicate = PLANE(PLANE_NONE, 0, 0);
        out->forms[out->count] = make_form(maker, form, insn, &masked);
        fine = out->forms[out->count++] != NULL;
        form.masking = MASKING_OFF;
    }
    if (fine) {
        out->forms[out->count] = make_form(maker, form, insn, plain);
        fine = out->forms[out->count++] != NULL;
    }
    vec_free(&masked);
    vec_free(&derived);
    return fine;
}

static bool make(const struct form_maker *maker, const struct insn *used, struct recipe_form form,
                 struct table_made_forms *out) {
    struct insn insn = table_plain_insn(used, form.alias);
    struct uop_list list = {0};
    bool fine = expand(maker, &insn, false, &list, maker->diag);
    if (fine && form.alias && alias_is_free(maker, &insn, &list)) {
        form.alias = 0;
        insn = table_plain_insn(used, 0);
        fine = expand(maker, &insn, false, &list, maker->diag);
    }
    fine = fine && make_both(maker, form, &insn, &list, out);
    vec_free(&list);
    return fine;
}

bool table_made_get(struct table_memory *memory, struct table_memory *lasting,
                    const struct table_layout *layout, const struct recipe_set *set,
                    const struct insn *insn, struct table_made_forms *out, struct diag *diag) {
    const struct form_maker maker = {layout, set, memory, lasting, diag};
    bool constant = table_form_has_constant(insn->op);
    const struct recipe_form asked = {.opcode = isa_info(insn->op)->opcode,
                                      .width = insn->width,
                                      .alias = table_form_alias(insn),
                                      .constant = constant ? CONSTANT_ONE : CONSTANT_NONE,
                                      .imm = constant ? table_form_constant(insn) : 0};
    *out = (struct table_made_forms){.count = 0};
    if (table_memory_forms(memory, &asked, out))
        return true;
    if (!make(&maker, insn, asked, out))
        return false;
    table_memory_put_forms(memory, &asked, out);
    return true;
}
