// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Clients that want all of the memory, present or mapped.

#include <array>
#include <barrier>
#include <thread>
#include <vector>

#include "attack_models.h"
#include "device/foreign_memory.h"
#include "nnburst/device.h"
#include "scenario.h"
#include "stress_case.h"

namespace nnburst::stress {

namespace {

using namespace std::chrono_literals;

/// 244 pools of half a tebibyte each, of which nothing is present, one for each request.
void mapSparsePools(const DriverUnderAttack& target, PreparedModel& prepared) {
    constexpr std::size_t kPools = 244;
    constexpr std::uint64_t kPoolBytes = std::uint64_t{1} << 39;
    const auto burst = prepared.configureExecutionBurst({});
    std::vector<SharedRegion> pools;
    ExecutionOutcome outcome;
    for (std::size_t i = 0; i < kPools && burst; ++i) {
        if (const auto pool = Region::create(kPoolBytes)) {
            pools.push_back(*pool);
            target.log.note((*burst)->execute(test::addRequest(*pool), {}, outcome));
        }
    }
    holdUntilKilled();
}

/// A request for makeFirstColumn(rows, width) in `memory`, which has room for the output behind the
/// input.
Request requestForColumn(const SharedRegion& memory, std::uint32_t rows, std::uint32_t width) {
    const std::uint32_t inputBytes = rows * width;
    const auto at = [](std::uint32_t offset, std::uint32_t length) {
        return RequestArgument{.location = {.poolIndex = 0, .offset = offset, .length = length}};
    };
    return {.inputs = {at(0, inputBytes)}, .outputs = {at(inputBytes, rows)}, .pools = {memory}};
}

constexpr std::uint32_t kTouchedTables = 2047;
constexpr std::uint32_t kAddressesOfTable = 2 << 20;

/// The same memory of 4 GiB as one pool after the other, of which each page table is used.
void fillPageTables(const DriverUnderAttack& target, PreparedModel& prepared) {
    constexpr std::size_t kPools = 400;
    constexpr std::uint64_t kPoolBytes = std::uint64_t{4} << 30;
    const auto burst = prepared.configureExecutionBurst({});
    const auto memory = Region::create(kPoolBytes);
    std::vector<SharedRegion> pools;
    ExecutionOutcome outcome;
    for (std::size_t i = 0; i < kPools && burst && memory; ++i) {
        auto descriptor = UniqueFd::duplicate((*memory)->fd());
        if (!descriptor) {
            break;
        }
        pools.push_back(*Region::receive(std::move(*descriptor), kPoolBytes));
        target.log.note((*burst)->execute(
            requestForColumn(pools.back(), kTouchedTables, kAddressesOfTable), {}, outcome));
    }
    holdUntilKilled();
}

constexpr std::uint32_t kTouchedPages = (1 << 18) - 256;
constexpr std::uint32_t kTouchedPageBytes = 4096;

/// Bursts that touch each page of the same GiB and free it at the same time, again and again.
void touchAndFree(const DriverUnderAttack& target, PreparedModel& prepared) {
    constexpr int kBursts = 12;
    constexpr std::uint64_t kPoolBytes = std::uint64_t{1} << 30;
    const auto memory = Region::create(kPoolBytes);
    if (!memory) {
        return;
    }
    std::barrier<> together(kBursts);
    std::vector<std::thread> threads;
    for (int i = 0; i < kBursts; ++i) {
        threads.emplace_back([&] {
            const auto burst = prepared.configureExecutionBurst({});
            ExecutionOutcome outcome;
            while (burst) {
                target.log.note((*burst)->execute(
                    requestForColumn(*memory, kTouchedPages, kTouchedPageBytes), {}, outcome));
                together.arrive_and_wait();
                (*burst)->freeMemory(*memory);
            }
            together.arrive_and_drop();
        });
    }
    holdUntilKilled();
}

/// Prepares, holds and never frees models that `make` gives by number.
Attacker preparer(const std::function<Model(float)>& make) {
    return [make](const DriverUnderAttack& target) {
        const auto device = nnburst::connect(target.socketPath);
        std::vector<SharedPreparedModel> held;
        for (float number = 1; device; number += 1) {
            const auto prepared = prepareModel(**device, make(number));
            target.log.note(prepared);
            if (prepared) {
                held.push_back(*prepared);
            } else {
                std::this_thread::sleep_for(10ms);
            }
        }
    };
}

StressCase preparing(const std::string& name, const std::string& description,
                     const std::function<Model(float)>& make) {
    return attacking(name, description, preparer(make));
}

Model makeGibibytesOfConstants(float number) {
    constexpr std::uint32_t kCount = 3;
    return makeSparseConstants(kCount, std::uint32_t{1} << 30, number);
}

/// Its temporaries take as much as its inputs, which are not there yet.
Model makeModelOfTemporaries(float number) {
    return makeBigConvolution(number);
}

void doubleState(const DriverUnderAttack& target) {
    const auto device = nnburst::connect(target.socketPath);
    if (!device) {
        return;
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            const Model model = makeDoublingLoop(static_cast<float>(i));
            Request request = makeRequest(sizeof(float), sizeof(float));
            request.inputs[0].dimensions = {1};
            while (true) {
                const auto prepared = prepareModel(**device, model);
                ExecutionOutcome outcome;
                if (prepared) {
                    target.log.note((*prepared)->executeSynchronously(request, {}, outcome));
                } else {
                    target.log.note(prepared);
                }
            }
        });
    }
    holdUntilKilled();
}

