/* SPDX-License-Identifier: MIT
 * The host's link (docs/targets.md, "Host link"): which way the bytes of a transfer take, and how
 * long that is.
 *
 * A file that names no modes has one way, HOST_SERIAL with host.bytes_per_s for all of the chip,
 * without set-up.  One that names some, but not `serial`, has that one besides. */
#ifndef TARGET_HOST_H
#define TARGET_HOST_H

#include "target/target.h"

/* From the VRFs, to them, and the same to all of them. */
enum host_way { HOST_OUT, HOST_IN, HOST_SAME };

/* What a transfer takes from a VRF or brings to it. */
struct host_slice {
    uint32_t vrf; /* its number: target_vrfs_per_mpu */
    uint64_t bytes;
};

/* One that the host was asked for, as it is carried out. */
struct host_transfer {
    enum host_mode_kind mode;
    uint64_t transfers; /* that were set up: HOST_SERIAL has one for each VRF */
    uint64_t bytes;     /* over the link */
    uint64_t padding;   /* of these, added so that every VRF has as many */
    uint64_t time_ps;
};

bool target_has_host_modes(const struct target *target);
/* Its numbers; HOST_SERIAL is always there, but without a bandwidth nothing is known of it. */
struct host_mode target_host_mode(const struct target *target, enum host_mode_kind kind);

/* The rule.  HOST_SAME: HOST_BROADCAST where the file has it, else HOST_SERIAL.  Others:
 * HOST_PARALLEL where the file has it, there are several slices, and in each MPU all but the last
 * of them are as large as the largest of all; else HOST_SERIAL.  MPUs ascend in the list. */
enum host_mode_kind target_host_choose(const struct target *target, enum host_way way,
                                       const struct host_slice *slices, size_t count);

/* By that rule.  Units of the mode's scope work at once, so the longest of them is the time:
 *
 *   HOST_SERIAL  n x setup + bytes / bandwidth        n VRFs of a unit with so many bytes together
 *   others       setup + max(n x m / bandwidth, m / bandwidth of HOST_SERIAL)
 *                                                     m: bytes of the largest slice
 *
 * each quotient rounded up to a ps.  The second term of the maximum: what shares a way with others
 * is not faster than it would be alone, however few the others are.  0 where no bandwidth is
 * known. */
struct host_transfer target_host_transfer(const struct target *target, enum host_way way,
                                          const struct host_slice *slices, size_t count);

/* One transfer by HOST_SERIAL that one VRF, or the chip as a whole, takes part in. */
uint64_t target_host_serial_ps(const struct target *target, enum host_way way, uint64_t bytes);
/* Of so many bytes, whatever way they take. */
uint64_t target_host_fj(const struct target *target, uint64_t bytes);
/* Turning elements of so many bytes into planes, or back; its time is rounded up. */
uint64_t target_host_transpose_ps(const struct target *target, uint64_t bytes);
uint64_t target_host_transpose_fj(const struct target *target, uint64_t bytes);

#endif
