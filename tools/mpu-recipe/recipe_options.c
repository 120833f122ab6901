/* SPDX-License-Identifier: MIT
 * The option table of mpu-recipe. */
#include "tools/mpu-recipe/recipe_options.h"

#include "support/file.h"
#include "support/pool.h"

#include <string.h>

enum recipe_option {
    OPT_TARGET = 1,
    OPT_SET,
    OPT_OP,
    OPT_WIDTH,
    OPT_IMM,
    OPT_ALIAS,
    OPT_MASKED,
    OPT_MAPPED,
    OPT_CSV,
    OPT_RECIPE,
    OPT_LONG,
    OPT_SEED,
    OPT_ENGINE,
    OPT_PROVE,
    OPT_SOLVER,
    OPT_TIMEOUT,
    OPT_SMT,
    OPT_SIZE,
    OPT_THREADS,
    OPT_PROGRESS,
    OPT_NO_CACHE,
    OPT_FORMS,
    OPT_SLOT,
    OPT_KEPT,
    OPT_OUTPUT,
};

static const struct option option_table[] = {
    {OPT_TARGET, "--target", ARG_REQUIRED, "T[,T...]", "What",
     "built-in targets or YAML files; all: every built-in one that has recipes (default: racer)"},
    {OPT_SET, "--set", ARG_REQUIRED, "KEY=V", NULL,
     "override a key of the targets, as arith=flush"},
    {OPT_OP, "--op", ARG_REQUIRED, "NAME[,...]", NULL,
     "instructions (default: all that have a recipe)"},
    {OPT_WIDTH, "--width", ARG_REQUIRED, "W[,...]", NULL,
     "widths, also A..B (default: 8,16,32,64; check: 1..64; expand: 8)"},
    {OPT_MAPPED, "--mapped", ARG_NONE, NULL, NULL,
     "as the mapping makes them, without hand-written recipes"},
    {OPT_IMM, "--imm", ARG_REQUIRED, "N", "count, expand, verify, diff",
     "constant of instructions that have one (default: verify: many; else shift by 1, source width w/2, immediate "
     "0x555 cut to what fits); of MULP the shape as A,B,LO or A,B,LO,SIGNS with ss, su or us (default: w,w,0)"},
    {OPT_ALIAS, "--alias", ARG_REQUIRED, "X=Y[,...]", NULL,
     "operands that are one register: rd=rs, rd=rt, rt=rs"},
    {OPT_MASKED, "--masked", ARG_NONE, NULL, NULL, "under a mask"},
    {OPT_CSV, "--csv", ARG_NONE, NULL, "count, diff", "comma-separated values, not a table"},
    {OPT_SLOT, "--slot", ARG_REQUIRED, "W[,...]", "count, expand, verify, diff",
     "slots of machines that have some (default: each; expand: the least)"},
    {OPT_THREADS, "--threads", ARG_REQUIRED, "N", "check",
     "host threads, 1 to 256 (as many as there are processors); results never depend on it"},
    {OPT_PROGRESS, "--progress", ARG_NONE, NULL, NULL,
     "say how far it is also where standard error is no terminal, at each quarter"},
    {OPT_NO_CACHE, "--no-cache", ARG_NONE, NULL, NULL,
     "try also what held before, and keep nothing of it for the next time"},
    {OPT_RECIPE, "--recipe", ARG_NONE, NULL, "expand",
     "the recipe in the notation, not its micro-ops"},
    {OPT_LONG, "--long", ARG_NONE, NULL, "verify",
     "at more widths, with more random values; with --prove also what takes longer"},
    {OPT_SEED, "--seed", ARG_REQUIRED, "N", NULL, "of the random values (default: 1)"},
    {OPT_ENGINE, "--engine", ARG_REQUIRED, "strict|fused", NULL,
     "strict (default): every micro-op; fused: composed at once"},
    {OPT_PROVE, "--prove", ARG_NONE, NULL, NULL,
     "prove the contracts for all operands with an SMT solver"},
    {OPT_SOLVER, "--solver", ARG_REQUIRED, "NAME", NULL,
     "the solver, on PATH or a path (default: the first one found)"},
    {OPT_TIMEOUT, "--timeout", ARG_REQUIRED, "S", NULL, "seconds for one proof (default: 60)"},
    {OPT_SMT, "--emit-smt", ARG_REQUIRED, "DIR", NULL,
     "write the SMT-LIB files there; without --prove no solver is called"},
    {OPT_FORMS, "--forms", ARG_NONE, NULL, NULL,
     "with --prove: at every width also masked, and with registers that are one"},
    {OPT_KEPT, "--kept", ARG_REQUIRED, "FILE", NULL,
     "with --prove: what is proved is kept there, and is not proved again"},
    {OPT_SIZE, "--size", ARG_REQUIRED, "NAME=N[,...]", NULL,
     "value of a size of the program that --prove is given"},
    {OPT_OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", "Output",
     "write there, not to standard output"},
};

