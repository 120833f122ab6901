/* SPDX-License-Identifier: MIT
 * Lists on the command line: --target, --set, --place and --size with several values make one run
 * for each combination. */
#include "tools/mpu-run/run.h"

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
    axis->values = ARENA_ARRAY(&o->arena, count + 1, const char *);
    for (;; text += n + 1) {
        n = value_length(text);
        if (n == 0)
            return false;
        axis->values[axis->count++] = arena_strndup(&o->arena, text, n);
        if (!text[n])
            break;
    }
    axis->values[axis->count] = NULL;
    return true;
}

static bool has_list(const struct run_axis *axes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (axes[i].count > 1)
            return true;
    return false;
}

bool run_is_sweep(const struct run_options *o) {
    return o->targets.len > 1 || o->places.len > 1 || has_list(o->set_axes.data, o->set_axes.len) ||
           has_list(o->size_axes.data, o->size_axes.len);
}

static void add_words(mpu_sweep *w, mpu_axis axis, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *const one[] = {words[i], NULL};
        mpu_sweep_add(w, axis, NULL, one, NULL);
    }
}

static void add_axes(mpu_sweep *w, mpu_axis axis, const struct run_axis *axes, size_t count) {
    for (size_t i = 0; i < count; i++)
        mpu_sweep_add(w, axis, axes[i].name, axes[i].values, NULL);
}

static void compare_items(mpu_sweep *w, const struct run_item *items, size_t count) {
    for (size_t i = 0; i < count; i++)
        mpu_sweep_compare(w, items[i].name);
}

/* What the options made sure of is not refused. */
void run_sweep_make(struct run_options *o) {
    o->sweep = mpu_sweep_new(o->messages);
    add_words(o->sweep, MPU_SWEEP_TARGET, o->targets.data, o->targets.len);
    add_axes(o->sweep, MPU_SWEEP_SET, o->set_axes.data, o->set_axes.len);
    add_words(o->sweep, MPU_SWEEP_PLACE, o->places.data, o->places.len);
    add_axes(o->sweep, MPU_SWEEP_SIZE, o->size_axes.data, o->size_axes.len);
    compare_items(o->sweep, o->out.data, o->out.len);
    compare_items(o->sweep, o->print.data, o->print.len);
    compare_items(o->sweep, o->expect.data, o->expect.len);
}
