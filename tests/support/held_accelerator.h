// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An accelerator whose compilations last as long as a test wants.

#include <atomic>
#include <cstddef>
#include <latch>
#include <memory>
#include <span>
#include <string>

#include "nnburst/driver.h"
#include "nnburst/result.h"

namespace nnburst::test {

/// Thread-safe.
class HeldAccelerator final : public Accelerator {
  public:
    /// The first `count` compilations last until `letGo`.
    explicit HeldAccelerator(std::size_t count) noexcept : held_(count) {}

    [[nodiscard]] bool hasBegun() const noexcept { return begun_ > 0; }
    /// Once.
    void letGo() noexcept { mayEnd_.count_down(); }

    std::string name() const override { return "held"; }
    bool supports(const Model& /*model*/, const Operation& /*operation*/) const override {
        return true;
    }
    Result<std::unique_ptr<AcceleratorModel>> compile(
        const Model& /*model*/,
        std::span<const std::span<const std::byte>> /*constants*/) override {
        if (begun_++ < held_) {
            mayEnd_.wait();
        }
        return std::make_unique<Compiled>();
    }

  private:
    class Compiled final : public AcceleratorModel {
      public:
        Result<> run(std::span<const std::span<const std::byte>> /*inputs*/,
                     std::span<const std::span<std::byte>> /*outputs*/,
                     const OptionalTimePoint& /*deadline*/) override {
            return failure(ErrorStatus::GENERAL_FAILURE, "not made for computing");
        }
    };

    const std::size_t held_;
    std::atomic<std::size_t> begun_{0};
    std::latch mayEnd_{1};
};

}  // namespace nnburst::test
