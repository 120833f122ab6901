/* SPDX-License-Identifier: MIT
 * The option table of mpu-run, and what its words mean. */
#include "support/file.h"
#include "tools/mpu-run/run.h"

#include <string.h>
#include <unistd.h>

enum run_option {
    OPT_TARGET = 1,
    OPT_COMPARE,
    OPT_SET,
    OPT_SIZE,
    OPT_LANGUAGE,
    OPT_DEFINE,
    OPT_ENTRY,
    OPT_SPILL,
    OPT_LAUNCH,
    OPT_BUFFER,
    OPT_IN,
    OPT_OUT,
    OPT_PRINT,
    OPT_RESIDENT,
    OPT_EXPECT,
    OPT_ULP,
    OPT_ENGINE,
    OPT_CHECK,
    OPT_BATCH,
    OPT_INIT,
    OPT_PLACE,
    OPT_FINISH,
    OPT_STATS,
    OPT_TRACE,
    OPT_WEAR,
    OPT_STATS_EVERY,
    OPT_LOG,
    OPT_LOG_OF,
    OPT_LOG_FROM,
    OPT_LOG_COUNT,
    OPT_UOPS,
    OPT_MAX_CYCLES,
    OPT_MAX_SECONDS,
    OPT_THREADS,
    OPT_NO_CACHE,
    OPT_REPORT,
    OPT_PLOT,
    OPT_BASE,
    OPT_ISO_AREA,
    OPT_SENSITIVITY,
    OPT_RERUN,
    OPT_LIST_TARGETS,
    OPT_PRINT_TARGET,
    OPT_LIST_KEYS,
};

