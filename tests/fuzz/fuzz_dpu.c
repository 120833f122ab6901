/* SPDX-License-Identifier: MIT
 * Programs of DPUs: ELF files, words, and text.  What is read is printed, assembled again to the
 * same words, written, and carried out for some instructions: in their cycles, and ahead of them,
 * which ends in the same. */
#include "tests/fuzz/harness.h"

#include "machines/core/dpu/run/core.h"
#include "support/alloc.h"

#include <string.h>

static void unmoved(void *context, const struct dpu_event *event) {
    (void)context;
    (void)event;
}
/* Ends in a result or a fault that says something, the same either way. */
static void carry_out(const struct dpu_program *p) {
    struct dpu_core *cores[2];
    struct dpu_counters n[2];
    bool fine[2];
    for (int i = 0; i < 2; i++) {
        struct str what = {0};
        cores[i] = dpu_core_new(&DPU_TIME_MEASURED);
        dpu_core_load(cores[i], p);
        if (i)
            dpu_core_watch(cores[i], unmoved, NULL);
        fine[i] = dpu_core_run(cores[i], 250000);
        dpu_core_counters(cores[i], &n[i]);
        dpu_core_explain(cores[i], p, &what);
        REQUIRE(fine[i] == (what.len == 0));
        str_free(&what);
    }
    REQUIRE(fine[0] == fine[1] && memcmp(&n[0], &n[1], sizeof n[0]) == 0);
    REQUIRE(memcmp(dpu_core_trouble(cores[0]), dpu_core_trouble(cores[1]),
                   sizeof(struct dpu_trouble)) == 0);
    for (uint32_t t = 0; t < DPU_TASKLETS; t++)
        for (uint32_t r = 0; r < 24; r++)
            REQUIRE(dpu_core_register(cores[0], t, r) == dpu_core_register(cores[1], t, r));
    dpu_core_free(cores[0]);
    dpu_core_free(cores[1]);
}
/* The same words by way of text and of a file. */
static void check(const struct dpu_program *p) {
    struct str text = {0}, file = {0};
    struct diag *d = diag_new(NULL, NULL);
    dpu_list(p, &(struct machine_view){.lines = true}, &text);
    str_clear(&text);
    dpu_program_write(p, &file);
    struct dpu_program *back = dpu_program_read("again", file.text, file.len, d);
    REQUIRE(back && back->words.len == p->words.len);
    REQUIRE(memcmp(back->words.data, p->words.data, p->words.len * sizeof *p->words.data) == 0);
    dpu_program_free(back);
    for (int plain = 0; plain < 2; plain++) {
        str_clear(&text);
        dpu_disassemble(p, plain, &text);
    }
    carry_out(p);
    diag_free(d);
    str_free(&text);
    str_free(&file);
}
static void check_words(const uint8_t *data, size_t size) {
    for (; size >= 6; data += 6, size -= 6) {
        uint64_t word = 0, back;
        struct dpu_insn insn;
        struct str text = {0};
        memcpy(&word, data, 6);
        for (int sugar = 0; sugar < 2; sugar++) {
            if (!dpu_decode(word, sugar, &insn))
                continue;
            REQUIRE(dpu_encode(&insn, &back) && back == word);
            str_clear(&text);
            dpu_print(&insn, &text);
            REQUIRE(text.len > 0);
        }
        str_free(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = NULL;
    if (size && data[0] == 0x7f)
        p = dpu_program_read("fuzz.elf", data, size, d);
    else if (size && data[0] == 'w')
        check_words(data + 1, size - 1);
    else if (size)
        p = dpu_assemble("fuzz.s", (const char *)data, size, d);
    REQUIRE(p || !size || data[0] == 'w' || diag_first(d));
    if (p)
        check(p);
    dpu_program_free(p);
    diag_free(d);
    return 0;
}
