// SPDX-License-Identifier: MIT
// mpu/dappa.hpp: names for arrays, PipelineFull, combine functions, reasons and errors.
#include <mpu/dappa.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <locale>

static int wrong = 0;
#define CHECK(what)                                                                                \
    if (!(what))                                                                                   \
    std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what), wrong++
#define SAYS(text, part)                                                                           \
    if ((text).find(part) == std::string::npos)                                                    \
    std::printf("%s:%d: '%s' has no '%s'\n", __FILE__, __LINE__, (text).c_str(), part), wrong++

#define LIMIT 40

static Upmem::Options some() {
    Upmem::Options o;
    o.target = "upmem";
    o.set = {"dpu.run_tasklets=11"};
    o.dpus = 3;
    return o;
}

// A vector without elements is a name; a macro in a function is its text.
static void full(const std::vector<int16_t> &x) {
    std::vector<int16_t> shifted, kept(x.size()), out(x.size()), want;
    int32_t ends[2] = {LIMIT, LIMIT};
    Upmem::PipelineFull p(x.size(), some());
    CHECK(p.stage(MAP(([](int16_t *out, const int16_t *in) { *out = *in + 1; }),
                      OUTPUT(int16_t, shifted), INPUT(int16_t, x))));
    CHECK(p.stage(FILTER(([](int16_t *v) { return *v > LIMIT; }), OUTPUT(int16_t, kept),
                         INPUT(int16_t, shifted))));
    CHECK(p.stage(REDUCE(([](int32_t *r, int16_t *v) {
                             if (*v < r[0]) r[0] = *v;
                             if (*v > r[1]) r[1] = *v;
                         }),
                         REDUCE_OUT(int32_t, ends, 2), INPUT(int16_t, kept),
                         COMBINE_FROM(([](int32_t *a, int32_t *b) {
                                          if (b[0] < a[0]) a[0] = b[0];
                                          if (b[1] > a[1]) a[1] = b[1];
                                      }), LIMIT))));
    CHECK(p.stage(MAP(([](int16_t *y, int16_t *v, int32_t *ends) { *y = (int16_t)(*v - ends[1]); }),
                      OUTPUT(int16_t, out), INPUT(int16_t, kept), SCALAR(int32_t, ends, 2))));
    p.fetch(out);
    p.fetch(ends);
    p.execute();
    for (int16_t v : x)
        if (v + 1 > LIMIT)
            want.push_back(static_cast<int16_t>(v + 1));
    int16_t most = *std::max_element(want.begin(), want.end());
    CHECK(ends[0] == LIMIT && ends[1] == most);
    for (int16_t &v : want)
        v = static_cast<int16_t>(v - most);
    out.resize(p.getLength(out));
    CHECK(out == want);
    CHECK(p.getLength(ends) == 2);
    SAYS(p.plan(), "part 2: 1 launch a round");
    SAYS(p.program(), "filter (in mpu_a1 as v, out mpu_a2 from v");
    SAYS(p.stats(), "transfer in:");
    CHECK(p.figure("parts") == 2);
}

// Whether a number of this kind may be a SCALAR: one that is gone before execute may not.
template <class T, class Given, class = void> struct IsScalar : std::false_type {};
template <class T, class Given>
struct IsScalar<T, Given,
                std::void_t<decltype(Upmem::detail::number<T, MPU_ROLE_SCALAR>(
                    std::declval<Given>()))>> : std::true_type {};
static_assert(IsScalar<int32_t, int32_t &>::value && IsScalar<int32_t, const int32_t &>::value);
static_assert(IsScalar<int32_t, std::vector<int32_t> &>::value &&
              IsScalar<int32_t, int32_t *>::value);
static_assert(!IsScalar<int32_t, int32_t>::value && !IsScalar<int32_t, int64_t &>::value);
static_assert(!IsScalar<int32_t, std::vector<int32_t>>::value);

// Numbers as people of some countries write them.
struct Points : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

// A size that the text does not know: a constant of all functions, in combine, too.
static int32_t places;
static void constants(const std::vector<int16_t> &x) {
    std::vector<int16_t> y(x.size() / 7), want(x.size() / 7);
    std::vector<int32_t> most(7);
    places = 7;
    Upmem::Pipeline p(x.size(), some());
    p.constant("places", places);
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Points));
    p.constant("half", 0.5f);
    p.constant("many", 12345);
    std::locale::global(before);
    CHECK(p.stage(GROUP(([](int16_t *y, const int16_t *x) {
                            for (int i = 0; i < places; i++)
                                *y = (int16_t)(*y + x[i]);
                        }),
                        OUTPUT(int16_t, y), INPUT(int16_t, x)), 0, 7));
    CHECK(p.stage(REDUCE(([](int32_t *most, const int16_t *x) {
                             int32_t k = *x % places;
                             if (*x > most[k]) most[k] = *x;
                         }),
                         REDUCE_OUT(int32_t, most), INPUT(int16_t, x),
                         COMBINE(([](int32_t *a, int32_t *b) {
                             for (int i = 0; i < places; i++)
                                 if (b[i] > a[i]) a[i] = b[i];
                         })))));
    p.fetch(y);
    p.fetch(most);
    p.execute();
    for (size_t i = 0; i < want.size() * 7; i++)
        want[i / 7] = static_cast<int16_t>(want[i / 7] + x[i]);
    CHECK(y == want);
    for (int32_t k = 0; k < 7; k++) {
        int32_t m = 0;
        for (int16_t v : x)
            m = v % 7 == k ? std::max<int32_t>(m, v) : m;
        CHECK(most[static_cast<size_t>(k)] == m);
    }
    SAYS(p.program(), "const i32 places = 7;\nconst f32 half = 0.5;\nconst i32 many = 12345;");
}