static const struct option option_table[] = {
    {OPT_TARGET, "--target", ARG_REQUIRED, "T[,T...]", "The machine",
     "built-in targets or YAML files; with several, results are compared (exit 1 when "
     "they differ) and one table has a row for each"},
    {OPT_COMPARE, "--compare", ARG_REQUIRED, "T[,T...]", NULL, "the same"},
    {OPT_SET, "--set", ARG_REQUIRED, "KEY=V[,V...]", NULL,
     "override a number of the target, or put in one of its named sets (set=NAME); several values "
     "make a run for each"},
    {OPT_ENGINE, "--engine", ARG_REQUIRED, "fused|strict|golden", NULL,
     "fused (default): micro-ops composed; strict: the same bits and figures, every micro-op by itself; "
     "golden: host arithmetic, without costs"},
    {OPT_BATCH, "--batch", ARG_REQUIRED, "target|one|all", NULL,
     "VRFs that work at once: target (default), one, all"},
    {OPT_PLACE, "--place", ARG_REQUIRED, "packed|spread|auto|measure[,...]", NULL,
     "where groups lie: packed into few MPUs, spread over all, auto (default): what takes less "
     "time; measure: packed and spread, a run for each"},
    {OPT_FINISH, "--finish", ARG_REQUIRED, "device|host|auto", NULL,
     "who finishes reductions that the host may finish: device, host, auto (default): whoever takes "
     "less time"},
    {OPT_INIT, "--init", ARG_REQUIRED, "zero|random:SEED", NULL,
     "registers at start: zero (default), random:SEED"},
    {OPT_LIST_TARGETS, "--list-targets", ARG_NONE, NULL, NULL,
     "the built-in targets; with -v their geometry"},
    {OPT_PRINT_TARGET, "--print-target", ARG_REQUIRED, "T", NULL,
     "a target with all its numbers and their sources"},
    {OPT_LIST_KEYS, "--list-keys", ARG_REQUIRED, "T", NULL, "what --set accepts for a target"},
    {OPT_SIZE, "--size", ARG_REQUIRED, "N=V[,V...]", "Data",
     "bind a size of the program, or several as n=4,m=5; several values make a run for each"},
    {OPT_LANGUAGE, "-x", ARG_REQUIRED, "ez|py|s|erc|rc", NULL,
     "of sources: they are ez, py, s, erc or rc, whatever their suffix; - is standard input"},
    {OPT_DEFINE, "-D", ARG_REQUIRED, "NAME[=NUMBER]", NULL,
     "of a source: a constant; it replaces one of the same name that the source declares"},
    {OPT_ENTRY, "--entry", ARG_REQUIRED, "NAME", NULL,
     "of a source: where the program begins; of a kernel in Python, the function"},
    {OPT_SPILL, "-fspill", ARG_NONE, NULL, NULL,
     "of a source: variables for which there are too few registers or rows lie in VRFs of their "
     "own"},
    {OPT_LAUNCH, "--launch", ARG_REQUIRED, "K<<<GRID,BLOCK>>>(ARGS)", NULL,
     "of a file of kernels: launch one, as in `k<<<(n+255)/256, 256>>>(x, y, 3, n)`; several, one "
     "after another"},
    {OPT_BUFFER, "--buffer", ARG_REQUIRED, "NAME:TYPE[N,...]", NULL,
     "a buffer of such launches; without, the type is the parameter's, and --in has the length"},
    {OPT_IN, "--in", ARG_REQUIRED, "NAME=FILE", NULL,
     "fill a variable, or a register as RFH0.VRF3.r5 or RFH0.VRF3.r5:u8, from a .npy, .pgm,\n"
     ".ppm, .csv, .txt or .raw file, or from 1,2,3 zeros iota random:SEED[:LO..HI]"},
    {OPT_OUT, "--out", ARG_REQUIRED, "NAME=FILE", NULL,
     "write a variable or register to a file; - is standard output, as text"},
    {OPT_PRINT, "--print", ARG_REQUIRED, "NAME[a:b]", NULL,
     "print a variable or register as text, or a part of it"},
    {OPT_EXPECT, "--expect", ARG_REQUIRED, "NAME=FILE", NULL,
     "compare with a file or numbers; exit 1 at a difference"},
    {OPT_ULP, "--ulp", ARG_REQUIRED, "[NAME=]N", NULL,
     "with --expect: floating-point numbers may be N apart, counted in numbers of their format; 0: "
     "both zeros are the same"},
    {OPT_RESIDENT, "--resident", ARG_REQUIRED, "NAME[,NAME...]", NULL,
     "variables or registers whose data are on the machine already, or stay there: no transfer"},
    {OPT_CHECK, "--check", ARG_NONE, NULL, "Running",
     "compare with golden after every ensemble; exit 1 at a difference"},
    {OPT_STATS, "--stats", ARG_REQUIRED, "text|json|csv[:FILE]", NULL,
     "statistics as text (ten lines), text:full, json or csv; may be given several times. With "
     "several runs: the form of the table (text)"},
    {OPT_REPORT, "--report", ARG_REQUIRED, "FILE.html", NULL,
     "a page that shows where time and energy went, of one run or several; needs no network"},
    {OPT_PLOT, "--plot", ARG_REQUIRED, "NAME:FILE.svg", NULL,
     "one picture of that page, as SVG: time, energy, timeline, network, roofline, of a run; "
     "rows-time, rows-energy, speedup, front, bounds, of several; may be given several times"},
    {OPT_BASE, "--base", ARG_REQUIRED, "T", NULL,
     "with several runs: the target that others are compared with, in tables and pages"},
    {OPT_ISO_AREA, "--iso-area", ARG_REQUIRED, "least|none|AREA", NULL,
     "with several targets: one more run of each whose chip takes another area, with as many MPUs "
     "as AREA holds: least (default), that of the smallest chip; 400mm2; none"},
    {OPT_SENSITIVITY, "--sensitivity", ARG_REQUIRED, "P%", NULL,
     "run with each assumed number of the target P % lower and higher; say which of them matter"},
    {OPT_RERUN, "--rerun", ARG_REQUIRED, "FILE", NULL,
     "repeat the run that --stats json:FILE recorded; exit 1 at the first figure that differs"},
    {OPT_MAX_CYCLES, "--max-cycles", ARG_REQUIRED, "N", NULL, "stop after N cycles (exit 4)"},
    {OPT_MAX_SECONDS, "--max-seconds", ARG_REQUIRED, "S", NULL, "stop after S seconds (exit 4)"},
    {OPT_THREADS, "-j", ARG_REQUIRED, "N", NULL,
     "host threads, 1 to 256 (as many as there are processors); results never depend on it"},
    {OPT_NO_CACHE, "--no-cache", ARG_NONE, NULL, NULL,
     "work everything out anew, and keep nothing of it for the next time"},
    {OPT_TRACE, "--trace", ARG_REQUIRED, "FILE", "Watching",
     "what every unit did when, for Perfetto (JSON; FILE.gz: packed)"},
    {OPT_WEAR, "--wear", ARG_REQUIRED, "FILE", NULL,
     "how often each row of each VRF was written, as CSV"},
    {OPT_STATS_EVERY, "--stats-every", ARG_REQUIRED, "N[:FILE]", NULL,
     "what was done in each N front-end cycles, a line of CSV for each"},
    {OPT_LOG, "--log", ARG_REQUIRED, "insn|uop|value[,...][:FILE]", NULL,
     "a line for every instruction, micro-op or both, on standard error or in FILE; or `value`: for "
     "all that was written in some elements"},
    {OPT_LOG_OF, "--log-of", ARG_REQUIRED, "ELEMENT,...", NULL,
     "of --log=value: y[77],a[3,5],RFH0.VRF1[2] (default: the first element of each group)"},
    {OPT_UOPS, "--uops", ARG_REQUIRED, "FILE:FORMAT", NULL,
     "the stream of micro-ops as text, csv, dram, pypim or pypim-hex; may be given several times"},
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
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .warner = TOOL_RUN,
    .runs_programs = true,
    .epilog =
        "Examples:\n"
        "  mpu-run --target racer axpy.mpu --in a=3 --in x=x.npy --in y=y.npy --out z=z.npy\n"
        "  mpu-run --target racer axpy.ez --size n=64 --in x=iota --print z[0:8] --stats text\n"
        "  mpu-run --target racer,mimdram,golden axpy.mpu --in a=3 --in x=x.npy --in y=y.npy\n",
};

