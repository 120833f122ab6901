/* SPDX-License-Identifier: MIT
 * The option table of mpu-run, and what its words mean. */
#include "tools/mpu-run/run.h"

#include <string.h>

enum run_option {
    OPT_TARGET = 1,
    OPT_COMPARE,
    OPT_SET,
    OPT_SIZE,
    OPT_LANGUAGE,
    OPT_DEFINE,
    OPT_ENTRY,
    OPT_IN,
    OPT_OUT,
    OPT_PRINT,
    OPT_EXPECT,
    OPT_ENGINE,
    OPT_CHECK,
    OPT_BATCH,
    OPT_INIT,
    OPT_PLACE,
    OPT_FINISH,
    OPT_STATS,
    OPT_TRACE,
    OPT_LOG,
    OPT_LOG_FROM,
    OPT_LOG_COUNT,
    OPT_UOPS,
    OPT_MAX_CYCLES,
    OPT_MAX_SECONDS,
    OPT_THREADS,
    OPT_RERUN,
    OPT_LIST_TARGETS,
    OPT_PRINT_TARGET,
    OPT_LIST_KEYS,
};

static const struct option options[] = {
    {OPT_TARGET, "--target", ARG_REQUIRED, "T[,T...]", "The machine",
     "built-in targets or YAML files; with several, results are compared (exit 1 when "
     "they differ) and one table has a row for each"},
    {OPT_COMPARE, "--compare", ARG_REQUIRED, "T[,T...]", NULL, "the same"},
    {OPT_SET, "--set", ARG_REQUIRED, "KEY=V[,V...]", NULL,
     "override a number of the target, or put in one of its named sets (set=NAME); several values "
     "make a run for each"},
    {OPT_ENGINE, "--engine", ARG_REQUIRED, "E", NULL,
     "strict (default): every micro-op; golden: host arithmetic, without costs"},
    {OPT_BATCH, "--batch", ARG_REQUIRED, "B", NULL,
     "VRFs that work at once: target (default), one, all"},
    {OPT_PLACE, "--place", ARG_REQUIRED, "P[,P...]", NULL,
     "where groups lie: packed into few MPUs, spread over all, auto (default): what takes less "
     "time; measure: packed and spread, a run for each"},
    {OPT_FINISH, "--finish", ARG_REQUIRED, "W", NULL,
     "who finishes reductions that the host may finish: device, host, auto (default): whoever takes "
     "less time"},
    {OPT_INIT, "--init", ARG_REQUIRED, "I", NULL,
     "registers at start: zero (default), random:SEED"},
    {OPT_LIST_TARGETS, "--list-targets", ARG_NONE, NULL, NULL,
     "the built-in targets; with -v their geometry"},
    {OPT_PRINT_TARGET, "--print-target", ARG_REQUIRED, "T", NULL,
     "a target with all its numbers and their sources"},
    {OPT_LIST_KEYS, "--list-keys", ARG_REQUIRED, "T", NULL, "what --set accepts for a target"},
    {OPT_SIZE, "--size", ARG_REQUIRED, "N=V[,V...]", "Data",
     "bind a size of the program, or several as n=4,m=5; several values make a run for each"},
    {OPT_LANGUAGE, "-x", ARG_REQUIRED, "LANG", NULL,
     "of sources: they are ez, py, s, erc or rc, whatever their suffix; - is standard input"},
    {OPT_DEFINE, "-D", ARG_REQUIRED, "NAME[=NUMBER]", NULL,
     "of a source: a constant; it replaces one of the same name that the source declares"},
    {OPT_ENTRY, "--entry", ARG_REQUIRED, "NAME", NULL,
     "of a source: where the program begins; of a kernel in Python, the function"},
    {OPT_IN, "--in", ARG_REQUIRED, "NAME=FILE", NULL,
     "fill a variable, or a register as RFH0.VRF3.r5 or RFH0.VRF3.r5:u8, from a .npy, .pgm,\n"
     ".ppm, .csv, .txt or .raw file, or from 1,2,3 zeros iota random:SEED[:LO..HI]"},
    {OPT_OUT, "--out", ARG_REQUIRED, "NAME=FILE", NULL,
     "write a variable or register to a file; - is standard output, as text"},
    {OPT_PRINT, "--print", ARG_REQUIRED, "NAME[a:b]", NULL,
     "print a variable or register as text, or a part of it"},
    {OPT_EXPECT, "--expect", ARG_REQUIRED, "NAME=FILE", NULL,
     "compare with a file or numbers; exit 1 at a difference"},
    {OPT_CHECK, "--check", ARG_NONE, NULL, "Running",
     "compare with golden after every ensemble; exit 1 at a difference"},
    {OPT_STATS, "--stats", ARG_REQUIRED, "FORMAT[:FILE]", NULL,
     "statistics as text, json or csv; may be given several times. With several runs: the "
     "form of the table (text)"},
    {OPT_RERUN, "--rerun", ARG_REQUIRED, "FILE", NULL,
     "repeat the run that --stats json:FILE recorded; exit 1 at the first figure that differs"},
    {OPT_MAX_CYCLES, "--max-cycles", ARG_REQUIRED, "N", NULL, "stop after N cycles (exit 4)"},
    {OPT_MAX_SECONDS, "--max-seconds", ARG_REQUIRED, "S", NULL, "stop after S seconds (exit 4)"},
    {OPT_THREADS, "-j", ARG_REQUIRED, "N", NULL,
     "host threads, 1 to 256 (as many as there are processors); results never depend on it"},
    {OPT_TRACE, "--trace", ARG_REQUIRED, "FILE", "Watching",
     "what every unit did when, for Perfetto (JSON)"},
    {OPT_LOG, "--log", ARG_REQUIRED, "insn,uop[:FILE]", NULL,
     "a line for every instruction, micro-op or both, on standard error or in FILE"},
    {OPT_UOPS, "--uops", ARG_REQUIRED, "FILE:FORMAT", NULL,
     "the stream of micro-ops as text, csv or dram; may be given several times"},
    {OPT_LOG_FROM, "--log-from", ARG_REQUIRED, "N", NULL,
     "of --log and --uops: begin with the N-th instruction that is executed"},
    {OPT_LOG_COUNT, "--log-count", ARG_REQUIRED, "N", NULL,
     "of --log and --uops: end after so many instructions"},
};

