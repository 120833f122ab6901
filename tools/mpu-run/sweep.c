/* SPDX-License-Identifier: MIT
 * Lists on the command line: --target, --set, --place and --size with several values make one run
 * for each combination, and one table. */
#include "tools/mpu-run/run.h"

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

/* ---- runs ---- */

static bool wants_json(const struct run_options *o) {
    for (size_t i = 0; i < o->stats.len; i++)
        if (strcmp(o->stats.data[i].format, "json") == 0)
            return true;
    return false;
}

/* How far the runs are. */
struct progress {
    mpu_result worst; /* the first failure */
    bool give_up;     /* inputs are the same everywhere: these were wrong */
    bool ran;         /* the program was started in some run */
};

/* Files, prints and expectations are those of the first run: the others are compared with it. */
static mpu_result use_session(struct run_options *o, const mpu_program *p, mpu_session *s,
                              struct progress *x) {
    const mpu_target *t = mpu_sweep_target(o->sweep);
    bool first = mpu_sweep_done(o->sweep) == 0;
    mpu_result r = run_session_fill(o, p, true, s);
    x->give_up = r != MPU_OK;
    if (r == MPU_OK)
        r = run_session_filled(o, t, s);
    r = mpu_sweep_take(o->sweep, r, NULL);
    x->ran |= mpu_session_end(s) != NULL;
    return r == MPU_OK && first ? run_results(o, s) : r;
}

static mpu_result run_on(struct run_options *o, const mpu_program *p, uint64_t number,
                         struct progress *x) {
    mpu_error *e = NULL;
    mpu_session *s = mpu_sweep_open(o->sweep, number, &e);
    if (!s)
        return run_code(e);
    mpu_result r = use_session(o, p, s, x);
    mpu_sweep_close(o->sweep, x->give_up ? MPU_OK : r);
    return r;
}

static void fail(struct progress *x, mpu_result r) {
    if (x->worst == MPU_OK)
        x->worst = r;
}

static void show_table(const struct run_options *o, const struct run_stats *stats,
                       struct progress *x) {
    mpu_error *e = NULL;
    char *text = mpu_sweep_table(o->sweep, stats->format, &e);
    fail(x, text ? run_write_file(o, stats->file, text) : run_code(e));
    mpu_string_free(text);
}

static void show(const struct run_options *o, struct progress *x) {
    static const struct run_stats plain = {"text", "-"};
    if (o->stats.len == 0)
        show_table(o, &plain, x);
    for (size_t i = 0; i < o->stats.len; i++)
        show_table(o, &o->stats.data[i], x);
}

static bool interrupted(const struct run_options *o) {
    return o->config.interrupted && *o->config.interrupted;
}

mpu_result run_sweep(struct run_options *o, const mpu_program *p, const char *const *command,
                     size_t words) {
    struct progress x = {.worst = MPU_OK};
    mpu_sweep_set_command(o->sweep, command, words);
    mpu_result r = mpu_sweep_begin(o->sweep, p, &o->config, wants_json(o), NULL);
    if (r != MPU_OK)
        return r;
    for (uint64_t i = 0; i < mpu_sweep_count(o->sweep) && !x.give_up && !interrupted(o); i++) {
        fail(&x, run_on(o, p, i, &x));
        /* It was said for the first run. */
        mpu_messages_set_warning(o->messages, "no-uninitialized");
    }
    if (mpu_sweep_differs(o->sweep))
        fail(&x, MPU_DIFFERS);
    if (x.ran)
        show(o, &x);
    return x.worst;
}
