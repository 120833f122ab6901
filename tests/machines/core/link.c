/* SPDX-License-Identifier: MIT
 * The link half: keys of target files, routines as the library, object code as the code part. */
#include "core.h"

#include "object/bytes.h"
#include "object/object.h"
#include "support/alloc.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

#define KEY(block, name, most, help)                                                               \
    {                                                                                              \
#block "." #name, KEY_U64, NEED_ALL, 0, most, 1,                                           \
            (ptrdiff_t)offsetof(struct core_keys, name), NULL, help                                \
    }
static const struct target_key_spec keys[] = {
    {"core", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "one core"},
    KEY(core, memory_bytes, UINT64_C(1) << 32,
        "memory that holds the registers of its lanes, bytes"),
    KEY(core, buffer_bytes, UINT64_C(1) << 40, "memory that holds its slices of buffers, bytes"),
    KEY(core, access_cycles, 1000, "load or store in the core, cycles"),
    KEY(core, port_cycles, 1000, "and at the port that the cores of an RFH share, cycles"),
    KEY(core, branch_cycles, 1000, "branch that is taken, cycles"),
    KEY(energy, alu_fj, MAX_FJ, "instruction, fJ"),
    KEY(energy, access_fj, MAX_FJ, "load or store, fJ"),
    KEY(core, watchdog, UINT64_C(1) << 40,
        "instructions after which a routine or a kernel is stopped"),
};

const struct target_kind core_kind = {.name = "toy-core",
                                      .costs = true,
                                      .measured = true,
                                      .keys = keys,
                                      .key_count = sizeof keys / sizeof *keys,
                                      .own_size = sizeof(struct core_keys)};

/* ---- library: all routines, which must assemble ---- */

struct core_library {
    struct machine_library base;
    char hash[65];
};

static bool check_routine(enum isa_op op, struct diag *d) {
    struct str wrong = {0};
    core_words words = {0};
    bool fine =
        core_assemble(core_routine(op), &(struct insn){.width = 64, .imm = 1}, &words, &wrong);
    if (!fine)
        diag_error(d, NO_SPAN, "routine of %s: '%s'", isa_info(op)->name, str_text(&wrong));
    str_free(&wrong);
    vec_free(&words);
    return fine;
}

static struct machine_library *open_library(const struct target *t, const struct user_file *files,
                                            size_t count, struct diag *d) {
    struct core_library *l = xcalloc(1, sizeof *l);
    struct str all = {0};
    bool fine = true;
    (void)t, (void)files, (void)count; /* recipes are nothing to a core */
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (core_routine((enum isa_op)op)) {
            fine &= check_routine((enum isa_op)op, d);
            str_printf(&all, "%u %s\n", op, core_routine((enum isa_op)op));
        }
    sha256_hex(all.text, all.len, l->hash);
    str_free(&all);
    if (fine)
        return &l->base;
    free(l);
    return NULL;
}

static void close_library(struct machine_library *l) {
    free(l);
}

static const char *hash(const struct machine_library *l) {
    return ((const struct core_library *)(const void *)l)->hash;
}

static bool has(const struct machine_library *l, enum isa_op op) {
    (void)l;
    return core_routine(op) != NULL;
}

/* ---- fit: the registers of a lane lie in the core's memory ---- */

static uint32_t lanes(const struct target *t, const uint8_t reg_bits[64]) {
    const struct core_keys *k = t->own;
    uint64_t bytes = 0;
    for (unsigned r = 0; r < 64; r++)
        bytes += reg_bits[r] ? 8 : 0;
    return bytes && k->memory_bytes / bytes < t->lanes ? (uint32_t)(k->memory_bytes / bytes)
                                                       : t->lanes;
}

static bool has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem) {
    if (lanes(t, reg_bits))
        return true;
    str_append(problem, "the memory of a core does not hold the registers of one lane");
    return false;
}

static uint64_t memory(const struct target *t) {
    return ((const struct core_keys *)t->own)->buffer_bytes;
}

/* ---- code: the object code of each run of the text ---- */

/* Predication of a routine: lanes without M are done at once. */
static bool translate_one(const struct insn *x, bool masked, core_words *out) {
    struct str text = {0}, wrong = {0};
    const char *routine = core_routine(x->op);
    if (masked && !(isa_info(x->op)->flags & ISA_UNMASKED))
        str_append(&text, "ld x15 M; bnez x15 on; end; on: ");
    str_append(&text, routine ? routine : "?");
    bool fine = core_assemble(str_text(&text), x, out, &wrong);
    str_free(&text);
    str_free(&wrong);
    return fine;
}

/* A run in numbers: how many follow, its instructions, its predication; then the arrays of struct
 * core_run. */
enum { HEAD = 3 };

