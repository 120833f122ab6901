/* SPDX-License-Identifier: MIT
 * DaPPA's pipelines with the names of its paper (docs/dappa.md), on mpu/pipeline.h.  C++17; nothing
 * but this header and libmpu is needed.
 *
 *     Upmem::Pipeline p(n);
 *     p.stage(MAP(([](uint32_t *c, uint32_t *a, uint32_t *b) { *c = *a * *b; }),
 *                 OUTPUT(uint32_t, c), INPUT(uint32_t, a), INPUT(uint32_t, b)));
 *     p.fetch(c);
 *     p.execute();
 *
 * Arrays are pointers or std::vectors, whose sizes do not change until the pipeline was executed.  A
 * function is a lambda without captures, in parentheses: the compiler checks its types, its text is
 * what runs, in the part of C that docs/stage.md has; macros in it are replaced. */
#ifndef MPU_DAPPA_HPP
#define MPU_DAPPA_HPP

#include <mpu/pipeline.h>

#include <cstdlib>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace Upmem {

/* What a pipeline cannot be made or executed for. */
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/* Options::cpuElements: as many as let it be over soonest. */
constexpr uint64_t cpuAuto = MPU_PIPELINE_CPU_AUTO;

/* The machine, and how a pipeline is carried out (mpu_pipeline_options). */
struct Options {
    std::string target = "upmem-dappa"; /* as mpu_target_open takes it */
    std::vector<std::string> set;       /* "key=value" of the target */
    uint32_t dpus = 0;
    uint64_t cpuElements = 0, mramBytes = 0, hostElementPs = 0;
    bool noFuse = false;

    static uint32_t numberOf(const char *name, const char *text) {
        char *end;
        const unsigned long number = std::strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || *end || number > UINT32_MAX)
            throw Error(std::string(name) + " is a number, and not '" + text + "'");
        return static_cast<uint32_t>(number);
    }
    /* MPU_TARGET, MPU_SET ("key=value key=value") and MPU_DPUS of the environment, where they are. */
    static Options environment() {
        Options o;
        if (const char *target = std::getenv("MPU_TARGET"))
            o.target = target;
        if (const char *set = std::getenv("MPU_SET")) {
            std::istringstream words(set);
            for (std::string word; words >> word;)
                o.set.push_back(word);
        }
        if (const char *dpus = std::getenv("MPU_DPUS"))
            o.dpus = numberOf("MPU_DPUS", dpus);
        return o;
    }
};

