#pragma once
#include "../kernel.h"

// Points of the Sobol sequence (Antonov and Saleev 1979) in four dimensions, direction numbers of Joe and Kuo 2008; each
// point is computed by itself from the bits of its Gray code.
struct QuasiRandom {
    static constexpr const char* name = "quasi_random";
    static constexpr int threads = 256;
    static constexpr unsigned of_thread = 16, points = of_thread * threads, dimensions = 4, bits = 32;
    struct Shared {
        std::uint32_t direction[bits];
    };
    using Local = Nothing;
    struct Args {
        const std::uint32_t* directions;
        float* values;
        unsigned count;
    };

    // Degree, coefficients and first direction numbers of each dimension's primitive polynomial.
    static std::vector<std::uint32_t> directions() {
        struct Polynomial {
            unsigned degree, coefficients, first[3];
        };
        const Polynomial of[dimensions] = {{0, 0, {}}, {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}};
        std::vector<std::uint32_t> v(dimensions * bits);
        for (unsigned d = 0; d < dimensions; ++d) {
            std::uint32_t* of_dimension = v.data() + d * bits;
            for (unsigned i = 0; i < bits; ++i) {
                const unsigned s = of[d].degree;
                if (s == 0) {
                    of_dimension[i] = 1u << (31 - i);
                } else if (i < s) {
                    of_dimension[i] = of[d].first[i] << (31 - i);
                } else {
                    std::uint32_t next = of_dimension[i - s] ^ (of_dimension[i - s] >> s);
                    for (unsigned k = 1; k < s; ++k)
                        if (of[d].coefficients >> (s - 1 - k) & 1) next ^= of_dimension[i - k];
                    of_dimension[i] = next;
                }
            }
        }
        return v;
    }

    static Args prepare(Memory& memory, double scale) {
        const unsigned count = scaled(1 << 23, scale, points);
        auto* v = memory.holding(directions());
        return {v, memory.room<float>(std::size_t(count) * dimensions), count};
    }
    static unsigned tasks(const Args& args) { return args.count / points * dimensions; }
    HD static int phases(const Args&) { return 2; }
    HD static void phase(const Args& args, unsigned task, int thread, int phase, Shared& shared, Local&) {
        const unsigned of_dimension = args.count / points, dimension = task / of_dimension;
        if (phase == 0) {
            if (thread < int(bits)) shared.direction[thread] = args.directions[dimension * bits + thread];
        } else {
            const unsigned first = task % of_dimension * points;
            for (unsigned i = first + thread; i < first + points; i += threads) {
                std::uint32_t gray = i ^ (i >> 1), x = 0;
                for (unsigned bit = 0; gray; ++bit, gray >>= 1)
                    if (gray & 1) x ^= shared.direction[bit];
                args.values[std::size_t(dimension) * args.count + i] = float(x >> 8) * 0x1p-24f;
            }
        }
    }
    // Three integer operations a bit of the point's number.
    static Work work(const Args& args) {
        const double values = double(args.count) * dimensions;
        return {0, 3 * std::log2(double(args.count)) * values, 4 * values};
    }
    // Against the recurrence from point to point, and by the sequence's property that of the first 4096 points each
    // interval of length 1/4096 holds one, in every dimension.
    static double error(const Args& args, Memory& memory) {
        const auto values = memory.values(args.values, std::size_t(args.count) * dimensions);
        const auto v = memory.values(args.directions, dimensions * bits);
        bool right = true;
        for (unsigned d = 0; d < dimensions; ++d) {
            std::vector<char> hit(points);
            std::uint32_t x = 0;
            for (unsigned i = 0; i < args.count; ++i) {
                const float value = values[std::size_t(d) * args.count + i];
                right &= value == float(x >> 8) * 0x1p-24f;
                if (i < points) {
                    char& interval = hit[unsigned(value * points)];
                    right &= !interval;
                    interval = 1;
                }
                unsigned zero = 0;
                while (i >> zero & 1) ++zero;
                x ^= v[d * bits + zero];
            }
        }
        return deviation(right);
    }
};
