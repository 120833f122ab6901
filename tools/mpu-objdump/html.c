/* SPDX-License-Identifier: MIT
 * --html: source, instructions, recipes, micro-ops and planes side by side, for each target.
 *
 * The page is XHTML without a script.  What belongs to instruction i has the class i<i>; a rule of
 * CSS for each instruction lights all of its class up while one of it is pointed at.  Targets are
 * radio buttons, the checked one of which shows its columns.  Each column has its part of the bytes
 * that the page may have, and says how many lines did not fit. */
#include "tools/mpu-objdump/column.h"
#include "tools/mpu-objdump/explore.h"
#include "tools/mpu-objdump/packages.h"

#include "emu/observe/insn_text.h"
#include "linker/linker.h"
#include "support/alloc.h"
#include "support/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a page, and of names in it. */
enum { PAGE_BYTES = 1000000, FRAME_BYTES = 12000, NAME_BYTES = 200 };
/* Parts of a target's room in hundredths: its rules and its columns. */
enum {
    ROOM_RULES = 12,
    ROOM_SOURCE = 13,
    ROOM_INSNS = 15,
    ROOM_CODE = 25,
    ROOM_UOPS = 22,
    ROOM_PLANES = 13
};

struct line_of {
    uint32_t file, line, index;
};
struct page {
    const struct objdump_options *o;
    const struct object *text;     /* of the target at hand */
    const struct package *package; /* likewise */
    struct text_names names;
    struct map words;          /* an instruction as written -> where the classes stand */
    VEC(struct str) kept;      /* of all that are so written */
    VEC(struct line_of) lines; /* by file, line, instruction */
    uint32_t lit;              /* instructions from 0 on that have a class and a rule */
    size_t room;               /* of a target */
    unsigned number;           /* of the target */
};

static struct page_column column_of(const struct page *page, unsigned hundredths) {
    return (struct page_column){.room = page->room / 100 * hundredths};
}

/* ---- instructions ---- */

static void add_class(const struct page *page, struct str *classes, uint32_t index) {
    if (index < page->lit)
        str_printf(classes, "%si%" PRIu32, classes->len ? " " : "", index);
}

static void put_insns(struct page *page, struct str *out) {
    struct page_column c = column_of(page, ROOM_INSNS);
    struct str line = {0}, text = {0}, class = {0};
    for (uint32_t i = 0; i < page->text->text.len; i++) {
        str_clear(&text);
        str_clear(&line);
        str_clear(&class);
        observe_text_insn(&page->names, i, &text);
        str_printf(&line, "%4" PRIu32 "  %08" PRIx32 "  %s", i, page->text->text.data[i],
                   str_text(&text));
        add_class(page, &class, i);
        objdump_column_line(&c, str_text(&class), str_text(&line));
    }
    objdump_column_end(&c, "Instructions", out);
    str_free(&line);
    str_free(&text);
    str_free(&class);
}

/* Which instructions are written so. */
static void list_words(struct page *page) {
    struct str text = {0};
    for (uint32_t i = 0; i < page->lit; i++) {
        str_clear(&text);
        observe_text_insn(&page->names, i, &text);
        uint32_t at = map_number(&page->words, str_text(&text), text.len);
        if (at == page->kept.len)
            vec_push(&page->kept, (struct str){0});
        add_class(page, &page->kept.data[at], i);
    }
    str_free(&text);
}

/* Classes of a whole line of a listing; "" for none. */
static const char *classes_of_words(const struct page *page, const char *text, size_t size) {
    const uint64_t *at = size ? map_get_n(&page->words, text, size) : NULL;
    return at ? str_text(&page->kept.data[*at]) : "";
}

/* ---- source ---- */

