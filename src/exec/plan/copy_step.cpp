// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/copy_step.h"

#include "log/assert.h"
#include "memory/interruptible.h"

namespace nnburst::exec {

namespace {

class CopyStep final : public Step {
  public:
    CopyStep(std::size_t inputCount, std::size_t sizeBytes) noexcept
        : inputCount_(inputCount), sizeBytes_(sizeBytes) {}

    Result<> setUp(std::span<std::byte* const> operands) override {
        NNBURST_ASSERT(inputCount_ > 0 && inputCount_ < operands.size(),
                       "{} operands for a copy with {} inputs", operands.size(), inputCount_);
        source_ = operands[0];
        destination_ = operands[inputCount_];
        return {};
    }

    Result<> run(TimeLimit& limit) override {
        // A request may let source and destination overlap.
        (void)copyBytes(destination_, source_, sizeBytes_,
                        [&](std::size_t work) { return limit.isOverAfter(work); });
        return {};
    }

  private:
    const std::size_t inputCount_;
    const std::size_t sizeBytes_;
    const std::byte* source_ = nullptr;
    std::byte* destination_ = nullptr;
};

}  // namespace

std::unique_ptr<Step> makeCopyStep(std::size_t inputCount, std::size_t sizeBytes) {
    return std::make_unique<CopyStep>(inputCount, sizeBytes);
}

}  // namespace nnburst::exec
