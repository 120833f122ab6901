/* SPDX-License-Identifier: MIT
 * What the entries of a module share. */
#include "ptx/program.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

uint64_t ptx_window(enum ptx_space space) {
    return space == PTX_SHARED  ? PTX_SHARED_WINDOW
           : space == PTX_LOCAL ? PTX_LOCAL_WINDOW
           : space == PTX_PARAM ? PTX_PARAM_WINDOW
                                : 0;
}

enum ptx_space ptx_space_of(uint64_t *address) {
    static const enum ptx_space spaces[] = {PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM};
    uint64_t window = *address / PTX_WINDOW_BYTES;
    if (window == 0 || window > 3)
        return PTX_GLOBAL;
    *address %= PTX_WINDOW_BYTES;
    return spaces[window];
}

/* The definition that a declaration stands for, or itself. */
static uint32_t definition(const struct ptx_module *module, uint32_t variable) {
    const struct ptx_variable *v = &module->variables.data[variable];
    if (!(v->linkage & PTX_EXTERN) || v->space == PTX_SHARED)
        return variable;
    for (uint32_t i = 0; i < module->variables.len; i++) {
        const struct ptx_variable *d = &module->variables.data[i];
        if (d->function == PTX_NONE && !(d->linkage & PTX_EXTERN) && strcmp(d->name, v->name) == 0)
            return i;
    }
    return variable;
}

void ptx_data_offsets(const struct ptx_module *module, uint64_t *offsets, uint64_t *bytes) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < module->variables.len; i++) {
        const struct ptx_variable *v = &module->variables.data[i];
        if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || definition(module, i) != i)
            continue;
        offsets[i] = (end + v->align - 1) / v->align * v->align;
        end = offsets[i] + v->bytes;
    }
    for (uint32_t i = 0; i < module->variables.len; i++)
        if (module->variables.data[i].space == PTX_GLOBAL ||
            module->variables.data[i].space == PTX_CONST)
            offsets[i] = offsets[definition(module, i)];
    *bytes = end;
}

static void put(struct str *out, uint64_t at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        out->text[at + i] = (char)(value >> 8 * i);
}

struct values {
    const struct ptx_module *module;
    const uint64_t *offsets;
    struct str *out, *addresses;
    size_t begin; /* of the data in out */
    struct portable_fault *fault;
};

/* A word that is an address: how far behind the first, and that this one is to be added. */
static bool address_value(struct values *x, const struct ptx_variable *v,
                          const struct ptx_initial *initial, uint64_t at, uint64_t *value) {
    uint32_t to = definition(x->module, initial->variable);
    const struct ptx_variable *target = &x->module->variables.data[to];
    if (target->space != PTX_GLOBAL && target->space != PTX_CONST) {
        str_printf(&x->fault->what, "the address of '%s' is no value of '%s'", target->name,
                   v->name);
        x->fault->line = v->line;
        return false;
    }
    *value = x->offsets[to] + initial->number;
    str_append_n(x->addresses, (const char *)&at, sizeof at);
    return true;
}

static bool put_values(struct values *x, uint32_t variable) {
    const struct ptx_variable *v = &x->module->variables.data[variable];
    unsigned bytes = ptx_type_bytes(v->type);
    for (uint32_t i = 0; i < v->initial_count; i++) {
        const struct ptx_initial *initial = &v->initial[i];
        uint64_t value = ptx_number_bits(initial->number, initial->number_kind, v->type);
        uint64_t at = x->offsets[variable] + (uint64_t)i * bytes;
        if (initial->variable != PTX_NONE && !address_value(x, v, initial, at, &value))
            return false;
        put(x->out, x->begin + at, value, bytes);
    }
    return true;
}

bool ptx_data(const struct ptx_module *module, struct str *out, struct str *addresses,
              struct portable_fault *fault) {
    uint64_t *offsets = xcalloc(module->variables.len + 1, sizeof *offsets), bytes;
    struct values x = {module, offsets, out, addresses, out->len, fault};
    ptx_data_offsets(module, offsets, &bytes);
    bool fine = bytes <= PTX_DATA_BYTES;
    if (fine)
        memset(str_extend(out, (size_t)bytes), 0, (size_t)bytes);
    else
        str_printf(&fault->what, "its .global and .const data have %llu bytes: %llu are there",
                   (unsigned long long)bytes, (unsigned long long)PTX_DATA_BYTES);
    for (uint32_t i = 0; fine && i < module->variables.len; i++)
        if (module->variables.data[i].initial_count)
            fine = put_values(&x, i);
    free(offsets);
    return fine;
}