// A refusal is told, and nothing is executed then.
static void refused() {
    std::vector<int32_t> x(10, 1), y(10), z(9), none;
    Upmem::Pipeline p(10, some());
    CHECK(p.stage(FILTER(([](int32_t *v) { return *v > 0; }), OUTPUT(int32_t, y),
                         INPUT(int32_t, x))));
    CHECK(p.reason().empty());
    CHECK(!p.stage(MAP(([](int32_t *b, int32_t *a) { *b = *a; }), OUTPUT(int32_t, z),
                       INPUT(int32_t, y))));
    SAYS(p.reason(), "test_dappa.cc:");
    SAYS(p.reason(), "argument 2 is what a filter has kept");
    CHECK(!p.stage(MAP(([](int32_t *b, int32_t *a) { *b = *a; }), OUTPUT(int32_t, y),
                       INPUT(int32_t, z))));
    SAYS(p.reason(), "argument 2 has 9 elements, and the pipeline 10");
    CHECK(!p.stage(MAP(([](int32_t *b, int32_t *a) { *b = *a; }), OUTPUT(int32_t, y),
                       INPUT(int32_t, none))));
    SAYS(p.reason(), "no stage before has written");
    CHECK(!p.stage(MAP(([](int32_t *b, int32_t *a) { *b = std::abs(*a); }), OUTPUT(int32_t, z),
                       INPUT(int32_t, x))));
    int32_t k = 3;
    CHECK(!p.stage(MAP(([k](int32_t *b, int32_t *a) { *b = *a + k; }), OUTPUT(int32_t, z),
                       INPUT(int32_t, x))));
    SAYS(p.reason(), "captures variables, which the machine does not have: pass them as scalars");
    CHECK(!p.stage(WINDOW(([](int32_t *b, int32_t *a) { *b = a[1]; }), OUTPUT(int32_t, z),
                          INPUT(int32_t, x))));
    SAYS(p.reason(), "a window needs an overlap");
    CHECK(!p.stage(GROUP(([](int32_t *b, int32_t *a) { *b = a[1]; }), OUTPUT(int32_t, z),
                         INPUT(int32_t, x)), 0, 3));
    SAYS(p.reason(), "groups of 3 do not divide 10 elements");
    p.fetch(z); // its stage is the reason
    try {
        p.execute();
        CHECK(false);
    } catch (const Upmem::Error &e) {
        CHECK(p.reason() == e.what());
    }
    CHECK(y[0] == 0);
}

template <class F> static void throws(F what, const char *why) {
    try {
        what();
        std::printf("nothing thrown: %s\n", why);
        wrong++;
    } catch (const Upmem::Error &e) {
        SAYS(std::string(e.what()), why);
    }
}

// A pipeline is executed once, and then takes no stage; what was there stays.
static void once(const std::vector<int16_t> &x) {
    std::vector<int16_t> y(x.size());
    Upmem::Options o = some();
    o.cpuElements = Upmem::cpuAuto;
    Upmem::Pipeline p(x.size(), o);
    p.stage(MAP(([](int16_t *b, int16_t *a) { *b = *a; }), OUTPUT(int16_t, y), INPUT(int16_t, x)));
    p.fetch(y);
    p.execute();
    CHECK(y == x);
    throws([&] { p.execute(); }, "executed before: make a new one");
    throws([&] { p.fetch(y); }, "fetch before that");
    CHECK(!p.stage(MAP(([](int16_t *b, int16_t *a) { *b = *a; }), OUTPUT(int16_t, y),
                       INPUT(int16_t, x))));
    SAYS(p.reason(), "a stage needs a new one");
    CHECK(y == x && p.getLength(y) == x.size());
}

static void environment() {
    for (const char *dpus : {"abc", "", "-1", "3x", "4294967296"}) {
        setenv("MPU_DPUS", dpus, 1);
        throws([] { Upmem::Options::environment(); }, "MPU_DPUS is a number, and not '");
    }
    setenv("MPU_DPUS", "3", 1);
    CHECK(Upmem::Options::environment().dpus == 3);
    unsetenv("MPU_DPUS");
}

int main() {
    environment();
    std::vector<int16_t> x(301);
    for (size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<int16_t>(i * 7919 % 199);
    full(x);
    constants(x);
    refused();
    once(x);
    throws([] { Upmem::Options o; o.target = "upmen"; Upmem::Pipeline p(1, o); }, "upmen");
    throws([] { Upmem::Pipeline p(5, some()); int32_t y; p.fetch(&y); }, "no stage makes");
    throws([] { Upmem::Pipeline p(5, some()); p.execute(); }, "no stage: add one");
    throws([] { Upmem::Pipeline p(5, some()); p.constant("a b", 1); }, "a name and a number");
    throws([] { Upmem::Pipeline p(5, some()); p.constant("k", NAN); }, "a name and a number");
    throws([] { Upmem::Pipeline p(5, some()); p.constant("k", 1), p.constant("k", 2); }, "'k'");
    throws([] { Upmem::Pipeline p(5, some()); p.constant("length", 2); }, "length");
    throws([] { Upmem::Pipeline p(5, some()); int32_t y; p.getLength(&y); }, "not executed");
    throws([] { Upmem::Pipeline p(5, some()); p.figure("total"); }, "no figure 'total'");
    return wrong != 0;
}