/* "name=value": the two parts. */
static bool split(struct run_options *options, const char *text, const char **name,
                  const char **value) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return false;
    *name = arena_strndup(&options->arena, text, (size_t)(equals - text));
    *value = equals + 1;
    return true;
}

static bool bad(const struct command_line *cl, const struct option_value *value, const char *form) {
    tool_usage_error(cl, "%s '%s' is not of the form %s", value->name, value->value, form);
    return false;
}

static bool number(const struct command_line *cl, const struct option_value *value, uint64_t *out) {
    if (number_parse_u64(value->value, strlen(value->value), out) && *out)
        return true;
    tool_usage_error(cl, "%s takes a number above 0, not '%s'", value->name, value->value);
    return false;
}

static bool threads_option(const struct command_line *cl, const struct option_value *value,
                           struct run_options *options) {
    uint64_t n;
    if (!number_parse_u64(value->value, strlen(value->value), &n) || n < 1 || n > MPU_MAX_THREADS) {
        tool_usage_error(cl, "%s takes a number from 1 to %d, not '%s'", value->name,
                         MPU_MAX_THREADS, value->value);
        return false;
    }
    options->config.threads = (uint32_t)n;
    return true;
}

/* Two lists for one name would make runs that are the same. */
static bool axis_fits(const struct command_line *cl, const struct option_value *value,
                      const struct run_axis *axes, size_t count, const struct run_axis *axis) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(axes[i].name, axis->name) == 0 && (axes[i].count > 1 || axis->count > 1)) {
            tool_usage_error(cl, "%s gives '%s' twice, once with a list", value->name, axis->name);
            return false;
        }
    return true;
}

