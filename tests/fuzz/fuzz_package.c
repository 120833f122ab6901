/* SPDX-License-Identifier: MIT
 * Packages of one program for one target, each with a digest that is right: what is read is what
 * its writer writes, and stays within the machine. */
#include "tests/fuzz/packaged.h"

#include "linker/package.h"
#include "linker/package/package_format.h"
#include "support/alloc.h"
#include "support/file.h"

#include <string.h>

/* Made once and kept to the end. */
static const struct object *program(void) {
    static struct object *kept;
    if (!kept)
        kept = packaged_program();
    return kept;
}

static void check_placements(const struct package *p) {
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        REQUIRE(x->mpu < p->mpus && x->rfh < p->rfh_per_mpu && x->vrf < p->vrf_per_rfh);
        REQUIRE(x->count >= 1 && x->count <= p->lanes);
        REQUIRE(x->first + x->count <= package_group_elements(p, program(), x->group));
    }
}

/* Says where the two part. */
static bool same(const struct str *written, const char *read, size_t size) {
    size_t i = PACKAGE_HEADER, n = written->len < size ? written->len : size;
    while (i < n && written->text[i] == read[i])
        i++;
    if (i < n || written->len != size)
        fprintf(stderr, "%zu bytes read, %zu written; they part at byte %zu behind the digest\n",
                size, written->len, i - PACKAGE_HEADER);
    return i == n && written->len == size;
}

static void check(const char *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct str again = {0};
    struct package *p = package_read(program(), bytes, size, d);
    diag_flush(d);
    REQUIRE((p != NULL) == (diag_errors(d) + diag_warnings(d) == 0));
    if (p) {
        check_placements(p);
        package_write(p, &again);
        REQUIRE(same(&again, bytes, size));
    }
    str_free(&again);
    package_free(p);
    diag_free(d);
}

/* The input is what stands behind the digest. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *package = xcalloc(PACKAGE_HEADER + size + 1, 1), digest[65];
    const uint32_t head[] = {PACKAGE_MAGIC, PACKAGE_VERSION};
    memcpy(package, head, sizeof head);
    if (size)
        memcpy(package + PACKAGE_HEADER, bytes, size);
    sha256_hex(package + PACKAGE_HEADER, size, digest);
    memcpy(package + sizeof head, digest, PACKAGE_DIGEST);
    check(package, PACKAGE_HEADER + size);
    free(package);
    return 0;
}
