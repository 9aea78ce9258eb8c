// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/sparse.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "model/invalid.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

/// The elements of one of the three vectors of integers; nullopt if there is none.
std::optional<std::vector<std::int64_t>> integersOf(schema::SparseIndexVector type,
                                                    const void* vector) {
    const auto widen = [](const auto* values) {
        std::vector<std::int64_t> result;
        if (values != nullptr) {
            result.assign(values->begin(), values->end());
        }
        return result;
    };
    if (vector == nullptr) {
        return std::nullopt;
    }
    switch (type) {
        case schema::SparseIndexVector::Int32Vector:
            return widen(static_cast<const schema::Int32Vector*>(vector)->values());
        case schema::SparseIndexVector::Uint16Vector:
            return widen(static_cast<const schema::Uint16Vector*>(vector)->values());
        case schema::SparseIndexVector::Uint8Vector:
            return widen(static_cast<const schema::Uint8Vector*>(vector)->values());
        default:
            return std::nullopt;
    }
}

/// One level of the tree.
struct Level {
    std::size_t stride = 0;  ///< elements of the tensor from one index of this level to the next
    std::int64_t size = 0;   ///< indices that this level can have
    bool isDense = true;
    std::vector<std::int64_t> segments;
    std::vector<std::int64_t> indices;
};

class Tree {
  public:
    [[nodiscard]] static Result<Tree> read(const schema::Tensor& tensor) {
        const schema::SparsityParameters& sparsity = *tensor.sparsity();
        const std::uint32_t rank = sizeOf(tensor.shape());
        const std::uint32_t blocks = sizeOf(sparsity.block_map());
        const std::uint32_t count = sizeOf(sparsity.dim_metadata());
        if (rank == 0 || count != rank + blocks || sizeOf(sparsity.traversal_order()) != count ||
            count > kMaximumLevels) {
            return invalid(
                "sparse with {} levels in a traversal order of {}: must be its {} dimensions and "
                "{} block dimensions, at most {} together",
                count, sizeOf(sparsity.traversal_order()), rank, blocks, kMaximumLevels);
        }
        Tree tree;
        NNBURST_TRY(tree.readSizes(tensor, sparsity, rank));
        for (std::uint32_t i = 0; i < count; ++i) {
            NNBURST_TRY(readMetadata(*sparsity.dim_metadata()->Get(i), i, tree.levels_[i]));
        }
        return tree;
    }

    /// Copies the elements below node `node` of the level above `level`, which begin at element
    /// `offset` of the tensor.
    Result<> unpack(std::size_t level, std::uint64_t node, std::size_t offset,
                    std::span<const std::byte> packed, std::size_t elementBytes,
                    std::span<std::byte> dense) const {
        if (level == levels_.size()) {
            if (node >= packed.size() / elementBytes) {
                return invalid("sparse with {} elements in its buffer: must have element {}",
                               packed.size() / elementBytes, node);
            }
            std::memcpy(dense.data() + offset * elementBytes, packed.data() + node * elementBytes,
                        elementBytes);
            return {};
        }
        const Level& at = levels_[level];
        if (at.isDense) {
            for (std::int64_t i = 0; i < at.size; ++i) {
                const auto index = static_cast<std::uint64_t>(i);
                NNBURST_TRY(unpack(level + 1, node * static_cast<std::uint64_t>(at.size) + index,
                                   offset + index * at.stride, packed, elementBytes, dense));
            }
            return {};
        }
        if (node + 1 >= at.segments.size()) {
            return invalid("sparse level {} with {} segments: must have segment {}", level,
                           at.segments.size(), node + 1);
        }
        for (auto i = static_cast<std::size_t>(at.segments[node]);
             i < static_cast<std::size_t>(at.segments[node + 1]); ++i) {
            NNBURST_TRY(unpack(level + 1, i,
                               offset + static_cast<std::size_t>(at.indices[i]) * at.stride, packed,
                               elementBytes, dense));
        }
        return {};
    }

  private:
    static constexpr std::uint32_t kMaximumLevels = 16;