static bool set_option(const struct command_line *cl, const struct option_value *value,
                       struct run_options *options) {
    struct run_axis x = {0};
    const char *values;
    if (!split(options, value->value, &x.name, &values) || !run_axis_read(options, values, &x))
        return bad(cl, value, "KEY=VALUE[,VALUE...]");
    if (!axis_fits(cl, value, options->set_axes.data, options->set_axes.len, &x))
        return false;
    vec_push(&options->set_axes, x);
    return true;
}

static bool are_numbers(const struct command_line *cl, const struct option_value *option,
                        const struct run_axis *axis) {
    uint64_t value;
    for (size_t i = 0; i < axis->count; i++)
        if (!number_parse_u64(axis->values[i], strlen(axis->values[i]), &value)) {
            tool_usage_error(cl, "%s '%s': a size is a number from 1 to 2^40, not '%s'",
                             option->name, option->value, axis->values[i]);
            return false;
        }
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
static bool size_option(const struct command_line *cl, const struct option_value *value,
                        struct run_options *options) {
    for (const char *part = value->value;; part++) {
        size_t n = one_size(part);
        struct run_axis x = {0};
        const char *values;
        if (!split(options, arena_strndup(&options->arena, part, n), &x.name, &values) ||
            !run_axis_read(options, values, &x))
            return bad(cl, value, "NAME=NUMBER[,NUMBER...][,NAME=...]");
        if (!are_numbers(cl, value, &x))
            return false;
        if (!axis_fits(cl, value, options->size_axes.data, options->size_axes.len, &x))
            return false;
        vec_push(&options->size_axes, x);
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

static bool add_place(const struct command_line *cl, const struct option_value *value,
                      struct run_options *options, const char *name) {
    if (!is_place(name)) {
        tool_usage_error(cl, "%s '%s': expected auto, packed, spread or measure", value->name,
                         value->value);
        return false;
    }
    for (size_t i = 0; i < options->places.len; i++)
        if (strcmp(options->places.data[i], name) == 0) {
            tool_usage_error(cl, "%s gives '%s' twice", value->name, name);
            return false;
        }
    vec_push(&options->places, name);
    return true;
}

static bool place_option(const struct command_line *cl, const struct option_value *value,
                         struct run_options *options) {
    const char *comma;
    if (strcmp(value->value, "measure") == 0)
        return add_place(cl, value, options, "packed") && add_place(cl, value, options, "spread");
    for (const char *part = value->value; part; part = comma ? comma + 1 : NULL) {
        comma = strchr(part, ',');
        size_t n = comma ? (size_t)(comma - part) : strlen(part);
        if (!add_place(cl, value, options, arena_strndup(&options->arena, part, n)))
            return false;
    }
    return true;
}

/* Cuts "[a:b]" off a name; false if it is malformed. */
static bool cut_slice(struct run_options *options, struct run_item *item) {
    const char *open = strchr(item->name, '[');
    if (!open)
        return true;
    const char *colon = strchr(open, ':'), *close = strchr(open, ']');
    item->sliced = true;
    item->to = UINT64_MAX;
    if (!colon || !close || colon > close || close[1])
        return false;
    if (colon > open + 1 && !number_parse_u64(open + 1, (size_t)(colon - open - 1), &item->from))
        return false;
    if (close > colon + 1 && !number_parse_u64(colon + 1, (size_t)(close - colon - 1), &item->to))
        return false;
    item->name = arena_strndup(&options->arena, item->name, (size_t)(open - item->name));
    return item->from <= item->to;
}

static bool define_option(const struct command_line *cl, const struct option_value *value,
                          struct run_options *options) {
    options->defined = true;
    return mpu_source_define(options->source, value->value) == MPU_OK ||
           bad(cl, value, "NAME or NAME=NUMBER");
}

static bool print_option(const struct command_line *cl, const struct option_value *value,
                         struct run_options *options) {
    struct run_item x = {.name = value->value};
    if (!cut_slice(options, &x))
        return bad(cl, value, "NAME or NAME[a:b]");
    vec_push(&options->print, x);
    return true;
}

/* Length of the format that begins a text like "csv:x.csv"; of "text:full" all of it, as a file
 * that is called so is ./full. */
static size_t format_length(const char *text) {
    static const char full[] = "text:full";
    size_t n = sizeof full - 1;
    return strncmp(text, full, n) == 0 && (!text[n] || text[n] == ':') ? n : strcspn(text, ":");
}

static bool stats_option(const struct command_line *cl, const struct option_value *value,
                         struct run_options *options) {
    static const char *const formats[] = {"text", "text:full", "json", "csv"};
    size_t n = format_length(value->value);
    const char *file = value->value[n] ? value->value + n + 1 : "-";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strlen(formats[i]) != n || memcmp(formats[i], value->value, n) != 0)
            continue;
        if (!*file)
            return bad(cl, value, "FORMAT or FORMAT:FILE");
        vec_push(&options->stats, ((struct run_stats){formats[i], file}));
        return true;
    }
    tool_usage_error(cl, "unknown format of --stats '%.*s'; there are: text, text:full, json, csv",
                     (int)n, value->value);
    return false;
}

/* "400mm2" in um2; 0: it is no area. */
static uint64_t area_um2(const char *text) {
    static const struct {
        const char *unit;
        uint64_t um2;
    } units[] = {{"um2", 1}, {"mm2", 1000000}, {"cm2", 100000000}};
    size_t digits = strspn(text, "0123456789");
    uint64_t value;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + digits, units[i].unit) == 0 && number_parse_u64(text, digits, &value) &&
            !__builtin_mul_overflow(value, units[i].um2, &value))
            return value;
    return 0;
}

