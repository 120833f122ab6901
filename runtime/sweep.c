/* SPDX-License-Identifier: MIT
 * The runs of a sweep: one for each combination of its axes' values.  Targets come first, then
 * keys, places, then sizes, each in the order in which they were added; the last changes fastest.
 */
#include "runtime/sweep.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

mpu_sweep *mpu_sweep_new(mpu_messages *messages) {
    PUBLIC_ENTRY(NULL, NULL);
    mpu_sweep *w = xcalloc(1, sizeof *w);
    w->messages = messages;
    if (messages)
        diag_set_once(messages->d, true);
    return w;
}

void mpu_sweep_compare(mpu_sweep *w, const char *name) {
    PUBLIC_ENTRY_OF(w, NULL, );
    vec_push(&w->names, arena_strdup(&w->arena, name));
}

void mpu_sweep_set_command(mpu_sweep *w, const char *const *words, size_t count) {
    w->command = words;
    w->words = count;
}

/* ---- axes ---- */

static bool are_numbers(const char *const *values, size_t count) {
    uint64_t number;
    for (size_t i = 0; i < count; i++)
        if (!number_parse_u64(values[i], strlen(values[i]), &number))
            return false;
    return true;
}

/* Two lists for one name would make runs that are the same. */
static bool is_new(const struct sweep_axis *axes, size_t count, const char *name, size_t values) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(axes[i].name, name) == 0 && (axes[i].count > 1 || values > 1))
            return false;
    return true;
}

static struct sweep_axis copy_axis(mpu_sweep *w, const char *name, const char *const *values,
                                   size_t count) {
    struct sweep_axis x = {arena_strdup(&w->arena, name),
                           ARENA_ARRAY(&w->arena, count, const char *), count};
    for (size_t i = 0; i < count; i++)
        x.values[i] = arena_strdup(&w->arena, values[i]);
    return x;
}

/* NULL, or why there cannot be such an axis. */
static const char *refuse_axis(const mpu_sweep *w, mpu_axis axis, const char *name,
                               const char *const *values, size_t count) {
    bool named = axis == MPU_SWEEP_SET || axis == MPU_SWEEP_SIZE;
    if (w->program)
        return "an axis is added before the sweep begins";
    if (w->extras.len)
        return "an axis is added before runs that are made of all of them";
    if (count == 0)
        return "an axis has no values";
    if (named && !name)
        return "a key or a size has a name";
    if (axis == MPU_SWEEP_SET && !is_new(w->sets.data, w->sets.len, name, count))
        return "a key has two lists of values";
    if (axis == MPU_SWEEP_SIZE && !is_new(w->sizes.data, w->sizes.len, name, count))
        return "a size has two lists of values";
    if (axis == MPU_SWEEP_SIZE && !are_numbers(values, count))
        return "a value of a size is no number";
    return NULL;
}

mpu_result mpu_sweep_add(mpu_sweep *w, mpu_axis axis, const char *name, const char *const *values,
                         mpu_error **error) {
    PUBLIC_ENTRY_OF(w, error, MPU_CAPACITY);
    struct public_call c;
    size_t count = 0;
    while (values[count])
        count++;
    const char *why = refuse_axis(w, axis, name, values, count);
    public_call_begin(&c, w->messages, error);
    if (why)
        diag_error(c.d, NO_SPAN, "%s", why);
    else if (axis == MPU_SWEEP_SET)
        vec_push(&w->sets, copy_axis(w, name, values, count));
    else if (axis == MPU_SWEEP_SIZE)
        vec_push(&w->sizes, copy_axis(w, name, values, count));
    for (size_t i = 0; !why && i < count; i++) {
        if (axis == MPU_SWEEP_TARGET)
            vec_push(&w->targets, arena_strdup(&w->arena, values[i]));
        else if (axis == MPU_SWEEP_PLACE)
            vec_push(&w->places, arena_strdup(&w->arena, values[i]));
    }
    return public_call_end(&c, why ? MPU_USAGE : MPU_OK);
}

/* ---- points ---- */

static bool is_list(const struct sweep_axis *axis) {
    return axis->count > 1;
}

static uint64_t combinations(const struct sweep_axis *axes, size_t count) {
    uint64_t n = 1;
    for (size_t i = 0; i < count && n <= MPU_SWEEP_MAX; i++)
        n *= axes[i].count;
    return n;
}

static uint64_t place_count(const mpu_sweep *w) {
    return w->places.len ? w->places.len : 1;
}

uint64_t sweep_base_count(const mpu_sweep *w) {
    uint64_t sets = combinations(w->sets.data, w->sets.len);
    uint64_t sizes = combinations(w->sizes.data, w->sizes.len);
    if (sets > MPU_SWEEP_MAX || sizes > MPU_SWEEP_MAX || w->targets.len > MPU_SWEEP_MAX ||
        place_count(w) > MPU_SWEEP_MAX)
        return MPU_SWEEP_MAX + 1;
    uint64_t n = w->targets.len * place_count(w) * sets * sizes; /* below 2^64 */
    return n > MPU_SWEEP_MAX ? MPU_SWEEP_MAX + 1 : n;
}

