/* SPDX-License-Identifier: MIT
 * Words of a host carried out on the planes of a machine (machines/plane/link/host_words.h has the
 * words).
 *
 * Register r of a word is the machine's register r, bit p of it the cell in partition p; it must
 * have as many bits as there are partitions.  Row n is lane n.  Crossbars are VRFs, and have
 * their numbers. */
#ifndef MACHINES_PLANE_RUN_HOST_STREAM_H
#define MACHINES_PLANE_RUN_HOST_STREAM_H

#include "machines/plane/link/host_words.h"
#include "machines/plane/run/plane.h"

/* Of a word: a cycle, or its time on the host's link where that is longer. */
uint64_t plane_word_ps(const struct target *target);

/* What a stream is counted by, cumulative. */
enum plane_stream_count {
    STREAM_MASKS,
    STREAM_READS,
    STREAM_WRITES,
    STREAM_GATES, /* words of each gate follow one another: STREAM_GATES + gate */
    STREAM_VERTICAL = STREAM_GATES + GATE_COUNT,
    STREAM_MOVES,
    STREAM_CELLS, /* that words touched: the publication's figure of energy */
    STREAM_COUNTS
};
extern const char *const plane_stream_names[STREAM_COUNTS];

struct plane_reads {
    uint64_t *data;
    size_t len, cap; /* works with vec_push and vec_free */
};
struct plane_stream_result {
    struct plane_reads reads; /* what READ words returned, in their order */
    uint64_t counts[STREAM_COUNTS];
    uint64_t energy_fj[PLANE_PARTS];
    uint64_t *uops;    /* [kinds]: gates of crossbars; or NULL */
    uint64_t *kind_fj; /* [kinds]: what they took; or NULL */
    size_t done;       /* words that were carried out; the one that was not, where one was not */
};

/* Carries out words in order, from a machine with all crossbars and rows selected.  False after
 * reporting a word that is none, or that cannot be: those before it have been carried out.
 * `go_on`, which may be NULL, is asked now and then with the words done so far; where it says no,
 * the result is false and nothing is reported. */
struct plane_stream {
    const uint64_t *words;
    size_t count;
    uint64_t begin_ps; /* of the first word, for observers */
    bool (*go_on)(void *context, uint64_t done);
    void *context;
};
bool plane_stream_run(struct plane_machine *machine, const struct plane_stream *stream,
                      struct plane_stream_result *result, struct diag *diag);

#endif
