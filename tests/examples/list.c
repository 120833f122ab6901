/* SPDX-License-Identifier: MIT */
#include "tests/examples/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

const struct example example_axpy = {
    "axpy.ez",
    {{"a", "axpy-a.npy"}, {"x", "axpy-x.npy"}, {"y", "axpy-y.npy"}},
    {{"z", "axpy-z.npy"}}};
const struct example example_brightness = {
    "brightness.ez",
    {{"pixel", "landscape.pgm"},
     {"gain", "brightness-gain.npy"},
     {"level", "brightness-level.npy"}},
    {{"bright", "brightness-bright.pgm"}, {"bold", "brightness-bold.pgm"}}};
const struct example example_popcount = {
    "popcount.ez",
    {{"x", "popcount-x.npy"}},
    {{"ones", "popcount-ones.npy"}, {"odd", "popcount-odd.npy"}}};
const struct example example_dot = {
    "dot.ez", {{"a", "dot-a.npy"}, {"b", "dot-b.npy"}}, {{"s", "dot-s.npy"}}};
const struct example example_poly = {"poly.ez", {{"x", "poly-x.npy"}}, {{"y", "poly-y.npy"}}};
const struct example example_collatz = {
    "collatz.s", {{"x", "collatz-x.npy"}}, {{"steps", "collatz-steps.npy"}}};

/* The larger programs.  Their data fills more than two VRFs, which lie in different RFHs. */
const struct example example_flow = {
    "collatz.ez", {{"x", "collatz-x.npy"}}, {{"steps", "collatz-steps.npy"}}};
const struct example example_factor = {
    "factor.ez",
    {{"x", "factor-x.npy"}},
    {{"factor", "factor-factor.npy"}, {"kind", "factor-kind.npy"}}};
const struct example example_edit_distance = {
    "edit-distance.ez",
    {{"probe", "edit-distance-probe.npy"}, {"read", "edit-distance-read.npy"}},
    {{"edits", "edit-distance-edits.npy"}, {"end", "edit-distance-end.npy"}}};
const struct example example_sort = {"sort.ez", {{"x", "sort-x.npy"}}, {{"y", "sort-y.npy"}}};
const struct example example_crc32 = {
    "crc32.ez",
    {{"length", "crc32-length.npy"}, {"message", "crc32-message.npy"}},
    {{"crc", "crc32-crc.npy"}}};
const struct example example_crc32_table = {
    "crc32-table.ez",
    {{"length", "crc32-length.npy"}, {"message", "crc32-message.npy"}},
    {{"crc", "crc32-crc.npy"}}};
const struct example example_aes = {
    "aes.ez", {{"key", "aes-key.npy"}, {"plain", "aes-plain.npy"}}, {{"cipher", "aes-cipher.npy"}}};
const struct example example_gamma = {
    "gamma.ez", {{"pixel", "landscape.pgm"}}, {{"bright", "gamma-bright.pgm"}}};
const struct example example_levels = {
    "levels.ez", {{"pixel", "landscape.pgm"}}, {{"count", "levels-count.npy"}}};
const struct example example_equalise = {
    "equalise.ez",
    {{"pixel", "landscape.pgm"}, {"LEVEL", "equalise-level.npy"}},
    {{"even", "equalise-even.pgm"}}};
const struct example example_kmeans = {
    "kmeans.ez",
    {{"x", "kmeans-x.npy"}, {"y", "kmeans-y.npy"}},
    {{"label", "kmeans-label.npy"}, {"cx", "kmeans-cx.npy"}, {"cy", "kmeans-cy.npy"}}};
const struct example example_life = {
    "life.ez", {{"start", "life-start.npy"}}, {{"alive", "life-alive.npy"}}};
const struct example example_maze = {"maze.ez",
                                     {{"wall", "maze-wall.npy"}},
                                     {{"steps", "maze-steps.npy"},
                                      {"reached", "maze-reached.npy"},
                                      {"farthest", "maze-farthest.npy"}}};
const struct example example_histogram = {
    "histogram.ez", {{"x", "histogram-x.npy"}}, {{"bins", "histogram-bins.npy"}}};
const struct example example_chain = {
    "chain.ez",
    {{"link", "chain-link.npy"}, {"word", "chain-word.npy"}},
    {{"row", "chain-row.npy"}, {"place", "chain-place.npy"}, {"order", "chain-order.npy"}}};
const struct example example_outliers = {"outliers.ez",
                                         {{"reading", "outliers-reading.npy"}},
                                         {{"place", "outliers-place.npy"},
                                          {"excess", "outliers-excess.npy"},
                                          {"found", "outliers-found.npy"},
                                          {"most", "outliers-most.npy"}}};
/* Those of several MPUs choose how many themselves. */
const struct example example_systolic = {
    "systolic.ez", {{"a", "systolic-a.npy"}, {"b", "systolic-b.npy"}}, {{"c", "systolic-c.npy"}}};
const struct example example_heat = {
    "heat.ez", {{"start", "heat-start.npy"}}, {{"heat", "heat-heat.npy"}}};
const struct example example_allreduce = {
    "allreduce.ez", {{"x", "allreduce-x.npy"}}, {{"total", "allreduce-total.npy"}}};
const struct example example_grid_edit = {"grid-edit.ez",
                                          {{"a", "grid-edit-a.npy"}, {"b", "grid-edit-b.npy"}},
                                          {{"distance", "grid-edit-distance.npy"}}};

/* Targets that have too few rows or MPUs for a program. */
static const struct {
    const struct example *x;
    const char *targets;
} too_large[] = {
    {&example_systolic, "small"},
    {&example_heat, "small"},
    {&example_allreduce, "duality-cache small"},
    {&example_grid_edit, "duality-cache small"},
};

const struct example *const example_list[EXAMPLES] = {
    &example_axpy,          &example_brightness, &example_popcount,  &example_dot,
    &example_poly,          &example_collatz,    &example_flow,      &example_factor,
    &example_edit_distance, &example_sort,       &example_crc32,     &example_kmeans,
    &example_life,          &example_maze,       &example_histogram, &example_systolic,
    &example_outliers,      &example_heat,       &example_allreduce, &example_grid_edit,
    &example_crc32_table,   &example_aes,        &example_gamma,     &example_equalise};

bool example_fits(const struct example *x, const char *target) {
    for (size_t i = 0; i < sizeof too_large / sizeof *too_large; i++)
        if (too_large[i].x == x && strstr(too_large[i].targets, target))
            return false;
    return true;
}

mpu_session *example_run(const struct example *x, const mpu_program *p, const mpu_target *t,
                         const char *batch, const char *init, const char *place) {
    const mpu_config config = {.size = sizeof config, .batch = batch, .init = init, .place = place};
    return example_run_as(x, p, t, &config);
}

mpu_session *example_run_as(const struct example *x, const mpu_program *p, const mpu_target *t,
                            const mpu_config *config) {
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, t, config, &e);
    need(s != NULL, x->program, e);
    for (size_t i = 0; i < MAX_ARRAYS && x->in[i].name; i++)
        put(s, &x->in[i]);
    need(mpu_session_run(s, &e) == MPU_OK, x->program, e);
    for (size_t i = 0; i < MAX_ARRAYS && x->out[i].name; i++)
        compare(s, &x->out[i], x->program);
    return s;
}
