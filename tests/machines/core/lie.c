/* SPDX-License-Identifier: MIT
 * How buffers lie in the cores: as lines of kernels say, else flat. */
#include "core.h"

#include <string.h>

static bool names(const struct core_lie *x, const char *parameter) {
    return strlen(parameter) == x->length && memcmp(x->name, parameter, x->length) == 0;
}

static bool is_buffer(const struct kernel_decl *k, const struct core_lie *x) {
    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].kind == PARAMETER_BUFFER && names(x, k->parameters[i].name))
            return true;
    return false;
}

bool core_lies_fit(const struct kernel_decl *k, const core_lies *lies,
                   struct machine_kernel_fault *fault) {
    for (size_t i = 0; i < lies->len && !fault->what.len; i++) {
        const struct core_lie *x = &lies->data[i];
        bool again = false;
        for (size_t n = 0; n < i; n++)
            again |= lies->data[n].length == x->length &&
                     memcmp(lies->data[n].name, x->name, x->length) == 0;
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

/* The text was compiled before. */
static void lie_of(struct machine_launches *launches, uint32_t kernel) {
    const struct kernel_decl *k = &launches->object->kernels.data[kernel];
    core_words words = {0}, lines = {0};
    core_lies lies = {0};
    struct str wrong = {0}, own = {0};
    core_assemble_kernel(core_kernel_text(k, &own), &words, &lines, &lies, &wrong);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        struct core_lie x = {.line = 0};
        for (size_t n = 0; n < lies.len; n++)
            if (names(&lies.data[n], k->parameters[i].name))
                x = lies.data[n];
        machine_want(launches, kernel, i, x.lies, x.line);
    }
    vec_free(&words);
    vec_free(&lines);
    vec_free(&lies);
    str_free(&wrong);
    str_free(&own);
}

void core_lie(const struct machine_library *l, struct machine_launches *launches) {
    (void)l;
    for (uint32_t i = 0; i < launches->object->kernels.len; i++)
        if (launches->called[i] && strcmp(launches->object->kernels.data[i].form, "core") == 0)
            lie_of(launches, i);
}
