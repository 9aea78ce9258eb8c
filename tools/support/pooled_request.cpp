// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/pooled_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <utility>

#include "nnburst/type_queries.h"
namespace nnburst::tools {
namespace {

Result<std::uint64_t> sizeOf(const Model& model, std::uint32_t index) {
    const Operand& operand = model.main.operands[index];
    const auto size = operandBytes(operand.type, operand.dimensions);
    if (!size || *size == 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("operand {} of dimensions {}: must all be known", index,
                                   fmt::join(operand.dimensions, "x")));
    }
    return *size;
}

}  // namespace

Result<PooledRequest> PooledRequest::create(const Model& model) {
    const auto roundedUp = [](std::uint64_t size) {
        constexpr std::uint64_t kAlignment = MemoryPool::kDefaultAlignmentBytes;
        return (size + kAlignment - 1) / kAlignment * kAlignment;
    };
    std::uint64_t poolBytes = 0;
    for (const auto* indexes : {&model.main.inputIndexes, &model.main.outputIndexes}) {
        for (const std::uint32_t index : *indexes) {
            NNBURST_TRY_ASSIGN(const std::uint64_t size, sizeOf(model, index));
            poolBytes += roundedUp(size);
        }
    }
    NNBURST_TRY_ASSIGN(MemoryPool pool, MemoryPool::create(poolBytes));

    PooledRequest result;
    const auto place = [&](const std::vector<std::uint32_t>& indexes,
                           std::vector<MemoryPool::Block>& blocks,
                           std::vector<RequestArgument>& arguments) -> Result<> {
        for (const std::uint32_t index : indexes) {
            NNBURST_TRY_ASSIGN(const std::uint64_t size, sizeOf(model, index));
            NNBURST_TRY_ASSIGN(MemoryPool::Block block, pool.allocate(size));
            arguments.push_back(RequestArgument{
                .hasNoValue = false,
                .location = {.poolIndex = 0, .offset = block.offset(), .length = block.length()},
                .dimensions = {}});
            blocks.push_back(std::move(block));
        }
        return {};
    };
    NNBURST_TRY(place(model.main.inputIndexes, result.inputs_, result.request_.inputs));
    NNBURST_TRY(place(model.main.outputIndexes, result.outputs_, result.request_.outputs));
    result.request_.pools.emplace_back(pool.region());
    return result;
}

}  // namespace nnburst::tools
