// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Weights as micro-kernels read them. They are packed once for a model and never change, so that
/// all steps of an operation share them: of every plan, and of every thread that runs the model.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "exec/dot8/microkernel.h"
#include "memory/aligned_buffer.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst::exec::dot8 {

/// The filter of a convolution, or the weights of a fully connected layer.
struct PackedFilter {
    const Microkernels* kernels = nullptr;  ///< whose layout it is
    Activations activations = Activations::UNSIGNED;
    /// With UNSIGNED_CORRECTED: what the sum of a row's bytes is multiplied by.
    std::int32_t correction = 0;
    /// For each group what BlockProduct says, block after block. No addresses are in there.
    AlignedBuffer weights;
    AlignedBuffer bias;    ///< int32
    AlignedBuffer scales;  ///< float
};

/// The packed filters of one graph, by the index of the operation. Thread-safe.
class PackedWeights {
  public:
    /// Null if the operation has none yet.
    [[nodiscard]] std::shared_ptr<const PackedFilter> find(std::uint32_t operation) const;

    /// Keeps `filter`, unless there is one already. Returns that which is kept.
    std::shared_ptr<const PackedFilter> insert(std::uint32_t operation,
                                               std::shared_ptr<const PackedFilter> filter);

  private:
    mutable system::Mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<const PackedFilter>> filters_
        NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::exec::dot8
