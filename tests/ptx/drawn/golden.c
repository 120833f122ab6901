/* SPDX-License-Identifier: MIT
 * A launch of a random kernel on the scalar interpreter. */
#include "tests/ptx/drawn/golden.h"

#include "ptx/form.h"

#include <string.h>

#define INPUT UINT64_C(0x10000)
#define OWN   UINT64_C(0x100000)
#define SUMS  UINT64_C(0x200000)
#define DATA  UINT64_C(0x300000)

struct memory {
    const struct drawn *drawn;
    unsigned char *own, *sums;
};

static unsigned char *within(const void *bytes, uint64_t room, uint64_t from, uint64_t address,
                             uint64_t size) {
    return address >= from && address - from <= room && size <= room - (address - from)
               ? (unsigned char *)(uintptr_t)bytes + (address - from)
               : NULL;
}

static unsigned char *at(void *context, uint64_t address, uint64_t size, uint32_t access,
                         uint64_t thread, uint32_t line) {
    const struct memory *m = context;
    const struct drawn *d = m->drawn;
    (void)thread, (void)line;
    if (address >= DATA)
        return access != PORTABLE_READS ? NULL
                                        : within(d->table, sizeof d->table, DATA, address, size);
    if (address >= SUMS)
        return within(m->sums, sizeof d->sums, SUMS, address, size);
    if (address >= OWN)
        return within(m->own, (uint64_t)d->threads * d->blocks_of_grid * DRAWN_SLOTS * 8, OWN,
                      address, size);
    return access != PORTABLE_READS ? NULL
                                    : within(d->input, sizeof d->input, INPUT, address, size);
}

bool drawn_on_golden(const struct drawn *drawn, const struct str *text, bool descending,
                     uint64_t *own, uint64_t *sums, struct portable_fault *fault) {
    const struct kernel_decl decl = {
        .name = "k", .form = "ptx", .bytes = text->text, .size = text->len};
    struct portable_kernel *k = ptx_portable.read(&decl, fault);
    struct memory m = {drawn, (unsigned char *)own, (unsigned char *)sums};
    struct drawn_parameters parameters = {INPUT, OWN, SUMS, drawn->n, {0}};
    memcpy(parameters.passed, drawn->passed, sizeof parameters.passed);
    struct portable_launch launch = {.parameters = (const unsigned char *)&parameters,
                                     .parameter_bytes = sizeof parameters,
                                     .shared = DATA,
                                     .bytes = drawn->dynamic,
                                     .descending = descending,
                                     .at = at,
                                     .context = &m};
    memcpy(launch.grid, drawn->grid, sizeof launch.grid);
    memcpy(launch.block, drawn->block, sizeof launch.block);
    memset(own, 0, (size_t)drawn->threads * drawn->blocks_of_grid * DRAWN_SLOTS * sizeof *own);
    memcpy(sums, drawn->sums, sizeof drawn->sums);
    bool fine = k && ptx_portable.run(k, &launch, fault);
    if (k)
        ptx_portable.free(k);
    return fine;
}