const struct tool mpu_recipe_tool = {
    .name = "mpu-recipe",
    .summary = "mpu-recipe - check, count, expand, verify and diff recipes",
    .synopsis = "check [--target T]... [FILE.recipe]\n"
                "count [--target T] [--op NAME] [--width W] [--masked] [--csv] [FILE.recipe]\n"
                "expand --op NAME [--width W] [--target T] [FILE.recipe]\n"
                "verify [--target T] [--op NAME] [--width W] [--prove] [FILE.recipe]\n"
                "verify --prove [--target T] [--size N=V] PROGRAM\n"
                "diff A B [--op NAME] [--width W]     A, B: target, FILE.recipe or mapped",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .warner = TOOL_RECIPE,
    .epilog = "Examples:\n"
              "  mpu-recipe count --op ADD,MUL --width 32\n"
              "  mpu-recipe expand --op XOR --width 4\n"
              "  mpu-recipe check my.recipe\n"
              "  mpu-recipe diff racer mapped\n",
};

static const struct {
    const char *name;
    uint32_t options; /* that it takes, beside --target and -o */
} commands[COMMAND_COUNT_] = {
#define BIT(id) (1u << (id))
#define FORMS   (BIT(OPT_OP) | BIT(OPT_WIDTH) | BIT(OPT_IMM) | BIT(OPT_ALIAS) | BIT(OPT_MASKED))
    [COMMAND_CHECK] = {"check", BIT(OPT_OP) | BIT(OPT_WIDTH) | BIT(OPT_MAPPED) | BIT(OPT_THREADS) |
                                    BIT(OPT_PROGRESS) | BIT(OPT_NO_CACHE)},
    [COMMAND_COUNT] = {"count", FORMS | BIT(OPT_SLOT) | BIT(OPT_CSV) | BIT(OPT_MAPPED)},
    [COMMAND_EXPAND] = {"expand", FORMS | BIT(OPT_SLOT) | BIT(OPT_RECIPE) | BIT(OPT_MAPPED)},
    [COMMAND_VERIFY] = {"verify", BIT(OPT_OP) | BIT(OPT_IMM) | BIT(OPT_ALIAS) | BIT(OPT_WIDTH) |
                                      BIT(OPT_SLOT) | BIT(OPT_MAPPED) | BIT(OPT_LONG) |
                                      BIT(OPT_SEED) | BIT(OPT_ENGINE) | BIT(OPT_PROVE) |
                                      BIT(OPT_SOLVER) | BIT(OPT_TIMEOUT) | BIT(OPT_SMT) |
                                      BIT(OPT_SIZE) | BIT(OPT_FORMS) | BIT(OPT_KEPT)},
    [COMMAND_DIFF] = {"diff", FORMS | BIT(OPT_SLOT) | BIT(OPT_CSV)},
};

/* --- values --- */

typedef bool take_piece(struct recipe_options *o, const char *piece, size_t length);

static bool take_target(struct recipe_options *options, const char *piece, size_t n) {
    if (n)
        vec_push(&options->targets, arena_strndup(&options->cl.arena, piece, n));
    return n > 0;
}

/* Calls take for each piece of a list with commas; false if one is refused. */
static bool each_piece(struct recipe_options *options, const char *list, take_piece *take) {
    for (;;) {
        size_t n = take == take_target ? file_list_piece(list) : strcspn(list, ",");
        if (!take(options, list, n))
            return false;
        if (!list[n])
            return true;
        list += n + 1;
    }
}

/* What no instruction is called may be one that a file of recipes declares. */
static bool take_op(struct recipe_options *options, const char *piece, size_t n) {
    if (form_take_op(&options->forms, piece, n))
        return true;
    vec_push(&options->own, arena_strndup(&options->cl.arena, piece, n));
    enum isa_op op = isa_find(piece, n);
    return n && (op == OP_COUNT || isa_info(op)->flags & ISA_USER);
}

