// Where the arrays of a problem live: on the host, or on a GPU. A kernel's code asks for arrays and does not care.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif

class Memory {
public:
    virtual ~Memory() = default;

    // A copy of values that lasts as long as this memory.
    template <class T>
    T* holding(const std::vector<T>& values) {
        auto* place = static_cast<T*>(allocate(values.size() * sizeof(T)));
        write(place, values.data(), values.size() * sizeof(T));
        return place;
    }

    // Room for `count` values, all bytes zero.
    template <class T>
    T* room(std::size_t count) {
        return holding(std::vector<T>(count));
    }

    template <class T>
    std::vector<T> values(const T* place, std::size_t count) {
        std::vector<T> copy(count);
        read(copy.data(), place, count * sizeof(T));
        return copy;
    }

protected:
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void write(void* place, const void* from, std::size_t bytes) = 0;
    virtual void read(void* into, const void* place, std::size_t bytes) = 0;
};

class HostMemory : public Memory {
public:
    ~HostMemory() override {
        for (void* block : blocks_) std::free(block);
    }

protected:
    void* allocate(std::size_t bytes) override {
        // AES and the like read words: malloc aligns for all of them.
        void* block = std::malloc(bytes ? bytes : 1);
        if (!block) throw std::bad_alloc();
        blocks_.push_back(block);
        return block;
    }
    void write(void* place, const void* from, std::size_t bytes) override { std::memcpy(place, from, bytes); }
    void read(void* into, const void* place, std::size_t bytes) override { std::memcpy(into, place, bytes); }

private:
    std::vector<void*> blocks_;
};
