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

bool run_axis_read(struct run_options *options, const char *text, struct run_axis *axis) {
    size_t n = value_length(text), count = 1;
    for (const char *t = text + n; *t; t += 1 + value_length(t + 1))
        count++;
    axis->values = ARENA_ARRAY(&options->arena, count + 1, const char *);
    for (;; text += n + 1) {
        n = value_length(text);
        if (n == 0)
            return false;
        axis->values[axis->count++] = arena_strndup(&options->arena, text, n);
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

bool run_has_lists(const struct run_options *options) {
    return options->targets.len > 1 || options->places.len > 1 ||
           has_list(options->set_axes.data, options->set_axes.len) ||
           has_list(options->size_axes.data, options->size_axes.len);
}

bool run_is_sweep(const struct run_options *options) {
    return options->sensitivity || run_has_lists(options);
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
void run_sweep_make(struct run_options *options) {
    options->sweep = mpu_sweep_new(options->messages);
    add_words(options->sweep, MPU_SWEEP_TARGET, options->targets.data, options->targets.len);
    add_axes(options->sweep, MPU_SWEEP_SET, options->set_axes.data, options->set_axes.len);
    add_words(options->sweep, MPU_SWEEP_PLACE, options->places.data, options->places.len);
    add_axes(options->sweep, MPU_SWEEP_SIZE, options->size_axes.data, options->size_axes.len);
    compare_items(options->sweep, options->out.data, options->out.len);
    compare_items(options->sweep, options->print.data, options->print.len);
    compare_items(options->sweep, options->expect.data, options->expect.len);
}

mpu_result run_sweep_extend(const struct run_options *options) {
    if (options->sensitivity)
        return mpu_sweep_add_sensitivity(options->sweep, options->sensitivity, NULL);
    if (options->no_iso_area)
        return MPU_OK;
    return mpu_sweep_add_area(options->sweep, options->iso_area_um2, NULL);
}
