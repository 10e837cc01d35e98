#pragma once
#include "../kernel.h"

// Reads memory and writes next to nothing: each thread adds up sixteen elements and keeps the sum.
struct StreamRead {
    static constexpr const char* name = "stream_read";
    static constexpr int threads = 256;
    static constexpr unsigned of_thread = 16;
    static constexpr unsigned elements = of_thread * threads;
    using Shared = Nothing;
    using Local = Nothing;
    struct Args {
        const float* values;
        float* sums;
        unsigned count;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 26, scale, elements);
        Random random(2);
        auto* values = memory.holding(random.floats(count, 0, 1));
        return {values, memory.room<float>(count / of_thread), count};
    }
    static unsigned tasks(const Args& args) { return args.count / elements; }
    HD static int phases(const Args&) { return 1; }
    HD static void phase(const Args& args, unsigned task, int thread, int, Shared&, Local&) {
        float sum = 0;
        for (unsigned i = 0; i < of_thread; ++i) sum += args.values[task * elements + i * threads + thread];
        args.sums[task * threads + thread] = sum;
    }
    static Work work(const Args& args) { return {double(args.count), 0, 4.0 * args.count * (1 + 1.0 / of_thread)}; }
    static double error(const Args& args, Memory& memory) {
        const auto values = memory.values(args.values, args.count);
        const auto sums = memory.values(args.sums, args.count / of_thread);
        std::vector<double> wanted(sums.size());
        for (unsigned i = 0; i < args.count; ++i) wanted[i / elements * threads + i % threads] += values[i];
        double worst = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) worst = std::fmax(worst, deviation(sums[i], wanted[i], 1e-4));
        return worst;
    }
};
