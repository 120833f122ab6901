/* SPDX-License-Identifier: MIT
 * From a program's instructions to its table. */
#include "recipe/table/forms.h"
#include "recipe/table/made.h"

#include "support/alloc.h"
#include "support/map.h"

#include <stdlib.h>
#include <string.h>

struct form_list {
    const struct table_made_form **data;
    size_t len, cap; /* works with vec_push and vec_free */
};

struct table_builder {
    const struct target *t;
    const struct recipe_set *s;
    struct diag *d;
    struct table_memory *memory;
    struct table_memory *luts; /* of forms of tables, whose numbers are the program's; or NULL */
    struct table_layout layout;
    struct map seen;
    struct form_list forms, own; /* all others; those that are made for one immediate */
};

/* Those of constants go where there is room for them. */
static struct table_memory *memory_for(struct table_builder *builder, const struct insn *insn) {
    bool lut = isa_has_table(insn->op);
    if (!lut &&
        !(table_form_has_immediate(insn->op) && table_memory_has_constants(builder->memory)))
        return builder->memory;
    if (!builder->luts)
        builder->luts = table_memory_new();
    return builder->luts;
}

static bool add_insn(struct table_builder *builder, const struct insn *insn) {
    struct table_made_forms made;
    if (!table_made_get(memory_for(builder, insn), builder->memory, &builder->layout, builder->s,
                        insn, &made, builder->d))
        return false;
    for (unsigned i = 0; i < made.count; i++) {
        const struct table_made_form *form = made.forms[i];
        const struct table_form_key key = table_form_key(&form->form);
        bool own = form->form.constant == CONSTANT_ONE && table_form_has_immediate(insn->op);
        struct form_list *list = own ? &builder->own : &builder->forms;
        if (map_put_n(&builder->seen, (const char *)key.bytes, sizeof key.bytes, 1))
            vec_push(list, form);
    }
    return true;
}

static int by_form(const void *left, const void *right) {
    const struct table_made_form *const *l = left, *const *r = right;
    return table_form_compare(&(*l)->form, &(*r)->form);
}

/* All forms in order, one behind the other. */
static void join(struct form_list *forms, struct table_parts *parts) {
    if (forms->len)
        qsort(forms->data, forms->len, sizeof *forms->data, by_form);
    parts->forms = xcalloc(forms->len + 1, sizeof *parts->forms);
    for (size_t i = 0; i < forms->len; i++) {
        const struct entry_list *l = &forms->data[i]->entries;
        parts->forms[parts->form_count++] =
            (struct table_range){(uint32_t)parts->entries.len, (uint32_t)l->len};
        for (size_t k = 0; k < l->len; k++)
            vec_push(&parts->entries, l->data[k]);
    }
}

/* ---- laying out ---- */

/* Entries [r->first, r->first + r->count) as templates [*first, *first + *count). */
static void range_words(const struct table_parts *parts, const struct table_range *range,
                        uint32_t *first, uint32_t *count) {
    *first = parts->before;
    *count = 0;
    for (uint32_t i = 0; i < range->first + range->count; i++)
        *(i < range->first ? first : count) += parts->entries.data[i].words;
}

/* Appends the templates of the parts, and their forms. */
static void lay_out_forms(const struct table_builder *builder, const struct table_parts *parts,
                          const struct form_list *forms, struct recipe_table *table) {
    struct word_list words = {table->templates, table->template_count, table->template_count};
    for (size_t i = 0; i < parts->form_count; i++) {
        struct recipe_form *form = &table->forms[table->form_count++];
        *form = forms->data[i]->form;
        form->first = (uint32_t)words.len;
        for (uint32_t k = 0; k < parts->forms[i].count; k++)
            table_entry_encode(&builder->layout, &parts->entries.data[parts->forms[i].first + k],
                               &words);
        form->count = (uint32_t)words.len - form->first;
    }
    table->templates = words.data;
    table->template_count = words.len;
}

static void lay_out_pointers(const struct table_parts *parts, struct recipe_table *table) {
    for (size_t i = parts->given; i < parts->pointer_count; i++) {
        uint32_t first, count;
        range_words(parts, &parts->pointers[i], &first, &count);
        table->pointers[table->pointer_count++] = first << 10 | (count - 1);
    }
}

static struct recipe_table *table_new(size_t forms) {
    struct recipe_table *table = xcalloc(1, sizeof *table);
    table->forms = xcalloc(forms + 1, sizeof *table->forms);
    table->pointers = xcalloc(TABLE_POINTERS, sizeof *table->pointers);
    return table;
}

static int by_key(const void *left, const void *right) {
    return table_form_compare(left, right);
}