static bool take_width(struct recipe_options *options, const char *piece, size_t n) {
    return form_take_width(&options->forms, piece, n);
}

static bool take_slot(struct recipe_options *options, const char *piece, size_t n) {
    uint64_t v;
    if (!number_parse_u64(piece, n, &v) || v < 1 || v > 64)
        return false;
    vec_push(&options->slots, (uint8_t)v);
    return true;
}

static bool take_alias(struct recipe_options *options, const char *piece, size_t n) {
    return form_take_alias(&options->forms, piece, n);
}

/* A number and the comma behind it, if there is one. */
static bool take_part(const char **text, uint64_t most, uint8_t *part) {
    size_t length = strcspn(*text, ",");
    uint64_t v;
    if (!number_parse_u64(*text, length, &v) || v > most)
        return false;
    *part = (uint8_t)v;
    *text += length + ((*text)[length] == ',');
    return true;
}

/* "16,16,0" or "16,16,0,ss": a, b and lo of MULP, and its signs. */
static bool take_shape(const char *text, int32_t *constant) {
    struct isa_product p = {.width = 1};
    if (!take_part(&text, 64, &p.a) || !take_part(&text, 64, &p.b) || !take_part(&text, 127, &p.lo))
        return false;
    p.signed_a = text[0] == 's';
    p.signed_b = text[0] && text[1] == 's';
    if (strcmp(text, isa_product_signs(&p)) != 0 || isa_product_problem(&p))
        return false;
    *constant = isa_product_constant(&p);
    return true;
}

static bool take_constant(struct recipe_options *options, const char *text) {
    int64_t v;
    if (strchr(text, ','))
        return options->forms.has_constant = take_shape(text, &options->forms.constant);
    if (!number_parse_i64(text, strlen(text), &v) || v < -2048 || v > 4095)
        return false;
    options->forms.has_constant = true;
    options->forms.constant = (int32_t)v;
    return true;
}

static bool take_timeout(struct recipe_options *options, const char *text) {
    uint64_t v;
    if (!number_parse_u64(text, strlen(text), &v) || v < 1 || v > 1000000)
        return false;
    options->timeout_s = (unsigned)v;
    return true;
}

static bool take_threads(struct recipe_options *options, const char *text) {
    uint64_t v;
    if (!number_parse_u64(text, strlen(text), &v) || v < 1 || v > POOL_MAX_THREADS)
        return false;
    options->threads = (unsigned)v;
    return true;
}

static bool take_text(const char **place, const char *text) {
    *place = text;
    return *text;
}

static bool take_size(struct recipe_options *options, const char *piece, size_t n) {
    const char *equals = memchr(piece, '=', n);
    size_t name = equals ? (size_t)(equals - piece) : 0;
    struct size_binding size = {.name = NULL};
    if (!name || !number_parse_u64(equals + 1, n - name - 1, &size.value))
        return false;
    size.name = arena_strndup(&options->cl.arena, piece, name);
    vec_push(&options->sizes, size);
    return true;
}

static bool take_override(struct recipe_options *options, const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return false;
    const char *key = arena_strndup(&options->cl.arena, text, (size_t)(equals - text));
    vec_push(&options->overrides, ((struct target_override){key, equals + 1}));
    return true;
}

static bool take_flag(struct recipe_options *options, int id) {
    bool *flags[] = {[OPT_MASKED] = &options->masked,    [OPT_MAPPED] = &options->mapped,
                     [OPT_CSV] = &options->csv,          [OPT_RECIPE] = &options->notation,
                     [OPT_LONG] = &options->longer,      [OPT_PROVE] = &options->prove,
                     [OPT_FORMS] = &options->every_form, [OPT_PROGRESS] = &options->progress,
                     [OPT_NO_CACHE] = &options->uncached};
    *flags[id] = true;
    return true;
}