bool core_translate(const struct dp_run *run, core_words *out) {
    size_t at = out->len, count = run->count, words = at + HEAD + 2 * count;
    bool masked = run->masked, fine = true;
    for (size_t i = at; i < words; i++)
        vec_push(out, 0);
    out->data[at + 1] = (uint32_t)count;
    out->data[at + 2] = masked;
    for (size_t i = 0; i < count && fine; i++) {
        uint32_t flags = isa_info(run->insns[i].op)->flags;
        fine = isa_encode(&run->insns[i], &out->data[at + HEAD + i]) == ISA_OK &&
               translate_one(&run->insns[i], masked, out);
        out->data[at + HEAD + count + i] = (uint32_t)(out->len - words);
        masked = (masked || flags & ISA_PREDICATE_ON) && !(flags & ISA_PREDICATE_OFF);
    }
    out->data[at] = (uint32_t)(out->len - at - 1);
    return fine;
}

static bool run_fine(const struct core_run *r, size_t room) {
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t begin = core_begin(r, i), end = r->ends[i];
        if (end < begin || end > room || !core_words_fine(r->words + begin, end - begin))
            return false;
    }
    return r->count && r->ends[r->count - 1] == room;
}

bool core_next_run(const core_words *data, size_t *at, struct core_run *out, bool *fine) {
    size_t left = data->len - *at;
    *fine = true;
    if (!left)
        return false;
    const uint32_t *x = data->data + *at;
    *fine = left >= HEAD && x[0] >= HEAD - 1 && x[0] < left && x[1] <= (x[0] + 1 - HEAD) / 2 &&
            x[2] < 2;
    if (!*fine)
        return false;
    *out = (struct core_run){x[1], x[2], x + HEAD, x + HEAD + x[1], x + HEAD + 2 * (size_t)x[1]};
    *at += x[0] + 1;
    return *fine = run_fine(out, x[0] + 1 - HEAD - 2 * (size_t)x[1]);
}

static struct core_code *code_of(struct machine_code *c) {
    return (struct core_code *)(void *)c;
}
static const core_words *data_of(const struct machine_code *c) {
    return &((const struct core_code *)(const void *)c)->data;
}

static void free_code(struct machine_code *c) {
    vec_free(&code_of(c)->data);
    free(c);
}

/* Every run of the text, with predication and without. */
static struct machine_code *build(const struct machine_library *l, const struct machine_program *p,
                                  struct diag *d) {
    struct core_code *c = xcalloc(1, sizeof *c);
    const struct text *t = p->text;
    bool fine = true;
    c->base.machine = l->machine;
    for (uint32_t i = 0, end; i<t->len; i = end> i ? end : i + 1) {
        end = object_text_run_end(t, i);
        for (unsigned masked = 0; end > i && masked < 2; masked++)
            fine &= core_translate(&(struct dp_run){&t->insns[i], end - i, masked, 0}, &c->data);
    }
    if (fine)
        return &c->base;
    diag_error(d, NO_SPAN, "the program has an instruction without a routine");
    free_code(&c->base);
    return NULL;
}

static void write_code(const struct machine_code *c, struct str *out) {
    const core_words *data = data_of(c);
    for (size_t i = 0; i < data->len; i++)
        put_u32(out, data->data[i]);
}

static struct machine_code *read_code(const void *bytes, size_t size, const char **problem) {
    struct core_code *c = xcalloc(1, sizeof *c);
    struct core_run run;
    bool fine = size % 4 == 0;
    c->base.machine = &core_machine;
    for (size_t i = 0; i < size / 4; i++)
        vec_push(&c->data, get_u32((const unsigned char *)bytes + 4 * i));
    for (size_t at = 0; fine && core_next_run(&c->data, &at, &run, &fine);) {
    }
    if (fine)
        return &c->base;
    *problem = "its object code is damaged";
    free_code(&c->base);
    return NULL;
}

/* What was read serves a program if it is what would be built for it. */
static bool ready(struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct machine_code *now = build(l, p, quiet);
    diag_free(quiet);
    bool same = now && data_of(now)->len == data_of(c)->len;
    for (size_t i = 0; same && i < data_of(c)->len; i++)
        same = data_of(now)->data[i] == data_of(c)->data[i];
    machine_code_free(now);
    return same;
}

/* ---- kernels: programs in the core's own assembler ---- */

/* Workers find their arguments in x1 and on, how many workers there are in x14, and their own
 * number in x15. */
enum { MOST_ARGUMENTS = 13 };

static bool parameters_fit(const struct kernel_decl *k, struct str *what) {
    uint32_t registers = 0;
    for (uint32_t i = 0; i < k->parameter_count; i++)
        registers += (object_parameter_bytes(&k->parameters[i]) + 7) / 8;
    if (registers > MOST_ARGUMENTS)
        str_append(what, "its parameters take more than the 13 registers x1 to x13");
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].kind == PARAMETER_BUFFER && k->parameters[i].type.bits <= 32)
            str_printf(what, "elements of '%s' have less than the 8 bytes of ld and st",
                       k->parameters[i].name);
    return what->len == 0;
}