/// Driver-managed buffers of 256 MiB each, with contents, until none is given any more.
void holdBuffers(const DriverUnderAttack& target) {
    const auto device = nnburst::connect(target.socketPath);
    if (!device) {
        return;
    }
    constexpr std::uint32_t kElements = 64 << 20;
    const auto prepared = prepareModel(**device, test::makeAddModel(kElements));
    if (!prepared) {
        return;
    }
    const auto contents = Region::create(kElements * sizeof(float));
    const std::array<BufferRole, 1> inputs{{{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}}};
    std::vector<AllocatedBuffer> held;
    while (true) {
        auto buffer = (*device)->allocate({{kElements}}, std::array{*prepared}, inputs, {});
        target.log.note(buffer);
        if (buffer) {
            (void)buffer->buffer->copyFrom(*contents, {kElements});
            held.push_back(std::move(*buffer));
        } else {
            std::this_thread::sleep_for(10ms);
        }
    }
}

}  // namespace

StressCases memoryCases() {
    return {
        attacking("sparse_pools",
                  "244 memory pools of 512 GiB each, without contents: 122 TiB of addresses",
                  withPreparedModel(test::makeAddModel(), mapSparsePools)),
        attacking(
            "page_tables",
            "one memory of 4 GiB as 400 pools, one byte of each 2 MiB read: 3 GiB of page "
            "tables",
            withPreparedModel(makeFirstColumn(kTouchedTables, kAddressesOfTable), fillPageTables)),
        attacking(
            "touched_unmap", "12 bursts that touch 1 GiB and free it at the same time",
            withPreparedModel(makeFirstColumn(kTouchedPages, kTouchedPageBytes), touchAndFree)),
        preparing("sparse_constants", "models with 3 GiB of constants in pools without contents",
                  makeGibibytesOfConstants),
        preparing("many_models", "more and more prepared models",
                  [](float number) { return makeNestedLoops(4, number); }),
        preparing("models_of_weights", "more and more models with weights of 2.4 MB",
                  makeModelOfTemporaries),
        attacking("doubling_state", "four WHILE loops whose state doubles without end",
                  doubleState),
        attacking("managed_buffers", "driver-managed buffers of 256 MiB each", holdBuffers),
    };
}

}  // namespace nnburst::stress