    /// Finds stride and size of each level.
    Result<> readSizes(const schema::Tensor& tensor, const schema::SparsityParameters& sparsity,
                       std::uint32_t rank) {
        std::vector<std::int64_t> sizes(tensor.shape()->begin(), tensor.shape()->end());
        std::vector<std::size_t> strides(rank, 1);
        for (std::uint32_t i = rank - 1; i > 0; --i) {
            strides[i - 1] = strides[i] * static_cast<std::size_t>(sizes[i]);
        }
        const std::uint32_t count = sizeOf(sparsity.dim_metadata());
        std::vector<Level> byDimension(count);
        std::vector<std::int64_t> blockSizes(rank, 1);
        for (std::uint32_t i = rank; i < count; ++i) {
            NNBURST_TRY_ASSIGN(const std::uint32_t position, positionOf(sparsity, i));
            const std::int32_t dimension = sparsity.block_map()->Get(i - rank);
            const std::int64_t block = sparsity.dim_metadata()->Get(position)->dense_size();
            const auto axis = static_cast<std::uint32_t>(dimension);
            if (dimension < 0 || axis >= rank || blockSizes[axis] != 1 || block < 1 ||
                sizes[axis] % block != 0) {
                return invalid(
                    "sparse with blocks of {} along dimension {}: must divide one of {} dimensions",
                    block, dimension, rank);
            }
            blockSizes[axis] = block;
            byDimension[i].size = block;
            byDimension[i].stride = strides[axis];
        }
        for (std::uint32_t i = 0; i < rank; ++i) {
            byDimension[i].size = sizes[i] / blockSizes[i];
            byDimension[i].stride = strides[i] * static_cast<std::size_t>(blockSizes[i]);
        }
        levels_.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            NNBURST_TRY_ASSIGN(const std::uint32_t position, positionOf(sparsity, i));
            levels_[position] = std::move(byDimension[i]);
        }
        return {};
    }

    /// The level that goes over `dimension`. As each dimension has one, the order is a permutation.
    [[nodiscard]] static Result<std::uint32_t> positionOf(
        const schema::SparsityParameters& sparsity, std::uint32_t dimension) {
        const auto& order = *sparsity.traversal_order();
        const auto found = std::find(order.begin(), order.end(), dimension);
        if (found == order.end()) {
            return invalid("sparse without dimension {} in its traversal order: must have each",
                           dimension);
        }
        return static_cast<std::uint32_t>(found - order.begin());
    }

    static Result<> readMetadata(const schema::DimensionMetadata& metadata, std::uint32_t level,
                                 Level& result) {
        result.isDense = metadata.format() == schema::DimensionType::DENSE;
        if (result.isDense) {
            if (metadata.dense_size() != result.size) {
                return invalid("sparse level {} of size {}: must be {}", level,
                               metadata.dense_size(), result.size);
            }
            return {};
        }
        auto segments = integersOf(metadata.array_segments_type(), metadata.array_segments());
        auto indices = integersOf(metadata.array_indices_type(), metadata.array_indices());
        const auto count = static_cast<std::int64_t>(indices ? indices->size() : 0);
        // Segments in order visit each index once, which bounds the work.
        if (!segments || !indices || segments->empty() || segments->front() != 0 ||
            segments->back() != count || !std::is_sorted(segments->begin(), segments->end())) {
            return invalid(
                "sparse level {}: must have segments in order, from 0 to its number of indices",
                level);
        }
        const auto outside =
            std::find_if(indices->begin(), indices->end(),
                         [&](std::int64_t index) { return index < 0 || index >= result.size; });
        if (outside != indices->end()) {
            return invalid("sparse level {} with index {}: must be less than {}", level, *outside,
                           result.size);
        }
        result.segments = *std::move(segments);
        result.indices = *std::move(indices);
        return {};
    }

    std::vector<Level> levels_;
};

}  // namespace

Result<std::vector<std::byte>> densify(const schema::Tensor& tensor,
                                       std::span<const std::byte> packed,
                                       std::size_t elementBytes) {
    NNBURST_TRY_ASSIGN(const Tree tree, Tree::read(tensor));
    std::size_t count = 1;
    for (const std::int32_t size : *tensor.shape()) {
        count *= static_cast<std::size_t>(size);
    }
    std::vector<std::byte> dense(count * elementBytes);
    NNBURST_TRY(tree.unpack(0, 0, 0, packed, elementBytes, dense));
    return dense;
}

}  // namespace nnburst::tflite
