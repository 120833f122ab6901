// SPDX-License-Identifier: MIT
// Calls that make no sense: each is refused with a line that names it, writes nothing, and the
// process ends with 1 though main returns 0.  Each part runs in a process of its own.
#include <mpu/pimeval/libpimeval.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

// What the process has written since the last time; its output goes to a file.
std::FILE *output;
std::string said() {
    std::fflush(stdout);
    static long seen = 0;
    std::string text;
    std::fseek(output, seen, SEEK_SET);
    for (int c; (c = std::fgetc(output)) != EOF;)
        text.push_back(static_cast<char>(c));
    seen += static_cast<long>(text.size());
    std::clearerr(output);
    return text;
}

unsigned failures;
void check(bool well, const char *what) {
    failures += !well;
    if (!well)
        std::fprintf(stderr, "%s\n", what);
}

typedef std::function<int()> Act;
// Returns `result`, and says one line "PIM-Error: call: ...".
void refused(const char *call, int result, const Act &act) {
    said();
    const int got = act();
    const std::string text = said(), begin = std::string("PIM-Error: ") + call + ": ";
    const bool well = got == result && text.compare(0, begin.size(), begin) == 0 &&
                      text.size() > begin.size() + 3 && text.back() == '\n';
    failures += !well;
    if (!well)
        std::fprintf(stderr, "%s: returned %d, said: %s\n", call, got, text.c_str());
}

