// Every kernel of the probe; a new one is a file in kernels/ and a name here.
#pragma once

#include "kernels/aes.h"
#include "kernels/bfs_level.h"
#include "kernels/black_scholes.h"
#include "kernels/gaussian.h"
#include "kernels/histogram.h"
#include "kernels/hotspot.h"
#include "kernels/pathfinder.h"
#include "kernels/quasi_random.h"
#include "kernels/reduction.h"
#include "kernels/scan.h"
#include "kernels/sgemm.h"
#include "kernels/sha1.h"
#include "kernels/stream_read.h"
#include "kernels/transpose.h"
#include "kernels/vector_add.h"

// Calls visit.visit<K>() for each kernel, in the order of their names.
template <class Visit, class... Kernels>
void visit_all(Visit&& visit) {
    (visit.template visit<Kernels>(), ...);
}

template <class Visit>
void for_each_kernel(Visit&& visit) {
    visit_all<Visit, Aes, BfsLevel, BlackScholes, Gaussian, Histogram, Hotspot, Pathfinder, QuasiRandom, Reduction, Scan,
              Sgemm, Sha1, StreamRead, Transpose, VectorAdd>(visit);
}
