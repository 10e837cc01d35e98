#pragma once
#include "../kernel.h"

// Running sums within pieces of an array (Hillis and Steele 1986), the first of the passes of a scan of the whole.
struct Scan {
    static constexpr const char* name = "scan";
    static constexpr int threads = 256;
    static constexpr unsigned of_thread = 4, elements = of_thread * threads;
    static constexpr int steps = 8;
    struct Shared {
        std::uint32_t sums[2][threads];
    };
    struct Local {
        std::uint32_t own[of_thread];
    };
    struct Args {
        const std::uint32_t* values;
        std::uint32_t* sums;
        unsigned count;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 25, scale, elements);
        Random random(11);
        auto* values = memory.holding(random.words(count));
        return {values, memory.room<std::uint32_t>(count), count};
    }
    static unsigned tasks(const Args& args) { return args.count / elements; }
    HD static int phases(const Args&) { return steps + 2; }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local& local) {
        const std::size_t first = std::size_t(task) * elements + thread * of_thread;
        if (phase == 0) {
            std::uint32_t sum = 0;
            for (unsigned i = 0; i < of_thread; ++i) local.own[i] = sum += args.values[first + i];
            shared.sums[0][thread] = sum;
        } else if (phase <= steps) {
            const std::uint32_t* from = shared.sums[(phase - 1) % 2];
            const int distance = 1 << (phase - 1);
            shared.sums[phase % 2][thread] = from[thread] + (thread >= distance ? from[thread - distance] : 0);
        } else {
            const std::uint32_t before = thread ? shared.sums[steps % 2][thread - 1] : 0;
            for (unsigned i = 0; i < of_thread; ++i) args.sums[first + i] = before + local.own[i];
        }
    }
    static Work work(const Args& args) {
        return {0, double(args.count) * (2 + double(steps) / of_thread), 8.0 * args.count};
    }
    static double error(const Args& args, Memory& memory) {
        const auto values = memory.values(args.values, args.count), sums = memory.values(args.sums, args.count);
        bool equal = true;
        std::uint32_t sum = 0;
        for (unsigned i = 0; i < args.count; ++i) {
            sum = (i % elements ? sum : 0) + values[i];
            equal &= sum == sums[i];
        }
        return deviation(equal);
    }
};
