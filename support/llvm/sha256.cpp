/* SPDX-License-Identifier: MIT */
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

extern "C" {
#include "support/file.h"

void sha256_hex(const void *data, size_t size, char hex[65]) {
    auto bytes = llvm::SHA256::hash({static_cast<const uint8_t *>(data), size});
    for (size_t i = 0; i < bytes.size(); i++) {
        hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    hex[64] = '\0';
}
}