const struct tool mpu_run_tool = {
    .name = "mpu-run",
    .summary = "mpu-run - run an MPU program on an emulated machine",
    .synopsis = "--target T [options] PROGRAM (.mpu, .o, .s, .ez, .py)\n"
                "--rerun FILE\n"
                "--list-targets | --print-target T | --list-keys T",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .epilog =
        "Examples:\n"
        "  mpu-run --target racer axpy.mpu --in a=3 --in x=x.npy --in y=y.npy --out z=z.npy\n"
        "  mpu-run --target racer axpy.ez --size n=64 --in x=iota --print z[0:8] --stats text\n"
        "  mpu-run --target racer,mimdram,golden axpy.mpu --in a=3 --in x=x.npy --in y=y.npy\n",
};

/* "name=value": the two parts. */
static bool split(struct run_options *o, const char *text, const char **name, const char **value) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return false;
    *name = arena_strndup(&o->arena, text, (size_t)(equals - text));
    *value = equals + 1;
    return true;
}

static bool bad(const struct command_line *cl, const struct option_value *v, const char *form) {
    tool_usage_error(cl, "%s '%s' is not of the form %s", v->name, v->value, form);
    return false;
}

static bool number(const struct command_line *cl, const struct option_value *v, uint64_t *out) {
    if (number_parse_u64(v->value, strlen(v->value), out) && *out)
        return true;
    tool_usage_error(cl, "%s takes a number above 0, not '%s'", v->name, v->value);
    return false;
}

static bool threads_option(const struct command_line *cl, const struct option_value *v,
                           struct run_options *o) {
    uint64_t n;
    if (!number_parse_u64(v->value, strlen(v->value), &n) || n < 1 || n > MPU_MAX_THREADS) {
        tool_usage_error(cl, "%s takes a number from 1 to %d, not '%s'", v->name, MPU_MAX_THREADS,
                         v->value);
        return false;
    }
    o->config.threads = (uint32_t)n;
    return true;
}

/* Two lists for one name would make runs that are the same. */
static bool axis_fits(const struct command_line *cl, const struct option_value *v,
                      const struct run_axis *axes, size_t count, const struct run_axis *x) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(axes[i].name, x->name) == 0 && (axes[i].count > 1 || x->count > 1)) {
            tool_usage_error(cl, "%s gives '%s' twice, once with a list", v->name, x->name);
            return false;
        }
    return true;
}