static bool iso_area_option(const struct command_line *cl, const struct option_value *value,
                            struct run_options *options) {
    bool none = strcmp(value->value, "none") == 0, least = strcmp(value->value, "least") == 0;
    options->no_iso_area = none;
    options->iso_area_um2 = none || least ? 0 : area_um2(value->value);
    if (none || least || options->iso_area_um2)
        return true;
    tool_usage_error(cl, "%s '%s': expected least, none, or an area as 400mm2", value->name,
                     value->value);
    return false;
}

static bool sensitivity_option(const struct command_line *cl, const struct option_value *value,
                               struct run_options *options) {
    size_t n = strcspn(value->value, "%");
    uint64_t percent;
    if (!number_parse_u64(value->value, n, &percent) || percent < 1 || percent > 99 ||
        (value->value[n] && value->value[n + 1])) {
        tool_usage_error(cl, "%s takes 1%% to 99%%, not '%s'", value->name, value->value);
        return false;
    }
    options->sensitivity = (uint32_t)percent;
    return true;
}

/* The words, or files, of a list with commas between them; `form` is how such a list is written. */
static bool list_option(const struct command_line *cl, const struct option_value *value, bool files,
                        const char *form, struct run_options *options, struct run_words *out) {
    size_t n;
    for (const char *part = value->value; part; part = part[n] ? part + n + 1 : NULL) {
        n = files ? file_list_piece(part) : strcspn(part, ",");
        if (n == 0)
            return bad(cl, value, form);
        vec_push(out, arena_strndup(&options->arena, part, n));
    }
    return true;
}

/* A kernel in Python has the shapes of its inputs. */
static void add_input(struct run_options *options, const struct run_item *item) {
    vec_push(&options->in, *item);
    mpu_source_follow(options->source, item->name, item->value);
}

/* N for all, or NAME=N. */
static bool ulp_option(const struct command_line *cl, const struct option_value *value,
                       struct run_options *options) {
    struct run_item x = {.name = NULL, .value = value->value};
    if (strchr(value->value, '=') && !split(options, value->value, &x.name, &x.value))
        return bad(cl, value, "N or NAME=N");
    if (!number_parse_u64(x.value, strlen(x.value), &x.from))
        return bad(cl, value, "N or NAME=N");
    vec_push(&options->ulps, x);
    return true;
}

