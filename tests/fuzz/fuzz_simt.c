/* SPDX-License-Identifier: MIT
 * Code of near-bank SIMT cores: records of packages, words, and text.  What is read is written,
 * printed and assembled again to the same bytes; what is not read says why. */
#include "tests/fuzz/harness.h"

#include "machines/core/simt/code.h"

#include <string.h>

static void check(struct simt_kernel *k) {
    static const struct simt_names names = {"k.ptx", 3};
    struct str bytes = {0}, again = {0}, text = {0};
    simt_kernel_write(k, &bytes);
    for (int i = 0; i < 2; i++) {
        struct portable_fault fault = {.line = 0};
        str_clear(&text);
        str_clear(&again);
        simt_list(k, i ? &names : NULL, &text);
        struct simt_kernel *made = simt_assemble(text.text, text.len, &fault);
        REQUIRE(made && !fault.what.len);
        simt_kernel_write(made, &again);
        REQUIRE(again.len == bytes.len && memcmp(again.text, bytes.text, bytes.len) == 0);
        simt_kernel_free(made);
    }
    str_free(&bytes);
    str_free(&again);
    str_free(&text);
}

static void check_words(const uint8_t *data, size_t size) {
    uint32_t words[SIMT_MAX_WORDS], again[SIMT_MAX_WORDS];
    for (; size >= sizeof words; data += 4, size -= 4) {
        struct str text = {0};
        struct simt_insn insn;
        memcpy(words, data, sizeof words);
        if (simt_decode(words, SIMT_MAX_WORDS, 0, &insn, &text)) {
            REQUIRE(simt_encode(&insn, 0, again, &text) == insn.words);
            REQUIRE(memcmp(words, again, insn.words * sizeof *words) == 0);
            simt_print(&insn, &text);
        }
        REQUIRE(text.len > 0);
        str_free(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct simt_kernel *k = NULL;
    const char *problem = NULL;
    if (size >= 4 && memcmp(data, "SIMT", 4) == 0) {
        k = simt_kernel_read(data, size, &problem);
        REQUIRE(!k == (problem != NULL));
    } else if (size && data[0] == 'w') {
        check_words(data + 1, size - 1);
    } else {
        struct portable_fault fault = {.line = 0};
        k = simt_assemble((const char *)data, size, &fault);
        REQUIRE(!k == (fault.what.len != 0));
        str_free(&fault.what);
    }
    if (k)
        check(k);
    simt_kernel_free(k);
    return 0;
}
