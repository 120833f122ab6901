/* SPDX-License-Identifier: MIT
 * Nodes that are programs of their own: what is known of one while it is carried out
 * (device_alone.c), and which way that goes (device_ways.c). */
#ifndef RUNTIME_DEVICE_ALONE_H
#define RUNTIME_DEVICE_ALONE_H

#include "runtime/device.h"

/* Whether a sort is carried out on other VRFs than those of the vector, and over how many MPUs
 * these are spread, as package_place has it. */
struct elsewhere {
    bool there;
    enum group_place place;
    uint32_t mpus;
};

/* What is known of one while it is carried out. */
struct alone {
    mpu_device *d;
    struct device_value *value, *source;
    struct device_value *right; /* of a product; NULL: there is none */
    struct device_graph g;
    struct device_place place;
    struct device_program *program;
    struct elsewhere elsewhere;
    struct diag *quiet; /* that the machine cannot is no error: the host can */
};

/* ---- device_alone.c ---- */
/* Its graph, which is closed when it is not needed any more; of a fold by so many elements. */
void device_alone_open(struct alone *alone, uint64_t segment);
void device_alone_close(struct alone *alone);
/* The program, where it has room, in lanes as wide as it needs; false: the machine cannot. */
bool device_alone_find(struct alone *alone);

/* ---- device_ways.c ---- */
/* A sort makes lines of 2^k lanes of its segments. */
uint64_t device_alone_lanes(const struct device_node *node, uint64_t n);
/* Part of a segment that a tree in each VRF folds: the largest power of two that is in it, up to a
 * VRF's lanes; 1: there is none, or the result does not follow from those of parts. */
uint64_t device_alone_part(const struct alone *alone);
/* A fold of a range of which the elements can take part where they lie: others count as what
 * changes nothing. */
bool device_alone_masks(const struct device_node *node);
/* One of another range: the host reads it, which takes no longer than to move it. */
bool device_alone_reads_part(struct alone *alone);
/* Where it is carried out, chosen once for those of one form from one slab. */
enum node_way device_alone_way(struct alone *alone);

#endif