static bool language_option(const struct command_line *cl, const struct option_value *value,
                            struct run_options *options) {
    options->language = value->value;
    if (mpu_source_set_language(options->source, value->value) == MPU_OK)
        return true;
    tool_usage_error(cl,
                     "%s '%s': expected ez, py, s, erc, rc, pypim, pypimhex, dpu, elf, ptx or cu",
                     value->name, value->value);
    return false;
}

static bool take(const struct command_line *cl, const struct option_value *value,
                 struct run_options *options) {
    struct run_item x = {0};
    switch (value->id) {
    case 0:
        vec_push(&options->programs, value->value);
        mpu_source_add_file(options->source, value->value);
        return true;
    case OPT_LAUNCH:
        mpu_source_add_launch(options->source, value->value);
        return true;
    case OPT_BUFFER:
        mpu_source_add_buffer(options->source, value->value);
        return true;
    case OPT_TARGET:
    case OPT_COMPARE:
        return list_option(cl, value, true, "T or T,T...", options, &options->targets);
    case OPT_SET:
        return set_option(cl, value, options);
    case OPT_SIZE:
        return size_option(cl, value, options);
    case OPT_IN:
    case OPT_OUT:
    case OPT_EXPECT:
        if (!split(options, value->value, &x.name, &x.value))
            return bad(cl, value, value->id == OPT_OUT ? "NAME=FILE" : "NAME=FILE or NAME=VALUES");
        if (value->id == OPT_IN)
            add_input(options, &x);
        else if (value->id == OPT_OUT)
            vec_push(&options->out, x);
        else
            vec_push(&options->expect, x);
        return true;
    case OPT_ULP:
        return ulp_option(cl, value, options);
    case OPT_LANGUAGE:
        return language_option(cl, value, options);
    case OPT_DEFINE:
        return define_option(cl, value, options);
    case OPT_PLACE:
        return place_option(cl, value, options);
    case OPT_PRINT:
        return print_option(cl, value, options);
    case OPT_ISO_AREA:
        return iso_area_option(cl, value, options);
    case OPT_SENSITIVITY:
        return sensitivity_option(cl, value, options);
    case OPT_RESIDENT:
        return list_option(cl, value, false, "NAME or NAME,NAME...", options, &options->residents);
    case OPT_STATS:
        return stats_option(cl, value, options);
    case OPT_PLOT:
        return run_plot_option(cl, value, options);
    case OPT_STATS_EVERY:
        return run_series_option(cl, value, options);
    case OPT_LOG:
        return run_log_option(cl, value, options);
    case OPT_UOPS:
        return run_uops_option(cl, value, options);
    case OPT_LOG_OF:
        options->watching.log_of = value->value;
        return true;
    case OPT_LOG_FROM:
        return number(cl, value, &options->watching.log_from);
    case OPT_LOG_COUNT:
        return number(cl, value, &options->watching.log_count);
    case OPT_MAX_CYCLES:
        return number(cl, value, &options->config.max_cycles);
    case OPT_MAX_SECONDS:
        return number(cl, value, &options->config.max_seconds);
    case OPT_NO_CACHE:
        options->config.cache = 0;
        return true;
    case OPT_THREADS:
        return threads_option(cl, value, options);
    default:
        return true;
    }
}

static void take_last(const struct command_line *cl, struct run_options *options) {
    options->config.engine = option_last(cl, OPT_ENGINE);
    options->config.batch = option_last(cl, OPT_BATCH);
    options->config.init = option_last(cl, OPT_INIT);
    options->config.finish = option_last(cl, OPT_FINISH);
    options->config.check = option_last(cl, OPT_CHECK) != NULL;
    mpu_source_set_entry(options->source, option_last(cl, OPT_ENTRY));
    mpu_source_set_spill(options->source, option_last(cl, OPT_SPILL) != NULL);
    options->watching.trace = option_last(cl, OPT_TRACE);
    options->watching.wear = option_last(cl, OPT_WEAR);
    options->pages.report = option_last(cl, OPT_REPORT);
    options->pages.base = option_last(cl, OPT_BASE);
    options->list_targets = option_last(cl, OPT_LIST_TARGETS) != NULL;
    options->print_target = option_last(cl, OPT_PRINT_TARGET);
    options->list_keys = option_last(cl, OPT_LIST_KEYS);
    options->rerun = option_last(cl, OPT_RERUN);
    options->verbose = cl->verbose;
}

