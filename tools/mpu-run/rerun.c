/* SPDX-License-Identifier: MIT
 * --rerun: a recorded run once more, and whether its figures are the same. */
#include "tools/mpu-run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rerun {
    const struct run_options *o;
    struct run_signals *signals;
    mpu_record *record;
    uint64_t figures; /* that were the same */
};

/* Nothing is written but statistics, as JSON; what only watches is left out. */
static void make_quiet(const struct rerun *rerun, struct run_options *options) {
    static const struct run_stats json = {"json", "-"};
    vec_clear(&options->stats);
    vec_push(&options->stats, json);
    vec_free(&options->watching.uops);
    options->watching = (struct run_watching){.trace = NULL};
    options->pages.report = NULL;
    vec_clear(&options->pages.plots);
    options->config.print = NULL;
    options->config.threads = rerun->o->config.threads;
    options->config.cache = rerun->o->config.cache;
    options->config.unhashed = 0;
    options->quiet = true;
}

static bool is_run(struct rerun *rerun, const struct run_options *options) {
    if (!options->rerun && !options->list_targets && !options->print_target && !options->list_keys)
        return true;
    mpu_record_refuse(rerun->record, "the recorded command runs no program");
    return false;
}

static int compare(struct rerun *rerun, const char *text) {
    return run_exit_code(mpu_record_compare(rerun->record, text, &rerun->figures, NULL));
}

/* Messages of the run go to its own sink: an error of the program is no error here. */
static int repeat(struct rerun *rerun, struct run_options *options, int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        run_error(rerun->o, "no memory for the statistics: %s", strerror(errno));
        return EXIT_FILE;
    }
    run_configure(options, rerun->signals, out);
    make_quiet(rerun, options);
    int code = run_program(options, argc, argv);
    fclose(out);
    mpu_messages_flush(options->messages);
    if (size) /* however the run ended */
        code = compare(rerun, text);
    free(text);
    return size || code ? code : EXIT_REJECTED;
}

/* Data and program are those of the record. */
static mpu_result is_same(struct rerun *rerun, const struct run_options *options) {
    mpu_result r = mpu_record_check_inputs(rerun->record, NULL);
    mpu_error *e = NULL;
    if (r != MPU_OK)
        return r;
    mpu_program *p = mpu_record_build(rerun->record, options->source, &e);
    mpu_program_free(p);
    return run_code(e);
}

static int run_recorded(struct rerun *rerun, const struct command_line *cl, int argc, char **argv) {
    struct run_options o;
    int code = EXIT_REJECTED;
    if (run_options_read(cl, &o) && is_run(rerun, &o)) {
        mpu_result r = is_same(rerun, &o);
        code = r == MPU_OK ? repeat(rerun, &o, argc, argv) : run_exit_code(r);
    }
    run_options_free(&o);
    return code;
}

/* The words of the recorded command as main gets them. */
static char **copy_words(const char *const *words, size_t count, struct arena *arena) {
    char **argv = ARENA_ARRAY(arena, count + 1, char *);
    for (size_t i = 0; i < count; i++)
        argv[i] = arena_strdup(arena, words[i]);
    argv[count] = NULL;
    return argv;
}

static int rerun(struct rerun *rerun) {
    struct command_line cl;
    struct arena arena = {0};
    size_t count = 0;
    int code = EXIT_REJECTED;
    const char *const *words = mpu_record_command(rerun->record, &count, NULL);
    char **argv = words ? copy_words(words, count, &arena) : NULL;
    if (argv && command_line_parse(&mpu_run_tool, (int)count, argv, &cl, &code)) {
        cl.printer = rerun->o->cl->printer;
        code = run_recorded(rerun, &cl, (int)count, argv);
        command_line_free(&cl);
    } else {
        code = EXIT_REJECTED;
    }
    arena_free(&arena);
    return code;
}

int run_rerun(const struct run_options *options, struct run_signals *signals) {
    mpu_error *e = NULL;
    struct rerun x = {.o = options, .signals = signals};
    x.record = mpu_record_open(options->rerun, options->messages, &e);
    if (!x.record)
        return run_exit_code(run_code(e));
    int code = rerun(&x);
    const char *version = mpu_record_version(x.record);
    if (code == EXIT_DONE) {
        fprintf(options->stdout_file, "%s: %llu figures, all the same\n", options->rerun,
                (unsigned long long)x.figures);
    } else if (version && strcmp(version, mpu_version()) != 0) {
        struct str text = {0};
        str_printf(&text, "the record is of version %s, this is %s", version, mpu_version());
        mpu_messages_add(options->messages, MPU_NOTE, str_text(&text));
        str_free(&text);
    }
    mpu_record_free(x.record);
    return code;
}
