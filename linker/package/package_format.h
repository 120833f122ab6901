/* SPDX-License-Identifier: MIT
 * What the writer and the reader of .mpu.pkg.<target> share; docs/formats.md, "Packages", shows
 * every byte. */
#ifndef LINKER_PACKAGE_PACKAGE_FORMAT_H
#define LINKER_PACKAGE_PACKAGE_FORMAT_H

#include <stdint.h>

#define PACKAGE_MAGIC  0x474b504d /* "MPKG" */
#define PACKAGE_DIGEST 64         /* hex digits of the SHA-256 of all that follows it */
#define PACKAGE_HEADER (4 + 4 + PACKAGE_DIGEST)

enum package_record_bytes {
    PATCH_BYTES = 8,
    FIXED_BYTES = 20,
    RUN_BYTES = 40,
    PIECE_BYTES = 32, /* without its axes */
};

/* Placements in a row: VRFs (mpu, rfh, vrf), RFH by RFH through the row and row by row, hold
 * `lanes` elements each from `first` on, `count` in all. */
struct vrf_run {
    uint32_t group, mpu, rfh, vrf, vrfs, lanes;
    uint64_t first, count;
};

#endif
