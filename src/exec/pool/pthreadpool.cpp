// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The functions of <pthreadpool.h> that XNNPACK and this library call, over ThreadPool. A program
/// that is linked with them shows them, and the dynamic linker takes the first function of a name
/// that it finds, the program's, for XNNPACK, too. So a pool is always made and used by the same
/// functions. A shared library could not be sure of that: where XNNPACK was loaded before it,
/// XNNPACK would use the package's functions on pools that are not theirs.

#include <pthreadpool.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include "exec/pool/thread_pool.h"

/// What a pthreadpool_t points to.
struct pthreadpool final {
    std::unique_ptr<nnburst::exec::ThreadPool> threads;
    /// Functions that are not here are the package's, also where a vendor extension calls them. In
    /// these bytes they look for the number of threads, find 0, and work on the calling thread.
    std::array<std::byte, 1024> zeros{};
};

namespace nnburst::exec {

namespace {

/// What nnburst_watch_tiles has asked for on this thread.
struct TileWatch {
    bool (*isOver)(void* state) = nullptr;
    void* state = nullptr;
    double checks = 0.0;  ///< for each operator

    /// How many of `blocks` lie between two checks; 0: there are none.
    [[nodiscard]] std::size_t blocksBetweenChecks(std::size_t blocks) const noexcept {
        return isOver == nullptr
                   ? 0
                   : static_cast<std::size_t>(std::max(1.0, static_cast<double>(blocks) / checks));
    }
};
thread_local constinit TileWatch tileWatch;

/// A grid of blocks: along the last kTiled dimensions of `ranges`, blocks have `tiles` elements or
/// what is left at the end, along the others one. The last dimension runs fastest.
/// `call(thread, start of each dimension..., size of each tiled dimension...)` does a block.
template <class Call, std::size_t kDimensions, std::size_t kTiled>
class Grid {
  public:
    Grid(Call call, const std::array<std::size_t, kDimensions>& ranges,
         const std::array<std::size_t, kTiled>& tiles) noexcept
        : call_(call), ranges_(ranges) {
        steps_.fill(1);
        std::copy(tiles.begin(), tiles.end(), steps_.end() - kTiled);
        for (std::size_t d = 0; d < kDimensions; ++d) {
            // A tile may be longer than all ranges are: a sum of the two could overflow.
            blocks_[d] = ranges_[d] / steps_[d] + (ranges_[d] % steps_[d] != 0 ? 1 : 0);
        }
    }

    [[nodiscard]] std::size_t blocks() const noexcept {
        return std::accumulate(blocks_.begin(), blocks_.end(), std::size_t{1}, std::multiplies<>());
    }

    /// ThreadPool::Task
    static void run(const void* grid, std::size_t thread, std::size_t begin, std::size_t end) {
        static_cast<const Grid*>(grid)->runBlocks(thread, begin, end);
    }

  private:
    void runBlocks(std::size_t thread, std::size_t begin, std::size_t end) const {
        std::array<std::size_t, kDimensions> starts{};
        std::size_t rest = begin;
        for (std::size_t d = kDimensions; d-- > 0 && rest > 0;) {
            starts[d] = rest % blocks_[d] * steps_[d];
            rest /= blocks_[d];
        }
        const std::size_t betweenChecks = tileWatch.blocksBetweenChecks(blocks());
        std::size_t untilCheck = betweenChecks;
        for (std::size_t block = begin; block < end; ++block) {
            callFor(thread, starts, std::make_index_sequence<kDimensions>(),
                    std::make_index_sequence<kTiled>());
            if (--untilCheck == 0) {
                if (tileWatch.isOver(tileWatch.state)) {
                    return;
                }
                untilCheck = betweenChecks;
            }
            for (std::size_t d = kDimensions; d-- > 0;) {
                starts[d] += steps_[d];
                if (starts[d] < ranges_[d]) {
                    break;
                }
                starts[d] = 0;
            }
        }
    }

    template <std::size_t... kStarts, std::size_t... kSizes>
    void callFor(std::size_t thread, const std::array<std::size_t, kDimensions>& starts,
                 std::index_sequence<kStarts...> /*dimensions*/,
                 std::index_sequence<kSizes...> /*tiled*/) const {
        constexpr std::size_t kFirstTiled = kDimensions - kTiled;
        call_(thread, starts[kStarts]...,
              std::min(steps_[kFirstTiled + kSizes],
                       ranges_[kFirstTiled + kSizes] - starts[kFirstTiled + kSizes])...);
    }