/* Expands the forms again. */
static bool check(const struct form_list *forms, const struct recipe_table *table) {
    struct uop_list list = {0};
    bool same = true;
    for (size_t i = 0; same && i < forms->len; i++) {
        const struct recipe_form *form = bsearch(&forms->data[i]->form, table->forms,
                                                 table->form_count, sizeof *table->forms, by_key);
        list.len = 0;
        same = form && !table_form_expand(table, form, &forms->data[i]->insn, false, &list) &&
               table_same_list(&list, &forms->data[i]->list);
    }
    vec_free(&list);
    return same;
}

static void report(const struct table_builder *builder, const char *problem) {
    diag_error(builder->d, NO_SPAN, "the recipe table for target '%s' cannot be used: %s",
               builder->t->name, problem ? problem : "a recipe is not what it was made from");
}

/* ---- the forms that any immediate leaves as they are ---- */

static void put_key(const struct form_list *forms, struct str *key) {
    for (size_t i = 0; i < forms->len; i++) {
        const struct table_form_key form = table_form_key(&forms->data[i]->form);
        str_append_n(key, (const char *)form.bytes, sizeof form.bytes);
    }
}

static struct table_base *make_base(struct table_builder *builder) {
    struct table_base *base = table_base_new();
    const char *problem = NULL;
    join(&builder->forms, &base->parts);
    table_share(&builder->layout, &base->parts);
    base->table = table_new(builder->forms.len);
    lay_out_forms(builder, &base->parts, &builder->forms, base->table);
    lay_out_pointers(&base->parts, base->table);
    if (recipe_table_open(base->table, builder->t, &problem) && check(&builder->forms, base->table))
        return base;
    report(builder, problem);
    table_base_drop(base);
    return NULL;
}

/* Forms of tables have numbers of one program. */
static struct table_base *base_of(struct table_builder *builder) {
    struct str key = {0};
    bool lasts = builder->s != NULL;
    if (builder->forms.len)
        qsort(builder->forms.data, builder->forms.len, sizeof *builder->forms.data, by_form);
    for (size_t i = 0; i < builder->forms.len; i++)
        lasts &= !isa_has_table(builder->forms.data[i]->insn.op);
    put_key(&builder->forms, &key);
    struct table_base *base = lasts ? table_memory_base(builder->memory, &key) : NULL;
    if (!base && (base = make_base(builder)) != NULL && lasts)
        table_memory_put_base(builder->memory, &key, base);
    str_free(&key);
    return base;
}

/* ---- all of it ---- */

/* A copy with room behind it. */
static struct recipe_table *table_behind(const struct recipe_table *base, size_t forms) {
    struct recipe_table *table = table_new(base->form_count + forms);
    table->form_count = base->form_count;
    table->pointer_count = base->pointer_count;
    table->template_count = base->template_count;
    table->templates = xcalloc(base->template_count + 1, sizeof *table->templates);
    memcpy(table->forms, base->forms, base->form_count * sizeof *base->forms);
    memcpy(table->pointers, base->pointers, base->pointer_count * sizeof *base->pointers);
    if (base->template_count)
        memcpy(table->templates, base->templates, base->template_count * sizeof *base->templates);
    return table;
}

static struct recipe_table *finish(struct table_builder *builder) {
    struct table_base *base = base_of(builder);
    struct table_parts parts = {.form_count = 0};
    const char *problem = NULL;
    if (!base)
        return NULL;
    join(&builder->own, &parts);
    table_share_behind(&builder->layout, &base->parts, &parts);
    struct recipe_table *table = table_behind(base->table, builder->own.len);
    lay_out_forms(builder, &parts, &builder->own, table);
    lay_out_pointers(&parts, table);
    qsort(table->forms, table->form_count, sizeof *table->forms, by_key);
    vec_free(&parts.entries);
    free(parts.forms);
    bool fine =
        table_open_behind(table, base->table, builder->t, &problem) && check(&builder->own, table);
    table_base_drop(base);
    if (fine)
        return table;
    report(builder, problem);
    recipe_table_free(table);
    return NULL;
}

struct recipe_table *recipe_table_build(const struct target *target, const struct recipe_set *set,
                                        const struct insn *insns, size_t count, struct diag *diag) {
    struct table_builder b = {.t = target, .s = set, .d = diag};
    struct table_memory *own = NULL;
    bool fine = true;
    if (set) {
        table_layout_make(target, &b.layout);
        if (target != set->target || table_memory_full(set->made))
            own = table_memory_new();
        b.memory = own ? own : set->made;
    }
    for (size_t i = 0; set && fine && i < count; i++)
        if (isa_info(insns[i].op)->flags & ISA_VECTOR)
            fine = add_insn(&b, &insns[i]);
    struct recipe_table *table = fine ? finish(&b) : NULL;
    vec_free(&b.forms);
    vec_free(&b.own);
    map_free(&b.seen);
    table_memory_free(own);
    table_memory_free(b.luts);
    return table;
}
