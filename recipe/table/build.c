/* SPDX-License-Identifier: MIT
 * From a program's instructions to its table. */
#include "recipe/table/forms.h"
#include "recipe/table/made.h"

#include "support/alloc.h"
#include "support/map.h"

#include <stdlib.h>

struct table_builder {
    const struct target *t;
    const struct recipe_set *s;
    struct diag *d;
    struct table_memory *memory;
    struct table_memory *luts; /* of forms of tables, whose numbers are the program's; or NULL */
    struct table_layout layout;
    struct map seen;
    VEC(const struct table_made_form *) forms;
};

static bool add_insn(struct table_builder *builder, const struct insn *insn) {
    struct table_made_forms made;
    bool own = isa_has_table(insn->op);
    if (own && !builder->luts)
        builder->luts = table_memory_new();
    if (!table_made_get(own ? builder->luts : builder->memory, &builder->layout, builder->s, insn,
                        &made, builder->d))
        return false;
    for (unsigned i = 0; i < made.count; i++) {
        const struct table_form_key key = table_form_key(&made.forms[i]->form);
        if (map_put_n(&builder->seen, (const char *)key.bytes, sizeof key.bytes, 1))
            vec_push(&builder->forms, made.forms[i]);
    }
    return true;
}

static int by_form(const void *left, const void *right) {
    const struct table_made_form *const *l = left, *const *r = right;
    return table_form_compare(&(*l)->form, &(*r)->form);
}

/* All forms in order, one behind the other. */
static void join(struct table_builder *builder, struct table_parts *parts) {
    if (builder->forms.len)
        qsort(builder->forms.data, builder->forms.len, sizeof *builder->forms.data, by_form);
    parts->forms = xcalloc(builder->forms.len + 1, sizeof *parts->forms);
    for (size_t i = 0; i < builder->forms.len; i++) {
        const struct entry_list *l = &builder->forms.data[i]->entries;
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
        table->forms[i] = builder->forms.data[i]->form;
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
        same = !table_form_expand(table, &table->forms[i], &builder->forms.data[i]->insn, false,
                                  &list) &&
               table_same_list(&list, &builder->forms.data[i]->list);
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
    map_free(&b.seen);
    table_memory_free(own);
    table_memory_free(b.luts);
    return table;
}