uint64_t mpu_sweep_count(const mpu_sweep *w) {
    uint64_t n = sweep_base_count(w) + w->extras.len;
    return n > MPU_SWEEP_MAX ? MPU_SWEEP_MAX + 1 : n;
}

/* Picks one value of each axis; `number` counts combinations, the last axis fastest. */
static void pick(const struct sweep_axis *axes, size_t count, uint64_t number,
                 const char **values) {
    for (size_t i = count; i-- > 0; number /= axes[i].count)
        values[i] = axes[i].values[number % axes[i].count];
}

/* The changes of the axes, and one more. */
static void list_changes(mpu_sweep *w, struct sweep_point *point) {
    point->set = ARENA_ARRAY(&w->arena, w->sets.len + 1, struct target_override);
    for (size_t i = 0; i < w->sets.len; i++)
        point->set[i] = (struct target_override){w->sets.data[i].name, point->set_values[i]};
    point->set_count = w->sets.len;
    if (point->extra)
        point->set[point->set_count++] =
            (struct target_override){point->extra->key, point->extra->value};
}

void sweep_point_at(mpu_sweep *w, uint64_t number, struct sweep_point *point) {
    uint64_t sets = combinations(w->sets.data, w->sets.len);
    uint64_t sizes = combinations(w->sizes.data, w->sizes.len);
    uint64_t base = sweep_base_count(w);
    const struct sweep_extra *extra = number < base ? NULL : &w->extras.data[number - base];
    uint64_t at = extra ? extra->base : number;
    uint64_t places = place_count(w), place = at / sizes % places;
    *point = (struct sweep_point){.sizes_number = at % sizes,
                                  .extra = extra,
                                  .machine = extra ? number : at / sizes / places,
                                  .set_values = ARENA_ARRAY(&w->arena, w->sets.len, const char *),
                                  .size_values = ARENA_ARRAY(&w->arena, w->sizes.len, const char *),
                                  .target = w->targets.data[at / sizes / places / sets],
                                  .place = w->places.len ? w->places.data[place] : NULL};
    pick(w->sets.data, w->sets.len, at / sizes / places % sets, point->set_values);
    pick(w->sizes.data, w->sizes.len, point->sizes_number, point->size_values);
    list_changes(w, point);
}

static const char *named_value(const struct sweep_axis *axes, size_t count, uint64_t number,
                               const char *name) {
    for (size_t i = count; i-- > 0; number /= axes[i].count)
        if (strcmp(axes[i].name, name) == 0)
            return axes[i].values[number % axes[i].count];
    return NULL;
}

const char *mpu_sweep_value(const mpu_sweep *w, uint64_t index, mpu_axis axis, const char *name) {
    uint64_t sets = combinations(w->sets.data, w->sets.len);
    uint64_t sizes = combinations(w->sizes.data, w->sizes.len);
    uint64_t base = sweep_base_count(w);
    const struct sweep_extra *extra = index < base ? NULL : &w->extras.data[index - base];
    index = extra ? extra->base : index;
    uint64_t place = index / sizes % place_count(w), machine = index / sizes / place_count(w);
    if (extra && axis == MPU_SWEEP_SET && strcmp(extra->key, name) == 0)
        return extra->value;
    switch (axis) {
    case MPU_SWEEP_TARGET:
        return w->targets.data[machine / sets];
    case MPU_SWEEP_PLACE:
        return w->places.len ? w->places.data[place] : NULL;
    case MPU_SWEEP_SET:
        return named_value(w->sets.data, w->sets.len, machine % sets, name);
    default:
        return named_value(w->sizes.data, w->sizes.len, index % sizes, name);
    }
}

void sweep_each_setting(const mpu_sweep *w, const struct sweep_point *point,
                        void (*visit)(void *context, const char *name, const char *value,
                                      bool size),
                        void *context) {
    for (size_t i = 0; i < w->sets.len; i++)
        if (is_list(&w->sets.data[i]))
            visit(context, w->sets.data[i].name, point ? point->set_values[i] : NULL, false);
    for (size_t i = 0; i < w->sizes.len; i++)
        if (is_list(&w->sizes.data[i]))
            visit(context, w->sizes.data[i].name, point ? point->size_values[i] : NULL, true);
}

static void name_setting(void *context, const char *name, const char *value, bool size) {
    (void)size;
    str_printf(context, ", %s=%s", name, value ? value : "");
}

const char *sweep_point_name(mpu_sweep *w, const struct sweep_point *point, const char *target) {
    struct str s = {0};
    str_append(&s, target);
    if (w->places.len > 1)
        str_printf(&s, ", place=%s", point->place);
    sweep_each_setting(w, point, name_setting, &s);
    if (point->extra)
        str_printf(&s, ", %s=%s", point->extra->key, point->extra->value);
    const char *name = arena_strdup(&w->arena, str_text(&s));
    str_free(&s);
    return name;
}

bool sweep_is_plain(const mpu_sweep *w) {
    return sweep_base_count(w) == w->targets.len;
}
