/* SPDX-License-Identifier: MIT
 * Where time and energy of each run went, as columns of a sweep's CSV. */
#include "runtime/sweep.h"

#include <string.h>

static const char *const part_keys[SWEEP_PARTS] = {"time_ps", "cycles", "micro_ops", "energy_fj"};

/* ---- a record ---- */

static void take_figure(mpu_sweep *w, const struct figure *x, struct sweep_component *c) {
    if (x->kind == FIGURE_TEXT && strcmp(x->key, "component") == 0)
        c->name = arena_strdup(&w->arena, x->text);
    for (unsigned k = 0; k < SWEEP_PARTS; k++) {
        if (strcmp(x->key, part_keys[k]) != 0)
            continue;
        c->applies[k] = x->kind != FIGURE_NONE;
        c->known[k] = x->kind == FIGURE_NUMBER;
        c->value[k] = x->number;
    }
}

/* The index behind the key of the list; 0: there is none. */
static size_t find_list(const struct figures *figures, const char *key) {
    for (size_t i = 0; i < figures->list.len; i++) {
        const struct figure *x = &figures->list.data[i];
        if (x->kind == FIGURE_ARRAY && x->key && strcmp(x->key, key) == 0)
            return i + 1;
    }
    return 0;
}

void sweep_components_take(mpu_sweep *w, const struct figures *figures,
                           struct sweep_record *record) {
    VEC(struct sweep_component) list = {0};
    const struct figure *all = figures->list.data;
    for (size_t i = find_list(figures, "by_component"); i && all[i].kind == FIGURE_OBJECT; i++) {
        struct sweep_component c = {0};
        for (i++; all[i].kind != FIGURE_END; i++)
            take_figure(w, &all[i], &c);
        vec_push(&list, c);
    }
    record->components = ARENA_ARRAY(&w->arena, list.len + 1, struct sweep_component);
    record->component_count = list.len;
    if (list.len)
        memcpy(record->components, list.data, list.len * sizeof *list.data);
    vec_free(&list);
}

/* ---- the columns of all ---- */

static const struct sweep_component *find(const struct sweep_record *record, const char *name) {
    for (size_t i = 0; i < record->component_count; i++)
        if (strcmp(record->components[i].name, name) == 0)
            return &record->components[i];
    return NULL;
}

/* No record before `end` has the component. */
static bool is_first(const mpu_sweep *w, size_t end, const char *name) {
    for (size_t i = 0; i < end; i++)
        if (find(&w->records.data[i], name))
            return false;
    return true;
}

static bool applies(const mpu_sweep *w, const char *name, unsigned part) {
    for (size_t i = 0; i < w->records.len; i++) {
        const struct sweep_component *c = find(&w->records.data[i], name);
        if (c && c->applies[part])
            return true;
    }
    return false;
}

/* Visits each column: components as the first record has them, then what others have beside. */
static void each_column(const mpu_sweep *w,
                        void (*visit)(const char *name, unsigned part,
                                      const struct sweep_record *record, struct str *out),
                        const struct sweep_record *record, struct str *out) {
    for (size_t i = 0; i < w->records.len; i++) {
        const struct sweep_record *r = &w->records.data[i];
        for (size_t k = 0; k < r->component_count; k++)
            for (unsigned part = 0; part < SWEEP_PARTS; part++)
                if (is_first(w, i, r->components[k].name) &&
                    applies(w, r->components[k].name, part))
                    visit(r->components[k].name, part, record, out);
    }
}

static void column_name(const char *name, unsigned part, const struct sweep_record *record,
                        struct str *out) {
    (void)record;
    str_printf(out, ",%s_%s", name, part_keys[part]);
}

static void column_value(const char *name, unsigned part, const struct sweep_record *record,
                         struct str *out) {
    const struct sweep_component *c = find(record, name);
    str_char(out, ',');
    if (c && c->known[part])
        str_u64(out, c->value[part]);
}

void sweep_components_names(const mpu_sweep *w, struct str *out) {
    each_column(w, column_name, NULL, out);
}

void sweep_components_values(const mpu_sweep *w, const struct sweep_record *record,
                             struct str *out) {
    each_column(w, column_value, record, out);
}