static int by_line(const void *left, const void *right) {
    const struct line_of *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void list_lines(struct page *page) {
    for (uint32_t i = 0; i < page->text->text.len; i++) {
        struct place p = object_place(page->text, i);
        if (p.file < page->text->files.len)
            vec_push(&page->lines, ((struct line_of){p.file, p.line, i}));
    }
    if (page->lines.len)
        qsort(page->lines.data, page->lines.len, sizeof *page->lines.data, by_line);
}

/* Appends those of a line; *at is where its instructions begin, and then where they end. */
static void classes_of_line(const struct page *page, uint32_t line, size_t *at, size_t end,
                            struct str *out) {
    for (; *at < end && page->lines.data[*at].line <= line; ++*at)
        if (page->lines.data[*at].line == line)
            add_class(page, out, page->lines.data[*at].index);
}

/* Lines of a file have instructions from *at on; returns where they end. */
static size_t lines_of_file(const struct page *page, uint32_t file, size_t *at) {
    size_t end;
    for (*at = 0; *at < page->lines.len && page->lines.data[*at].file < file; ++*at)
        ;
    for (end = *at; end < page->lines.len && page->lines.data[end].file == file; end++)
        ;
    return end;
}

/* A file that is not there has its numbers alone, where it has instructions. */
static void put_file(const struct page *page, uint32_t file, struct page_column *column) {
    const char *name = page->text->files.data[file];
    struct str class = {0}, line = {0};
    size_t size, insn, insns = lines_of_file(page, file, &insn);
    uint32_t last = insns > insn ? page->lines.data[insns - 1].line : 0;
    char *all = last ? file_read_most(name, FILE_MAX_OBJECT, &size) : NULL;
    const char *at = all, *end = all ? all + size : NULL;
    if (last)
        objdump_column_line(column, "file", name);
    for (uint32_t n = 1; last && (all ? at < end : n <= last); n++) {
        const char *stop = all ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        stop = all && !stop ? end : stop;
        str_clear(&class);
        str_clear(&line);
        classes_of_line(page, n, &insn, insns, &class);
        str_printf(&line, "%4" PRIu32 "  ", n);
        if (all)
            str_append_n(&line, at, (size_t)(stop - at));
        if (all || class.len)
            objdump_column_line(column, str_text(&class), str_text(&line));
        at = all ? stop + 1 : NULL;
    }
    str_free(&class);
    str_free(&line);
    free(all);
}

static void put_source(const struct page *page, struct str *out) {
    struct page_column c = column_of(page, ROOM_SOURCE);
    for (uint32_t i = 0; i < page->text->files.len; i++)
        put_file(page, i, &c);
    if (!c.html.len && !c.left)
        objdump_column_line(&c, "", "The program has no line table: compile with -g.");
    objdump_column_end(&c, "Source", out);
}

/* ---- recipes ---- */

/* Whose block of a listing it is: "  of instructions 1, 5", or a line that is an instruction, alone
 * or before a colon. */
static void classes_of_block(const struct page *page, const char *block, struct str *out) {
    static const char of[] = "  of instruction";
    for (const char *line = block; *line;) {
        size_t n = strcspn(line, "\n"), blanks = strspn(line, " ");
        const char *words =
            blanks < n ? classes_of_words(page, line + blanks, strcspn(line + blanks, ":\n")) : "";
        if (*words && !strstr(str_text(out), words))
            str_printf(out, "%s%s", out->len ? " " : "", words);
        if (strncmp(line, of, sizeof of - 1) == 0)
            for (const char *c = line + 1; c < line + n; c++)
                if (c[-1] == ' ' && *c >= '0' && *c <= '9')
                    add_class(page, out, (uint32_t)strtoul(c, NULL, 10));
        line += n + (line[n] == '\n');
    }
}

/* Up to an empty line, or to an instruction with a colon that is not indented. */
static size_t block_length(const struct page *page, const char *text) {
    size_t n = strcspn(text, "\n");
    for (n += text[n] == '\n'; text[n] && text[n] != '\n';) {
        size_t line = strcspn(text + n, "\n"), word = strcspn(text + n, ":\n");
        if (word < line && *classes_of_words(page, text + n, word))
            return n;
        n += line + (text[n + line] == '\n');
    }
    return n;
}

static void put_code(const struct page *page, const struct machine_library *library,
                     struct str *out) {
    struct page_column c = column_of(page, ROOM_CODE);
    struct str all = {0}, class = {0}, block = {0};
    package_print_code(page->package, library, &all);
    package_print_kernels(page->package, page->text, library, &all);
    for (const char *at = str_text(&all); *at;) {
        size_t n = block_length(page, at);
        str_clear(&class);
        str_clear(&block);
        str_append_n(&block, at, n);
        classes_of_block(page, str_text(&block), &class);
        objdump_column_lines(&c, str_text(&class), str_text(&block));
        objdump_column_line(&c, "", " ");
        at += n;
        at += *at == '\n';
    }
    objdump_column_end(&c, "Recipes", out);
    str_free(&all);
    str_free(&class);
    str_free(&block);
}

/* ---- what instructions did ---- */

static void begin_insn(struct page *page, struct page_column *column, uint32_t index,
                       struct str *class) {
    struct str text = {0};
    str_clear(class);
    add_class(page, class, index);
    str_printf(&text, "%" PRIu32 "  ", index);
    observe_text_insn(&page->names, index, &text);
    struct str both = {0};
    str_printf(&both, "name %s", str_text(class));
    objdump_column_line(column, str_text(&both), str_text(&text));
    str_free(&both);
    str_free(&text);
}

static void put_uops(struct page *page, const struct explored *explored, struct str *out) {
    struct page_column c = column_of(page, ROOM_UOPS);
    struct str class = {0}, more = {0};
    if (explored->no_uops)
        objdump_column_line(&c, "", explored->no_uops);
    for (uint32_t i = 0; i < explored->count; i++) {
        const struct explored_insn *x = &explored->insns[i];
        if (!x->count)
            continue;
        begin_insn(page, &c, i, &class);
        objdump_column_lines(&c, str_text(&class), str_text(&x->uops));
        str_clear(&more);
        str_printf(&more, "%" PRIu64 " more micro-ops", x->count - x->lines);
        if (x->count > x->lines)
            objdump_column_line(&c, str_text(&class), str_text(&more));
    }
    objdump_column_end(&c, "Micro-ops, the first time", out);
    str_free(&class);
    str_free(&more);
}

static unsigned bits_of(const struct page *page, const struct explored_plane *plane) {
    unsigned reg = plane->name[0] == 'r' ? (unsigned)strtoul(plane->name + 1, NULL, 10) : 64;
    unsigned bits = reg < 64 ? page->package->reg_bits[reg] : 1;
    return bits ? bits : 1;
}

/* A plane is a bit of all lanes; the most significant first. */
static void put_plane(const struct page *page, struct page_column *column, const char *class,
                      const struct explored_plane *plane) {
    struct str line = {0};
    for (unsigned bits = bits_of(page, plane), bit = bits; bit-- > 0;) {
        str_clear(&line);
        str_printf(&line, "%4s[%2u] ", plane->name, bit);
        for (unsigned i = 0; i < EXPLORE_LANES; i++)
            str_char(&line, !(plane->known >> i & 1)      ? '.'
                            : plane->values[i] >> bit & 1 ? '1'
                                                          : '0');
        objdump_column_line(column, class, str_text(&line));
    }
    str_free(&line);
}

static void put_planes(struct page *page, const struct explored *explored, struct str *out) {
    struct page_column c = column_of(page, ROOM_PLANES);
    struct str class = {0};
    objdump_column_line(&c, "",
                        explored->no_planes
                            ? explored->no_planes
                            : "Bits of lanes 0 to 15 of RFH0.VRF0 behind an instruction, the first "
                              "time; a dot: it wrote nothing there.");
    for (uint32_t i = 0; i < explored->count; i++) {
        const struct explored_insn *x = &explored->insns[i];
        if (x->planes.len)
            begin_insn(page, &c, i, &class);
        for (size_t k = 0; k < x->planes.len; k++)
            put_plane(page, &c, str_text(&class), &x->planes.data[k]);
    }
    objdump_column_end(&c, "Planes", out);
    str_free(&class);
}

/* ---- a target ---- */

/* ".t0:has(.i5:hover) .i5," of the longest numbers. */
enum { RULE_BYTES = 48 };

/* How many instructions have a rule. */
static uint32_t count_rules(const struct page *page) {
    size_t most = page->room / 100 * ROOM_RULES / RULE_BYTES;
    return (uint32_t)(page->text->text.len < most ? page->text->text.len : most);
}

static void put_rules(const struct page *page, struct str *out) {
    str_append(out, "<style>");
    for (uint32_t i = 0; i < page->lit; i++)
        str_printf(out, "%s.t%u:has(.i%" PRIu32 ":hover) .i%" PRIu32, i ? "," : "", page->number, i,
                   i);
    if (!page->lit)
        str_append(out, ".none");
    str_append(out, "{background:#ffe08a;outline:1px solid #8a6d00}</style>\n");
}

static void page_close(struct page *page) {
    observe_names_close(&page->names);
    map_free(&page->words);
    for (size_t i = 0; i < page->kept.len; i++)
        str_free(&page->kept.data[i]);
    vec_free(&page->kept);
    vec_free(&page->lines);
}

static enum exit_code put_target(struct page *page, const mpu_program *program,
                                 const struct package_view *view, const char *name,
                                 struct str *out) {
    struct explored explored;
    enum exit_code code =
        objdump_explore(page->o, program, name, (uint32_t)view->text->text.len, &explored);
    page->text = view->text;
    page->package = view->package;
    observe_names_open(&page->names, page->text, page->package);
    page->lit = count_rules(page);
    list_words(page);
    list_lines(page);
    str_printf(out, "<div class=\"t t%u\">\n", page->number);
    put_rules(page, out);
    put_source(page, out);
    put_insns(page, out);
    put_code(page, view->library, out);
    put_uops(page, &explored, out);
    put_planes(page, &explored, out);
    str_append(out, "</div>\n");
    page_close(page);
    objdump_explored_free(&explored);
    return code;
}

/* ---- the page ---- */

static const char style[] =
    "body{font:14px/1.4 sans-serif;margin:1em}h1{font-size:1.2em}h2{font-size:1em;margin:0}"
    "label{border:1px solid #555;padding:.2em .8em;margin-right:.3em;cursor:pointer}"
    "input:checked+label{background:#222;color:#fff}"
    ".t{display:none;margin-top:1em}section{flex:1 1 0;min-width:14em;border:1px solid #999;"
    "padding:.3em}section div{overflow:auto;max-height:80vh}"
    "p{margin:0;font:12px/1.35 monospace;white-space:pre}.file,.name{font-weight:bold}"
    ".cut{font-style:italic;white-space:normal}.say{font:inherit;white-space:normal}\n";

static void begin_page(const struct package_request *targets, const char *name, struct str *out) {
    str_append(out, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" "
                    "xml:lang=\"en\">\n<head><meta charset=\"utf-8\"/><title>");
    objdump_text(out, name, NAME_BYTES);
    str_printf(out, "</title>\n<style>%s", style);
    for (size_t i = 0; i < targets->names.len; i++)
        str_printf(out, "#r%zu:checked~.t%zu%s", i, i, i + 1 < targets->names.len ? "," : "");
    str_append(out, "{display:flex;gap:.5em}</style></head>\n<body><h1>");
    objdump_text(out, name, NAME_BYTES);
    str_append(out, "</h1>\n<p class=\"say\">Point at a line: what belongs to it lights up.</p>\n");
    for (size_t i = 0; i < targets->names.len; i++) {
        str_printf(out, "<input type=\"radio\" name=\"t\" id=\"r%zu\"%s/><label for=\"r%zu\">", i,
                   i ? "" : " checked=\"checked\"", i);
        objdump_text(out, targets->names.data[i], NAME_BYTES);
        str_append(out, "</label>\n");
    }
}

enum exit_code objdump_html_show(const struct objdump_options *options, const char *name,
                                 const struct object *object, const char *bytes, size_t size,
                                 struct str *out) {
    const struct package_request *r = &options->targets;
    mpu_error *error = NULL;
    if (!object->linked || object_find_pipeline(object)) {
        diag_error(options->cl.diag, NO_SPAN, "--html shows a linked program, not %s",
                   object->linked ? "a pipeline" : "an object");
        return EXIT_REJECTED;
    }
    mpu_program *program = mpu_program_load(bytes, size, &error);
    if (!program) {
        diag_error(options->cl.diag, NO_SPAN, "%s", mpu_error_text(error));
        return objdump_failed(error);
    }
    enum exit_code code = EXIT_DONE;
    begin_page(r, name, out);
    for (size_t i = 0; code == EXIT_DONE && i < r->names.len; i++) {
        struct package_view view;
        struct page page = {.o = options,
                            .room = (PAGE_BYTES - FRAME_BYTES) / r->names.len - FRAME_BYTES / 20,
                            .number = (unsigned)i};
        code = objdump_package_open(options, object, i, &view);
        if (code == EXIT_DONE)
            code = put_target(&page, program, &view, r->names.data[i], out);
        objdump_package_close(&view);
    }
    str_append(out, "</body></html>\n");
    mpu_program_free(program);
    return code;
}