// Runs it in a process; gives how that ends, and what it wrote to stdout.
int ends_with(const std::function<void()> &part, std::string *text) {
    char name[] = "/tmp/pimeval-refusals-XXXXXX";
    const int file = mkstemp(name);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(file, STDOUT_FILENO);
        output = std::fopen(name, "r");
        part();
        std::fclose(output);
        // As main would: the library has the last word.
        std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    text->clear();
    if (std::FILE *in = std::fopen(name, "r")) {
        for (int c; (c = std::fgetc(in)) != EOF;)
            text->push_back(static_cast<char>(c));
        std::fclose(in);
    }
    close(file);
    unlink(name);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

bool has(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

PimStatus create(PimDeviceEnum type = PIM_FUNCTIONAL, unsigned buffer = 0) {
    return pimCreateDevice(type, 2, 4, 8, 1024, 1024, buffer);
}

// ---- parts ----

void finish() {
    std::puts(failures ? "failures" : "all as expected");
}

void without_device() {
    int64_t x = 0;
    PimDeviceProperties p;
    refused("pimAlloc", -1, [] { return pimAlloc(PIM_ALLOC_AUTO, 4, PIM_INT8); });
    refused("pimAllocAssociated", -1, [] { return pimAllocAssociated(0, PIM_INT8); });
    refused("pimFree", PIM_ERROR, [] { return pimFree(0); });
    refused("pimAdd", PIM_ERROR, [] { return pimAdd(0, 1, 2); });
    refused("pimAddScalar", PIM_ERROR, [] { return pimAddScalar(0, 1, 2); });
    refused("pimCopyHostToDevice", PIM_ERROR, [&] { return pimCopyHostToDevice(&x, 0); });
    refused("pimRedSum", PIM_ERROR, [&] { return pimRedSum(0, &x); });
    refused("pimGetDeviceProperties", PIM_ERROR, [&] { return pimGetDeviceProperties(&p); });
    refused("pimDeleteDevice", PIM_ERROR, [] { return pimDeleteDevice(); });
    refused("pimShowStats", 0, [] { return pimShowStats(), 0; });
    refused("pimResetStats", 0, [] { return pimResetStats(), 0; });
    refused("pimStartTimer", 0, [] { return pimStartTimer(), 0; });
    refused("pimEndTimer", 0, [] { return pimEndTimer(), 0; });
    finish();
}

void devices() {
    const auto device = [](PimDeviceEnum type, unsigned subarrays, unsigned columns,
                           unsigned buffer) {
        return pimCreateDevice(type, 1, 2, subarrays, 64, columns, buffer);
    };
    const char *const name = "pimCreateDevice";
    refused(name, PIM_ERROR, [&] { return device(PIM_DEVICE_NONE, 2, 64, 0); });
    refused(name, PIM_ERROR, [&] { return device(static_cast<PimDeviceEnum>(15), 2, 64, 0); });
    refused(name, PIM_ERROR, [&] { return device(PIM_FUNCTIONAL, 2, 63, 0); });
    refused(name, PIM_ERROR, [&] { return device(PIM_DEVICE_FULCRUM, 3, 64, 0); });
    refused(name, PIM_ERROR, [&] { return device(PIM_DEVICE_BANK_LEVEL, 2, 64, 16); });
    refused(name, PIM_ERROR, [] { return pimCreateDevice(PIM_FUNCTIONAL, ~0u, ~0u, 2, 64, 64); });
    check(device(PIM_DEVICE_BANK_LEVEL, 3, 64, 0) == PIM_OK, "an odd number of subarrays");
    check(device(PIM_DEVICE_AIM, 2, 64, 16) == PIM_OK, "a buffer of AIM");
    const auto with = [&](const char *variable, const char *value) {
        setenv(variable, value, 1);
        refused(name, PIM_ERROR, [] { return create(); });
        unsetenv(variable);
    };
    const char *target = std::getenv("MPU_TARGET");
    const std::string before = target ? target : "";
    with("MPU_TARGET", "no-such-machine");
    with("MPU_TARGET", "upmem-dappa"); // which keeps no vectors
    setenv("MPU_TARGET", before.c_str(), 1);
    with("MPU_SET", "array.lanes=64 nonsense");
    with("PIMEVAL_SIM_TARGET", "PIM_DEVICE_OTHER");
    with("PIMEVAL_NUM_RANKS", "0");
    with("PIMEVAL_NUM_COL_PER_SUBARRAY", "12x");
    with("PIMEVAL_SIM_CONFIG", "/no/such/file");
    check(create() == PIM_OK, "a device after all");
    finish();
}

void files() {
    const char *const name = "pimCreateDeviceFromConfig";
    refused(name, PIM_ERROR, [] { return pimCreateDeviceFromConfig(PIM_FUNCTIONAL, nullptr); });
    refused(name, PIM_ERROR,
            [] { return pimCreateDeviceFromConfig(PIM_FUNCTIONAL, "/no/such/file"); });
    refused(name, PIM_ERROR, [] { return pimCreateDeviceFromConfig(PIM_FUNCTIONAL, "/tmp"); });
    for (const char *line :
         {"num_ranks", "num_ranks = many", "ranks = 4", "num_ranks = 99999999999",
          "simulation_target = PIM_DEVICE_NONE", "= 4", "num_ranks = 0"}) {
        char path[] = "/tmp/pimeval-config-XXXXXX";
        const int file = mkstemp(path);
        check(write(file, line, std::strlen(line)) > 0, "a file");
        close(file);
        refused(name, PIM_ERROR, [&] { return pimCreateDeviceFromConfig(PIM_FUNCTIONAL, path); });
        unlink(path);
    }
    finish();
}

void objects() {
    create(PIM_DEVICE_AIM);
    const PimObjId a = pimAlloc(PIM_ALLOC_AUTO, 10, PIM_INT8);
    refused("pimAlloc", -1, [] { return pimAlloc(PIM_ALLOC_AUTO, 0, PIM_INT8); });
    refused("pimAlloc", -1, [] { return pimAlloc(PIM_ALLOC_AUTO, UINT64_MAX, PIM_INT8); });
    refused("pimAlloc", -1, [] { return pimAlloc(static_cast<PimAllocEnum>(7), 1, PIM_INT8); });
    refused("pimAlloc", -1,
            [] { return pimAlloc(PIM_ALLOC_AUTO, 1, static_cast<PimDataType>(15)); });
    refused("pimAlloc", -1, [] { return pimAlloc(PIM_ALLOC_V1, 8 * 1024 + 1, PIM_INT8); });
    refused("pimAlloc", -1, [] { return pimAlloc(PIM_ALLOC_H1, 8 * 128 + 1, PIM_INT8); });
    refused("pimAllocAssociated", -1, [] { return pimAllocAssociated(-1, PIM_INT8); });
    refused("pimAllocAssociated", -1, [] { return pimAllocAssociated(99, PIM_INT8); });
    refused("pimAllocAssociated", -1, [=] { return pimAllocAssociated(a, PIM_INT16); }); // in rows
    refused("pimAllocAssociated", -1,
            [=] { return pimAllocAssociated(a, static_cast<PimDataType>(13)); });
    refused("pimAllocBuffer", -1, [] { return pimAllocBuffer(16, PIM_INT8); });
    refused("pimCreateRangedRef", -1, [=] { return pimCreateRangedRef(a, 0, 4); });
    const PimObjId view = pimCreateDualContactRef(a);
    check(view > a, "a view");
    refused("pimCreateDualContactRef", -1, [=] { return pimCreateDualContactRef(view); });
    refused("pimCreateDualContactRef", -1, [] { return pimCreateDualContactRef(1000); });
    check(pimFree(a) == PIM_OK, "an object freed");
    refused("pimFree", PIM_ERROR, [=] { return pimFree(a); });
    refused("pimFree", PIM_ERROR, [=] { return pimFree(view); }); // gone with what it showed
    refused("pimNot", PIM_ERROR, [=] { return pimNot(view, view); });
    refused("pimFree", PIM_ERROR, [] { return pimFree(INT32_MIN); });
    create();
    refused("pimAbs", PIM_ERROR, [] { return pimAbs(0, 0); }); // another device
    check(pimAlloc(PIM_ALLOC_AUTO, 1, PIM_INT8) == 0, "numbers begin anew");
    finish();
}

void copies() {
    create();
    std::vector<int32_t> x(10, 3), y(10);
    int32_t *const data = x.data(), *const null = nullptr;
    const PimObjId a = pimAlloc(PIM_ALLOC_AUTO, 10, PIM_INT32),
                   b = pimAllocAssociated(a, PIM_INT32), c = pimAllocAssociated(a, PIM_INT8),
                   other = pimAlloc(PIM_ALLOC_AUTO, 10, PIM_INT32);
    check(pimCopyHostToDevice(data, a) == PIM_OK, "a copy");
    const char *const in = "pimCopyHostToDevice", *const out = "pimCopyDeviceToHost",
                      *const within = "pimCopyDeviceToDevice";
    refused(in, PIM_ERROR, [=] { return pimCopyHostToDevice(null, a); });
    refused(in, PIM_ERROR, [=] { return pimCopyHostToDevice(data, 77); });
    refused(in, PIM_ERROR, [=] { return pimCopyHostToDevice(data, a, 3, 11); });
    refused(in, PIM_ERROR, [=] { return pimCopyHostToDevice(data, a, 5, 4); });
    refused(in, PIM_ERROR, [=] { return pimCopyHostToDevice(data, a, 11, 12); });
    refused(in, PIM_ERROR, [=] { return pimCopyHostToDevice(data, a, 3); }); // beyond the buffer
    refused(out, PIM_ERROR, [=] { return pimCopyDeviceToHost(a, null); });
    refused(out, PIM_ERROR, [=] { return pimCopyDeviceToHost(-5, data); });
    refused(out, PIM_ERROR, [=] { return pimCopyDeviceToHost(a, data, 0, UINT64_MAX); });
    refused("pimCopyHostToDeviceWithType", PIM_ERROR,
            [=] { return pimCopyHostToDeviceWithType(static_cast<PimCopyEnum>(3), data, a); });
    refused("pimCopyDeviceToHostWithType", PIM_ERROR,
            [=] { return pimCopyDeviceToHostWithType(PIM_COPY_V, a, null); });
    refused(within, PIM_ERROR, [=] { return pimCopyDeviceToDevice(a, other); });
    refused(within, PIM_ERROR, [=] { return pimCopyDeviceToDevice(a, c); });
    refused(within, PIM_ERROR, [=] { return pimCopyDeviceToDevice(a, b, 9, 11); });
    refused(within, PIM_ERROR, [=] { return pimCopyDeviceToDevice(a, 1234); });
    refused("pimCopyObjectToObject", PIM_ERROR, [=] { return pimCopyObjectToObject(a, c); });
    refused("pimCopyObjectToObject", PIM_ERROR, [=] { return pimCopyObjectToObject(a, other); });
    check(pimCopyDeviceToHost(a, y.data()) == PIM_OK && y == x, "what was there has changed");
    check(pimCopyDeviceToHost(b, y.data()) == PIM_OK && y == std::vector<int32_t>(10),
          "what was not to be written has");
    finish();
}

void operations() {
    create();
    const PimObjId i = pimAlloc(PIM_ALLOC_AUTO, 10, PIM_INT32),
                   j = pimAllocAssociated(i, PIM_INT16), t = pimAllocAssociated(i, PIM_BOOL),
                   f = pimAllocAssociated(i, PIM_FP32), u = pimAllocAssociated(i, PIM_UINT8),
                   far = pimAlloc(PIM_ALLOC_AUTO, 10, PIM_INT32);
    const std::vector<uint8_t> table(256), small(255);
    int64_t result = 5;
    refused("pimAdd", PIM_ERROR, [=] { return pimAdd(i, j, i); });
    refused("pimAdd", PIM_ERROR, [=] { return pimAdd(i, i, far); });
    refused("pimAdd", PIM_ERROR, [=] { return pimAdd(f, t, f); });
    refused("pimSub", PIM_ERROR, [=] { return pimSub(t, t, i); });
    refused("pimMul", PIM_ERROR, [=] { return pimMul(t, t, t); });
    refused("pimDiv", PIM_ERROR, [=] { return pimDiv(i, i, f); });
    refused("pimAnd", PIM_ERROR, [=] { return pimAnd(i, t, i); });
    refused("pimMin", PIM_ERROR, [=] { return pimMin(i, i, 1 << 20); });
    refused("pimGT", PIM_ERROR, [=] { return pimGT(i, i, i); });
    refused("pimEQ", PIM_ERROR, [=] { return pimEQ(t, t, t); });
    refused("pimScaledAdd", PIM_ERROR, [=] { return pimScaledAdd(i, f, i, 2); });
    refused("pimAddScalar", PIM_ERROR, [=] { return pimAddScalar(t, t, 1); });
    refused("pimXnorScalar", PIM_ERROR, [=] { return pimXnorScalar(i, j, 1); });
    refused("pimLTScalar", PIM_ERROR, [=] { return pimLTScalar(i, i, 1); });
    refused("pimDivScalar", PIM_ERROR, [=] { return pimDivScalar(i, j, 0); });
    refused("pimAbs", PIM_ERROR, [=] { return pimAbs(t, t); });
    refused("pimNot", PIM_ERROR, [=] { return pimNot(f, f); });
    refused("pimPopCount", PIM_ERROR, [=] { return pimPopCount(i, j); });
    refused("pimPrefixSum", PIM_ERROR, [=] { return pimPrefixSum(f, i); });
    refused("pimConvertType", PIM_ERROR, [=] { return pimConvertType(i, f); });
    refused("pimShiftBitsLeft", PIM_ERROR, [=] { return pimShiftBitsLeft(t, t, 1); });
    refused("pimBitSliceExtract", PIM_ERROR, [=] { return pimBitSliceExtract(i, t, 32); });
    refused("pimBitSliceExtract", PIM_ERROR, [=] { return pimBitSliceExtract(i, u, 0); });
    refused("pimBitSliceInsert", PIM_ERROR, [=] { return pimBitSliceInsert(t, u, 8); });
    refused("pimBitSliceInsert", PIM_ERROR, [=] { return pimBitSliceInsert(u, i, 3); });
    refused("pimCondCopy", PIM_ERROR, [=] { return pimCondCopy(u, i, i); });
    refused("pimCondSelect", PIM_ERROR, [=] { return pimCondSelect(t, i, f, i); });
    refused("pimCondSelectScalar", PIM_ERROR, [=] { return pimCondSelectScalar(t, far, 1, i); });
    refused("pimCondBroadcast", PIM_ERROR, [=] { return pimCondBroadcast(t, 1, far); });
    refused("pimBroadcastFP", PIM_ERROR, [=] { return pimBroadcastFP(-1, 1); });
    refused("pimAesSbox", PIM_ERROR, [&] { return pimAesSbox(u, u, small); });
    refused("pimAesInverseSbox", PIM_ERROR, [&] { return pimAesInverseSbox(i, u, table); });
    refused("pimRotateElementsLeft", PIM_ERROR, [] { return pimRotateElementsLeft(4321); });
    refused("pimRedSum", PIM_ERROR, [=] { return pimRedSum(i, nullptr); });
    refused("pimRedSum", PIM_ERROR, [&] { return pimRedSum(i, &result, 11, 12); });
    refused("pimRedMin", PIM_ERROR, [&] { return pimRedMin(i, &result, 6, 5); });
    refused("pimRedMax", PIM_ERROR, [&] { return pimRedMax(t, &result); });
    refused("pimMAC", PIM_ERROR, [&] { return pimMAC(i, i, &result); });
    refused("pimOpReadRowToSa", PIM_ERROR, [=] { return pimOpReadRowToSa(i, 0); });
    refused("pimOpAAP", PIM_ERROR, [=] { return pimOpAAP(1, 1, i, 0, i, 1); });
    PimProg prog;
    prog.add(pimAddScalar, i, i, uint64_t(1));
    prog.add(pimAdd, i, j, i);
    prog.add(pimAddScalar, i, i, uint64_t(1));
    refused("pimAdd", PIM_ERROR, [&] { return pimFuse(prog); });
    prog.m_apis.assign(1, nullptr);
    refused("pimFuse", PIM_ERROR, [&] { return pimFuse(prog); });
    check(result == 5 && pimRedSum(i, &result) == PIM_OK && result == 15,
          "one addition before the call that was refused, and none after it");
    // Floating point has no bits to combine: said, but no error.
    check(pimXor(f, f, f) == PIM_OK && has(said(), "PIM-Error: pimXor: "), "bits of a float");
    finish();
}

// Who divides by 0 is told, once for what was done since the last result, and ends well.
void divisions() {
    create();
    std::vector<int8_t> x = {1, 2, 3}, zeros(3);
    const PimObjId a = pimAlloc(PIM_ALLOC_AUTO, 3, PIM_INT8), b = pimAllocAssociated(a, PIM_INT8);
    pimCopyHostToDevice(x.data(), a);
    pimCopyHostToDevice(zeros.data(), b);
    const char *const line = "PIM-Error: Division by zero\n";
    said();
    check(pimDiv(a, a, a) == PIM_OK && pimCopyDeviceToHost(a, zeros.data()) == PIM_OK &&
              said().empty(),
          "no division by 0");
    check(pimDiv(a, b, a) == PIM_OK && pimDiv(a, b, a) == PIM_OK, "a division by 0");
    check(pimCopyDeviceToHost(a, zeros.data()) == PIM_OK && said() == line, "one line");
    check(zeros == std::vector<int8_t>(3, 1), "elements stay");
    check(pimDivScalar(a, a, 0) == PIM_OK && has(said(), "Division by zero"), "a scalar");
    pimDiv(a, b, a);
    finish(); // and the last is told at the end
}

struct Part {
    const char *name;
    void (*run)();
    int status;
};
const Part parts[] = {{"without_device", without_device, 1},
                      {"devices", devices, 1},
                      {"files", files, 1},
                      {"objects", objects, 1},
                      {"copies", copies, 1},
                      {"operations", operations, 1},
                      {"divisions", divisions, 0}};

} // namespace

int main() {
    unsigned wrong = 0;
    for (const Part &part : parts) {
        std::string text;
        const int status = ends_with(part.run, &text);
        const bool well = status == part.status && has(text, "all as expected\n");
        if (!well)
            std::fprintf(stderr, "%s: ended with %d\n", part.name, status);
        wrong += !well;
        if (!std::strcmp(part.name, "divisions") &&
            !has(text, "all as expected\nPIM-Error: Division by zero\n")) {
            std::fprintf(stderr, "a division before the end was not told\n");
            wrong++;
        }
    }
    return wrong != 0;
}