static bool take_value(struct recipe_options *options, const struct option_value *value) {
    switch (value->id) {
    case 0:
        vec_push(&options->operands, value->value);
        return true;
    case OPT_TARGET:
        return each_piece(options, value->value, take_target);
    case OPT_SET:
        return take_override(options, value->value);
    case OPT_OP:
        return each_piece(options, value->value, take_op);
    case OPT_WIDTH:
        return each_piece(options, value->value, take_width);
    case OPT_SLOT:
        return each_piece(options, value->value, take_slot);
    case OPT_ALIAS:
        return each_piece(options, value->value, take_alias);
    case OPT_IMM:
        return take_constant(options, value->value);
    case OPT_TIMEOUT:
        return take_timeout(options, value->value);
    case OPT_THREADS:
        return take_threads(options, value->value);
    case OPT_SEED:
        return number_parse_u64(value->value, strlen(value->value), &options->seed);
    case OPT_ENGINE:
        options->fused = strcmp(value->value, "fused") == 0;
        return true;
    case OPT_SOLVER:
        return take_text(&options->solver, value->value);
    case OPT_SMT:
        return take_text(&options->smt_folder, value->value);
    case OPT_KEPT:
        return take_text(&options->kept, value->value);
    case OPT_SIZE:
        return each_piece(options, value->value, take_size);
    case OPT_OUTPUT:
        return take_text(&options->output, value->value);
    default:
        return take_flag(options, value->id);
    }
}

static const char *expected(int id) {
    switch (id) {
    case OPT_TARGET:
        return "expected names with commas between";
    case OPT_SET:
        return "expected a key and its value, as arith=flush";
    case OPT_WIDTH:
        return "expected widths of 1 to 64 bits, as 8,16 or 1..64";
    case OPT_SLOT:
        return "expected widths of 1 to 64 bits, as 8,64";
    case OPT_ALIAS:
        return "expected two of rs, rt and rd, as rd=rs";
    case OPT_IMM:
        return "expected a number of -2048 to 4095, or the shape of a product as 16,16,0,ss";
    case OPT_TIMEOUT:
        return "expected seconds, 1 to 1000000";
    case OPT_THREADS:
        return "expected a number of 1 to 256";
    case OPT_SIZE:
        return "expected a name and a number, as n=4096";
    case OPT_SEED:
        return "expected a number of 64 bits";
    default:
        return "expected a name";
    }
}

/* --- what goes together --- */

/* A name that is no vector instruction. */
static void bad_op(struct recipe_options *options, const char *name) {
    size_t count;
    const char *const *known = isa_mnemonics(&count);
    const char *near = nearest_name(name, known, count);
    enum isa_op op = isa_find(name, strlen(name));
    if (op != OP_COUNT && isa_info(op)->flags & ISA_RESERVED)
        tool_usage_error(&options->cl, "%s is reserved: no tool takes it yet", name);
    else if (op != OP_COUNT)
        tool_usage_error(&options->cl, "%s is no vector instruction: only those have recipes",
                         name);
    else if (near)
        tool_usage_error(&options->cl, "unknown instruction '%s'; did you mean '%s'?", name, near);
    else
        tool_usage_error(&options->cl, "unknown instruction '%s'", name);
}

static bool read_values(struct recipe_options *options) {
    for (size_t i = 0; i < options->cl.count; i++) {
        const struct option_value *v = &options->cl.values[i];
        if (take_value(options, v))
            continue;
        if (v->id == OPT_OP)
            bad_op(options, vec_last(&options->own));
        else
            tool_usage_error(&options->cl, "%s '%s': %s", v->name, v->value, expected(v->id));
        return false;
    }
    return true;
}

/* The first operand; removed from the list. */
static bool read_command(struct recipe_options *options) {
    const char *names[COMMAND_COUNT_];
    if (options->operands.len == 0) {
        tool_usage_error(&options->cl, "expected a command: check, count, expand, verify or diff");
        return false;
    }
    const char *word = options->operands.data[0];
    options->operands.len--;
    memmove(options->operands.data, options->operands.data + 1,
            options->operands.len * sizeof *options->operands.data);
    for (unsigned i = 0; i < COMMAND_COUNT_; i++) {
        names[i] = commands[i].name;
        options->command = (enum recipe_command)i;
        if (strcmp(word, names[i]) == 0)
            return true;
    }
    const char *near = nearest_name(word, names, COMMAND_COUNT_);
    if (near)
        tool_usage_error(&options->cl, "unknown command '%s'; did you mean '%s'?", word, near);
    else
        tool_usage_error(&options->cl,
                         "unknown command '%s'; there are: check, count, expand (shows micro-ops), "
                         "verify (--prove: for all operands), diff (compares two sets)",
                         word);
    return false;
}