static bool set_option(const struct command_line *cl, const struct option_value *v,
                       struct run_options *o) {
    struct run_axis x = {0};
    const char *values;
    if (!split(o, v->value, &x.name, &values) || !run_axis_read(o, values, &x))
        return bad(cl, v, "KEY=VALUE[,VALUE...]");
    if (!axis_fits(cl, v, o->set_axes.data, o->set_axes.len, &x))
        return false;
    vec_push(&o->set_axes, x);
    return true;
}

static bool are_numbers(const struct run_axis *x) {
    uint64_t value;
    for (size_t i = 0; i < x->count; i++)
        if (!number_parse_u64(x->values[i], strlen(x->values[i]), &value))
            return false;
    return true;
}

/* Length of "n=1,2" in front of ",h=3": to the last comma before the next '='. */
static size_t one_size(const char *text) {
    const char *equals = strchr(text, '='), *next = equals ? strchr(equals + 1, '=') : NULL;
    while (next && next > equals && *next != ',')
        next--;
    return next && next > equals ? (size_t)(next - text) : strlen(text);
}

/* "h=10,w=10": a part with '=' begins a new name; one without is another value of the name before,
 * which makes a sweep. */
static bool size_option(const struct command_line *cl, const struct option_value *v,
                        struct run_options *o) {
    for (const char *part = v->value;; part++) {
        size_t n = one_size(part);
        struct run_axis x = {0};
        const char *values;
        if (!split(o, arena_strndup(&o->arena, part, n), &x.name, &values) ||
            !run_axis_read(o, values, &x) || !are_numbers(&x))
            return bad(cl, v, "NAME=NUMBER[,NUMBER...][,NAME=...]");
        if (!axis_fits(cl, v, o->size_axes.data, o->size_axes.len, &x))
            return false;
        vec_push(&o->size_axes, x);
        part += n;
        if (!*part)
            return true;
    }
}

static bool is_place(const char *name) {
    const char *word;
    for (size_t i = 0; (word = mpu_config_word("place", i)); i++)
        if (strcmp(word, name) == 0)
            return true;
    return false;
}

static bool add_place(const struct command_line *cl, const struct option_value *v,
                      struct run_options *o, const char *name) {
    if (!is_place(name)) {
        tool_usage_error(cl, "%s '%s': expected auto, packed, spread or measure", v->name,
                         v->value);
        return false;
    }
    for (size_t i = 0; i < o->places.len; i++)
        if (strcmp(o->places.data[i], name) == 0) {
            tool_usage_error(cl, "%s gives '%s' twice", v->name, name);
            return false;
        }
    vec_push(&o->places, name);
    return true;
}

static bool place_option(const struct command_line *cl, const struct option_value *v,
                         struct run_options *o) {
    const char *comma;
    if (strcmp(v->value, "measure") == 0)
        return add_place(cl, v, o, "packed") && add_place(cl, v, o, "spread");
    for (const char *part = v->value; part; part = comma ? comma + 1 : NULL) {
        comma = strchr(part, ',');
        size_t n = comma ? (size_t)(comma - part) : strlen(part);
        if (!add_place(cl, v, o, arena_strndup(&o->arena, part, n)))
            return false;
    }
    return true;
}

/* Cuts "[a:b]" off a name; false if it is malformed. */
static bool cut_slice(struct run_options *o, struct run_item *x) {
    const char *open = strchr(x->name, '[');
    if (!open)
        return true;
    const char *colon = strchr(open, ':'), *close = strchr(open, ']');
    x->sliced = true;
    x->to = UINT64_MAX;
    if (!colon || !close || colon > close || close[1])
        return false;
    if (colon > open + 1 && !number_parse_u64(open + 1, (size_t)(colon - open - 1), &x->from))
        return false;
    if (close > colon + 1 && !number_parse_u64(colon + 1, (size_t)(close - colon - 1), &x->to))
        return false;
    x->name = arena_strndup(&o->arena, x->name, (size_t)(open - x->name));
    return x->from <= x->to;
}

static bool define_option(const struct command_line *cl, const struct option_value *v,
                          struct run_options *o) {
    o->defined = true;
    return mpu_source_define(o->source, v->value) == MPU_OK || bad(cl, v, "NAME or NAME=NUMBER");
}

static bool print_option(const struct command_line *cl, const struct option_value *v,
                         struct run_options *o) {
    struct run_item x = {.name = v->value};
    if (!cut_slice(o, &x))
        return bad(cl, v, "NAME or NAME[a:b]");
    vec_push(&o->print, x);
    return true;
}

