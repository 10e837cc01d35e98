// Blocks that stay: those on the SMs of a team pull tasks from a counter until none is left, all others leave at once
// (as in Slate, IPDPS '19, and the "SM-centric" transformation of Wu et al., ICS '15).
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel.h"

inline void require(cudaError_t state, const char* what) {
    if (state != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(state));
}

// Memory of the GPU, given back at the end.
class DeviceMemory : public Memory {
public:
    ~DeviceMemory() override {
        for (void* block : blocks_) cudaFree(block);
    }

protected:
    void* allocate(std::size_t bytes) override {
        void* block = nullptr;
        require(cudaMalloc(&block, bytes ? bytes : 1), "allocating memory of the GPU");
        blocks_.push_back(block);
        return block;
    }
    void write(void* place, const void* from, std::size_t bytes) override {
        require(cudaMemcpy(place, from, bytes, cudaMemcpyHostToDevice), "copying to the GPU");
    }
    void read(void* into, const void* place, std::size_t bytes) override {
        require(cudaMemcpy(into, place, bytes, cudaMemcpyDeviceToHost), "copying from the GPU");
    }

private:
    std::vector<void*> blocks_;
};

using Counter = unsigned long long;

// Which SMs work, and on what. SMs are counted 0, 1, … in the order of their hardware numbers, which may have gaps.
struct Team {
    const int* rank;         // of each hardware number
    int first, last;         // SMs first … last - 1
    unsigned tasks;          // of the problem
    unsigned task_size;      // tasks pulled at once
    Counter end;             // tasks pulled in all: `tasks`, or without end as a neighbour
    Counter* next;           // the counter
    unsigned* blocks_on;     // blocks that did a task, on each SM
    const unsigned* stop;    // not 0: leave after this pull
};

__device__ inline unsigned hardware_sm() {
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

template <class K>
__global__ void __launch_bounds__(K::threads) work_as(const typename K::Args args, const Team team) {
    __shared__ typename K::Shared shared;
    __shared__ Counter pulled;
    const int sm = team.rank[hardware_sm()];
    if (sm < team.first || sm >= team.last) return;
    const int thread = static_cast<int>(threadIdx.x);
    const int phases = K::phases(args);
    bool worked = false;
    for (;;) {
        if (thread == 0) {
            const bool stopped = *static_cast<const volatile unsigned*>(team.stop) != 0;
            pulled = stopped ? team.end : atomicAdd(team.next, static_cast<Counter>(team.task_size));
        }
        __syncthreads();
        const Counter from = pulled;
        __syncthreads();
        if (from >= team.end) break;
        const Counter to = from + team.task_size < team.end ? from + team.task_size : team.end;
        for (Counter i = from; i < to; ++i) {
            const unsigned task = static_cast<unsigned>(i % team.tasks);
            typename K::Local local;
            for (int phase = 0; phase < phases; ++phase) {
                K::phase(args, task, thread, phase, shared, local);
                __syncthreads();
            }
        }
        worked = true;
    }
    if (thread == 0 && worked) atomicAdd(&team.blocks_on[sm], 1u);
}

// A kernel with a problem of its own on the GPU.
class Problem {
public:
    virtual ~Problem() = default;
    virtual const char* name() const = 0;
    virtual unsigned tasks() const = 0;
    virtual int blocks_of_sm() const = 0;
    virtual Work work() const = 0;
    virtual void launch(const Team& team, unsigned blocks, cudaStream_t stream) const = 0;
    virtual double error() = 0;
};

template <class K>
class ProblemOf : public Problem {
public:
    explicit ProblemOf(double scale) : args_(K::prepare(memory_, scale)) {
        require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_of_sm_, work_as<K>, K::threads, 0), K::name);
    }
    const char* name() const override { return K::name; }
    unsigned tasks() const override { return K::tasks(args_); }
    int blocks_of_sm() const override { return blocks_of_sm_; }
    Work work() const override { return K::work(args_); }
    void launch(const Team& team, unsigned blocks, cudaStream_t stream) const override {
        work_as<K><<<blocks, K::threads, 0, stream>>>(args_, team);
        require(cudaGetLastError(), K::name);
    }
    double error() override { return K::error(args_, memory_); }

private:
    DeviceMemory memory_;
    typename K::Args args_;
    int blocks_of_sm_ = 0;
};
