/* SPDX-License-Identifier: MIT */
#include "runtime/run/run.h"

#include "support/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int run_exit_code(mpu_result r) {
    switch (r) {
    case MPU_OK:
        return EXIT_DONE;
    case MPU_USAGE:
        return EXIT_USAGE;
    case MPU_FILE:
        return EXIT_FILE;
    case MPU_STOPPED:
        return EXIT_STOPPED;
    default:
        return EXIT_REJECTED;
    }
}

/* The line that overwrites itself makes room. */
static void clear_line(struct run_console *c) {
    if (!c->shown)
        return;
    fprintf(c->terminal, "\r\033[K");
    fflush(c->terminal);
    c->shown = false;
}

static void print_line(void *context, const char *line) {
    struct run_console *c = context;
    clear_line(c);
    fprintf(c->out, "%s\n", line);
}

static void progress_line(void *context, uint64_t seconds, uint64_t ensembles, uint64_t cycles) {
    struct run_console *c = context;
    fprintf(c->terminal, "\r\033[Kmpu-run: %llu s, %llu ensemble%s, %llu cycles",
            (unsigned long long)seconds, (unsigned long long)ensembles, ensembles == 1 ? "" : "s",
            (unsigned long long)cycles);
    fflush(c->terminal);
    c->shown = true;
}

/* What a program did that stopped before its end. */
static void so_far(mpu_session *s, struct diag *d) {
    uint64_t instructions = 0, ps = 0;
    if (mpu_session_figure(s, "total.instructions", &instructions) != MPU_OK)
        return;
    if (mpu_session_figure(s, "total.time_ps", &ps) == MPU_OK)
        diag_note(d, NO_SPAN, "so far: %llu instructions in %llu ps of the machine's time",
                  (unsigned long long)instructions, (unsigned long long)ps);
    else
        diag_note(d, NO_SPAN, "so far: %llu instructions", (unsigned long long)instructions);
}

static bool suffixes_known(const struct run_options *o, struct diag *d) {
    for (size_t i = 0; i < o->out.len; i++)
        if (strcmp(o->out.data[i].value, "-") != 0 && !run_suffix_known(o->out.data[i].value, d))
            return false;
    return true;
}

/* It is a name, and of something that can be read behind the run. */
static bool name_readable(const mpu_session *s, const char *name, struct diag *d) {
    struct place_name p;
    return place_name_parse(s->object, name, &p, d) && consumed_will_be_readable(s, &p, d);
}

/* Names are checked before a run that may be long. */
static bool names_known(const struct run_options *o, const mpu_session *s, struct diag *d) {
    for (size_t i = 0; i < o->out.len; i++)
        if (!name_readable(s, o->out.data[i].name, d))
            return false;
    for (size_t i = 0; i < o->print.len; i++)
        if (!name_readable(s, o->print.data[i].name, d))
            return false;
    for (size_t i = 0; i < o->expect.len; i++)
        if (!name_readable(s, o->expect.data[i].name, d))
            return false;
    return suffixes_known(o, d);
}

static void want(mpu_session *s, const char *name) {
    uint32_t i = object_find_variable(s->object, name);
    if (i != NO_INDEX)
        s->unwanted[i] = 0;
}

/* Outputs, lengths and what the command line names is what anybody gets. */
static void say_what_is_wanted(const struct run_options *o, mpu_session *s) {
    for (uint32_t i = 0; i < s->object->vars.len; i++)
        s->unwanted[i] = !(s->object->vars.data[i].direction & VAR_OUT);
    for (uint32_t i = 0; i < s->object->vars.len; i++)
        if (object_length_of(s->object, i) != NO_INDEX)
            s->unwanted[object_length_of(s->object, i)] = 0;
    for (size_t i = 0; i < o->out.len; i++)
        want(s, o->out.data[i].name);
    for (size_t i = 0; i < o->print.len; i++)
        want(s, o->print.data[i].name);
    for (size_t i = 0; i < o->expect.len; i++)
        want(s, o->expect.data[i].name);
}

mpu_result run_session_fill(const struct run_options *o, const struct run_point *p, mpu_session *s,
                            struct diag *d) {
    mpu_result r = names_known(o, s, d) ? MPU_OK : MPU_USAGE;
    for (size_t i = 0; r == MPU_OK && i < o->size_axes.len; i++)
        r = session_bind_diag(s, p->sizes[i].name, p->sizes[i].value, d);
    say_what_is_wanted(o, s);
    return r == MPU_OK ? run_inputs(o, s, d) : r;
}