namespace detail {

template <class T> constexpr mpu_type typeOf() {
    static_assert(std::is_arithmetic_v<T> &&
                      (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8),
                  "elements of DaPPA's arrays are numbers of 1, 2, 4 or 8 bytes");
    if (std::is_same_v<T, bool>)
        return MPU_BOOL;
    if (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? MPU_F32 : MPU_F64;
    constexpr mpu_type u[] = {MPU_U8, MPU_U16, MPU_U32, MPU_U64};
    constexpr mpu_type i[] = {MPU_I8, MPU_I16, MPU_I32, MPU_I64};
    constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? i[log] : u[log];
}

/* mpu_stage_argument.tail_elements of a pointer: as many as the overlap says. */
constexpr uint64_t asOverlap = UINT64_MAX;

template <class T, mpu_role Role> struct Argument {
    using type = T;
    static constexpr mpu_role role = Role;
    mpu_stage_argument c;
};
struct Combine {
    std::string text, init;
};

template <class T> void *key(const T *array) {
    return const_cast<void *>(static_cast<const void *>(array));
}
/* A vector without elements is a name alone. */
template <class T> void *key(const std::vector<T> &array) {
    return array.empty() ? const_cast<void *>(static_cast<const void *>(&array))
                         : key(array.data());
}

template <class T, mpu_role Role> Argument<T, Role> argument(const T *array, uint64_t count = 0) {
    return {{Role, typeOf<T>(), key(array), count, nullptr, 0}};
}
template <class T, mpu_role Role> Argument<T, Role> argument(const std::vector<T> &array) {
    const uint64_t none = MPU_PIPELINE_NO_ELEMENTS;
    return {{Role, typeOf<T>(), key(array), array.empty() ? none : array.size(), nullptr, 0}};
}
template <class T, mpu_role Role, class Array>
Argument<T, Role> argument(const Array &array, const std::vector<T> &tail) {
    auto a = argument<T, Role>(array);
    a.c.tail = tail.empty() ? &array : static_cast<const void *>(tail.data());
    a.c.tail_elements = tail.size();
    return a;
}
template <class T, mpu_role Role, class Array>
Argument<T, Role> argument(const Array &array, const T *tail) {
    auto a = argument<T, Role>(array);
    a.c.tail = tail;
    a.c.tail_elements = asOverlap;
    return a;
}
/* A number by itself. */
template <class T, mpu_role Role> Argument<T, Role> number(const T &value) {
    return argument<T, Role>(&value, 1);
}
/* Numbers are read when the pipeline is executed: one that is gone by then is none. */
template <class T, mpu_role Role> Argument<T, Role> number(const T &&) = delete;
template <class T, mpu_role Role> Argument<T, Role> number(const T *values, uint64_t count = 1) {
    return argument<T, Role>(values, count);
}
template <class T, mpu_role Role> Argument<T, Role> number(const std::vector<T> &values) {
    return argument<T, Role>(values);
}
template <class T, mpu_role Role>
Argument<T, Role> number(const std::vector<T> &&) = delete;

/* What the function is called with. */
template <bool Filters, class A> struct Passed {
    using type =
        std::conditional_t<Filters && A::role == MPU_ROLE_OUTPUT, std::tuple<>,
                           std::tuple<typename A::type *>>;
};
template <bool Filters> struct Passed<Filters, Combine> {
    using type = std::tuple<>;
};
template <class F, class Tuple> struct Callable;
template <class F, class... T> struct Callable<F, std::tuple<T...>> {
    static constexpr bool value = std::is_invocable_v<F, T...>;
};

struct Stage {
    mpu_pattern pattern;
    std::string text, combine, init;
    const char *file;
    uint32_t line;
    std::vector<mpu_stage_argument> arguments;

    template <class T, mpu_role Role> void add(const Argument<T, Role> &a) {
        arguments.push_back(a.c);
    }
    void add(const Combine &c) {
        combine = c.text;
        init = c.init;
    }
};

template <mpu_pattern Pattern, class F, class... A>
Stage stage(const char *text, F, const char *file, uint32_t line, const A &...arguments) {
    constexpr bool filters =
        Pattern == MPU_PATTERN_FILTER || Pattern == MPU_PATTERN_WINDOW_FILTER ||
        Pattern == MPU_PATTERN_GROUP_FILTER || Pattern == MPU_PATTERN_WINDOW_GROUP_FILTER;
    using Given = decltype(std::tuple_cat(std::declval<typename Passed<filters, A>::type>()...));
    static_assert(Callable<F, Given>::value,
                  "the function of a stage takes a pointer for each of its arguments, of its type");
    Stage s{Pattern, text, "", "", file, line, {}};
    (s.add(arguments), ...);
    return s;
}

} // namespace detail

/* Stages over arrays of one length.  Each of them may be named by a pointer or a vector. */
class Pipeline {
  public:
    explicit Pipeline(uint64_t length, const Options &options = Options::environment())
        : Pipeline(length, options, false) {}
    Pipeline(const Pipeline &) = delete;
    Pipeline &operator=(const Pipeline &) = delete;
    ~Pipeline() {
        mpu_pipeline_free(pipeline);
        mpu_target_close(target);
    }