static bool stats_option(const struct command_line *cl, const struct option_value *v,
                         struct run_options *o) {
    static const char *const formats[] = {"text", "json", "csv"};
    const char *colon = strchr(v->value, ':');
    size_t n = colon ? (size_t)(colon - v->value) : strlen(v->value);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strlen(formats[i]) != n || memcmp(formats[i], v->value, n) != 0)
            continue;
        if (colon && !colon[1])
            return bad(cl, v, "FORMAT or FORMAT:FILE");
        struct run_stats x = {formats[i], colon ? colon + 1 : "-"};
        vec_push(&o->stats, x);
        return true;
    }
    tool_usage_error(cl, "unknown format of --stats '%.*s'; there are: text, json, csv", (int)n,
                     v->value);
    return false;
}

static bool target_option(const struct command_line *cl, const struct option_value *v,
                          struct run_options *o) {
    const char *comma;
    for (const char *part = v->value; part; part = comma ? comma + 1 : NULL) {
        comma = strchr(part, ',');
        size_t n = comma ? (size_t)(comma - part) : strlen(part);
        if (n == 0)
            return bad(cl, v, "T or T,T...");
        vec_push(&o->targets, arena_strndup(&o->arena, part, n));
    }
    return true;
}

/* A kernel in Python has the shapes of its inputs. */
static void add_input(struct run_options *o, const struct run_item *x) {
    vec_push(&o->in, *x);
    mpu_source_follow(o->source, x->name, x->value);
}

static bool language_option(const struct command_line *cl, const struct option_value *v,
                            struct run_options *o) {
    o->language = v->value;
    if (mpu_source_set_language(o->source, v->value) == MPU_OK)
        return true;
    tool_usage_error(cl, "%s '%s': expected ez, py, s, erc or rc", v->name, v->value);
    return false;
}

static bool take(const struct command_line *cl, const struct option_value *v,
                 struct run_options *o) {
    struct run_item x = {0};
    switch (v->id) {
    case 0:
        vec_push(&o->programs, v->value);
        mpu_source_add_file(o->source, v->value);
        return true;
    case OPT_TARGET:
    case OPT_COMPARE:
        return target_option(cl, v, o);
    case OPT_SET:
        return set_option(cl, v, o);
    case OPT_SIZE:
        return size_option(cl, v, o);
    case OPT_IN:
    case OPT_OUT:
    case OPT_EXPECT:
        if (!split(o, v->value, &x.name, &x.value))
            return bad(cl, v, v->id == OPT_OUT ? "NAME=FILE" : "NAME=FILE or NAME=VALUES");
        if (v->id == OPT_IN)
            add_input(o, &x);
        else if (v->id == OPT_OUT)
            vec_push(&o->out, x);
        else
            vec_push(&o->expect, x);
        return true;
    case OPT_LANGUAGE:
        return language_option(cl, v, o);
    case OPT_DEFINE:
        return define_option(cl, v, o);
    case OPT_PLACE:
        return place_option(cl, v, o);
    case OPT_PRINT:
        return print_option(cl, v, o);
    case OPT_STATS:
        return stats_option(cl, v, o);
    case OPT_LOG:
        return run_log_option(cl, v, o);
    case OPT_UOPS:
        return run_uops_option(cl, v, o);
    case OPT_LOG_FROM:
        return number(cl, v, &o->watching.log_from);
    case OPT_LOG_COUNT:
        return number(cl, v, &o->watching.log_count);
    case OPT_MAX_CYCLES:
        return number(cl, v, &o->config.max_cycles);
    case OPT_MAX_SECONDS:
        return number(cl, v, &o->config.max_seconds);
    case OPT_THREADS:
        return threads_option(cl, v, o);
    default:
        return true;
    }
}

static void take_last(const struct command_line *cl, struct run_options *o) {
    o->config.engine = option_last(cl, OPT_ENGINE);
    o->config.batch = option_last(cl, OPT_BATCH);
    o->config.init = option_last(cl, OPT_INIT);
    o->config.finish = option_last(cl, OPT_FINISH);
    o->config.check = option_last(cl, OPT_CHECK) != NULL;
    mpu_source_set_entry(o->source, option_last(cl, OPT_ENTRY));
    o->watching.trace = option_last(cl, OPT_TRACE);
    o->list_targets = option_last(cl, OPT_LIST_TARGETS) != NULL;
    o->print_target = option_last(cl, OPT_PRINT_TARGET);
    o->list_keys = option_last(cl, OPT_LIST_KEYS);
    o->rerun = option_last(cl, OPT_RERUN);
    o->verbose = cl->verbose;
}

