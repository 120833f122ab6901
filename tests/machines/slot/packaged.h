/* SPDX-License-Identifier: MIT
 * A program packaged for a machine of slots, and what is tried with its package on each of them. */
#ifndef TESTS_MACHINES_SLOT_PACKAGED_H
#define TESTS_MACHINES_SLOT_PACKAGED_H

#include "linker/linker.h"
#include "linker/package/pack.h"

struct packaged {
    struct target *target;
    struct machine_library *library;
    struct object *program;
    struct package *package; /* NULL: refused, see d */
    struct diag *d;
};

/* Assembly for a target's name or file; the test fails where it is no program. */
struct packaged packaged_open(const char *text, const char *target,
                              const struct target_override *set, size_t count);
void packaged_close(struct packaged *x);
/* With that key it is refused, with these words in the first message. */
void packaged_refused(const char *text, const char *target, const char *key, const char *value,
                      const char *words);
/* Written and read again it is the same, and fresh; its print has these words. */
void packaged_round_trip(const struct packaged *x, const char *const *words, size_t count);
/* Its code cut off anywhere is refused; with a byte changed (each of the first `all`, then every
 * `step`th) it is refused more often than `least` times, or `run`, NULL: nothing. */
struct packaged_damage {
    size_t all, step;
    uint64_t least;
    void (*run)(const struct packaged *x, const struct machine_code *code,
                const struct machine_program *p);
};
void packaged_damaged(const struct packaged *x, const struct packaged_damage *how);

#endif