    Call call_;
    std::array<std::size_t, kDimensions> ranges_;
    std::array<std::size_t, kDimensions> steps_{};  // elements of a block
    std::array<std::size_t, kDimensions> blocks_{};
};

template <class Call, std::size_t kDimensions, std::size_t kTiled>
void parallelizeGrid(pthreadpool_t pool, std::uint32_t flags, Call call,
                     const std::array<std::size_t, kDimensions>& ranges,
                     const std::array<std::size_t, kTiled>& tiles) noexcept {
    using Work = Grid<Call, kDimensions, kTiled>;
    const Work grid(call, ranges, tiles);
    const bool flushesDenormals = (flags & PTHREADPOOL_FLAG_DISABLE_DENORMALS) != 0;
    if (pool == nullptr) {
        ThreadPool::runAlone(grid.blocks(), &Work::run, &grid, flushesDenormals);
    } else {
        pool->threads->run(grid.blocks(), &Work::run, &grid, flushesDenormals);
    }
}

template <class Task, std::size_t kDimensions, std::size_t kTiled>
void parallelize(pthreadpool_t pool, Task task, void* context, std::uint32_t flags,
                 const std::array<std::size_t, kDimensions>& ranges,
                 const std::array<std::size_t, kTiled>& tiles) noexcept {
    parallelizeGrid(
        pool, flags, [=](std::size_t /*thread*/, auto... sizes) { task(context, sizes...); },
        ranges, tiles);
}

/// For tasks that are told on which thread they run.
template <class Task, std::size_t kDimensions, std::size_t kTiled>
void parallelizeWithThread(pthreadpool_t pool, Task task, void* context, std::uint32_t flags,
                           const std::array<std::size_t, kDimensions>& ranges,
                           const std::array<std::size_t, kTiled>& tiles) noexcept {
    parallelizeGrid(
        pool, flags, [=](std::size_t thread, auto... sizes) { task(context, thread, sizes...); },
        ranges, tiles);
}

template <class... Sizes>
constexpr std::array<std::size_t, sizeof...(Sizes)> sizes(Sizes... values) {
    return {values...};
}

}  // namespace

}  // namespace nnburst::exec

using nnburst::exec::parallelize;
using nnburst::exec::parallelizeWithThread;
using nnburst::exec::sizes;

// The shape of the library's functions, and its order of arguments.
// NOLINTBEGIN(bugprone-easily-swappable-parameters,readability-identifier-naming)
extern "C" {

pthreadpool_t pthreadpool_create(std::size_t threads) {
    if (threads == 0) {
        threads = std::thread::hardware_concurrency();
    }
    auto pool = nnburst::exec::ThreadPool::create(threads);
    return pool == nullptr ? nullptr : new (std::nothrow) pthreadpool{std::move(pool)};
}

void pthreadpool_destroy(pthreadpool_t pool) {
    delete pool;
}

std::size_t pthreadpool_get_threads_count(pthreadpool_t pool) {
    return pool == nullptr ? 1 : pool->threads->threads();
}

void pthreadpool_parallelize_1d(pthreadpool_t pool, pthreadpool_task_1d_t task, void* context,
                                std::size_t range_i, std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i), sizes());
}

void pthreadpool_parallelize_1d_tile_1d(pthreadpool_t pool, pthreadpool_task_1d_tile_1d_t task,
                                        void* context, std::size_t range_i, std::size_t tile_i,
                                        std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i), sizes(tile_i));
}

void pthreadpool_parallelize_2d(pthreadpool_t pool, pthreadpool_task_2d_t task, void* context,
                                std::size_t range_i, std::size_t range_j, std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j), sizes());
}

void pthreadpool_parallelize_2d_tile_1d(pthreadpool_t pool, pthreadpool_task_2d_tile_1d_t task,
                                        void* context, std::size_t range_i, std::size_t range_j,
                                        std::size_t tile_j, std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j), sizes(tile_j));
}

void pthreadpool_parallelize_2d_tile_2d(pthreadpool_t pool, pthreadpool_task_2d_tile_2d_t task,
                                        void* context, std::size_t range_i, std::size_t range_j,
                                        std::size_t tile_i, std::size_t tile_j,
                                        std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j), sizes(tile_i, tile_j));
}