/* A kernel is nobody's lane. */
static bool works_on_memory(const core_words *words, const core_words *lines,
                            struct machine_kernel_fault *fault) {
    for (size_t i = 0; i < words->len; i++) {
        enum core_op op = CORE_OP(words->data[i]);
        fault->line = lines->data[i];
        if ((op == CORE_LD || op == CORE_ST) && !CORE_MEMORY(CORE_IMM(words->data[i])))
            str_append(&fault->what, "a kernel has no lane, whose registers it could name");
        if (fault->what.len)
            return false;
    }
    if (!core_words_fine(words->data, words->len))
        str_append(&fault->what, "it does not end with 'end'");
    return fault->what.len == 0;
}

/* The words of a kernel, with the line of each. */
static bool assemble(const char *text, core_words *words, core_words *lines, core_lies *lies,
                     struct machine_kernel_fault *fault) {
    bool fine = core_assemble_kernel(text, words, lines, lies, &fault->what);
    if (!fine) {
        str_append(&fault->what,
                   fault->what.len ? " is nothing that stands here" : "it breaks off");
        fault->line = lines->len ? vec_last(lines) : 0;
    }
    return fine;
}

static bool compile(const struct machine_library *l, const struct machine_launches *program,
                    const struct kernel_decl *k, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    core_words words = {0}, lines = {0};
    struct str own = {0};
    core_lies lies = {0};
    (void)l, (void)program;
    bool fine = parameters_fit(k, &fault->what);
    if (fine && k->words) {
        str_append(&fault->what, "form 'core' is text, not words");
        fine = false;
    }
    fine = fine && assemble(core_kernel_text(k, &own), &words, &lines, &lies, fault);
    fine = fine && core_lies_fit(k, &lies, fault) && works_on_memory(&words, &lines, fault);
    for (size_t i = 0; fine && i < words.len; i++)
        put_u32(&out->code, words.data[i]);
    str_free(&own);
    vec_free(&words);
    vec_free(&lies);
    out->lines = lines.data;
    out->line_count = (uint32_t)lines.len;
    return fine;
}

static void print_kernel(const struct machine_library *l, const void *code, size_t size,
                         const struct machine_lines *lines, struct str *out) {
    (void)l;
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word = get_u32((const unsigned char *)code + i);
        struct str text = {0};
        core_print(word, &text);
        str_printf(out, "%6zu  %08x  %-24s", i / 4, word, str_text(&text));
        machine_line_text(lines, (uint32_t)(i / 4), out);
        str_char(out, '\n');
        str_free(&text);
    }
}

static const char *const suffixes[] = {".core", NULL};
const struct machine_form core_form = {.name = "core",
                                       .whole = true,
                                       .takes = TAKES_GRID | TAKES_BLOCK | TAKES_UNITS,
                                       .declare = core_declare,
                                       .compile = compile,
                                       .data = core_shared,
                                       .lie = core_lie,
                                       .print = print_kernel,
                                       .suffixes = suffixes,
                                       .text_suffix = ".core"};

/* ---- for people; load ---- */

static void print_run(const struct core_run *r, const struct isa_users *users, struct str *out) {
    struct insn x;
    str_printf(out, "run of %u, %s\n", r->count, r->masked ? "masked" : "unmasked");
    for (uint32_t i = 0; i < r->count; i++) {
        str_append(out, "  ");
        if (isa_decode(r->text[i], &x) == ISA_OK)
            isa_users_format(users, &x, NULL, out);
        str_char(out, '\n');
        for (uint32_t begin = core_begin(r, i), w = begin; w < r->ends[i]; w++) {
            str_printf(out, "%6u  %08x  ", w - begin, r->words[w]);
            core_print(r->words[w], out);
            str_char(out, '\n');
        }
    }
}

static void print(const struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p, struct str *out) {
    static const struct isa_users none;
    struct core_run run;
    bool fine;
    (void)l;
    for (size_t at = 0; core_next_run(data_of(c), &at, &run, &fine);)
        print_run(&run, p->users ? p->users : &none, out);
}

/* Object code goes over the host's link before the program starts. */
static void load(const struct machine_code *c, struct machine_load *out) {
    out->bytes = 4 * (uint64_t)data_of(c)->len;
}

static const struct machine_format formats[CORE_FORMATS + 1] = {
    [CORE_FORMAT_TEXT] = {.name = "text", .columns = MACHINE_NO_COLUMNS, .heading = ""},
    [CORE_FORMAT_CSV] = {.name = "csv",
                         .columns = MACHINE_INSN_COLUMNS,
                         .heading = "lane,word,instruction"},
};

const struct machine core_machine = {
    .kind = &core_kind,
    .open = open_library,
    .close = close_library,
    .hash = hash,
    .has = has,
    .has_room = has_room,
    .lanes = lanes,
    .memory = memory,
    .code_version = 1,
    .build = build,
    .write = write_code,
    .read = read_code,
    .ready = ready,
    .free = free_code,
    .print = print,
    .load = load,
    .forms = core_forms,
    .formats = formats,
};