    /* False, with reason(), if the stage cannot be a part of this pipeline; then execute throws. */
    bool stage(const detail::Stage &s, uint32_t overlap = 0, uint32_t groupSize = 0) {
        std::vector<mpu_stage_argument> arguments = s.arguments;
        for (mpu_stage_argument &a : arguments)
            if (a.tail && a.tail_elements == detail::asOverlap)
                a.tail_elements = overlap;
        mpu_stage c = {};
        c.pattern = s.pattern;
        c.function = s.text.c_str();
        c.arguments = arguments.data();
        c.count = static_cast<uint32_t>(arguments.size());
        c.overlap = overlap;
        c.group = groupSize;
        c.combine = s.combine.empty() ? nullptr : s.combine.c_str();
        c.init = s.init.empty() ? nullptr : s.init.c_str();
        c.file = s.file;
        c.line = s.line;
        mpu_error *e = nullptr;
        if (mpu_pipeline_stage(pipeline, &c, &e) == MPU_OK)
            return true;
        why = text(e);
        return false;
    }
    /* Why the latest stage was refused; empty: none was. */
    const std::string &reason() const {
        return why;
    }

    /* Functions of stages behind it know `name` as this constant; to the compiler it is a variable
     * outside of all functions, of the same type. */
    template <class T> void constant(const char *name, T value) {
        std::ostringstream number;
        number.imbue(std::locale::classic());
        number.precision(17);
        number << +value;
        mpu_error *e = nullptr;
        if (mpu_pipeline_constant(pipeline, name, detail::typeOf<T>(), number.str().c_str(), &e) !=
            MPU_OK)
            throw Error(text(e));
    }
    template <class A> void fetch(const A &array) {
        mpu_error *e = nullptr;
        /* A stage that was refused makes nothing; execute says which. */
        if (mpu_pipeline_fetch(pipeline, detail::key(array), &e) != MPU_OK) {
            std::string wrong = text(e);
            if (why.empty())
                throw Error(wrong);
        }
    }
    void execute() {
        if (!why.empty())
            throw Error(why);
        mpu_error *e = nullptr;
        if (mpu_pipeline_execute(pipeline, &e) != MPU_OK)
            throw Error(text(e));
    }
    template <class A> uint64_t getLength(const A &array) const {
        uint64_t length = 0;
        if (mpu_pipeline_length(pipeline, detail::key(array), &length) != MPU_OK)
            throw Error("getLength: the pipeline was not executed, or no stage makes this array");
        return length;
    }

    /* mpu_pipeline_plan, _program, _stats, _figure. */
    std::string plan() {
        mpu_error *e = nullptr;
        return taken(mpu_pipeline_plan(pipeline, &e), e);
    }
    std::string program(uint32_t part = 0) {
        mpu_error *e = nullptr;
        return taken(mpu_pipeline_program(pipeline, part, &e), e);
    }
    std::string stats() {
        mpu_error *e = nullptr;
        return taken(mpu_pipeline_stats(pipeline, &e), e);
    }
    uint64_t figure(const char *name) const {
        uint64_t value = 0;
        if (mpu_pipeline_figure(pipeline, name, &value) != MPU_OK)
            throw Error(std::string("there is no figure '") + name + "'");
        return value;
    }

  protected:
    Pipeline(uint64_t length, const Options &options, bool full) {
        mpu_error *e = nullptr;
        std::vector<const char *> set;
        for (const std::string &s : options.set)
            set.push_back(s.c_str());
        set.push_back(nullptr);
        target = mpu_target_open(options.target.c_str(), set.data(), &e);
        if (!target)
            throw Error(text(e));
        mpu_pipeline_options c = {};
        c.size = sizeof c;
        c.dpus = options.dpus;
        c.cpu_elements = options.cpuElements;
        c.no_fuse = options.noFuse;
        c.full = full;
        c.mram_bytes = options.mramBytes;
        c.host_element_ps = options.hostElementPs;
        pipeline = mpu_pipeline_new(target, length, &c, &e);
        if (!pipeline) {
            mpu_target_close(target);
            throw Error(text(e));
        }
    }