void pthreadpool_parallelize_3d(pthreadpool_t pool, pthreadpool_task_3d_t task, void* context,
                                std::size_t range_i, std::size_t range_j, std::size_t range_k,
                                std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j, range_k), sizes());
}

void pthreadpool_parallelize_3d_tile_1d(pthreadpool_t pool, pthreadpool_task_3d_tile_1d_t task,
                                        void* context, std::size_t range_i, std::size_t range_j,
                                        std::size_t range_k, std::size_t tile_k,
                                        std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j, range_k), sizes(tile_k));
}

void pthreadpool_parallelize_3d_tile_2d(pthreadpool_t pool, pthreadpool_task_3d_tile_2d_t task,
                                        void* context, std::size_t range_i, std::size_t range_j,
                                        std::size_t range_k, std::size_t tile_j, std::size_t tile_k,
                                        std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j, range_k),
                sizes(tile_j, tile_k));
}

void pthreadpool_parallelize_4d(pthreadpool_t pool, pthreadpool_task_4d_t task, void* context,
                                std::size_t range_i, std::size_t range_j, std::size_t range_k,
                                std::size_t range_l, std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j, range_k, range_l), sizes());
}

void pthreadpool_parallelize_4d_tile_2d(pthreadpool_t pool, pthreadpool_task_4d_tile_2d_t task,
                                        void* context, std::size_t range_i, std::size_t range_j,
                                        std::size_t range_k, std::size_t range_l,
                                        std::size_t tile_k, std::size_t tile_l,
                                        std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j, range_k, range_l),
                sizes(tile_k, tile_l));
}

void pthreadpool_parallelize_5d(pthreadpool_t pool, pthreadpool_task_5d_t task, void* context,
                                std::size_t range_i, std::size_t range_j, std::size_t range_k,
                                std::size_t range_l, std::size_t range_m, std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j, range_k, range_l, range_m),
                sizes());
}

void pthreadpool_parallelize_5d_tile_2d(pthreadpool_t pool, pthreadpool_task_5d_tile_2d_t task,
                                        void* context, std::size_t range_i, std::size_t range_j,
                                        std::size_t range_k, std::size_t range_l,
                                        std::size_t range_m, std::size_t tile_l, std::size_t tile_m,
                                        std::uint32_t flags) {
    parallelize(pool, task, context, flags, sizes(range_i, range_j, range_k, range_l, range_m),
                sizes(tile_l, tile_m));
}

void pthreadpool_parallelize_6d_tile_2d(pthreadpool_t pool, pthreadpool_task_6d_tile_2d_t task,
                                        void* context, std::size_t range_i, std::size_t range_j,
                                        std::size_t range_k, std::size_t range_l,
                                        std::size_t range_m, std::size_t range_n,
                                        std::size_t tile_m, std::size_t tile_n,
                                        std::uint32_t flags) {
    parallelize(pool, task, context, flags,
                sizes(range_i, range_j, range_k, range_l, range_m, range_n), sizes(tile_m, tile_n));
}

// Declared in exec/xnnpack/tile_watch.h.
void nnburst_watch_tiles(bool (*isOver)(void* state), void* state, double checks) noexcept {
    nnburst::exec::tileWatch = {.isOver = isOver, .state = state, .checks = checks};
}

// Functions that pthreadpool has since 2023 and that not every header declares.

void pthreadpool_parallelize_1d_with_thread(pthreadpool_t pool,
                                            void (*task)(void*, std::size_t, std::size_t),
                                            void* context, std::size_t range_i,
                                            std::uint32_t flags) {
    parallelizeWithThread(pool, task, context, flags, sizes(range_i), sizes());
}

void pthreadpool_parallelize_2d_with_thread(
    pthreadpool_t pool, void (*task)(void*, std::size_t, std::size_t, std::size_t), void* context,
    std::size_t range_i, std::size_t range_j, std::uint32_t flags) {
    parallelizeWithThread(pool, task, context, flags, sizes(range_i, range_j), sizes());
}

void pthreadpool_parallelize_3d_tile_1d_with_thread(
    pthreadpool_t pool,
    void (*task)(void*, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t),
    void* context, std::size_t range_i, std::size_t range_j, std::size_t range_k,
    std::size_t tile_k, std::uint32_t flags) {
    parallelizeWithThread(pool, task, context, flags, sizes(range_i, range_j, range_k),
                          sizes(tile_k));
}

}  // extern "C"
// NOLINTEND(bugprone-easily-swappable-parameters,readability-identifier-naming)
