#pragma once
#include "../kernel.h"

// c = a + b, four elements a thread: bound by memory.
struct VectorAdd {
    static constexpr const char* name = "vector_add";
    static constexpr int threads = 256;
    static constexpr unsigned elements = 4 * threads;
    using Shared = Nothing;
    using Local = Nothing;
    struct Args {
        const float* a;
        const float* b;
        float* c;
        unsigned count;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 25, scale, elements);
        Random random(1);
        auto* a = memory.holding(random.floats(count, -1, 1));
        auto* b = memory.holding(random.floats(count, -1, 1));
        return {a, b, memory.room<float>(count), count};
    }
    static unsigned tasks(const Args& args) { return args.count / elements; }
    HD static int phases(const Args&) { return 1; }
    HD static void phase(const Args& args, unsigned task, int thread, int, Shared&, Local&) {
        for (unsigned i = task * elements + thread; i < (task + 1) * elements; i += threads)
            args.c[i] = args.a[i] + args.b[i];
    }
    static Work work(const Args& args) { return {double(args.count), 0, 12.0 * args.count}; }
    static double error(const Args& args, Memory& memory) {
        const auto a = memory.values(args.a, args.count), b = memory.values(args.b, args.count);
        const auto c = memory.values(args.c, args.count);
        double worst = 0;
        for (unsigned i = 0; i < args.count; ++i) worst = std::fmax(worst, deviation(c[i], double(a[i]) + b[i], 1e-6));
        return worst;
    }
};
