/* SPDX-License-Identifier: MIT
 * The command from its options to its exit code. */
#include "tools/mpu-run/run.h"

#include "support/alloc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void print_line(void *context, const char *line) {
    struct run_console *c = context;
    run_clear_line(c);
    fprintf(c->out, "%s\n", line);
    c->printed = true;
}

static void progress_line(struct run_console *c, uint64_t seconds, uint64_t ensembles,
                          uint64_t cycles) {
    fprintf(c->terminal, "\r\033[Kmpu-run: %llu s, %llu ensemble%s, %llu cycles",
            (unsigned long long)seconds, (unsigned long long)ensembles, ensembles == 1 ? "" : "s",
            (unsigned long long)cycles);
    fflush(c->terminal);
    c->shown = true;
}

static bool series_is_printed(const struct run_options *options) {
    return options->watching.every && strcmp(options->watching.every_file, "-") == 0 &&
           options->stdout_file == stdout;
}

/* A series is written when the run has ended, so no signal says before that nobody reads it. */
static bool series_is_unread(const struct run_options *options) {
    struct pollfd out = {.fd = STDOUT_FILENO};
    return series_is_printed(options) && poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* Once a second. */
static void progress(void *context, uint64_t seconds, uint64_t ensembles, uint64_t cycles) {
    struct run_options *o = context;
    if (o->show_progress)
        progress_line(&o->console, seconds, ensembles, cycles);
    if (o->signals && series_is_unread(o))
        o->signals->interrupted = RUN_PIPE_CLOSED;
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

void run_configure(struct run_options *options, struct run_signals *signals, FILE *out) {
    bool log_shown = options->watching.log && !options->watching.log_file;
    options->console = (struct run_console){.out = out, .terminal = stderr};
    options->stdout_file = out;
    options->columns = terminal_columns(out);
    options->config.messages = options->messages;
    options->config.print = print_line;
    options->config.print_context = &options->console;
    options->signals = signals;
    options->config.interrupted = signals ? &signals->interrupted : NULL;
    options->config.unhashed = options->stats.len == 0 && !run_wants_page(options);
    options->show_progress = isatty(STDERR_FILENO) && !log_shown;
    if (options->show_progress || series_is_printed(options)) {
        options->config.progress = progress;
        options->config.progress_context = options;
    }
}

/* ---- programs ---- */

static void say_program(const struct run_options *options, const mpu_program *program) {
    size_t instructions = mpu_program_instruction_count(program),
           sizes = mpu_program_size_count(program);
    size_t variables = 0;
    for (size_t i = 0; i < mpu_program_variable_count(program); i++)
        variables += !(mpu_program_variable_use(program, i) & MPU_LINK_VALUE);
    for (size_t i = 0; i < options->programs.len; i++)
        tool_say(options->cl, "read '%s'", options->programs.data[i]);
    tool_say(options->cl, "program: %zu instruction%s, %zu variable%s, %zu size%s", instructions,
             instructions == 1 ? "" : "s", variables, variables == 1 ? "" : "s", sizes,
             sizes == 1 ? "" : "s");
}

/* NULL after reporting, with the code in *result. */
static mpu_program *load_program(struct run_options *options, mpu_result *result) {
    mpu_error *e = NULL;
    for (size_t i = 0; i < options->targets.len; i++)
        mpu_source_for_target(options->source, options->targets.data[i]);
    if (options->config.cache)
        mpu_source_use_cache(options->source);
    mpu_program *p = mpu_source_build(options->source, &e);
    *result = p ? MPU_OK : run_code(e);
    if (!p)
        return NULL;
    say_program(options, p);
    if (run_sources_fit(options))
        return p;
    *result = MPU_USAGE;
    mpu_program_free(p);
    return NULL;
}

static mpu_result sweep(struct run_options *options, const char *const *command, size_t words) {
    mpu_result r = mpu_sweep_check(options->sweep, NULL);
    if (r == MPU_OK)
        r = run_sweep_extend(options);
    mpu_program *p = r == MPU_OK ? load_program(options, &r) : NULL;
    if (p)
        r = run_sweep(options, p, command, words);
    mpu_sweep_free(options->sweep);
    options->sweep = NULL;
    mpu_program_free(p);
    return r;
}

/* NULL after reporting, with the code in *result. */
static mpu_target *open_target(const struct run_options *options, mpu_result *result) {
    struct arena arena = {0};
    mpu_error *e = NULL;
    const char **set = ARENA_ARRAY(&arena, options->set_axes.len + 1, const char *);
    for (size_t i = 0; i < options->set_axes.len; i++)
        set[i] = arena_printf(&arena, "%s=%s", options->set_axes.data[i].name,
                              options->set_axes.data[i].values[0]);
    set[options->set_axes.len] = NULL;
    mpu_target *t = mpu_target_open_with(options->targets.data[0], set, options->messages, &e);
    *result = t ? MPU_OK : run_code(e);
    if (t && options->config.cache)
        mpu_target_use_cache(t);
    arena_free(&arena);
    return t;
}

static mpu_result use_session(struct run_options *options, const mpu_program *program,
                              const mpu_target *target, mpu_session *session) {
    mpu_result r = run_session_fill(options, program, false, session);
    if (r == MPU_OK)
        r = run_session_filled(options, target, session);
    mpu_result after = r == MPU_OK ? run_results(options, session) : r;
    if (mpu_session_end(session)) {
        mpu_result stats = run_statistics(options, session);
        stats = stats == MPU_OK ? run_page(options, session) : stats;
        after = after == MPU_OK ? stats : after;
    }
    if (after == MPU_OK)
        run_say_done(options, program, target, session);
    return after;
}

static mpu_result run_once(struct run_options *options, const mpu_program *program,
                           const mpu_target *target, const char *const *command, size_t words) {
    mpu_error *e = NULL;
    mpu_config config = options->config;
    config.place = options->places.len ? options->places.data[0] : NULL;
    mpu_session *s = mpu_session_new(program, target, &config, &e);
    if (!s)
        return run_code(e);
    mpu_session_set_command(s, command, words);
    mpu_result r = use_session(options, program, target, s);
    mpu_session_free(s);
    return r;
}

static mpu_result single(struct run_options *options, const char *const *command, size_t words) {
    mpu_result r;
    mpu_target *t = open_target(options, &r);
    mpu_program *p = t ? load_program(options, &r) : NULL;
    if (p)
        r = run_once(options, p, t, command, words);
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

/* --no-cache or the beginning of it: no statistics depend on that either. */
static bool is_no_cache(const char *word) {
    size_t length = strlen(word);
    return length > 4 && strncmp("--no-cache", word, length) == 0;
}

/* The command line for provenance; returns its length. */
static size_t keep_command(struct run_options *options, int argc, char **argv,
                           const char **command) {
    size_t n = 0;
    for (int i = 0; i < argc; i++) {
        const char *at = i ? threads_in_word(argv[i]) : NULL;
        if (i && is_no_cache(argv[i]))
            continue;
        if (!at) {
            command[n++] = argv[i];
            continue;
        }
        if (at > argv[i] + 1)
            command[n++] = arena_strndup(&options->arena, argv[i], (size_t)(at - argv[i]));
        i += at[1] == '\0';
    }
    return n;
}

int run_program(struct run_options *options, int argc, char **argv) {
    const char **command = xcalloc((size_t)argc + 1, sizeof *command);
    size_t words = keep_command(options, argc, argv, command);
    mpu_result r =
        run_is_sweep(options) ? sweep(options, command, words) : single(options, command, words);
    free(command);
    return run_exit_code(r);
}

/* Everything that was printed arrived; false after reporting. */
static bool output_written(FILE *out, bool unheard, struct diag *diag) {
    bool lost = ferror(out); /* a write before this one failed, for a reason that is gone */
    errno = 0;
    if (fflush(out) == 0 && !lost)
        return true;
    if (errno != EPIPE && !unheard)
        diag_error(diag, NO_SPAN, "cannot write standard output: %s",
                   errno ? strerror(errno) : "a part of it was lost");
    diag_flush(diag);
    return false;
}

static int run_options_say(struct run_options *options, int argc, char **argv,
                           struct run_signals *signals, FILE *out) {
    run_configure(options, signals, out);
    if (options->rerun)
        return run_rerun(options, signals);
    if (options->list_targets)
        return run_list_targets(options);
    if (options->print_target)
        return run_print_target(options);
    return options->list_keys ? run_list_keys(options) : run_program(options, argc, argv);
}

int mpu_run_command(const struct command_line *cl, int argc, char **argv,
                    struct run_signals *signals, FILE *out) {
    struct run_options o;
    int code = EXIT_USAGE;
    if (run_options_read(cl, &o))
        code = run_options_say(&o, argc, argv, signals, out);
    mpu_messages_flush(o.messages);
    bool unheard = run_is_unheard(&o),
         errors = mpu_messages_errors(o.messages) || diag_errors(cl->diag);
    run_options_free(&o);
    diag_flush(cl->diag);
    if (code != EXIT_FILE && !output_written(out, unheard, cl->diag) && code == EXIT_DONE)
        code = EXIT_FILE;
    if (unheard)
        return EXIT_FILE;
    return code == EXIT_DONE && errors ? EXIT_REJECTED : code;
}
