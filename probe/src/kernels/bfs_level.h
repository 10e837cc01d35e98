#pragma once
#include <queue>

#include "../kernel.h"

// One level of a breadth-first search on a random graph: neighbours of the frontier that no level has reached are marked.
struct BfsLevel {
    static constexpr const char* name = "bfs_level";
    static constexpr int threads = 256;
    static constexpr unsigned degree = 8;
    static constexpr int unreached = -1;
    using Shared = Nothing;
    using Local = Nothing;
    struct Args {
        const std::uint32_t* first;
        const std::uint32_t* neighbour;
        const int* level;
        unsigned char* found;
        unsigned vertices;
        int frontier;
    };

    static Args prepare(Memory& memory, double scale) {
        const unsigned vertices = scaled(1 << 22, scale, threads);
        Random random(12);
        std::vector<std::uint32_t> first(vertices + 1), neighbour(std::size_t(vertices) * degree);
        for (unsigned v = 0; v <= vertices; ++v) first[v] = v * degree;
        for (auto& w : neighbour) w = random.index(vertices);
        // The widest level is searched: those before it stand, later ones are not reached yet.
        std::vector<int> level(vertices, unreached);
        std::vector<unsigned> width;
        std::queue<std::uint32_t> waiting;
        level[0] = 0;
        waiting.push(0);
        while (!waiting.empty()) {
            const auto v = waiting.front();
            waiting.pop();
            if (level[v] >= int(width.size())) width.resize(level[v] + 1);
            ++width[level[v]];
            for (auto i = first[v]; i < first[v + 1]; ++i)
                if (level[neighbour[i]] == unreached) {
                    level[neighbour[i]] = level[v] + 1;
                    waiting.push(neighbour[i]);
                }
        }
        int frontier = 0;
        for (int l = 0; l < int(width.size()); ++l)
            if (width[l] > width[frontier]) frontier = l;
        for (int& l : level)
            if (l > frontier) l = unreached;
        auto* firsts = memory.holding(first);
        auto* neighbours = memory.holding(neighbour);
        auto* levels = memory.holding(level);
        return {firsts, neighbours, levels, memory.room<unsigned char>(vertices), vertices, frontier};
    }
    static unsigned tasks(const Args& args) { return args.vertices / threads; }
    HD static int phases(const Args&) { return 1; }
    HD static void phase(const Args& args, unsigned task, int thread, int, Shared&, Local&) {
        const unsigned v = task * threads + thread;
        if (args.level[v] != args.frontier) return;
        for (std::uint32_t i = args.first[v]; i < args.first[v + 1]; ++i)
            if (args.level[args.neighbour[i]] == unreached) args.found[args.neighbour[i]] = 1;
    }
    // As if all vertices were in the frontier: an upper bound.
    static Work work(const Args& args) {
        return {0, double(args.vertices) * (1 + degree), double(args.vertices) * (12 + 9.0 * degree)};
    }
    static double error(const Args& args, Memory& memory) {
        const auto first = memory.values(args.first, args.vertices + 1);
        const auto neighbour = memory.values(args.neighbour, std::size_t(args.vertices) * degree);
        const auto level = memory.values(args.level, args.vertices);
        const auto found = memory.values(args.found, args.vertices);
        std::vector<unsigned char> wanted(args.vertices);
        std::size_t reached = 0;
        for (unsigned v = 0; v < args.vertices; ++v)
            for (auto i = first[v]; i < first[v + 1]; ++i)
                if (level[v] == args.frontier && level[neighbour[i]] == unreached) {
                    reached += !wanted[neighbour[i]];
                    wanted[neighbour[i]] = 1;
                }
        return deviation(wanted == found && reached > 0);
    }
};
