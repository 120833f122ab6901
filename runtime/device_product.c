/* SPDX-License-Identifier: MIT
 * Products of matrices and vectors: as kernels have them (ezpim/array/product.h), and on the host.
 */
#include "runtime/device.h"

#include "ezpim/array/array.h"
#include "ezpim/array/product.h"
#include "support/alloc.h"

#include <stdlib.h>

/* Variables of the program; its output is the last one. */
enum { LEFT, RIGHT, PRODUCT };

/* ---- groups ---- */

/* Blocks that are folded in the end; of a matrix and a vector products are folded themselves. */
static uint32_t blocks_of(const struct device_node *node) {
    bool matrices = node->rows > 1 && node->columns > 1;
    return matrices ? array_product_blocks(node->rows * node->columns, node->inner, node->type) : 1;
}

uint64_t device_product_lanes(const struct device_node *node, uint64_t row_lanes) {
    uint64_t blocks = blocks_of(node), elements = node->rows * node->columns;
    uint64_t there = ceil_div(elements, row_lanes) * row_lanes;
    return blocks * elements > there ? blocks * elements : 0;
}

/* Of rows and columns; an axis of one element is none, where it is the matrix's outer one. */
static void declare_group(struct arrays *arrays, const char *name, uint64_t rows, uint64_t columns,
                          bool vector) {
    struct group g = {.name = name,
                      .ndim = vector ? 1 : 2,
                      .like = NO_INDEX,
                      .at_rfh = NO_INDEX,
                      .at_vrf = NO_INDEX,
                      .place = {NO_INDEX, 0, 0}};
    g.extent[0] = (struct extent){NO_INDEX, vector ? rows * columns : rows};
    if (!vector)
        g.extent[1] = (struct extent){NO_INDEX, columns};
    vec_push(&arrays->b.p->groups, g);
}

void device_declare_product(const struct device_graph *graph, struct arrays *arrays) {
    const struct device_node *node = graph->alone;
    bool row = node->rows == 1, column = node->columns == 1;
    declare_group(arrays, "g", node->rows, node->inner, row);
    declare_group(arrays, "h", node->rows, node->columns, row || column);
    declare_group(arrays, "r", node->inner, node->columns, column);
    if (graph->block_lanes)
        declare_group(arrays, "b", graph->block_lanes, 1, true);
}

/* ---- on the machine ---- */

/* Element by element between groups of the same extents. */
static void move_result(struct ir_builder *builder, uint32_t from) {
    struct ir_move m = ir_plain_move(builder->p, PRODUCT, from);
    ir_put_move(builder, &m, NO_SPAN);
}

void device_lower_product(const struct device_graph *graph, struct arrays *arrays) {
    const struct device_node *node = graph->alone;
    struct ir_builder *builder = &arrays->b;
    struct lane_type type = graph->result;
    struct array_product x = {.left = {LEFT, 0, type},
                              .right = {RIGHT, 0, type},
                              .to = {PRODUCT, 0, type},
                              .room = 2u * arrays->folded};
    if (graph->block_lanes) {
        const struct extent extents[] = {{NO_INDEX, node->rows}, {NO_INDEX, node->columns}};
        uint32_t group = ir_group_like(builder, AT_BLOCKS, 2, extents);
        x.to.variable = ir_local(builder, group, type, 1);
    }
    array_product(builder, &x, NO_SPAN);
    if (x.to.variable != PRODUCT)
        move_result(builder, x.to.variable);
}

/* ---- on the host ---- */

static uint64_t multiply(const struct device_node *node, uint64_t left, uint64_t right) {
    return device_combine(MPU_OP_MUL, node->type, left, right);
}

/* Block b of so many adds up factors b, b + blocks, ..; then blocks are folded in pairs. */
static uint64_t element(const struct device_node *node, const uint64_t *row, const uint64_t *column,
                        uint64_t blocks, uint64_t *sums) {
    for (uint64_t i = 0; i < node->inner; i++) {
        uint64_t product = multiply(node, row[i], column[i * node->columns]);
        sums[i % blocks] = i < blocks
                               ? product
                               : device_combine(MPU_OP_ADD, node->type, sums[i % blocks], product);
    }
    return device_fold_pairs(MPU_OP_ADD, node->type, sums, blocks);
}

void device_product_on_host(const struct device_node *node, const uint64_t *left,
                            const uint64_t *right, uint64_t *result) {
    bool matrices = node->rows > 1 && node->columns > 1;
    uint64_t blocks = matrices ? blocks_of(node) : node->inner;
    uint64_t *sums = xcalloc(blocks, sizeof *sums);
    for (uint64_t i = 0; i < node->rows; i++)
        for (uint64_t j = 0; j < node->columns; j++)
            result[i * node->columns + j] =
                element(node, left + i * node->inner, right + j, blocks, sums);
    free(sums);
}
