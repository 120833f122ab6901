/* SPDX-License-Identifier: MIT
 * --rerun: a recorded run once more, and whether its figures are the same. */
#include "tools/mpu-run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rerun {
    const struct run_options *o;
    const volatile int *interrupted;
    mpu_record *record;
    uint64_t figures; /* that were the same */
};

/* Nothing is written but statistics, as JSON; what only watches is left out. */
static void make_quiet(const struct rerun *x, struct run_options *o) {
    static const struct run_stats json = {"json", "-"};
    vec_clear(&o->stats);
    vec_push(&o->stats, json);
    vec_free(&o->watching.uops);
    o->watching = (struct run_watching){.trace = NULL};
    o->config.print = NULL;
    o->config.threads = x->o->config.threads;
    o->config.unhashed = 0;
    o->quiet = true;
}

static bool is_run(struct rerun *x, const struct run_options *o) {
    if (!o->rerun && !o->list_targets && !o->print_target && !o->list_keys)
        return true;
    mpu_record_refuse(x->record, "the recorded command runs no program");
    return false;
}

static int compare(struct rerun *x, const char *text) {
    return run_exit_code(mpu_record_compare(x->record, text, &x->figures, NULL));
}

/* Messages of the run go to its own sink: an error of the program is no error here. */
static int repeat(struct rerun *x, struct run_options *o, int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        run_error(x->o, "no memory for the statistics: %s", strerror(errno));
        return EXIT_FILE;
    }
    run_configure(o, x->interrupted, out);
    make_quiet(x, o);
    int code = run_program(o, argc, argv);
    fclose(out);
    mpu_messages_flush(o->messages);
    if (size) /* however the run ended */
        code = compare(x, text);
    free(text);
    return size || code ? code : EXIT_REJECTED;
}

/* Data and program are those of the record. */
static mpu_result is_same(struct rerun *x, const struct run_options *o) {
    mpu_result r = mpu_record_check_inputs(x->record, NULL);
    mpu_error *e = NULL;
    if (r != MPU_OK)
        return r;
    mpu_program *p = mpu_record_build(x->record, o->source, &e);
    mpu_program_free(p);
    return run_code(e);
}

static int run_recorded(struct rerun *x, const struct command_line *cl, int argc, char **argv) {
    struct run_options o;
    int code = EXIT_REJECTED;
    if (run_options_read(cl, &o) && is_run(x, &o)) {
        mpu_result r = is_same(x, &o);
        code = r == MPU_OK ? repeat(x, &o, argc, argv) : run_exit_code(r);
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

static int rerun(struct rerun *x) {
    struct command_line cl;
    struct arena arena = {0};
    size_t count = 0;
    int code = EXIT_REJECTED;
    const char *const *words = mpu_record_command(x->record, &count, NULL);
    char **argv = words ? copy_words(words, count, &arena) : NULL;
    if (argv && command_line_parse(&mpu_run_tool, (int)count, argv, &cl, &code)) {
        cl.printer = x->o->cl->printer;
        code = run_recorded(x, &cl, (int)count, argv);
        command_line_free(&cl);
    } else {
        code = EXIT_REJECTED;
    }
    arena_free(&arena);
    return code;
}

int run_rerun(const struct run_options *o, const volatile int *interrupted) {
    mpu_error *e = NULL;
    struct rerun x = {.o = o, .interrupted = interrupted};
    x.record = mpu_record_open(o->rerun, o->messages, &e);
    if (!x.record)
        return run_exit_code(run_code(e));
    int code = rerun(&x);
    const char *version = mpu_record_version(x.record);
    if (code == EXIT_DONE) {
        fprintf(o->stdout_file, "%s: %llu figures, all the same\n", o->rerun,
                (unsigned long long)x.figures);
    } else if (version && strcmp(version, mpu_version()) != 0) {
        struct str text = {0};
        str_printf(&text, "the record is of version %s, this is %s", version, mpu_version());
        mpu_messages_add(o->messages, MPU_NOTE, str_text(&text));
        str_free(&text);
    }
    mpu_record_free(x.record);
    return code;
}