/* After a run that ended by itself: outputs, then what was expected of them. */
mpu_result run_results(const struct run_options *o, mpu_session *s, struct diag *d, FILE *out) {
    struct run_fetched fetched = {.s = s};
    mpu_result r = run_outputs(o, &fetched, d, out);
    if (r == MPU_OK)
        r = run_prints(o, &fetched, d, out);
    r = r == MPU_OK ? run_expects(o, &fetched, d) : r;
    run_fetched_free(&fetched);
    return r;
}

/* -v: where the program lies. */
static void say_package(const struct run_options *o, const mpu_session *s) {
    tool_say(o->cl, "packaged for target '%s': %u MPU%s, %zu VRF%s of groups, %zu fixed VRF%s",
             s->target->t->name, COUNTED(s->package->mpus), s->package->placement_count,
             s->package->placement_count == 1 ? "" : "s", (size_t)s->package->fixed_count,
             s->package->fixed_count == 1 ? "" : "s");
    if (in_rounds(s))
        tool_say(o->cl, "the program runs in %llu rounds", (unsigned long long)s->package->rounds);
}

static void say_program(const struct run_options *o, const mpu_program *p) {
    const struct object *x = p->object;
    for (size_t i = 0; i < o->programs.len; i++)
        tool_say(o->cl, "read '%s'", o->programs.data[i]);
    tool_say(o->cl, "program: %zu instruction%s, %zu variable%s, %zu size%s", x->text.len,
             x->text.len == 1 ? "" : "s", x->vars.len, x->vars.len == 1 ? "" : "s", x->sizes.len,
             x->sizes.len == 1 ? "" : "s");
}

mpu_result run_session_filled(const struct run_options *o, mpu_session *s, struct diag *d,
                              FILE *out) {
    struct run_observers observers;
    mpu_result r = session_prepare(s, d), files;
    if (r != MPU_OK)
        return r;
    say_package(o, s);
    r = run_observers_open(o, s, &observers, d, out);
    if (r != MPU_OK)
        return r;
    r = session_run_diag(s, d);
    clear_line(s->config.print_context);
    if (r == MPU_STOPPED || r == MPU_DIFFERS)
        so_far(s, d);
    files = run_observers_close(o, s, &observers, d);
    return r == MPU_OK ? files : r;
}

static mpu_result run_session(const struct run_options *o, const struct run_point *p,
                              mpu_session *s, struct diag *d, FILE *out) {
    mpu_result r = run_session_fill(o, p, s, d);
    if (r == MPU_OK)
        r = run_session_filled(o, s, d, out);
    mpu_result after = r == MPU_OK ? run_results(o, s, d, out) : r;
    if (s->control) {
        mpu_result stats = run_statistics(o, s, d, out);
        after = after == MPU_OK ? stats : after;
    }
    return after;
}

