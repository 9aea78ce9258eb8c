// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/packed_weights.h"

#include <fmt/format.h>

#include <utility>

namespace nnburst::exec::dot8 {

std::string packingName(const Microkernels& kernels) {
    return fmt::format("{} {}", kernels.name, kPackingVersion);
}

SharedAccount makeFilterAccount(std::uint64_t constantBytes) {
    Amounts limits;
    limits[Resource::MEMORY] =
        kFilterBytesOfAnyModel + kMaximumFilterBytesPerConstantByte * constantBytes;
    return Account::create("packed weights", limits);
}

Result<std::shared_ptr<PackedFilter>> PackedFilter::allocate(const Microkernels& kernels,
                                                             const FilterForm& form) {
    auto filter = std::make_shared<PackedFilter>();
    filter->kernels = &kernels;
    filter->form = form;
    NNBURST_TRY_ASSIGN(filter->memory, AlignedBuffer::allocate(form.totalBytes()));
    return filter;
}

Result<Charge> PackedWeights::chargeModel(std::uint32_t operation, std::uint64_t bytes) const {
    Result<Charge> charge = chargeTo(modelAccount_, Resource::MEMORY, bytes);
    if (charge) {
        return charge;
    }
    const Account::Usage usage = modelAccount_->usage(Resource::MEMORY);
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                   fmt::format("operation {}: {} bytes of packed weights and {} of other "
                               "operations exceed {}, which is {} times the model's constants and "
                               "{}; share constants among fewer operations, or divide the model",
                               operation, bytes, usage.used, usage.limit,
                               kMaximumFilterBytesPerConstantByte, kFilterBytesOfAnyModel));
}

std::shared_ptr<const PackedFilter> PackedWeights::find(std::uint32_t operation,
                                                        const FilterForm& form) const {
    const system::MutexLock lock(mutex_);
    const auto found = filters_.find(operation);
    return found == filters_.end() || !found->second->form.hasSizesOf(form) ? nullptr
                                                                            : found->second;
}

std::shared_ptr<const PackedFilter> PackedWeights::insert(
    std::uint32_t operation, std::shared_ptr<const PackedFilter> filter) {
    const system::MutexLock lock(mutex_);
    std::shared_ptr<const PackedFilter>& kept = filters_[operation];
    if (!kept || !kept->form.hasSizesOf(filter->form)) {
        kept = std::move(filter);
    }
    return kept;
}

std::vector<FilterOfOperation> PackedWeights::all() const {
    const system::MutexLock lock(mutex_);
    return {filters_.begin(), filters_.end()};
}

std::uint64_t PackedWeights::memoryBytes() const noexcept {
    const system::MutexLock lock(mutex_);
    std::uint64_t total = 0;
    for (const auto& [operation, filter] : filters_) {
        total += filter->form.totalBytes();
    }
    return total;
}

}  // namespace nnburst::exec::dot8
