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
#include <string>
#include <utility>
#include <vector>

#include "account/account.h"
#include "exec/dot8/microkernel.h"
#include "memory/aligned_buffer.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst::exec::dot8 {

/// Changes with every change of the packed form, since filters are stored in files.
inline constexpr std::uint32_t kPackingVersion = 2;

/// The name of the form of packed filters that `kernels` read.
[[nodiscard]] std::string packingName(const Microkernels& kernels);

/// What is to be known of a filter besides its bytes.
struct FilterForm {
    Activations activations = Activations::UNSIGNED;
    /// With UNSIGNED_CORRECTED: what the sum of a row's bytes is multiplied by.
    std::int32_t correction = 0;
    std::uint64_t weightBytes = 0;
    std::uint64_t columns = 0;  ///< entries of bias and of scales

    /// The filters of one operation are equal in this for the same kernels.
    [[nodiscard]] bool hasSizesOf(const FilterForm& other) const noexcept {
        return weightBytes == other.weightBytes && columns == other.columns;
    }
    /// Of weights, bias and scales together.
    [[nodiscard]] std::uint64_t totalBytes() const noexcept {
        return scalesOffset() + columns * sizeof(float);
    }
    [[nodiscard]] std::uint64_t biasOffset() const noexcept { return aligned(weightBytes); }
    [[nodiscard]] std::uint64_t scalesOffset() const noexcept {
        return aligned(biasOffset() + columns * sizeof(std::int32_t));
    }

  private:
    static constexpr std::uint64_t aligned(std::uint64_t offset) noexcept {
        return (offset + kOperandAlignmentBytes - 1) / kOperandAlignmentBytes *
               kOperandAlignmentBytes;
    }
};

/// The filter of a convolution, or the weights of a fully connected layer. No addresses are in
/// `memory`, and nothing changes it once it is packed.
///
///     memory: weights, for each group what BlockProduct says, block after block | bias | scales
struct PackedFilter {
    const Microkernels* kernels = nullptr;  ///< whose layout it is
    FilterForm form;
    AlignedBuffer memory;

    /// One of zeros. RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
    [[nodiscard]] static Result<std::shared_ptr<PackedFilter>> allocate(const Microkernels& kernels,
                                                                        const FilterForm& form);

    [[nodiscard]] std::byte* weights() const noexcept { return memory.data(); }
    [[nodiscard]] std::int32_t* bias() const noexcept {
        return reinterpret_cast<std::int32_t*>(memory.data() + form.biasOffset());
    }
    [[nodiscard]] float* scales() const noexcept {
        return reinterpret_cast<float*>(memory.data() + form.scalesOffset());
    }
};

/// A filter and the index of its operation.
using FilterOfOperation = std::pair<std::uint32_t, std::shared_ptr<const PackedFilter>>;

/// What the filters of a model may take whatever its constants are, and how many times as much as
/// its constants. Packing pads layers of few outputs to whole vectors, and constants that several
/// operations share are packed for each of them.
inline constexpr std::uint64_t kFilterBytesOfAnyModel = std::uint64_t{128} << 20;
inline constexpr std::uint64_t kMaximumFilterBytesPerConstantByte = 4;

/// An account for the filters of all graphs of one model, with that limit as its memory.
[[nodiscard]] SharedAccount makeFilterAccount(std::uint64_t constantBytes);

/// The packed filters of one graph, by the index of the operation. Thread-safe.
class PackedWeights {
  public:
    /// Charges filters to the account of their model from now on: call it before the first one is
    /// packed. Without an account there is no limit.
    void setModelAccount(SharedAccount account) noexcept { modelAccount_ = std::move(account); }

    /// The charge for a filter of `operation` that is to be packed. RESOURCE_EXHAUSTED_PERSISTENT
    /// at the model's limit.
    [[nodiscard]] Result<Charge> chargeModel(std::uint32_t operation, std::uint64_t bytes) const;

    /// Null if the operation has none yet with the sizes of `form`.
    [[nodiscard]] std::shared_ptr<const PackedFilter> find(std::uint32_t operation,
                                                           const FilterForm& form) const;

    /// Stores `filter`, unless there is one of its sizes already. Returns the stored one.
    std::shared_ptr<const PackedFilter> insert(std::uint32_t operation,
                                               std::shared_ptr<const PackedFilter> filter);

    /// All filters, by their operations.
    [[nodiscard]] std::vector<FilterOfOperation> all() const;

    /// The memory of all filters.
    [[nodiscard]] std::uint64_t memoryBytes() const noexcept;

  private:
    SharedAccount modelAccount_;
    mutable system::Mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<const PackedFilter>> filters_
        NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::exec::dot8