/* COLUMNS, which shells keep and a user may set, before what the terminal says of itself. */
static unsigned terminal_columns(FILE *out) {
    const char *given = getenv("COLUMNS");
    uint64_t columns = 0;
    struct winsize size;
    if (out != stdout || !isatty(STDOUT_FILENO))
        return 0;
    if (given && number_parse_u64(given, strlen(given), &columns) && columns > 0 && columns < 10000)
        return (unsigned)columns;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

void run_configure(struct run_options *o, const volatile int *interrupted, FILE *out) {
    bool log_shown = (o->watching.log_insns || o->watching.log_uops) && !o->watching.log_file;
    o->console = (struct run_console){.out = out, .terminal = stderr};
    o->columns = terminal_columns(out);
    o->config.print = print_line;
    o->config.print_context = &o->console;
    o->config.interrupted = interrupted;
    if (isatty(STDERR_FILENO) && !log_shown) {
        o->config.progress = progress_line;
        o->config.progress_context = &o->console;
    }
}

static mpu_result run_once(const struct run_options *o, const struct run_point *point,
                           const mpu_program *p, const mpu_target *t, const char *const *command,
                           size_t words, struct diag *d, FILE *out) {
    mpu_session *s;
    mpu_config config = run_point_config(o, point);
    mpu_result r = session_new_diag(p, t, &config, d, &s);
    if (r != MPU_OK)
        return r;
    s->command = command;
    s->command_count = words;
    r = run_session(o, point, s, d, out);
    mpu_session_free(s);
    return r;
}

/* Before the program is read, and before anything runs: a wrong name or value costs nothing. */
static mpu_result try_targets(const struct run_options *o, struct diag *d) {
    mpu_result worst = MPU_OK;
    struct run_point p;
    struct arena arena = {0};
    for (uint64_t i = 0; i < run_point_count(o) && !diag_full(d); i++) {
        mpu_target *t;
        run_point_at(o, i, &arena, &p);
        if (p.sizes_number) /* the same target with the same settings */
            continue;
        mpu_result r = target_open_diag(p.target, p.set, o->set_axes.len, d, &t);
        if (r == MPU_OK)
            mpu_target_close(t);
        worst = worst == MPU_OK ? r : worst;
    }
    arena_free(&arena);
    return worst;
}

mpu_result run_load(const struct run_options *o, struct diag *d, mpu_program **out) {
    struct run_defines defines = {0};
    mpu_result r = run_defines_find(o, &defines, d);
    const struct program_source source = {defines.items.data, defines.items.len, o->entry};
    if (r == MPU_OK)
        r = program_load_diag(o->programs.data, o->programs.len, &source, d, out);
    run_defines_free(&defines);
    return r;
}

static mpu_result load_program(const struct run_options *o, struct diag *d, mpu_program **out) {
    mpu_result r = run_load(o, d, out);
    if (r == MPU_OK)
        say_program(o, *out);
    return r;
}

static mpu_result run_sweep(const struct run_options *o, const char *const *command, size_t words,
                            struct diag *d, FILE *out) {
    mpu_program *p = NULL;
    mpu_result r = try_targets(o, d);
    if (r == MPU_OK)
        r = load_program(o, d, &p);
    if (r == MPU_OK)
        r = run_compare(o, p, command, words, d, out);
    mpu_program_free(p);
    return r;
}

static mpu_result run_single(const struct run_options *o, const char *const *command, size_t words,
                             struct diag *d, FILE *out) {
    struct arena arena = {0};
    struct run_point point;
    mpu_target *t = NULL;
    mpu_program *p = NULL;
    run_point_at(o, 0, &arena, &point);
    mpu_result r = target_open_diag(point.target, point.set, o->set_axes.len, d, &t);
    if (r == MPU_OK)
        r = load_program(o, d, &p);
    if (r == MPU_OK)
        r = run_once(o, &point, p, t, command, words, d, out);
    mpu_program_free(p);
    mpu_target_close(t);
    arena_free(&arena);
    return r;
}

static int run_all(struct run_options *o, struct diag *d, const char *const *command, size_t words,
                   FILE *out) {
    return run_exit_code(run_is_sweep(o) ? run_sweep(o, command, words, d, out)
                                         : run_single(o, command, words, d, out));
}

/* Everything that was printed arrived; false after reporting. */
static bool output_written(FILE *out, struct diag *d) {
    bool lost = ferror(out); /* a write before this one failed, for a reason that is gone */
    errno = 0;
    if (fflush(out) == 0 && !lost)
        return true;
    diag_error(d, NO_SPAN, "cannot write standard output: %s",
               errno ? strerror(errno) : "a part of it was lost");
    diag_flush(d);
    return false;
}

/* What -j adds to a word of short options: "-j2", "-vj2", or "-j" with the number in the next word.
 * Statistics do not name it, as they are the same for all numbers of threads. */
static const char *threads_in_word(const char *word) {
    size_t flags = word[0] == '-' ? 1 + strspn(word + 1, "v") : 0;
    return flags && word[flags] == 'j' ? word + flags : NULL;
}

/* The command line for provenance; returns its length. */
static size_t keep_command(struct run_options *o, int argc, char **argv, const char **command) {
    size_t n = 0;
    for (int i = 0; i < argc; i++) {
        const char *at = i ? threads_in_word(argv[i]) : NULL;
        if (!at) {
            command[n++] = argv[i];
            continue;
        }
        if (at > argv[i] + 1)
            command[n++] = arena_strndup(&o->arena, argv[i], (size_t)(at - argv[i]));
        i += at[1] == '\0';
    }
    return n;
}

int run_program(struct run_options *o, struct diag *d, int argc, char **argv, FILE *out) {
    const char **command = xcalloc((size_t)argc + 1, sizeof *command);
    int code = run_all(o, d, command, keep_command(o, argc, argv, command), out);
    free(command);
    return code;
}

int mpu_run_command(const struct command_line *cl, int argc, char **argv,
                    const volatile int *interrupted, FILE *out) {
    struct run_options o;
    int code = EXIT_USAGE;
    if (run_options_read(cl, &o)) {
        o.cl = cl;
        run_configure(&o, interrupted, out);
        if (o.rerun)
            code = run_rerun(&o, interrupted, cl->diag, out);
        else if (o.list_targets)
            code = run_list_targets(&o, cl->diag, out);
        else if (o.print_target)
            code = run_print_target(&o, cl->diag, out);
        else if (o.list_keys)
            code = run_list_keys(&o, cl->diag, out);
        else
            code = run_program(&o, cl->diag, argc, argv, out);
    }
    run_options_free(&o);
    diag_flush(cl->diag);
    if (code != EXIT_FILE && !output_written(out, cl->diag) && code == EXIT_DONE)
        code = EXIT_FILE;
    if (code == EXIT_DONE && diag_errors(cl->diag))
        code = EXIT_REJECTED;
    return code;
}
