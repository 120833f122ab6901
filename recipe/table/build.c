/* SPDX-License-Identifier: MIT
 * From a program's instructions to its table. */
#include "recipe/table/forms.h"
#include "recipe/table/parts.h"

#include "support/alloc.h"
#include "support/map.h"

#include <stdlib.h>
#include <string.h>

/* A form with the list that it must give. */
struct made_form {
    struct recipe_form form;
    struct insn insn; /* that it was made for */
    struct entry_list entries;
    struct uop_list list;
};

/* One list for all constants of an instruction, as far as it was looked for. */
struct general {
    struct table_token *tokens; /* NULL: there is none */
    size_t count;
    uint8_t shift;
};

struct table_builder {
    const struct target *t;
    const struct recipe_set *s;
    struct diag *d;
    struct table_layout layout;
    struct map seen, general_ids;
    VEC(struct general) generals;
    VEC(struct made_form) forms;
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

static bool same_list(const struct uop_list *left, const struct uop_list *right) {
    bool same = left->len == right->len;
    for (size_t i = 0; same && i < left->len; i++)
        same = same_uop(&left->data[i], &right->data[i]);
    return same;
}

static bool expand(const struct table_builder *builder, const struct insn *insn, bool masked,
                   struct uop_list *out, struct diag *diag) {
    out->len = 0;
    return recipe_expand(builder->s, insn, masked, out, diag);
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
static bool alias_is_free(const struct table_builder *builder, const struct insn *insn,
                          const struct uop_list *list) {
    struct insn plain = table_make_insn(insn->op, insn->width, 0, insn->imm);
    struct uop_list other = {0};
    bool same = expand(builder, &plain, false, &other, builder->d);
    for (size_t i = 0; i < other.len; i++) {
        put_registers(insn, other.data[i].src, other.data[i].nsrc);
        put_registers(insn, other.data[i].dst, other.data[i].ndst);
    }
    same &= same_list(list, &other);
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
static void find_general(const struct table_builder *builder, struct insn insn,
                         struct general *general) {
    struct uop_list lists[3] = {{0}};
    static const int32_t constants[3] = {0, -1, 1};
    bool fine = table_form_has_immediate(insn.op);
    for (unsigned i = 0; i < 3; i++) {
        insn.imm = constants[i];
        fine = fine && expand(builder, &insn, false, &lists[i], NULL);
    }
    struct list_difference all = compare_bits(&lists[0], &lists[1]);
    struct list_difference lowest = compare_bits(&lists[0], &lists[2]);
    if (fine && all.fine && lowest.fine) {
        struct table_token *tokens = xcalloc(lists[0].len + 1, sizeof *tokens);
        mark_bits(&lists[0], &lists[1]);
        general->count = lists[0].len;
        fine = table_tokens(&builder->layout, &insn, &lists[0], tokens);
        general->shift =
            fine && lowest.first < general->count ? constant_place(&tokens[lowest.first]) : 0;
        if (fine)
            general->tokens = tokens;
        else
            free(tokens);
    }
    for (unsigned i = 0; i < 3; i++)
        vec_free(&lists[i]);
}

/* True if the general tokens with the bits of this constant are those of its list. */
static bool general_fits(const struct general *general, int32_t imm,
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

static const struct general *general_of(struct table_builder *builder, const struct insn *insn) {
    const uint8_t key[] = {isa_info(insn->op)->opcode, insn->width, table_form_alias(insn)};
    uint64_t *known = map_get_n(&builder->general_ids, (const char *)key, sizeof key);
    if (known)
        return &builder->generals.data[*known];
    struct general g = {0};
    find_general(builder, *insn, &g);
    map_put_n(&builder->general_ids, (const char *)key, sizeof key, builder->generals.len);
    vec_push(&builder->generals, g);
    return &vec_last(&builder->generals);
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

static bool entries_give(const struct table_builder *builder, const struct entry_list *entries,
                         const struct table_token *tokens, size_t count) {
    struct template_comparison c = {&builder->layout, tokens, 0, count};
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

static void make_entries(const struct table_builder *builder, const struct table_token *tokens,
                         size_t count, struct entry_list *out) {
    table_roll(&builder->layout, tokens, count, out);
    if (!entries_give(builder, out, tokens, count))
        put_unrolled(tokens, count, out);
    for (size_t i = 0; i < out->len; i++)
        out->data[i].words = (uint16_t)table_entry_words(&builder->layout, &out->data[i]);
}

/* ---- forms ---- */

static bool fails(const struct table_builder *builder, const struct insn *insn) {
    diag_error(builder->d, NO_SPAN, "%s.%u: its recipe on target '%s' does not fit a recipe table",
               isa_info(insn->op)->name, insn->width, builder->t->name);
    return false;
}

/* True the first time that this form comes. */
static bool is_new(struct table_builder *builder, const struct recipe_form *form) {
    const uint8_t key[] = {form->opcode,
                           form->width,
                           form->alias,
                           form->constant,
                           form->masking,
                           (uint8_t)(form->imm & 0xff),
                           (uint8_t)(form->imm >> 8 & 0xff),
                           (uint8_t)(form->imm >> 16 & 0xff),
                           (uint8_t)(form->imm >> 24 & 0xff)};
    return map_put_n(&builder->seen, (const char *)key, sizeof key, 1);
}

/* Takes the list. */
static bool add_form(struct table_builder *builder, struct recipe_form form,
                     const struct insn *insn, struct uop_list *list) {
    struct table_token *tokens = xcalloc(list->len + 1, sizeof *tokens);
    struct made_form m = {.form = form, .insn = *insn};
    bool fine = table_tokens(&builder->layout, insn, list, tokens) || fails(builder, insn);
    const struct general *g =
        fine && table_form_has_constant(insn->op) ? general_of(builder, insn) : NULL;
    if (g && g->tokens && general_fits(g, insn->imm, tokens, list->len)) {
        m.form.constant = CONSTANT_BITS;
        m.form.shift = g->shift;
        m.form.imm = 0;
        memcpy(tokens, g->tokens, g->count * sizeof *tokens);
    }
    if (fine && is_new(builder, &m.form)) {
        make_entries(builder, tokens, list->len, &m.entries);
        m.list = *list;
        *list = (struct uop_list){0};
        vec_push(&builder->forms, m);
    }
    free(tokens);
    return fine;
}

/* The masked form, where it is not the same list with predicates. */
static bool add_masked(struct table_builder *builder, struct recipe_form form,
                       const struct insn *insn, struct uop_list *plain) {
    struct uop_list masked = {0}, derived = {0};
    bool fine = expand(builder, insn, true, &masked, builder->d);
    for (size_t i = 0; i < plain->len; i++)
        vec_push(&derived, plain->data[i]);
    put_mask(insn, &derived);
    if (fine && !same_list(&masked, &derived)) {
        form.masking = MASKING_ON;
        for (size_t i = 0; i < masked.len; i++)
            masked.data[i].predicate = PLANE(PLANE_NONE, 0, 0);
        fine = add_form(builder, form, insn, &masked);
        form.masking = MASKING_OFF;
    }
    fine = fine && add_form(builder, form, insn, plain);
    vec_free(&masked);
    vec_free(&derived);
    return fine;
}

static bool add_insn(struct table_builder *builder, const struct insn *used) {
    bool constant = table_form_has_constant(used->op);
    struct recipe_form f = {.opcode = isa_info(used->op)->opcode,
                            .width = used->width,
                            .alias = table_form_alias(used),
                            .constant = constant ? CONSTANT_ONE : CONSTANT_NONE,
                            .imm = constant ? used->imm : 0};
    struct recipe_form asked = f;
    asked.masking = UINT8_MAX;
    if (!is_new(builder, &asked))
        return true;
    struct insn insn = table_make_insn(used->op, used->width, f.alias, used->imm);
    struct uop_list list = {0};
    bool fine = expand(builder, &insn, false, &list, builder->d);
    if (fine && f.alias && alias_is_free(builder, &insn, &list)) {
        f.alias = 0;
        insn = table_make_insn(used->op, used->width, 0, used->imm);
        fine = expand(builder, &insn, false, &list, builder->d);
    }
    fine = fine && add_masked(builder, f, &insn, &list);
    vec_free(&list);
    return fine;
}

/* ---- the table ---- */

static int by_form(const void *left, const void *right) {
    return table_form_compare(&((const struct made_form *)left)->form,
                              &((const struct made_form *)right)->form);
}

/* All forms in order, one behind the other. */
static void join(struct table_builder *builder, struct table_parts *parts) {
    if (builder->forms.len)
        qsort(builder->forms.data, builder->forms.len, sizeof *builder->forms.data, by_form);
    parts->forms = xcalloc(builder->forms.len + 1, sizeof *parts->forms);
    for (size_t i = 0; i < builder->forms.len; i++) {
        const struct entry_list *l = &builder->forms.data[i].entries;
        parts->forms[parts->form_count++] =
            (struct table_range){(uint32_t)parts->entries.len, (uint32_t)l->len};
        for (size_t k = 0; k < l->len; k++)
            vec_push(&parts->entries, l->data[k]);
    }
}

/* Entries [r->first, r->first + r->count) as templates [*first, *first + *count). */
static void range_words(const struct table_parts *parts, const struct table_range *range,
                        uint32_t *first, uint32_t *count) {
    *first = *count = 0;
    for (uint32_t i = 0; i < range->first + range->count; i++)
        *(i < range->first ? first : count) += parts->entries.data[i].words;
}

static struct recipe_table *lay_out(const struct table_builder *builder,
                                    const struct table_parts *parts) {
    struct recipe_table *table = xcalloc(1, sizeof *table);
    struct word_list words = {0};
    table->forms = xcalloc(parts->form_count + 1, sizeof *table->forms);
    table->pointers = xcalloc(parts->pointer_count + 1, sizeof *table->pointers);
    for (size_t i = 0; i < parts->form_count; i++) {
        table->forms[i] = builder->forms.data[i].form;
        table->forms[i].first = (uint32_t)words.len;
        for (uint32_t k = 0; k < parts->forms[i].count; k++)
            table_entry_encode(&builder->layout, &parts->entries.data[parts->forms[i].first + k],
                               &words);
        table->forms[i].count = (uint32_t)words.len - table->forms[i].first;
    }
    for (size_t i = 0; i < parts->pointer_count; i++) {
        uint32_t first, count;
        range_words(parts, &parts->pointers[i], &first, &count);
        table->pointers[i] = first << 10 | (count - 1);
    }
    table->form_count = parts->form_count;
    table->pointer_count = parts->pointer_count;
    table->templates = words.data;
    table->template_count = words.len;
    return table;
}

/* Expands every form again. */
static bool check(const struct table_builder *builder, const struct recipe_table *table) {
    struct uop_list list = {0};
    bool same = true;
    for (size_t i = 0; same && i < builder->forms.len; i++) {
        list.len = 0;
        same = !table_form_expand(table, &table->forms[i], &builder->forms.data[i].insn, false,
                                  &list) &&
               same_list(&list, &builder->forms.data[i].list);
    }
    vec_free(&list);
    return same;
}

static struct recipe_table *finish(struct table_builder *builder) {
    struct table_parts parts = {.form_count = 0};
    const char *problem = NULL;
    join(builder, &parts);
    table_share(&builder->layout, &parts);
    struct recipe_table *table = lay_out(builder, &parts);
    vec_free(&parts.entries);
    free(parts.forms);
    if (recipe_table_open(table, builder->t, &problem) && check(builder, table))
        return table;
    diag_error(builder->d, NO_SPAN, "the recipe table for target '%s' cannot be used: %s",
               builder->t->name, problem ? problem : "a recipe is not what it was made from");
    recipe_table_free(table);
    return NULL;
}

static void release(struct table_builder *builder) {
    for (size_t i = 0; i < builder->forms.len; i++) {
        vec_free(&builder->forms.data[i].entries);
        vec_free(&builder->forms.data[i].list);
    }
    for (size_t i = 0; i < builder->generals.len; i++)
        free(builder->generals.data[i].tokens);
    vec_free(&builder->forms);
    vec_free(&builder->generals);
    map_free(&builder->seen);
    map_free(&builder->general_ids);
}

struct recipe_table *recipe_table_build(const struct target *target, const struct recipe_set *set,
                                        const struct insn *insns, size_t count, struct diag *diag) {
    struct table_builder b = {.t = target, .s = set, .d = diag};
    bool fine = true;
    if (set)
        table_layout_make(target, &b.layout);
    for (size_t i = 0; set && fine && i < count; i++)
        if (isa_info(insns[i].op)->flags & ISA_VECTOR)
            fine = add_insn(&b, &insns[i]);
    struct recipe_table *table = fine ? finish(&b) : NULL;
    release(&b);
    return table;
}