static const struct option_value *misplaced(const struct recipe_options *options) {
    uint32_t taken = commands[options->command].options | BIT(0) | BIT(OPT_TARGET) | BIT(OPT_SET) |
                     BIT(OPT_OUTPUT);
    for (size_t i = 0; i < options->cl.count; i++)
        if (!(taken >> options->cl.values[i].id & 1))
            return &options->cl.values[i];
    return NULL;
}

/* NULL, or what does not go together. */
static const char *contradiction(const struct recipe_options *options) {
    if (options->command == COMMAND_DIFF && options->operands.len != 2)
        return "diff compares two: targets, recipe files or the word mapped";
    if (options->command == COMMAND_DIFF && options->targets.len > 1)
        return "diff takes one --target, for what names none itself";
    if (options->command != COMMAND_DIFF && options->operands.len > 1)
        return "at most one file of recipes at a time";
    if (options->mapped && options->operands.len)
        return "--mapped shows what the mapping makes and takes no file of recipes";
    if (options->command == COMMAND_EXPAND && options->forms.ops.len + options->own.len == 0)
        return "expand needs --op";
    if (options->forms.has_constant && options->forms.ops.len && !options->own.len &&
        !form_takes_constant(&options->forms))
        return "--imm: no instruction of --op has a constant";
    if ((options->solver || options->timeout_s) && !options->prove)
        return "--solver and --timeout belong to --prove";
    bool proves = options->prove || options->smt_folder;
    if (options->command == COMMAND_VERIFY && options->forms.aliased && !proves)
        return "verify runs every alias; --alias says which one --prove proves";
    if (options->sizes.len && !(proves && options->operands.len))
        return "--size belongs to verify --prove PROGRAM";
    if (options->fused && proves)
        return "--engine belongs to tests, not to --prove";
    if ((options->kept || options->every_form) && !proves)
        return "--forms and --kept belong to --prove";
    return NULL;
}

static void fill_defaults(struct recipe_options *options) {
    options->target_given = options->targets.len > 0;
    if (!options->target_given)
        vec_push(&options->targets, "racer");
    if (!options->output)
        options->output = "-";
    if (!options->threads)
        options->threads = pool_processors();
    if (!options->timeout_s)
        options->timeout_s = 60;
    if (options->command == COMMAND_EXPAND && options->forms.widths.len == 0)
        vec_push(&options->forms.widths, 8);
}

/* What only tables of verify's own can be of; OP_COUNT if none is named where that does not do. */
static enum isa_op by_tables(const struct recipe_options *options) {
    if (options->command == COMMAND_VERIFY && !options->prove)
        return OP_COUNT;
    for (size_t i = 0; i < options->forms.ops.len; i++)
        if (isa_has_table(options->forms.ops.data[i]))
            return options->forms.ops.data[i];
    return OP_COUNT;
}

static bool read_words(struct recipe_options *options) {
    if (!read_values(options) || !read_command(options))
        return false;
    const struct option_value *v = misplaced(options);
    const char *problem = contradiction(options);
    enum isa_op looks_up = by_tables(options);
    if (v)
        tool_usage_error(&options->cl, "%s does not take %s", commands[options->command].name,
                         v->name);
    else if (looks_up != OP_COUNT)
        tool_usage_error(&options->cl,
                         "%s has no recipe of its own: what carries it out depends on the table",
                         isa_info(looks_up)->name);
    else if (problem)
        tool_usage_error(&options->cl, "%s", problem);
    else if (options->own.len && options->operands.len == 0)
        bad_op(options, options->own.data[0]);
    return !v && !problem && looks_up == OP_COUNT &&
           (options->own.len == 0 || options->operands.len);
}

bool recipe_options_parse(int argc, char **argv, struct recipe_options *options, int *exit_code) {
    *options = (struct recipe_options){.seed = 1};
    form_choice_init(&options->forms);
    if (!command_line_parse(&mpu_recipe_tool, argc, argv, &options->cl, exit_code))
        return false;
    if (read_words(options)) {
        fill_defaults(options);
        return true;
    }
    recipe_options_free(options);
    *exit_code = EXIT_USAGE;
    return false;
}

void recipe_options_free(struct recipe_options *options) {
    vec_free(&options->targets);
    vec_free(&options->overrides);
    vec_free(&options->own);
    vec_free(&options->slots);
    vec_free(&options->sizes);
    vec_free(&options->operands);
    form_choice_free(&options->forms);
    command_line_free(&options->cl);
}
