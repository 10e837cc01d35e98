#pragma once
#include "../kernel.h"

// One step of heat conduction on a grid: five temperatures and a power make a new temperature.
struct Hotspot {
    static constexpr const char* name = "hotspot";
    static constexpr int threads = 256;
    static constexpr unsigned width = 64, height = 16;
    static constexpr float conduct = 0.1f, heat = 0.05f, leak = 0.01f, ambient = 80.0f;
    using Shared = Nothing;
    using Local = Nothing;
    struct Args {
        const float* temperature;
        const float* power;
        float* next;
        unsigned side;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned side = scaled(5120, std::sqrt(scale), width);
        Random random(7);
        auto* temperature = memory.holding(random.floats(std::size_t(side) * side, 60, 100));
        auto* power = memory.holding(random.floats(std::size_t(side) * side, 0, 10));
        return {temperature, power, memory.room<float>(std::size_t(side) * side), side};
    }
    static unsigned tasks(const Args& args) { return (args.side / width) * (args.side / height); }
    HD static int phases(const Args&) { return 1; }
    HD static void phase(const Args& args, unsigned task, int thread, int, Shared&, Local&) {
        const unsigned across = args.side / width;
        const unsigned x = task % across * width + thread % width;
        const unsigned top = task / across * height;
        const unsigned left = x ? x - 1 : x, right = x + 1 < args.side ? x + 1 : x;
        for (unsigned y = top + thread / width; y < top + height; y += threads / width) {
            const std::size_t row = std::size_t(y) * args.side;
            const std::size_t above = y ? row - args.side : row, below = y + 1 < args.side ? row + args.side : row;
            const float t = args.temperature[row + x];
            const float around = args.temperature[row + left] + args.temperature[row + right] +
                                 args.temperature[above + x] + args.temperature[below + x];
            args.next[row + x] = t + conduct * (around - 4 * t) + heat * args.power[row + x] + leak * (ambient - t);
        }
    }
    static Work work(const Args& args) {
        const double cells = double(args.side) * args.side;
        return {12 * cells, 0, 12 * cells};
    }
    static double error(const Args& args, Memory& memory) {
        const long side = args.side;
        const auto t = memory.values(args.temperature, std::size_t(side) * side);
        const auto power = memory.values(args.power, std::size_t(side) * side);
        const auto next = memory.values(args.next, std::size_t(side) * side);
        const long steps[4][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
        double worst = 0;
        for (long y = 0; y < side; ++y)
            for (long x = 0; x < side; ++x) {
                const double here = t[y * side + x];
                double flow = 0;
                for (const auto& step : steps) {
                    const long v = y + step[0], u = x + step[1];
                    if (v >= 0 && v < side && u >= 0 && u < side) flow += t[v * side + u] - here;
                }
                const double wanted = here + double(conduct) * flow + double(heat) * power[y * side + x] +
                                      double(leak) * (double(ambient) - here);
                worst = std::fmax(worst, deviation(next[y * side + x], wanted, 1e-4));
            }
        return worst;
    }
};
