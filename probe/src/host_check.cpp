// Every kernel's tasks on the host, in order of the tasks and against it, each compared with its reference: no GPU needed.
#include <cstdio>
#include <cstdlib>

#include "catalogue.h"

struct Check {
    double scale;
    bool right = true;

    template <class K>
    void visit() {
        HostMemory memory;
        const auto args = K::prepare(memory, scale);
        const unsigned tasks = K::tasks(args);
        const double before = K::error(args, memory);
        for (unsigned task = tasks; task-- > 0;) run_on_host<K>(args, task);
        const double once = K::error(args, memory);
        // Again, the other way round: what is done twice is as what is done once.
        for (unsigned task = 0; task < tasks; ++task) run_on_host<K>(args, task);
        const double twice = K::error(args, memory);
        // A reference that the untouched output satisfies would be satisfied by anything.
        const bool good = once <= 1 && twice == once && before > 1;
        std::printf("%s,%u,%.3g,%s\n", K::name, tasks, once, good ? "right" : "wrong");
        right &= good;
    }
};

int main(int count, char** words) {
    Check check{count > 1 ? std::atof(words[1]) : 0.001};
    std::printf("kernel,tasks,error_over_tolerance,verdict\n");
    for_each_kernel(check);
    return check.right ? 0 : 1;
}
