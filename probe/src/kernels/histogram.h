#pragma once
#include "../kernel.h"

// Counts of 256 values of bytes: a block counts its share in shared memory and writes its own 256 counts.
struct Histogram {
    static constexpr const char* name = "histogram";
    static constexpr int threads = 256;
    static constexpr unsigned bins = 256, words = 16 * threads;
    struct Shared {
        unsigned counts[bins];
    };
    using Local = Nothing;
    struct Args {
        const std::uint32_t* data;
        unsigned* counts;
        unsigned count;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 25, scale, words);
        Random random(9);
        auto* data = memory.holding(random.words(count));
        return {data, memory.room<unsigned>(std::size_t(count / words) * bins), count};
    }
    static unsigned tasks(const Args& args) { return args.count / words; }
    HD static int phases(const Args&) { return 3; }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local&) {
        if (phase == 0) {
            shared.counts[thread] = 0;
        } else if (phase == 1) {
            for (unsigned i = task * words + thread; i < (task + 1) * words; i += threads) {
                const std::uint32_t word = args.data[i];
                for (unsigned shift = 0; shift < 32; shift += 8) count_one(shared.counts[word >> shift & 255]);
            }
        } else {
            args.counts[std::size_t(task) * bins + thread] = shared.counts[thread];
        }
    }
    static Work work(const Args& args) {
        return {0, 12.0 * args.count, 4.0 * (args.count + double(args.count / words) * bins)};
    }
    static double error(const Args& args, Memory& memory) {
        const auto data = memory.values(args.data, args.count);
        const auto counts = memory.values(args.counts, std::size_t(args.count / words) * bins);
        std::vector<unsigned> wanted(counts.size());
        for (unsigned i = 0; i < args.count; ++i) {
            const auto* bytes = reinterpret_cast<const unsigned char*>(&data[i]);
            for (int k = 0; k < 4; ++k) ++wanted[std::size_t(i / words) * bins + bytes[k]];
        }
        return deviation(wanted == counts);
    }
};