  private:
    mpu_target *target = nullptr;
    mpu_pipeline *pipeline = nullptr;
    std::string why;

    static std::string text(mpu_error *e) {
        std::string s = e ? mpu_error_text(e) : "";
        mpu_error_free(e);
        return s;
    }
    static std::string taken(char *s, mpu_error *e) {
        std::string out = s ? s : "";
        mpu_string_free(s);
        if (e)
            throw Error(text(e));
        return out;
    }
};

/* The same; a stage that needs the result of a filter or a reduce begins a pipeline of its own. */
class PipelineFull : public Pipeline {
  public:
    explicit PipelineFull(uint64_t length, const Options &options = Options::environment())
        : Pipeline(length, options, true) {}
};

} // namespace Upmem

#define MPU_DAPPA_TEXT_(...) #__VA_ARGS__
#define MPU_DAPPA_TEXT(...)  MPU_DAPPA_TEXT_(__VA_ARGS__)
#define MPU_DAPPA_STAGE(pattern, function, ...)                                                    \
    ::Upmem::detail::stage<pattern>(MPU_DAPPA_TEXT(function), function, __FILE__, __LINE__,        \
                                    __VA_ARGS__)

#define MAP(function, ...)    MPU_DAPPA_STAGE(MPU_PATTERN_MAP, function, __VA_ARGS__)
#define FILTER(function, ...) MPU_DAPPA_STAGE(MPU_PATTERN_FILTER, function, __VA_ARGS__)
#define REDUCE(function, ...) MPU_DAPPA_STAGE(MPU_PATTERN_REDUCE, function, __VA_ARGS__)
#define WINDOW(function, ...) MPU_DAPPA_STAGE(MPU_PATTERN_WINDOW, function, __VA_ARGS__)
#define GROUP(function, ...)  MPU_DAPPA_STAGE(MPU_PATTERN_GROUP, function, __VA_ARGS__)
#define WINDOW_GROUP(function, ...)                                                                \
    MPU_DAPPA_STAGE(MPU_PATTERN_WINDOW_GROUP, function, __VA_ARGS__)
#define WINDOW_FILTER(function, ...)                                                               \
    MPU_DAPPA_STAGE(MPU_PATTERN_WINDOW_FILTER, function, __VA_ARGS__)
#define GROUP_FILTER(function, ...)                                                                \
    MPU_DAPPA_STAGE(MPU_PATTERN_GROUP_FILTER, function, __VA_ARGS__)
#define WINDOW_GROUP_FILTER(function, ...)                                                         \
    MPU_DAPPA_STAGE(MPU_PATTERN_WINDOW_GROUP_FILTER, function, __VA_ARGS__)

/* The array; of INPUT and INOUT also what goes on behind its end, a vector or a pointer. */
#define INPUT(type, ...)  ::Upmem::detail::argument<type, MPU_ROLE_INPUT>(__VA_ARGS__)
#define OUTPUT(type, ...) ::Upmem::detail::argument<type, MPU_ROLE_OUTPUT>(__VA_ARGS__)
#define INOUT(type, ...)  ::Upmem::detail::argument<type, MPU_ROLE_INOUT>(__VA_ARGS__)
/* A number that has a name, a vector of them, or a pointer and how many there are. */
#define SCALAR(type, ...)     ::Upmem::detail::number<type, MPU_ROLE_SCALAR>(__VA_ARGS__)
#define REDUCE_OUT(type, ...) ::Upmem::detail::number<type, MPU_ROLE_REDUCE_OUT>(__VA_ARGS__)
/* How parts of a reduce become one, and what that leaves as it is. */
#define COMBINE(function)           (::Upmem::detail::Combine{MPU_DAPPA_TEXT(function), ""})
#define COMBINE_FROM(function, init) (::Upmem::detail::Combine{MPU_DAPPA_TEXT(function), MPU_DAPPA_TEXT(init)})

#endif
