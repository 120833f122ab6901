/* SPDX-License-Identifier: MIT
 * The command from its options to its exit code. */
#include "tools/mpu-run/run.h"

#include "support/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void print_line(void *context, const char *line) {
    struct run_console *c = context;
    run_clear_line(c);
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
    bool log_shown = o->watching.log && !o->watching.log_file;
    o->console = (struct run_console){.out = out, .terminal = stderr};
    o->stdout_file = out;
    o->columns = terminal_columns(out);
    o->config.messages = o->messages;
    o->config.print = print_line;
    o->config.print_context = &o->console;
    o->config.interrupted = interrupted;
    o->config.unhashed = o->stats.len == 0;
    if (isatty(STDERR_FILENO) && !log_shown) {
        o->config.progress = progress_line;
        o->config.progress_context = &o->console;
    }
}

/* ---- programs ---- */

static void say_program(const struct run_options *o, const mpu_program *p) {
    size_t instructions = mpu_program_instruction_count(p), sizes = mpu_program_size_count(p);
    size_t variables = 0;
    for (size_t i = 0; i < mpu_program_variable_count(p); i++)
        variables += !(mpu_program_variable_use(p, i) & MPU_LINK_VALUE);
    for (size_t i = 0; i < o->programs.len; i++)
        tool_say(o->cl, "read '%s'", o->programs.data[i]);
    tool_say(o->cl, "program: %zu instruction%s, %zu variable%s, %zu size%s", instructions,
             instructions == 1 ? "" : "s", variables, variables == 1 ? "" : "s", sizes,
             sizes == 1 ? "" : "s");
}

/* NULL after reporting, with the code in *r. */
static mpu_program *load_program(const struct run_options *o, mpu_result *r) {
    mpu_error *e = NULL;
    mpu_program *p = mpu_source_build(o->source, &e);
    *r = p ? MPU_OK : run_code(e);
    if (p)
        say_program(o, p);
    return p;
}

static mpu_result sweep(struct run_options *o, const char *const *command, size_t words) {
    mpu_result r = mpu_sweep_check(o->sweep, NULL);
    mpu_program *p = r == MPU_OK ? load_program(o, &r) : NULL;
    if (p)
        r = run_sweep(o, p, command, words);
    mpu_sweep_free(o->sweep);
    o->sweep = NULL;
    mpu_program_free(p);
    return r;
}

/* NULL after reporting, with the code in *r. */
static mpu_target *open_target(const struct run_options *o, mpu_result *r) {
    struct arena arena = {0};
    mpu_error *e = NULL;
    const char **set = ARENA_ARRAY(&arena, o->set_axes.len + 1, const char *);
    for (size_t i = 0; i < o->set_axes.len; i++)
        set[i] =
            arena_printf(&arena, "%s=%s", o->set_axes.data[i].name, o->set_axes.data[i].values[0]);
    set[o->set_axes.len] = NULL;
    mpu_target *t = mpu_target_open_with(o->targets.data[0], set, o->messages, &e);
    *r = t ? MPU_OK : run_code(e);
    arena_free(&arena);
    return t;
}

static mpu_result use_session(struct run_options *o, const mpu_program *p, const mpu_target *t,
                              mpu_session *s) {
    mpu_result r = run_session_fill(o, p, false, s);
    if (r == MPU_OK)
        r = run_session_filled(o, t, s);
    mpu_result after = r == MPU_OK ? run_results(o, s) : r;
    if (mpu_session_end(s)) {
        mpu_result stats = run_statistics(o, s);
        after = after == MPU_OK ? stats : after;
    }
    return after;
}

static mpu_result run_once(struct run_options *o, const mpu_program *p, const mpu_target *t,
                           const char *const *command, size_t words) {
    mpu_error *e = NULL;
    mpu_config config = o->config;
    config.place = o->places.len ? o->places.data[0] : NULL;
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    if (!s)
        return run_code(e);
    mpu_session_set_command(s, command, words);
    mpu_result r = use_session(o, p, t, s);
    mpu_session_free(s);
    return r;
}

static mpu_result single(struct run_options *o, const char *const *command, size_t words) {
    mpu_result r;
    mpu_target *t = open_target(o, &r);
    mpu_program *p = t ? load_program(o, &r) : NULL;
    if (p)
        r = run_once(o, p, t, command, words);
    mpu_program_free(p);
    mpu_target_close(t);
    return r;
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

int run_program(struct run_options *o, int argc, char **argv) {
    const char **command = xcalloc((size_t)argc + 1, sizeof *command);
    size_t words = keep_command(o, argc, argv, command);
    mpu_result r = run_is_sweep(o) ? sweep(o, command, words) : single(o, command, words);
    free(command);
    return run_exit_code(r);
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

static int run_options_say(struct run_options *o, int argc, char **argv,
                           const volatile int *interrupted, FILE *out) {
    run_configure(o, interrupted, out);
    if (o->rerun)
        return run_rerun(o, interrupted);
    if (o->list_targets)
        return run_list_targets(o);
    if (o->print_target)
        return run_print_target(o);
    return o->list_keys ? run_list_keys(o) : run_program(o, argc, argv);
}

int mpu_run_command(const struct command_line *cl, int argc, char **argv,
                    const volatile int *interrupted, FILE *out) {
    struct run_options o;
    int code = EXIT_USAGE;
    if (run_options_read(cl, &o))
        code = run_options_say(&o, argc, argv, interrupted, out);
    mpu_messages_flush(o.messages);
    bool errors = mpu_messages_errors(o.messages) || diag_errors(cl->diag);
    run_options_free(&o);
    diag_flush(cl->diag);
    if (code != EXIT_FILE && !output_written(out, cl->diag) && code == EXIT_DONE)
        code = EXIT_FILE;
    return code == EXIT_DONE && errors ? EXIT_REJECTED : code;
}