/* Two arrays for one place: the second would silently win. */
static bool named_once(const struct command_line *cl, const struct run_options *o) {
    for (size_t i = 0; i < o->in.len; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(o->in.data[i].name, o->in.data[k].name) == 0) {
                tool_usage_error(cl, "--in gives '%s' twice", o->in.data[i].name);
                return false;
            }
    return true;
}

/* --print-target and --list-keys show one target. */
static bool one_setting(const struct command_line *cl, const struct run_options *o) {
    for (size_t i = 0; i < o->set_axes.len; i++)
        if (o->set_axes.data[i].count > 1) {
            tool_usage_error(cl, "--set gives '%s' several values, which takes runs",
                             o->set_axes.data[i].name);
            return false;
        }
    return true;
}

static bool few_enough(const struct command_line *cl, const struct run_options *o) {
    if (mpu_sweep_count(o->sweep) <= MPU_SWEEP_MAX)
        return true;
    tool_usage_error(
        cl, "the lists of --target, --set, --place and --size make more than %d combinations",
        MPU_SWEEP_MAX);
    return false;
}

static bool is_compiled(const char *path) {
    size_t n = strlen(path);
    return (n >= 4 && strcmp(path + n - 4, ".mpu") == 0) ||
           (n >= 2 && strcmp(path + n - 2, ".o") == 0);
}

/* What is compiled has its constants already. */
static bool defines_fit(const struct command_line *cl, const struct run_options *o) {
    for (size_t i = 0; i < o->programs.len; i++)
        if (o->language || !is_compiled(o->programs.data[i]))
            return true;
    if (o->defined)
        tool_usage_error(cl, "-D is of a source, and '%s' is compiled", o->programs.data[0]);
    return !o->defined;
}

/* What else there is stands in the record. */
static bool rerun_alone(const struct command_line *cl) {
    for (size_t i = 0; i < cl->count; i++)
        if (cl->values[i].id != OPT_RERUN && cl->values[i].id != OPT_THREADS) {
            tool_usage_error(cl, "--rerun takes everything but -j from its file, not '%s'",
                             cl->values[i].name);
            return false;
        }
    return true;
}

static bool complete(const struct command_line *cl, const struct run_options *o) {
    if (o->rerun)
        return rerun_alone(cl);
    if (o->list_targets || o->print_target || o->list_keys)
        return one_setting(cl, o);
    if (o->programs.len == 0)
        tool_usage_error(cl, "no program");
    else if (o->targets.len == 0)
        tool_usage_error(cl, "no --target (--list-targets shows what there is)");
    else
        return defines_fit(cl, o) && named_once(cl, o) && few_enough(cl, o) &&
               run_watching_fits(cl, o);
    return false;
}

/* As the tool's own messages. */
static void print_message(void *context, const mpu_message *m) {
    const struct command_line *cl = context;
    const struct diag_printer *p = &cl->printer;
    const char *form = p->format == DIAG_JSON ? "json" : p->color ? "color" : "text";
    char *text = mpu_message_format(m, form, p->prefix);
    diag_flush(cl->diag);
    fputs(text, p->out);
    fflush(p->out);
    mpu_string_free(text);
}

static mpu_messages *open_messages(const struct command_line *cl) {
    mpu_messages *m = mpu_messages_new(print_message, (void *)cl);
    for (size_t i = 0; i < cl->warnings.len; i++)
        mpu_messages_set_warning(m, cl->warnings.data[i]);
    if (cl->errors_limited)
        mpu_messages_set_max_errors(m, cl->max_errors);
    return m;
}

bool run_options_read(const struct command_line *cl, struct run_options *o) {
    *o = (struct run_options){.cl = cl, .config = {.size = sizeof o->config}};
    o->messages = open_messages(cl);
    o->source = mpu_source_new(o->messages);
    for (size_t i = 0; i < cl->count; i++)
        if (!take(cl, &cl->values[i], o))
            return false;
    take_last(cl, o);
    run_sweep_make(o);
    return complete(cl, o);
}

void run_options_free(struct run_options *o) {
    mpu_sweep_free(o->sweep);
    mpu_source_free(o->source);
    mpu_messages_free(o->messages);
    vec_free(&o->programs);
    vec_free(&o->targets);
    vec_free(&o->places);
    vec_free(&o->set_axes);
    vec_free(&o->size_axes);
    vec_free(&o->in);
    vec_free(&o->out);
    vec_free(&o->expect);
    vec_free(&o->print);
    vec_free(&o->stats);
    vec_free(&o->watching.uops);
    arena_free(&o->arena);
}
