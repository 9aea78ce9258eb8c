// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/buffer_uses.h"

#include <algorithm>
#include <functional>

#include "log/assert.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {

/// Calls `visit` with the index, the argument and the buffer of each argument that has a buffer.
/// INVALID_ARGUMENT for a buffer that belongs to other prepared models.
template <class Visit>
Result<> forEachBuffer(std::span<const RequestArgument> arguments,
                       std::span<const RequestMemory> pools, Visit visit) {
    for (std::uint32_t index = 0; index < arguments.size(); ++index) {
        const RequestArgument& argument = arguments[index];
        if (argument.hasNoValue) {
            continue;
        }
        const std::uint32_t pool = argument.location.poolIndex;
        NNBURST_ASSERT(pool < pools.size(), "pool {} of {}", pool, pools.size());
        if (pools[pool].buffer) {
            NNBURST_TRY(visit(index, argument, pools[pool].buffer));
        } else if (pools[pool].token) {
            return invalid("driver-managed buffer {} was not allocated for this prepared model",
                           static_cast<std::uint32_t>(*pools[pool].token));
        }
    }
    return {};
}

}  // namespace

Result<> checkBufferUses(const Executable& executable, const RequestArguments& request,
                         std::span<const RequestMemory> pools) {
    using Buffer = std::shared_ptr<ManagedBuffer>;
    const auto checkUse = [&](ArgumentRole role, std::uint32_t index,
                              const RequestArgument& argument, const ManagedBuffer& buffer) {
        return buffer.checkUse(
            {.preparedModel = executable.preparedModel, .role = role, .index = index},
            argument.dimensions);
    };
    std::vector<const ManagedBuffer*> written;
    const Result<> outputs = forEachBuffer(
        request.outputs, pools,
        [&](std::uint32_t index, const RequestArgument& argument,
            const Buffer& buffer) -> Result<> {
            NNBURST_TRY(checkUse(ArgumentRole::OUTPUT, index, argument, *buffer));
            const auto place =
                std::lower_bound(written.begin(), written.end(), buffer.get(), std::less<>());
            if (place != written.end() && *place == buffer.get()) {
                return invalid(
                    "output {}: its driver-managed buffer is used for another output too: a "
                    "buffer that is written must be used for nothing else",
                    index);
            }
            written.insert(place, buffer.get());
            return {};
        });
    NNBURST_TRY(outputs);
    return forEachBuffer(
        request.inputs, pools,
        [&](std::uint32_t index, const RequestArgument& argument,
            const Buffer& buffer) -> Result<> {
            NNBURST_TRY(checkUse(ArgumentRole::INPUT, index, argument, *buffer));
            if (std::binary_search(written.begin(), written.end(), buffer.get(), std::less<>())) {
                return invalid(
                    "input {}: its driver-managed buffer is used for an output too: a buffer that "
                    "is written must be used for nothing else",
                    index);
            }
            return {};
        });
}

Result<> checkBufferContents(const RequestArguments& request, std::span<const RequestMemory> pools,
                             bool orPending) {
    return forEachBuffer(request.inputs, pools,
                         [orPending](std::uint32_t /*index*/, const RequestArgument& argument,
                                     const std::shared_ptr<ManagedBuffer>& buffer) {
                             return buffer->checkContents(argument.dimensions, orPending);
                         });
}

void discardOutputs(const Executable& executable, std::span<const BufferOutput> outputs) {
    for (const BufferOutput& output : outputs) {
        const auto buffer = executable.buffers->find(output.token, executable.preparedModel);
        if (buffer && *buffer &&
            (*buffer)->hasRole({.preparedModel = executable.preparedModel,
                                .role = ArgumentRole::OUTPUT,
                                .index = output.index})) {
            (*buffer)->discardContents();
        }
    }
}

PendingWrites::PendingWrites(const RequestArguments& request,
                             std::span<const RequestMemory> pools) {
    for (const RequestArgument& output : request.outputs) {
        if (!output.hasNoValue && pools[output.location.poolIndex].buffer) {
            buffers_.push_back(pools[output.location.poolIndex].buffer);
            buffers_.back()->announceWrite();
        }
    }
}

void PendingWrites::end() noexcept {
    for (const auto& buffer : buffers_) {
        buffer->withdrawWrite();
    }
    buffers_.clear();
}

}  // namespace nnburst::exec