/* Two arrays for one place: the second would silently win. */
static bool named_once(const struct command_line *cl, const struct run_options *options) {
    for (size_t i = 0; i < options->in.len; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(options->in.data[i].name, options->in.data[k].name) == 0) {
                tool_usage_error(cl, "--in gives '%s' twice", options->in.data[i].name);
                return false;
            }
    return true;
}

/* --print-target and --list-keys show one target. */
static bool one_setting(const struct command_line *cl, const struct run_options *options) {
    for (size_t i = 0; i < options->set_axes.len; i++)
        if (options->set_axes.data[i].count > 1) {
            tool_usage_error(cl, "--set gives '%s' several values, which takes runs",
                             options->set_axes.data[i].name);
            return false;
        }
    return true;
}

static bool few_enough(const struct command_line *cl, const struct run_options *options) {
    if (mpu_sweep_count(options->sweep) <= MPU_SWEEP_MAX)
        return true;
    tool_usage_error(
        cl, "the lists of --target, --set, --place and --size make more than %d combinations",
        MPU_SWEEP_MAX);
    return false;
}

/* What matters is asked of one run. */
static bool one_run(const struct command_line *cl, const struct run_options *options) {
    if (!options->sensitivity || !run_has_lists(options))
        return true;
    tool_usage_error(cl, "--sensitivity varies the numbers of one run; there are lists");
    return false;
}

static bool is_compiled(const char *path) {
    size_t n = strlen(path);
    return (n >= 4 && strcmp(path + n - 4, ".mpu") == 0) ||
           (n >= 2 && strcmp(path + n - 2, ".o") == 0);
}

/* What is compiled has its constants already. */
static bool defines_fit(const struct command_line *cl, const struct run_options *options) {
    for (size_t i = 0; i < options->programs.len; i++)
        if (options->language || !is_compiled(options->programs.data[i]))
            return true;
    if (options->defined)
        tool_usage_error(cl, "-D is of a source, and '%s' is compiled", options->programs.data[0]);
    return !options->defined;
}

static bool is_expected(const struct run_options *options, const char *name) {
    for (size_t i = 0; i < options->expect.len; i++)
        if (!name || strcmp(options->expect.data[i].name, name) == 0)
            return true;
    return false;
}

/* A distance that nothing is measured by is a mistake. */
static bool ulps_fit(const struct command_line *cl, const struct run_options *options) {
    for (size_t i = 0; i < options->ulps.len; i++) {
        const char *name = options->ulps.data[i].name;
        if (is_expected(options, name))
            continue;
        if (name)
            tool_usage_error(cl, "--ulp names '%s', which no --expect does", name);
        else
            tool_usage_error(cl, "--ulp is of --expect, and there is none");
        return false;
    }
    return true;
}

/* What else there is stands in the record. */
static bool rerun_alone(const struct command_line *cl) {
    for (size_t i = 0; i < cl->count; i++)
        if (cl->values[i].id != OPT_RERUN && cl->values[i].id != OPT_THREADS &&
            cl->values[i].id != OPT_NO_CACHE) {
            tool_usage_error(cl,
                             "--rerun takes everything but -j and --no-cache from its file, not "
                             "'%s'",
                             cl->values[i].name);
            return false;
        }
    return true;
}

/* x=1,2 without --in: no file has that name. */
static bool is_data(const char *word) {
    size_t name = strcspn(word, "=");
    return word[name] == '=' && name && strcspn(word, "/") > name && access(word, F_OK) != 0;
}

