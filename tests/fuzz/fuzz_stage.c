/* SPDX-License-Identifier: MIT
 * Stage kernels: any text is refused with a place and a message, or carried out, to its end or as
 * far as the steps reach; and what was read twice is the same.  Its code for a DPU assembles, or it
 * is said why there is none. */
#include "machines/core/dpu/dpu.h"
#include "machines/core/dpu/runs/stage_loop.h"
#include "stage/stage.h"
#include "support/alloc.h"
#include "tests/fuzz/harness.h"
#include "tests/stage/launched.h"

#include <string.h>

static void compile(const struct launched *x) {
    const struct kernel_decl decl = {.name = "f",
                                     .form = "stage",
                                     .bytes = str_text(&x->text),
                                     .size = x->text.len,
                                     .parameters = (struct kernel_parameter *)x->parameters,
                                     .parameter_count = x->count};
    struct diag *d = diag_new(NULL, NULL);
    struct stage_kernel *k = stage_read(&decl, "f", d);
    uint64_t elements[256];
    uint32_t numbers[MOST_BUFFERS], line = 0;
    for (size_t i = 0; i < 256; i++)
        elements[i] = 40;
    const struct dpu_stage_loop loop = {.kernel = k,
                                        .elements = elements,
                                        .tasklets = 16,
                                        .wram_bytes = 65536,
                                        .iram_words = DPU_IRAM_WORDS,
                                        .rows = 8};
    struct str text = {0}, wrong = {0};
    struct dpu_stage_plan plan = {.tasklets = 0};
    struct dpu_stage_about about;
    if (k && k->array_count <= 256) {
        const bool fine = dpu_stage_text(&loop, &text, &plan, numbers, &about, &wrong, &line);
        struct dpu_program *made = fine ? dpu_assemble("f", str_text(&text), text.len, d) : NULL;
        REQUIRE(fine ? made != NULL : wrong.len != 0);
        dpu_program_free(made);
    }
    dpu_stage_plan_free(&plan);
    str_free(&text);
    str_free(&wrong);
    stage_free(k);
    diag_free(d);
}

/* Wherever memory lies in one piece or not, the outcome is the same. */
static void run(const char *text, bool in_pieces, struct str *out) {
    const struct lane_type i32 = {TYPE_INT, 32}, u8 = {TYPE_UINT, 8}, f32 = {TYPE_FLOAT, 32};
    struct launched x = {.in_pieces = in_pieces, .most_steps = 100000};
    launched_buffer(&x, "x", i32, 40);
    launched_buffer(&x, "y", i32, 40);
    launched_buffer(&x, "r", (struct lane_type){TYPE_INT, 64}, 16);
    launched_buffer(&x, "c", u8, 40);
    launched_buffer(&x, "f", f32, 40);
    launched_buffer(&x, "g", f32, 40);
    launched_number(&x, "n", (struct lane_type){TYPE_UINT, 32}, 40);
    launched_number(&x, "a", i32, (uint64_t)-3);
    for (uint64_t i = 0; i < 40; i++) {
        launched_put(&x, 0, i, i * i * 7 - 20);
        launched_put(&x, 3, i, i / 3);
        launched_put(&x, 4, i, 0x3f800000 + (i << 20));
    }
    str_append(&x.text, text);
    launched_run(&x, out);
    if (!in_pieces)
        compile(&x);
    for (unsigned b = 0; b < 6; b++)
        str_append_n(out, (const char *)x.buffers[b].bytes, (size_t)x.buffers[b].size);
    launched_free(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct str whole = {0}, pieces = {0};
    char *text = xcalloc(size + 1, 1);
    if (size)
        memcpy(text, bytes, size);
    run(text, false, &whole);
    run(text, true, &pieces);
    REQUIRE(whole.len == pieces.len && memcmp(whole.text, pieces.text, whole.len) == 0);
    if (whole.text[0] >= '0' && whole.text[0] <= '9') /* refused: it says why */
        REQUIRE(strstr(whole.text, ": ") && strstr(whole.text, ": ")[2] != '\0');
    str_free(&whole);
    str_free(&pieces);
    free(text);
    return 0;
}
