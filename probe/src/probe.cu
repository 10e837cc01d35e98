// Times the kernels of the catalogue on some SMs of a GPU, alone or beside another.
//
//   probe card                         the card and its kernels, as JSON
//   probe check [SCALE]                every kernel on the GPU against its reference; exit code 1 where one is wrong
//   probe work SCALE                   operations and bytes of a launch of each kernel
//   probe time SCALE REPETITIONS SECONDS < plan
//
// A line of the plan is `kernel first last task_size slots [other first last slots]`: SMs first … last - 1, slots 0 for as
// many blocks on an SM as fit. A line of the answer is `line,ms,sms_at_work,least_blocks,most_blocks`, one a repetition.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>

#include "card.cuh"
#include "catalogue.h"

namespace {

struct Names {
    std::vector<std::string> all;
    template <class K>
    void visit() {
        all.push_back(K::name);
    }
};

struct Maker {
    const std::string& name;
    double scale;
    std::unique_ptr<Problem> made;
    template <class K>
    void visit() {
        if (name == K::name) made = std::make_unique<ProblemOf<K>>(scale);
    }
};

std::vector<std::string> names() {
    Names names;
    for_each_kernel(names);
    return names.all;
}

std::unique_ptr<Problem> make(const std::string& name, double scale) {
    Maker maker{name, scale, nullptr};
    for_each_kernel(maker);
    if (!maker.made) throw std::invalid_argument("no kernel is called " + name);
    return std::move(maker.made);
}

int tell_card() {
    Card card;
    const auto& p = card.properties();
    int driver = 0;
    require(cudaDriverGetVersion(&driver), "asking the driver");
    std::printf("{\"card\": \"%s\", \"sms\": %d, \"compute_capability\": \"%d.%d\", \"memory_gb\": %.3f, "
                "\"l2_mb\": %.3f, \"cuda\": \"%d.%d\", \"built_for_cuda\": \"%d.%d\", \"kernels\": {",
                p.name, card.sms(), p.major, p.minor, p.totalGlobalMem / 1e9, p.l2CacheSize / 1e6, driver / 1000,
                driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    const char* comma = "";
    for (const auto& name : names()) {
        const auto problem = make(name, 1e-6);
        std::printf("%s\"%s\": {\"blocks_of_sm\": %d}", comma, name.c_str(), problem->blocks_of_sm());
        comma = ", ";
    }
    std::printf("}}\n");
    return 0;
}

int check(double scale) {
    Card card;
    bool right = true;
    std::printf("kernel,sms,error_over_tolerance,verdict\n");
    for (const auto& name : names())
        for (const Span span : {Span{0, card.sms()}, Span{0, 1}, Span{card.sms() / 3, card.sms() / 2 + 1}}) {
            // Anew, so that nothing is right because an earlier team has done it.
            const auto problem = make(name, scale);
            card.time({problem.get(), span, 3, 0}, nullptr, 1, 0);
            const double error = problem->error();
            std::printf("%s,%d,%.3g,%s\n", name.c_str(), span.last - span.first, error, error <= 1 ? "right" : "wrong");
            right &= error <= 1;
        }
    return right ? 0 : 1;
}

Span span_from(std::istream& words, const Card& card, int line) {
    Span span{};
    if (!(words >> span.first >> span.last) || span.first < 0 || span.first >= span.last || span.last > card.sms())
        throw std::invalid_argument("line " + std::to_string(line) + ": SMs first last lie in 0 … " +
                                    std::to_string(card.sms()));
    return span;
}

int time_plan(double scale, int repetitions, double seconds) {
    Card card;
    std::map<std::string, std::unique_ptr<Problem>> problems;
    const auto problem = [&](const std::string& name) {
        auto& found = problems[name];
        if (!found) found = make(name, scale);
        return found.get();
    };
    std::printf("line,ms,sms_at_work,least_blocks,most_blocks\n");
    std::string text;
    for (int line = 0; std::getline(std::cin, text); ++line) {
        std::istringstream words(text);
        std::string name, other;
        words >> name;
        Assignment task{problem(name), span_from(words, card, line), 1, 0}, neighbour{};
        if (!(words >> task.task_size >> task.slots) || task.task_size < 1)
            throw std::invalid_argument("line " + std::to_string(line) + ": a task size of 1 or more and slots are missing");
        if (words >> other) {
            neighbour = {problem(other), span_from(words, card, line), 1, 0};
            neighbour.task_size = task.task_size;
            words >> neighbour.slots;
        }
        for (const auto& sample : card.time(task, other.empty() ? nullptr : &neighbour, repetitions, seconds))
            std::printf("%d,%.6f,%d,%u,%u\n", line, sample.ms, sample.sms_at_work, sample.least_blocks, sample.most_blocks);
        std::fflush(stdout);
    }
    // What was written again and again beside others is still right.
    for (const auto& [name, each] : problems)
        if (each->error() > 1) throw std::runtime_error(name + " has gone wrong while it was timed");
    return 0;
}

// Counted work of a launch: `kernel,tasks,flop,integer_ops,bytes`.
struct WorkTable {
    double scale;
    template <class K>
    void visit() {
        HostMemory memory;
        const auto args = K::prepare(memory, scale);
        const Work work = K::work(args);
        std::printf("%s,%u,%.17g,%.17g,%.17g\n", K::name, K::tasks(args), work.flop, work.integer_ops, work.bytes);
    }
};

}  // namespace

int main(int count, char** words) {
    const std::string verb = count > 1 ? words[1] : "";
    try {
        if (verb == "card") return tell_card();
        if (verb == "check") return check(count > 2 ? std::atof(words[2]) : 0.01);
        if (verb == "time" && count == 5) return time_plan(std::atof(words[2]), std::atoi(words[3]), std::atof(words[4]));
        if (verb == "work" && count == 3) {
            WorkTable table{std::atof(words[2])};
            std::printf("kernel,tasks,flop,integer_ops,bytes\n");
            for_each_kernel(table);
            return 0;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "probe: %s\n", error.what());
        return 1;
    }
    std::fprintf(stderr, "probe card | check [SCALE] | work SCALE | time SCALE REPETITIONS SECONDS < plan\n");
    return 2;
}