/* A word as a shell takes it back. */
static void put_word(struct str *out, const char *word) {
    bool plain =
        word[0] && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_./=,:+%@-")];
    str_append(out, plain ? " " : " '");
    for (const char *p = word; *p; p++)
        str_append_n(out, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
    str_append(out, plain ? "" : "'");
}

/* The command with --in before what is data. */
static void put_command(const struct command_line *cl, struct str *out) {
    for (size_t i = 0; i < cl->count; i++) {
        const struct option_value *v = &cl->values[i];
        if (v->id == 0 && is_data(v->value))
            str_append(out, " --in");
        else if (v->id != 0)
            put_word(out, v->name);
        if (v->value)
            put_word(out, v->value);
    }
}

static bool programs_are_files(const struct command_line *cl, const struct run_options *options) {
    for (size_t i = 0; i < options->programs.len; i++) {
        const char *word = options->programs.data[i];
        if (!is_data(word))
            continue;
        struct str command = {0};
        put_command(cl, &command);
        tool_usage_error(cl, "'%s' is no file; data are given by --in: mpu-run%s", word,
                         str_text(&command));
        str_free(&command);
        return false;
    }
    return true;
}

static bool complete(const struct command_line *cl, struct run_options *options) {
    if (options->rerun)
        return rerun_alone(cl);
    if (options->list_targets || options->print_target || options->list_keys)
        return one_setting(cl, options);
    if (options->programs.len == 0)
        tool_usage_error(cl, "no program");
    else if (options->targets.len == 0)
        tool_usage_error(cl, "no --target (--list-targets shows what there is)");
    else
        return programs_are_files(cl, options) && defines_fit(cl, options) &&
               ulps_fit(cl, options) && named_once(cl, options) && few_enough(cl, options) &&
               one_run(cl, options) && run_watching_fits(cl, options) &&
               run_pages_fit(cl, options) && run_files_fit(cl, options);
    return false;
}

/* As the tool's own messages. */
static void print_message(void *context, const mpu_message *message) {
    struct run_options *options = context;
    const struct command_line *cl = options->cl;
    if (run_is_unheard(options))
        return;
    run_clear_line(&options->console);
    const struct diag_printer *p = &cl->printer;
    const char *form = p->format == DIAG_JSON ? "json" : p->color ? "color" : "text";
    char *text = mpu_message_format(message, form, p->prefix);
    diag_flush(cl->diag);
    fputs(text, p->out);
    fflush(p->out);
    mpu_string_free(text);
}

static mpu_messages *open_messages(struct run_options *options) {
    const struct command_line *cl = options->cl;
    mpu_messages *m = mpu_messages_new(print_message, options);
    for (size_t i = 0; i < cl->warnings.len; i++)
        mpu_messages_set_warning(m, cl->warnings.data[i]);
    if (cl->errors_limited)
        mpu_messages_set_max_errors(m, cl->max_errors);
    return m;
}

bool run_options_read(const struct command_line *cl, struct run_options *options) {
    *options = (struct run_options){
        .cl = cl, .config = {.size = sizeof options->config, .cache = 1, .prove = 1}};
    options->messages = open_messages(options);
    options->source = mpu_source_new(options->messages);
    options->pages.timeline = ARENA_ARRAY(&options->arena, 1, struct str);
    *options->pages.timeline = (struct str){0};
    for (size_t i = 0; i < cl->count; i++)
        if (!take(cl, &cl->values[i], options))
            return false;
    take_last(cl, options);
    run_sweep_make(options);
    return complete(cl, options);
}

void run_options_free(struct run_options *options) {
    mpu_sweep_free(options->sweep);
    mpu_source_free(options->source);
    mpu_messages_free(options->messages);
    vec_free(&options->programs);
    vec_free(&options->targets);
    vec_free(&options->places);
    vec_free(&options->residents);
    vec_free(&options->set_axes);
    vec_free(&options->size_axes);
    vec_free(&options->in);
    vec_free(&options->out);
    vec_free(&options->expect);
    vec_free(&options->ulps);
    vec_free(&options->print);
    vec_free(&options->stats);
    vec_free(&options->pages.plots);
    str_free(options->pages.timeline);
    vec_free(&options->watching.uops);
    file_uses_free(&options->files);
    arena_free(&options->arena);
}
