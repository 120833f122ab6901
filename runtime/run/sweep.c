/* SPDX-License-Identifier: MIT
 * Lists on the command line: --target, --set, --place and --size with several values make one run
 * for each combination.  Targets come first, then the keys of --set, places, then sizes, each in
 * the order of the command line; the last changes fastest. */
#include "runtime/run/run.h"

#include <string.h>

/* The value ends at a comma outside of brackets and braces: lists in YAML have commas, too. */
static size_t value_length(const char *text) {
    size_t depth = 0, i = 0;
    for (; text[i] && (text[i] != ',' || depth); i++) {
        if (text[i] == '[' || text[i] == '{')
            depth++;
        else if ((text[i] == ']' || text[i] == '}') && depth)
            depth--;
    }
    return i;
}

bool run_axis_read(struct run_options *o, const char *text, struct run_axis *axis) {
    size_t n = value_length(text), count = 1;
    for (const char *t = text + n; *t; t += 1 + value_length(t + 1))
        count++;
    axis->values = ARENA_ARRAY(&o->arena, count, const char *);
    for (;; text += n + 1) {
        n = value_length(text);
        if (n == 0)
            return false;
        axis->values[axis->count++] = arena_strndup(&o->arena, text, n);
        if (!text[n])
            return true;
    }
}

static bool is_list(const struct run_axis *a) {
    return a->count > 1;
}

bool run_is_sweep(const struct run_options *o) {
    for (size_t i = 0; i < o->set_axes.len; i++)
        if (is_list(&o->set_axes.data[i]))
            return true;
    for (size_t i = 0; i < o->size_axes.len; i++)
        if (is_list(&o->size_axes.data[i]))
            return true;
    return o->targets.len > 1 || o->places.len > 1;
}

static uint64_t combinations(const struct run_axis *axes, size_t count) {
    uint64_t n = 1;
    for (size_t i = 0; i < count && n <= RUN_MAX_POINTS; i++)
        n *= axes[i].count;
    return n;
}

static uint64_t place_count(const struct run_options *o) {
    return o->places.len ? o->places.len : 1;
}

uint64_t run_point_count(const struct run_options *o) {
    uint64_t sets = combinations(o->set_axes.data, o->set_axes.len);
    uint64_t sizes = combinations(o->size_axes.data, o->size_axes.len);
    if (sets > RUN_MAX_POINTS || sizes > RUN_MAX_POINTS || o->targets.len > RUN_MAX_POINTS)
        return RUN_MAX_POINTS + 1;
    uint64_t n = o->targets.len * place_count(o) * sets * sizes; /* below 2^64 */
    return n > RUN_MAX_POINTS ? RUN_MAX_POINTS + 1 : n;
}

/* Picks one value of each axis; `number` counts combinations, the last axis fastest. */
static void pick(const struct run_axis *axes, size_t count, uint64_t number, const char **values) {
    for (size_t i = count; i-- > 0; number /= axes[i].count)
        values[i] = axes[i].values[number % axes[i].count];
}

void run_point_at(const struct run_options *o, uint64_t number, struct arena *arena,
                  struct run_point *p) {
    uint64_t sets = combinations(o->set_axes.data, o->set_axes.len);
    uint64_t sizes = combinations(o->size_axes.data, o->size_axes.len);
    uint64_t places = place_count(o), place = number / sizes % places;
    *p = (struct run_point){.sizes_number = number % sizes,
                            .set_values = ARENA_ARRAY(arena, o->set_axes.len, const char *),
                            .size_values = ARENA_ARRAY(arena, o->size_axes.len, const char *),
                            .target = o->targets.data[number / sizes / places / sets],
                            .place = o->places.len ? o->places.data[place] : NULL};
    pick(o->set_axes.data, o->set_axes.len, number / sizes / places % sets, p->set_values);
    pick(o->size_axes.data, o->size_axes.len, p->sizes_number, p->size_values);
    p->set = ARENA_ARRAY(arena, o->set_axes.len, struct target_override);
    p->sizes = ARENA_ARRAY(arena, o->size_axes.len, struct run_size);
    for (size_t i = 0; i < o->set_axes.len; i++)
        p->set[i] = (struct target_override){o->set_axes.data[i].name, p->set_values[i]};
    for (size_t i = 0; i < o->size_axes.len; i++) {
        p->sizes[i].name = o->size_axes.data[i].name;
        number_parse_u64(p->size_values[i], strlen(p->size_values[i]), &p->sizes[i].value);
    }
}

void run_each_setting(const struct run_options *o, const struct run_point *p,
                      void (*visit)(void *context, const char *name, const char *value, bool size),
                      void *context) {
    for (size_t i = 0; i < o->set_axes.len; i++)
        if (is_list(&o->set_axes.data[i]))
            visit(context, o->set_axes.data[i].name, p ? p->set_values[i] : NULL, false);
    for (size_t i = 0; i < o->size_axes.len; i++)
        if (is_list(&o->size_axes.data[i]))
            visit(context, o->size_axes.data[i].name, p ? p->size_values[i] : NULL, true);
}

static void name_setting(void *context, const char *name, const char *value, bool size) {
    (void)size;
    str_printf(context, ", %s=%s", name, value ? value : "");
}

const char *run_point_name(const struct run_options *o, const struct run_point *p,
                           const char *target, struct arena *arena) {
    struct str s = {0};
    str_append(&s, target);
    if (o->places.len > 1)
        str_printf(&s, ", place=%s", p->place);
    run_each_setting(o, p, name_setting, &s);
    const char *name = arena_strdup(arena, str_text(&s));
    str_free(&s);
    return name;
}

mpu_config run_point_config(const struct run_options *o, const struct run_point *p) {
    mpu_config config = o->config;
    config.place = p->place;
    return config;
}
