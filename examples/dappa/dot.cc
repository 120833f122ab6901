// SPDX-License-Identifier: MIT
// Listing 4 of DaPPA's paper as it stands, between the lines, and what it has to give.
#include <mpu/dappa.hpp>

#include <cstdio>

int main() {
    // ----
uint32_t dataLength = 1048576;
std::vector<uint32_t> a(dataLength);
std::vector<uint32_t> b(dataLength);
uint32_t c; // Not fetched, no buffer needed
uint32_t sum = 0;
// Fill a and b with data here
for (uint32_t i = 0; i < dataLength; i++) { a[i] = i; b[i] = i % 7 + 1; }

Upmem::Pipeline p(dataLength);
p.stage(MAP(([](uint32_t *c, uint32_t *a, uint32_t *b){
 *c = *a * *b;
}),
 OUTPUT(uint32_t, &c),
 INPUT(uint32_t, a),
 INPUT(uint32_t, b)));

// REDUCE_OUT because it’s a scalar and not a vector
p.stage(REDUCE(([](uint32_t *sum, uint32_t *c){
 *sum += *c;
}),
 REDUCE_OUT(uint32_t, &sum),
 INPUT(uint32_t, &c)));

p.fetch(&sum);
p.execute();
    // ----
    uint32_t want = 0;
    for (uint32_t i = 0; i < dataLength; i++)
        want += a[i] * b[i];
    std::printf("%s: %u\n%s%s", sum == want ? "equal" : "differs", sum, p.plan().c_str(),
                p.stats().c_str());
    return sum != want;
}
