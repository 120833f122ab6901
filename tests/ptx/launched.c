/* SPDX-License-Identifier: MIT
 * Launches on one array; the module's data lie behind it. */
#include "tests/ptx/launched.h"

#include "ptx/form.h"
#include "ptx/program.h"
#include "support/alloc.h"
#include "tests/simt/simt_launch.h"

#include <stdlib.h>
#include <string.h>

#define DATA_ADDRESS UINT64_C(0x10000000)

struct memory {
    const struct ptx_launched *launched;
    struct str data;
};

static unsigned char *at(void *context, uint64_t address, uint64_t size, uint32_t access,
                         uint64_t thread, uint32_t line) {
    struct memory *m = context;
    uint64_t bytes = m->launched->elements * sizeof(uint32_t);
    (void)access, (void)thread, (void)line;
    if (address >= DATA_ADDRESS)
        return address - DATA_ADDRESS <= m->data.len &&
                       size <= m->data.len - (address - DATA_ADDRESS)
                   ? (unsigned char *)m->data.text + (address - DATA_ADDRESS)
                   : NULL;
    return address >= PTX_ARRAY_ADDRESS && address - PTX_ARRAY_ADDRESS <= bytes &&
                   size <= bytes - (address - PTX_ARRAY_ADDRESS)
               ? (unsigned char *)m->launched->array + (address - PTX_ARRAY_ADDRESS)
               : NULL;
}

static bool go_on(void *context, uint64_t steps) {
    const struct memory *m = context;
    return !m->launched->most_steps || steps < m->launched->most_steps;
}

static void load_data(const struct ptx_module *module, struct memory *m) {
    struct str places = {0};
    struct portable_fault ignored = {.line = 0};
    if (module && ptx_data(module, &m->data, &places, &ignored))
        for (size_t i = 0; i < places.len; i += 8) {
            uint64_t place, value;
            memcpy(&place, places.text + i, 8);
            memcpy(&value, m->data.text + place, 8);
            value += DATA_ADDRESS;
            memcpy(m->data.text + place, &value, 8);
        }
    str_free(&places);
    str_free(&ignored.what);
}

bool ptx_launched_run(const struct ptx_launched *launched, struct portable_fault *fault) {
    const struct kernel_decl decl = {.name = "k",
                                     .form = "ptx",
                                     .bytes = launched->text,
                                     .size =
                                         launched->size ? launched->size : strlen(launched->text)};
    const uint64_t parameter = PTX_ARRAY_ADDRESS;
    struct portable_kernel *k = ptx_portable.read(&decl, fault);
    struct memory m = {.launched = launched};
    if (!k)
        return false;
    struct portable_fault ignored = {.line = 0};
    struct ptx_module *module = ptx_read(decl.bytes, decl.size, &ignored);
    load_data(module, &m);
    ptx_free(module);
    str_free(&ignored.what);
    const struct portable_launch launch = {.parameters = (const unsigned char *)&parameter,
                                           .parameter_bytes = sizeof parameter,
                                           .shared = DATA_ADDRESS,
                                           .grid = {launched->grid, 1, 1},
                                           .block = {launched->block, 1, 1},
                                           .bytes = launched->shared,
                                           .descending = launched->descending,
                                           .at = at,
                                           .go_on = go_on,
                                           .context = &m};
    const struct simt_region regions[] = {{PTX_ARRAY_ADDRESS, launched->elements * sizeof(uint32_t),
                                           (unsigned char *)launched->array},
                                          {DATA_ADDRESS, m.data.len, (unsigned char *)m.data.text}};
    const struct simt_how how = {.rows = 0};
    bool fine = launched->simt
                    ? simt_launch_text(decl.bytes, decl.size, &launch, regions, 2, &how, fault)
                    : ptx_portable.run(k, &launch, fault);
    ptx_portable.free(k);
    str_free(&m.data);
    return fine;
}
