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

static bool same_uop(const struct uop *a, const struct uop *b) {
    bool same = a->kind == b->kind && a->section == b->section && a->nsrc == b->nsrc &&
                a->ndst == b->ndst && a->pipelined == b->pipelined &&
                a->predicate == b->predicate && a->forwarded == b->forwarded &&
                a->count == b->count && a->stride == b->stride;
    return same && memcmp(a->src, b->src, sizeof a->src) == 0 &&
           memcmp(a->dst, b->dst, sizeof a->dst) == 0;
}

static bool same_list(const struct uop_list *a, const struct uop_list *b) {
    bool same = a->len == b->len;
    for (size_t i = 0; same && i < a->len; i++)
        same = same_uop(&a->data[i], &b->data[i]);
    return same;
}

static bool expand(const struct table_builder *b, const struct insn *insn, bool masked,
                   struct uop_list *out, struct diag *d) {
    out->len = 0;
    return recipe_expand(b->s, insn, masked, out, d);
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
static bool alias_is_free(const struct table_builder *b, const struct insn *insn,
                          const struct uop_list *list) {
    struct insn plain = table_make_insn(insn->op, insn->width, 0, insn->imm);
    struct uop_list other = {0};
    bool same = expand(b, &plain, false, &other, b->d);
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
static int bit_wanted(const struct table_token *t, unsigned operand) {
    return t->position + t->entry.operands[operand].offset;
}

static bool is_constant_bit(const struct table_operand *o) {
    return o->class == PLANE_CONST && o->number == CONSTANT_BIT;
}

/* Where the lowest bit of the constant goes, if this is the first micro-op that has it. */
static uint8_t constant_place(const struct table_token *t) {
    for (unsigned k = 0; k < TABLE_MAX_OPERANDS; k++)
        if (is_constant_bit(&t->entry.operands[k]))
            return (uint8_t)bit_wanted(t, k);
    return 0;
}

/* The tokens of a list whose operands include the constant's bits; constant 1 shows where its
 * lowest bit goes. */
static void find_general(const struct table_builder *b, struct insn insn, struct general *g) {
    struct uop_list lists[3] = {{0}};
    static const int32_t constants[3] = {0, -1, 1};
    bool fine = table_form_has_immediate(insn.op);
    for (unsigned i = 0; i < 3; i++) {
        insn.imm = constants[i];
        fine = fine && expand(b, &insn, false, &lists[i], NULL);
    }
    struct list_difference all = compare_bits(&lists[0], &lists[1]);
    struct list_difference lowest = compare_bits(&lists[0], &lists[2]);
    if (fine && all.fine && lowest.fine) {
        struct table_token *tokens = xcalloc(lists[0].len + 1, sizeof *tokens);
        mark_bits(&lists[0], &lists[1]);
        g->count = lists[0].len;
        fine = table_tokens(&b->layout, &insn, &lists[0], tokens);
        g->shift = fine && lowest.first < g->count ? constant_place(&tokens[lowest.first]) : 0;
        if (fine)
            g->tokens = tokens;
        else
            free(tokens);
    }
    for (unsigned i = 0; i < 3; i++)
        vec_free(&lists[i]);
}

/* True if the general tokens with the bits of this constant are those of its list. */
static bool general_fits(const struct general *g, int32_t imm, const struct table_token *tokens,
                         size_t count) {
    bool fits = count == g->count;
    uint64_t constant = (uint64_t)(int64_t)imm << g->shift;
    for (size_t i = 0; fits && i < count; i++) {
        struct table_token t = g->tokens[i];
        for (unsigned k = 0; k < TABLE_MAX_OPERANDS; k++)
            if (is_constant_bit(&t.entry.operands[k]))
                t.entry.operands[k] = (struct table_operand){
                    .class = PLANE_CONST, .number = constant >> bit_wanted(&t, k) & 1};
        fits = memcmp(&t, &tokens[i], sizeof t) == 0;
    }
    return fits;
}

static const struct general *general_of(struct table_builder *b, const struct insn *insn) {
    const uint8_t key[] = {isa_info(insn->op)->opcode, insn->width, table_form_alias(insn)};
    uint64_t *known = map_get_n(&b->general_ids, (const char *)key, sizeof key);
    if (known)
        return &b->generals.data[*known];
    struct general g = {0};
    find_general(b, *insn, &g);
    map_put_n(&b->general_ids, (const char *)key, sizeof key, b->generals.len);
    vec_push(&b->generals, g);
    return &vec_last(&b->generals);
}

/* ---- templates ---- */

struct template_comparison {
    const struct table_layout *layout;
    const struct table_token *tokens;
    size_t at, count;
};

static bool compare_token(void *context, const struct table_entry *e,
                          const struct table_course *course) {
    struct template_comparison *c = context;
    size_t at = c->at++;
    return at < c->count && table_gives(c->layout, e, course, &c->tokens[at]);
}

static bool entries_give(const struct table_builder *b, const struct entry_list *entries,
                         const struct table_token *tokens, size_t count) {
    struct template_comparison c = {&b->layout, tokens, 0, count};
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

static void make_entries(const struct table_builder *b, const struct table_token *tokens,
                         size_t count, struct entry_list *out) {
    if (plane_target(b->t)->sections == 1)
        table_roll_flat(&b->layout, tokens, count, out);
    else
        table_roll(&b->layout, tokens, count, out);
    if (!entries_give(b, out, tokens, count))
        put_unrolled(tokens, count, out);
    for (size_t i = 0; i < out->len; i++)
        out->data[i].words = (uint16_t)table_entry_words(&b->layout, &out->data[i]);
}

/* ---- forms ---- */

static bool fails(const struct table_builder *b, const struct insn *insn) {
    diag_error(b->d, NO_SPAN, "%s.%u: its recipe on target '%s' does not fit a recipe table",
               isa_info(insn->op)->name, insn->width, b->t->name);
    return false;
}

/* True the first time that this form comes. */
static bool is_new(struct table_builder *b, const struct recipe_form *f) {
    const uint8_t key[] = {f->opcode,
                           f->width,
                           f->alias,
                           f->constant,
                           f->masking,
                           (uint8_t)(f->imm & 0xff),
                           (uint8_t)(f->imm >> 8 & 0xff),
                           (uint8_t)(f->imm >> 16 & 0xff),
                           (uint8_t)(f->imm >> 24 & 0xff)};
    return map_put_n(&b->seen, (const char *)key, sizeof key, 1);
}

/* Takes the list. */
static bool add_form(struct table_builder *b, struct recipe_form f, const struct insn *insn,
                     struct uop_list *list) {
    struct table_token *tokens = xcalloc(list->len + 1, sizeof *tokens);
    struct made_form m = {.form = f, .insn = *insn};
    bool fine = table_tokens(&b->layout, insn, list, tokens) || fails(b, insn);
    const struct general *g =
        fine && table_form_has_constant(insn->op) ? general_of(b, insn) : NULL;
    if (g && g->tokens && general_fits(g, insn->imm, tokens, list->len)) {
        m.form.constant = CONSTANT_BITS;
        m.form.shift = g->shift;
        m.form.imm = 0;
        memcpy(tokens, g->tokens, g->count * sizeof *tokens);
    }
    if (fine && is_new(b, &m.form)) {
        make_entries(b, tokens, list->len, &m.entries);
        m.list = *list;
        *list = (struct uop_list){0};
        vec_push(&b->forms, m);
    }
    free(tokens);
    return fine;
}

/* The masked form, where it is not the same list with predicates. */
static bool add_masked(struct table_builder *b, struct recipe_form f, const struct insn *insn,
                       struct uop_list *plain) {
    struct uop_list masked = {0}, derived = {0};
    bool fine = expand(b, insn, true, &masked, b->d);
    for (size_t i = 0; i < plain->len; i++)
        vec_push(&derived, plain->data[i]);
    put_mask(insn, &derived);
    if (fine && !same_list(&masked, &derived)) {
        f.masking = MASKING_ON;
        for (size_t i = 0; i < masked.len; i++)
            masked.data[i].predicate = PLANE(PLANE_NONE, 0, 0);
        fine = add_form(b, f, insn, &masked);
        f.masking = MASKING_OFF;
    }
    fine = fine && add_form(b, f, insn, plain);
    vec_free(&masked);
    vec_free(&derived);
    return fine;
}

static bool add_insn(struct table_builder *b, const struct insn *used) {
    bool constant = table_form_has_constant(used->op);
    struct recipe_form f = {.opcode = isa_info(used->op)->opcode,
                            .width = used->width,
                            .alias = table_form_alias(used),
                            .constant = constant ? CONSTANT_ONE : CONSTANT_NONE,
                            .imm = constant ? used->imm : 0};
    struct recipe_form asked = f;
    asked.masking = UINT8_MAX;
    if (!is_new(b, &asked))
        return true;
    struct insn insn = table_make_insn(used->op, used->width, f.alias, used->imm);
    struct uop_list list = {0};
    bool fine = expand(b, &insn, false, &list, b->d);
    if (fine && f.alias && alias_is_free(b, &insn, &list)) {
        f.alias = 0;
        insn = table_make_insn(used->op, used->width, 0, used->imm);
        fine = expand(b, &insn, false, &list, b->d);
    }
    fine = fine && add_masked(b, f, &insn, &list);
    vec_free(&list);
    return fine;
}

/* ---- the table ---- */

static int by_form(const void *a, const void *b) {
    return table_form_compare(&((const struct made_form *)a)->form,
                              &((const struct made_form *)b)->form);
}

/* All forms in order, one behind the other. */
static void join(struct table_builder *b, struct table_parts *p) {
    if (b->forms.len)
        qsort(b->forms.data, b->forms.len, sizeof *b->forms.data, by_form);
    p->forms = xcalloc(b->forms.len + 1, sizeof *p->forms);
    for (size_t i = 0; i < b->forms.len; i++) {
        const struct entry_list *l = &b->forms.data[i].entries;
        p->forms[p->form_count++] =
            (struct table_range){(uint32_t)p->entries.len, (uint32_t)l->len};
        for (size_t k = 0; k < l->len; k++)
            vec_push(&p->entries, l->data[k]);
    }
}

/* Entries [r->first, r->first + r->count) as templates [*first, *first + *count). */
static void range_words(const struct table_parts *p, const struct table_range *r, uint32_t *first,
                        uint32_t *count) {
    *first = *count = 0;
    for (uint32_t i = 0; i < r->first + r->count; i++)
        *(i < r->first ? first : count) += p->entries.data[i].words;
}

static struct recipe_table *lay_out(const struct table_builder *b, const struct table_parts *p) {
    struct recipe_table *table = xcalloc(1, sizeof *table);
    struct word_list words = {0};
    table->forms = xcalloc(p->form_count + 1, sizeof *table->forms);
    table->pointers = xcalloc(p->pointer_count + 1, sizeof *table->pointers);
    for (size_t i = 0; i < p->form_count; i++) {
        table->forms[i] = b->forms.data[i].form;
        table->forms[i].first = (uint32_t)words.len;
        for (uint32_t k = 0; k < p->forms[i].count; k++)
            table_entry_encode(&b->layout, &p->entries.data[p->forms[i].first + k], &words);
        table->forms[i].count = (uint32_t)words.len - table->forms[i].first;
    }
    for (size_t i = 0; i < p->pointer_count; i++) {
        uint32_t first, count;
        range_words(p, &p->pointers[i], &first, &count);
        table->pointers[i] = first << 10 | (count - 1);
    }
    table->form_count = p->form_count;
    table->pointer_count = p->pointer_count;
    table->templates = words.data;
    table->template_count = words.len;
    return table;
}

/* Expands every form again. */
static bool check(const struct table_builder *b, const struct recipe_table *table) {
    struct uop_list list = {0};
    bool same = true;
    for (size_t i = 0; same && i < b->forms.len; i++) {
        list.len = 0;
        same = !table_form_expand(table, &table->forms[i], &b->forms.data[i].insn, false, &list) &&
               same_list(&list, &b->forms.data[i].list);
    }
    vec_free(&list);
    return same;
}

static struct recipe_table *finish(struct table_builder *b) {
    struct table_parts parts = {.form_count = 0};
    const char *problem = NULL;
    join(b, &parts);
    table_share(&b->layout, &parts);
    struct recipe_table *table = lay_out(b, &parts);
    vec_free(&parts.entries);
    free(parts.forms);
    if (recipe_table_open(table, b->t, &problem) && check(b, table))
        return table;
    diag_error(b->d, NO_SPAN, "the recipe table for target '%s' cannot be used: %s", b->t->name,
               problem ? problem : "a recipe is not what it was made from");
    recipe_table_free(table);
    return NULL;
}

static void release(struct table_builder *b) {
    for (size_t i = 0; i < b->forms.len; i++) {
        vec_free(&b->forms.data[i].entries);
        vec_free(&b->forms.data[i].list);
    }
    for (size_t i = 0; i < b->generals.len; i++)
        free(b->generals.data[i].tokens);
    vec_free(&b->forms);
    vec_free(&b->generals);
    map_free(&b->seen);
    map_free(&b->general_ids);
}

struct recipe_table *recipe_table_build(const struct target *t, const struct recipe_set *s,
                                        const struct insn *insns, size_t count, struct diag *d) {
    struct table_builder b = {.t = t, .s = s, .d = d};
    bool fine = true;
    if (s)
        table_layout_make(t, &b.layout);
    for (size_t i = 0; s && fine && i < count; i++)
        if (isa_info(insns[i].op)->flags & ISA_VECTOR)
            fine = add_insn(&b, &insns[i]);
    struct recipe_table *table = fine ? finish(&b) : NULL;
    release(&b);
    return table;
}
