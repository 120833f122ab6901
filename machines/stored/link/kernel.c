/* SPDX-License-Identifier: MIT
 * Kernels in the machine's own assembler, and how they want their buffers. */
#include "machines/stored/link/stored.h"

#include "object/object.h"

#include <inttypes.h>
#include <string.h>

static bool names(const struct stored_layout *x, const char *parameter) {
    return strlen(parameter) == x->length && memcmp(x->name, parameter, x->length) == 0;
}

/* ---- what is refused ---- */

static bool parameters_fit(const struct stored_kind *kind, const struct kernel_decl *k,
                           struct str *what) {
    uint32_t registers = 0;
    for (uint32_t i = 0; i < k->parameter_count; i++)
        registers += (object_parameter_bytes(&k->parameters[i]) + 7) / 8;
    if (registers > kind->arguments)
        str_printf(what, "its parameters take more than the %" PRIu32 " registers x1 to x%" PRIu32,
                   kind->arguments, kind->arguments);
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].kind == PARAMETER_BUFFER &&
            object_element_bytes(k->parameters[i].type) < kind->access_bytes)
            str_printf(what,
                       "elements of '%s' have less than the %" PRIu32 " bytes of a load or store",
                       k->parameters[i].name, kind->access_bytes);
    return what->len == 0;
}

static bool is_buffer(const struct kernel_decl *k, const struct stored_layout *x) {
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].kind == PARAMETER_BUFFER && names(x, k->parameters[i].name))
            return true;
    return false;
}

/* What lines name are buffers of its parameters, each once; else where not. */
static bool layouts_fit(const struct kernel_decl *k, const struct stored_text *text,
                        struct machine_kernel_fault *fault) {
    for (size_t i = 0; i < text->layouts.len && !fault->what.len; i++) {
        const struct stored_layout *x = &text->layouts.data[i];
        bool again = false;
        for (size_t n = 0; n < i; n++)
            again |= text->layouts.data[n].length == x->length &&
                     memcmp(text->layouts.data[n].name, x->name, x->length) == 0;
        fault->line = x->line;
        if (!again && is_buffer(k, x))
            continue;
        str_printf(&fault->what,
                   again ? "it says twice how '%.*s' lies"
                         : "'%.*s' is no buffer of its parameters",
                   (int)x->length, x->name);
    }
    return fault->what.len == 0;
}

/* A kernel is nobody's lane. */
static bool works_on_memory(const struct stored_isa *isa, const struct stored_text *text,
                            struct machine_kernel_fault *fault) {
    for (size_t i = 0; i < text->words.len; i++) {
        fault->line = text->lines.data[i];
        if (!stored_names_lane(isa, text->words.data[i]))
            continue;
        str_append(&fault->what, "a kernel has no lane, whose registers it could name");
        return false;
    }
    if (!stored_words_fine(isa, text->words.data, text->words.len))
        str_printf(&fault->what, "it does not end with '%s'", isa->ops[0].name);
    return fault->what.len == 0;
}

/* ---- machine_form ---- */

static bool assemble(const struct stored_isa *isa, const char *text, struct stored_text *out,
                     struct machine_kernel_fault *fault) {
    bool fine = stored_assemble_kernel(isa, text, out, &fault->what);
    if (!fine) {
        str_append(&fault->what,
                   fault->what.len ? " is nothing that stands here" : "it breaks off");
        fault->line = out->lines.len ? vec_last(&out->lines) : 0;
    }
    return fine;
}

bool stored_compile(const struct machine_library *l, const struct machine_launches *program,
                    const struct kernel_decl *k, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    const struct stored_kind *kind = stored_kind(l);
    struct stored_text text = {.words = {0}};
    struct str own = {0};
    (void)program;
    bool fine = parameters_fit(kind, k, &fault->what);
    if (fine && k->words) {
        str_printf(&fault->what, "form '%s' is text, not words", kind->form);
        fine = false;
    }
    fine = fine && assemble(&kind->isa, stored_kernel_text(k, &own), &text, fault) &&
           layouts_fit(k, &text, fault) && works_on_memory(&kind->isa, &text, fault);
    for (size_t i = 0; fine && i < text.words.len; i++)
        stored_put_word(&kind->isa, text.words.data[i], &out->code);
    out->lines = text.lines.data;
    out->line_count = (uint32_t)text.lines.len;
    text.lines.data = NULL;
    stored_text_free(&text);
    str_free(&own);
    return fine;
}

/* The text was compiled before. */
static void lie_of(const struct stored_isa *isa, struct machine_launches *launches,
                   uint32_t kernel) {
    const struct kernel_decl *k = &launches->object->kernels.data[kernel];
    struct stored_text text = {.words = {0}};
    struct str wrong = {0}, own = {0};
    stored_assemble_kernel(isa, stored_kernel_text(k, &own), &text, &wrong);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        struct stored_layout x = {.line = 0};
        for (size_t n = 0; n < text.layouts.len; n++)
            if (names(&text.layouts.data[n], k->parameters[i].name))
                x = text.layouts.data[n];
        machine_want(launches, kernel, i, x.lies, x.line);
    }
    stored_text_free(&text);
    str_free(&wrong);
    str_free(&own);
}

void stored_lie(const struct machine_library *l, struct machine_launches *launches) {
    const struct stored_kind *kind = stored_kind(l);
    for (uint32_t i = 0; i < launches->object->kernels.len; i++)
        if (launches->called[i] && strcmp(launches->object->kernels.data[i].form, kind->form) == 0)
            lie_of(&kind->isa, launches, i);
}

void stored_print_kernel(const struct machine_library *l, const void *code, size_t size,
                         const struct machine_lines *lines, struct str *out) {
    const struct stored_isa *isa = &stored_kind(l)->isa;
    const size_t bytes = stored_word_bytes(isa);
    for (size_t i = 0; (i + 1) * bytes <= size; i++) {
        uint64_t word = stored_get_word(isa, (const unsigned char *)code + i * bytes);
        struct str text = {0};
        str_printf(out, "%6zu  ", i);
        stored_print_hex(isa, word, out);
        stored_print_word(isa, word, &text);
        str_printf(out, "  %-24s", str_text(&text));
        machine_line_text(lines, (uint32_t)i, out);
        str_char(out, '\n');
        str_free(&text);
    }
}
