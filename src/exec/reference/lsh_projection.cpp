// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// LSH_PROJECTION: locality-sensitive hashing.
//
//     hash    [functions, bits]: seeds
//     input   [items, ...]: any bytes
//     weight  [items], may be left out: 1 for each item
//     type    INT32: 1 (sparse, deprecated), 2 (dense) or 3 (sparse)
//     output  INT32; dense: [functions * bits], each bit; sparse: [functions], the bits of each
//             as a number, the first bit highest, to which the new kind adds function * 2^bits
//
//     bit(function, b) = sum over items of weight * fingerprint(seed, item) is above 0

#include <farmhash.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace lsh_projection {

using enum OperandType;

constexpr std::size_t kInput = 1;
constexpr std::size_t kWeight = 2;
constexpr std::size_t kType = 3;

/// The bits of a number in the output, for a function's own bits and, above them, its index.
constexpr std::uint32_t kNumberBits = 32;

enum class Projection : std::int32_t { SPARSE_DEPRECATED = 1, DENSE = 2, SPARSE = 3 };

Result<Projection> readProjection(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t type, readConstantInt32(operation, kType, "type", 1));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(kType, "type").require(type <= 3, [&] {
        return fmt::format("value {}; must be 1 to 3", type);
    });
    NNBURST_TRY(check.result());
    return static_cast<Projection>(type);
}

/// The number of bits that an index below `count` needs.
std::uint32_t bitsOfIndex(std::uint32_t count) noexcept {
    return count == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(count - 1));
}

void checkShapes(OperationCheck& check) {
    check.input(0, "hash").rank(2);
    const OperandCheck input = check.input(kInput, "input").rank(1, kMaximumRank);
    check.optionalInput(kWeight, "weight").rank(1).size(0, input[0], "the input's items");
}

Result<Shape> computeOutputShape(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const Projection projection, readProjection(operation));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    const OperandCheck hash = check.input(0, "hash");
    const std::uint32_t indexBits = projection == Projection::SPARSE ? bitsOfIndex(hash[0]) : 0;
    check.require(projection == Projection::DENSE || hash[1] <= kNumberBits - indexBits, [&] {
        return fmt::format(
            "{} bits a function (input 0); must be at most {} in a sparse projection of {} "
            "functions",
            hash[1], kNumberBits - indexBits, hash[0]);
    });
    NNBURST_TRY(check.result());
    const std::uint64_t bits = projection == Projection::DENSE ? hash[1] : 1;
    return makeOutputShape(operation, 0, std::array<std::uint64_t, 1>{hash[0] * bits});
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(4).outputCount(1);
    const OperandCheck hash = check.input(0, "hash").type({TENSOR_FLOAT32, TENSOR_FLOAT16});
    check.input(kInput, "input")
        .require(isTensor(check.input(kInput, "input").view().type) || check.hasFailed(),
                 [] { return "a scalar; must be a tensor"; });
    check.optionalInput(kWeight, "weight").sameTypeAs(hash);
    check.output(0, "output").type({TENSOR_INT32});
    checkShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const Projection projection, readProjection(operation));
    check.since(HalVersion::V1_2, projection == Projection::SPARSE);
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(computeOutputShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(outputs[0], computeOutputShape(operation));
    return {};
}

std::size_t itemBytes(const OperandView& input) noexcept {
    const std::size_t items = input.shape[0];
    return items == 0 ? 0 : input.shape.elementCount() / items * elementBytes(input.type);
}

/// The bytes that are hashed: a seed and an item.
std::size_t scratchBytes(const OperationView& operation) {
    return sizeof(float) + itemBytes(operation.inputs[kInput]);
}

float readFloat(const OperandView& operand, std::size_t index) noexcept {
    return operand.type == TENSOR_FLOAT16 ? static_cast<float>(operand.as<const Float16>()[index])
                                          : operand.as<const float>()[index];
}

/// Ends early when the run is out of time.
bool hashBit(const OperationView& operation, float seed, std::byte* key) noexcept {
    const OperandView& input = operation.inputs[kInput];
    const std::size_t bytes = itemBytes(input);
    std::memcpy(key, &seed, sizeof(seed));
    double score = 0.0;
    for (std::size_t item = 0; item < input.shape[0]; ++item) {
        std::memcpy(key + sizeof(seed), input.data + item * bytes, bytes);
        const auto signature = static_cast<std::int64_t>(
            util::Fingerprint64(reinterpret_cast<const char*>(key), sizeof(seed) + bytes));
        const double weight =
            operation.has(kWeight) ? readFloat(operation.inputs[kWeight], item) : 1.0;
        score += weight * static_cast<double>(signature);
        if (operation.isOutOfTime(bytes)) {
            break;
        }
    }
    return score > 0.0;
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const Projection projection, readProjection(operation));
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    const OperandView& hash = operation.inputs[0];
    const std::uint32_t bits = hash.shape[1];
    auto* output = operation.outputs[0].as<std::uint32_t>();
    for (std::uint32_t function = 0; function < hash.shape[0]; ++function) {
        std::uint32_t number = 0;
        for (std::uint32_t bit = 0; bit < bits; ++bit) {
            const float seed = readFloat(hash, std::size_t{function} * bits + bit);
            const std::uint32_t value = hashBit(operation, seed, scratch.data()) ? 1 : 0;
            if (projection == Projection::DENSE) {
                *output++ = value;
            }
            number = number << 1 | value;
            if (operation.isOutOfTime(0)) {
                return {};
            }
        }
        if (projection == Projection::SPARSE_DEPRECATED) {
            *output++ = number;
        } else if (projection == Projection::SPARSE) {
            *output++ = number + static_cast<std::uint32_t>(std::uint64_t{function} << bits);
        }
        if (operation.isOutOfTime(0)) {
            return {};
        }
    }
    return {};
}

}  // namespace lsh_projection
}  // namespace

constinit const OperationDefinition kLshProjection{
    .type = OperationType::LSH_PROJECTION,
    .since = HalVersion::V1_0,
    .optionalInputs = inputs(lsh_projection::kWeight),
    .check = lsh_projection::check,
    .inferShapes = lsh_projection::inferShapes,
    .scratchBytes = lsh_projection::scratchBytes,
    .run = lsh_projection::run,
};

}  // namespace nnburst::exec
