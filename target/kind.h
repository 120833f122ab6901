/* SPDX-License-Identifier: MIT
 * A kind of machine as target files know it: its name, and the keys that it adds to those that all
 * kinds share.  The reader (target.c) looks a file's `kind` up among machine_target_kinds and hands
 * it the keys that are its own. */
#ifndef TARGET_KIND_H
#define TARGET_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target;
struct target_text;

enum target_key_type {
    KEY_U32,
    KEY_U64,
    KEY_BOOL,
    KEY_TEXT,
    KEY_CHOICE, /* `choices`, separated by blanks; the field is an int-sized enum */
    KEY_BLOCK,  /* a map whose keys are listed */
    KEY_OPEN,   /* a map whose keys the file chooses: read elsewhere, or listed by the kind */
};

/* Who must have a key: nobody, kinds that model what programs cost, all kinds.  For a kind's own
 * keys the last two mean the same. */
enum target_key_need { NEED_NONE, NEED_COST, NEED_ALL };

struct target_key_spec {
    const char *path; /* "clocks.datapath_ps" */
    enum target_key_type type;
    enum target_key_need need;
    uint64_t min, max;
    uint64_t scale;  /* the field holds value * scale */
    ptrdiff_t field; /* in struct target, or for a kind's own keys in target.own; -1: none */
    const char *choices, *help;
};

/* Upper bounds; with them products of a few such numbers fit 64 bits. */
#define MAX_PS          ((uint64_t)1 << 40)
#define MAX_ONCE_PS     ((uint64_t)1 << 50) /* of what happens once */
#define MAX_FJ          ((uint64_t)1 << 40)
#define MAX_UM2         ((uint64_t)1 << 40)
#define MAX_MW          ((uint64_t)1 << 30)
#define TARGET_MAX_MPUS (1u << 20)

struct target_kind {
    const char *name;     /* "plane" */
    bool costs;           /* cycles and energy are modelled; else figures are null, not 0, and there
                             are as many MPUs as a program needs */
    unsigned ariths;      /* ARITH_BITs of what it can have beside ARITH_EXACT */
    bool scales_energies; /* its own keys say how energy.* go by the sizes of an array */
    bool measured;        /* what code costs is known only after it was executed */
    const char *common;   /* built-in file that is merged under every target; NULL: there is none */
    const struct target_key_spec *keys; /* [key_count]: its own */
    size_t key_count;
    size_t own_size; /* bytes of target.own, zero at first; the plain keys are filled in */
    /* Reads what is not a plain key; may be NULL.  False after reporting. */
    bool (*fill)(struct target_text *x, struct target *t);
    /* Of the arrays of one MPU, um2, by its own plain keys; NULL: area.arrays_um2. */
    uint64_t (*area)(const struct target *t);
};

/* All of them, NULL at the end (machines/list.c). */
extern const struct target_kind *const machine_target_kinds[];

/* Key number index of a kind: those that all share, then its own; NULL behind the last. */
const struct target_key_spec *target_key_at(const struct target_kind *kind, size_t index);

#endif
