/* SPDX-License-Identifier: MIT
 * The programs of suite/, as people wrote them for the published simulator: linear algebra,
 * pictures, sorts, strings, tables, codes, reductions; in words of several widths, as they are and
 * with all 64 registers wanted to the end, against the interpreter of the original's rules
 * (machine.h), which takes their flat lists. */
#include "support/bits.h"
#include "support/file.h"
#include "ezpim/erc/unit.h"
#include "tests/erc/import.h"
#include "tests/erc/session.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Three in all lanes, and 0: what the programs count to and from. */
enum { THREE = 40, ZERO = 41 };
enum { FEWEST_PROGRAMS = 48 };

/* All VRFs have their places, and the registers below `named`. */
static void write_begin(struct str *out, unsigned named) {
    for (unsigned v = 0; v < MACHINE_ROWS; v++)
        str_printf(out, "COMPUTE_ALL %u\n", v);
    str_printf(out, "for(zz=0;zz<%u;zz+=1)\nMOV [zz] [zz]\nendfor\nCOMPUTE_DONE\n", named);
}

static void put_condition(struct str *out, const struct erc_item *item) {
    const int32_t *o = item->operand;
    if (item->kind == ITEM_ELIF)
        str_printf(out, "elif %d", (int)o[CONDITION_M]);
    else
        str_printf(out, "%s %d,%d", item->kind == ITEM_IF ? "if" : "while", (int)o[CONDITION_GM],
                   (int)o[CONDITION_M]);
    str_printf(out, "<-(%d %s %d)\n", (int)o[CONDITION_A], erc_relations[item->relation],
               (int)o[CONDITION_B]);
}

static void put_item(struct str *out, const struct erc_item *item) {
    switch ((enum item_kind)item->kind) {
    case ITEM_INSN:
        str_append(out, item->insn->name);
        if (item->name)
            str_printf(out, " %s", item->name);
        for (size_t k = 0; item->insn->operands[k] && !item->name; k++)
            str_printf(out, " %d", (int)item->operand[k]);
        str_char(out, '\n');
        break;
    case ITEM_LABEL:
        str_printf(out, "%s:\n", item->name);
        break;
    case ITEM_IF:
    case ITEM_ELIF:
    case ITEM_WHILE:
        put_condition(out, item);
        break;
    case ITEM_ELSE:
        str_append(out, "else\n");
        break;
    case ITEM_ENDIF:
        str_append(out, "endif\n");
        break;
    case ITEM_ENDWHILE:
        str_append(out, "endwhile\n");
        break;
    case ITEM_END:
        str_append(out, "EOF\n");
        break;
    }
}

/* The program without loops of `for`, funcs and expressions. */
static void flatten(const struct str *text, const struct erc_options *options, struct str *out) {
    struct diag *d = diag_new(NULL, NULL);
    struct erc_unit u = {.diag = d,
                         .text = text->text,
                         .size = text->len,
                         .options = options,
                         .width = options->width,
                         .rfhs = options->rfhs};
    u.source = diag_source(d, "", text->text, text->len);
    erc_scan(&u);
    u.told = calloc(u.tokens.len + 1, 1);
    erc_parse(&u);
    erc_expand(&u);
    assert_int_equal(diag_errors(d), 0);
    for (size_t i = 0; i < u.items.len; i++)
        put_item(out, &u.items.data[i]);
    arena_free(&u.arena);
    vec_free(&u.tokens);
    vec_free(&u.lines);
    vec_free(&u.funcs);
    vec_free(&u.items);
    map_free(&u.macros);
    map_free(&u.func_names);
    free(u.told);
    diag_free(d);
}

static void fill(struct machine *machine, unsigned width, unsigned named) {
    uint64_t state = width;
    *machine = (struct machine){.width = width};
    for (unsigned v = 0; v < MACHINE_VRFS; v++) {
        machine->vrfs[v].pointer = -1;
        for (unsigned k = 0; k < named; k++)
            for (unsigned i = 0; i < MACHINE_LANES; i++)
                machine->vrfs[v].r[k][i] =
                    k == THREE  ? 3
                    : k == ZERO ? 0
                                : splitmix64(&state) & low_bits(i % 2 || width < 3 ? width : 3);
    }
}

static void run(const char *name, const struct str *text, unsigned width, unsigned named,
                const mpu_target *target) {
    struct erc_options options = {.width = width, .rfhs = MACHINE_RFHS};
    struct str flat = {0}, why = {0};
    struct machine *machine = malloc(sizeof *machine);
    mpu_config config = {.size = sizeof config, .max_seconds = 60, .threads = 1, .unhashed = 1};
    mpu_error *e = NULL;
    fill(machine, width, named);
    flatten(text, &options, &flat);
    mpu_program *p = import_programs((const char *const *)&text->text, 1, &options);
    mpu_session *s = mpu_session_new(p, target, &config, &e);
    if (!s)
        import_fail(name, e);
    session_put(s, machine, named);
    if (!machine_run(machine, flat.text))
        fail_msg("%s takes too long", name);
    if (mpu_session_run(s, &e) != MPU_OK)
        import_fail(name, e);
    if (!session_same(s, machine, named, &why))
        fail_msg("%s, words of %u bits, %u registers: %s", name, width, named, why.text);
    mpu_session_free(s);
    mpu_program_free(p);
    free(machine);
    str_free(&flat);
    str_free(&why);
}

/* Words of more than 32 bits, with all registers, leave none for what says of each VRF where its
 * mask comes from. */
static bool is_undecided(const char *path, unsigned width, unsigned named) {
    return named == MACHINE_REGISTERS && width > 32 &&
           (strstr(path, "masks_of_vrfs") || strstr(path, "sub_in_blocks"));
}

static void refuse(const struct str *text, unsigned width) {
    struct erc_options options = {.width = width, .rfhs = MACHINE_RFHS};
    struct str messages = {0};
    assert_null(import_object(text->text, &options, &messages));
    assert_non_null(strstr(messages.text, "error: this needs a register"));
    str_free(&messages);
}

static void run_file(const char *path, unsigned named, const mpu_target *target) {
    static const unsigned widths[] = {8, 16, 32, 64, 33, 3};
    size_t size;
    char *program = file_read(path, &size);
    struct str text = {0};
    assert_non_null(program);
    write_begin(&text, named);
    str_append_n(&text, program, size);
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        if (is_undecided(path, widths[k], named))
            refuse(&text, widths[k]);
        else
            run(path, &text, widths[k], named, target);
    free(program);
    str_free(&text);
}

static void run_files(unsigned named) {
    glob_t files;
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    assert_non_null(golden);
    assert_int_equal(glob(MPU_SOURCE_DIR "/tests/erc/suite/*.erc", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= FEWEST_PROGRAMS);
    for (size_t i = 0; i < files.gl_pathc; i++)
        run_file(files.gl_pathv[i], named, golden);
    globfree(&files);
    mpu_target_close(golden);
}

static void some_registers(void **state) {
    (void)state;
    run_files(44);
}

static void all_registers(void **state) {
    (void)state;
    run_files(MACHINE_REGISTERS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(some_registers),
                                       cmocka_unit_test(all_registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
