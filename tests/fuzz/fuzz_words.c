/* SPDX-License-Identifier: MIT
 * Words of a host, as files of both kinds and as lines of text: what is read is checked
 * as it would be carried out, and written again; files are programs, too. */
#include "tests/fuzz/compiled.h"

#include "ezpim/word_file.h"
#include "linker/join/kernel_file.h"
#include "machines/plane/link/host_words.h"
#include "object/bytes.h"
#include "support/alloc.h"

#include <string.h>

static const struct plane_crossbar *pypim(void) {
    static struct plane_crossbar kept;
    struct diag *d = diag_new(NULL, NULL);
    struct str why = {0};
    struct target *t = kept.rows ? NULL : target_open("pypim", NULL, 0, d);
    if (t)
        REQUIRE(plane_crossbar_of(t, &kept, &why));
    target_free(t);
    diag_free(d);
    str_free(&why);
    return &kept;
}

/* A word that can be carried out is the same as text. */
static void check_word(const struct plane_word *word, struct plane_selected *selected) {
    struct str why = {0}, text = {0};
    struct plane_word back;
    bool fine = plane_word_check(pypim(), word, selected, &why);
    REQUIRE(fine == (why.len == 0));
    plane_word_text(word, &text);
    str_clear(&why);
    if (fine) {
        REQUIRE(plane_word_parse(pypim(), text.text, text.len, &back, &why));
        REQUIRE(plane_word_check(pypim(), &back, selected, &why));
        str_clear(&why);
        plane_word_text(&back, &why);
        REQUIRE(strcmp(str_text(&why), text.text) == 0);
    }
    str_free(&why);
    str_free(&text);
}

static void check_bits(const struct str *words) {
    struct plane_selected selected = plane_selected_all(pypim());
    for (size_t i = 0; i + 8 <= words->len; i += 8) {
        uint64_t bits = get_u64((const unsigned char *)words->text + i);
        struct plane_word w;
        struct str why = {0};
        if (plane_word_decode(pypim(), bits, &w, &why)) {
            REQUIRE(plane_word_encode(pypim(), &w) == bits);
            check_word(&w, &selected);
        } else {
            REQUIRE(why.len > 0);
        }
        str_free(&why);
    }
}

static void check_file(const char *suffix, const char *bytes, size_t size) {
    struct kernel_file f;
    bool fine = link_kernel_file_read(suffix, bytes, size, &f);
    REQUIRE(fine == (f.problem.len == 0));
    if (fine)
        check_bits(&f.words);
    link_kernel_file_free(&f);
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = driver_kernel_program("fuzz.pypim", suffix, bytes, size, d);
    REQUIRE(fine == (o != NULL));
    compiled_check(o, d);
}

static void check_lines(const char *text, size_t size) {
    struct plane_selected selected = plane_selected_all(pypim());
    for (const char *at = text, *end = text + size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t n = newline ? (size_t)(newline - at) : (size_t)(end - at);
        struct plane_word w;
        struct str why = {0};
        if (plane_word_parse(pypim(), at, n, &w, &why))
            check_word(&w, &selected);
        else
            REQUIRE(why.len > 0);
        str_free(&why);
        at += n + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *copy = xcalloc(size + 1, 1); /* readers have a NUL behind their text */
    if (size)
        memcpy(copy, bytes, size);
    check_file(".pypimhex", copy, size);
    check_file(".pypim", copy, size / 8 * 8);
    check_lines(copy, size);
    free(copy);
    return 0;
}
