/* SPDX-License-Identifier: MIT
 * Nodes of one length that are to be a program, as a graph (device_graph.c). */
#ifndef RUNTIME_DEVICE_GRAPH_H
#define RUNTIME_DEVICE_GRAPH_H

#include "runtime/device.h"

struct builder_of_graph {
    struct device_graph g;
    VEC(struct device_value *) inputs;
    struct device_value *const *nodes; /* [count] */
    size_t count;
    uint32_t labels[DEVICE_SEGMENT]; /* [count]: of the nodes, which end before they have paid */
    bool plain;                      /* numbers are scalars wherever they can be */
};

/* Fills the graph and its inputs in.  Numbers have programs of their own, as long as graphs that
 * differ in nothing else have come with few of them. */
void device_graph_build(struct builder_of_graph *builder, mpu_device *device);
void device_graph_free(struct builder_of_graph *builder);

#endif
