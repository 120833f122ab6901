/* SPDX-License-Identifier: MIT
 * Carries out forms on values, on golden and on SIMT cores: "add.s32 64" and 64 lines of operands
 * on standard input, the results on standard output (semantics.py). */
#include "tests/ptx/form_kernel.h"

#include "ptx/form.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On golden, and on near-bank SIMT cores with the same results. */
static bool compute(struct form_kernel *k, const uint64_t *in, uint64_t *out, unsigned threads,
                    struct portable_fault *fault) {
    const size_t words = (size_t)threads * k->results;
    uint64_t *other = xcalloc(words + 1, sizeof *other);
    bool fine = form_kernel_run(k, in, out, threads, fault);
    k->simt = true;
    fine = fine && form_kernel_run(k, in, other, threads, fault);
    if (fine && memcmp(out, other, words * sizeof *out) != 0) {
        str_append(&fault->what, "SIMT cores compute something else than golden");
        fine = false;
    }
    free(other);
    return fine;
}

static bool carry_out(const char *opcode, unsigned threads) {
    struct form_kernel k;
    struct portable_fault fault = {.line = 0};
    bool fine = form_kernel_make(opcode, &k, &fault.what);
    uint64_t *in = xcalloc((size_t)threads * k.sources + 1, sizeof *in);
    uint64_t *out = xcalloc((size_t)threads * k.results + 1, sizeof *out);
    for (size_t i = 0; fine && i < (size_t)threads * k.sources; i++)
        fine = scanf("%" SCNx64, &in[i]) == 1;
    fine = fine && compute(&k, in, out, threads, &fault);
    for (size_t t = 0; fine && t < threads; t++)
        for (unsigned r = 0; r < k.results; r++)
            printf("%" PRIx64 "%c", out[t * k.results + r], r + 1 == k.results ? '\n' : ' ');
    if (!fine)
        fprintf(stderr, "%s: line %u: %s\n", opcode, (unsigned)fault.line, str_text(&fault.what));
    free(in);
    free(out);
    form_kernel_free(&k);
    str_free(&fault.what);
    return fine;
}

int main(void) {
    char opcode[128];
    unsigned threads;
    while (scanf("%127s %u", opcode, &threads) == 2)
        if (!carry_out(opcode, threads))
            return 1;
    return 0;
}
