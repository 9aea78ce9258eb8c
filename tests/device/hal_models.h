// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Small models and requests for the tests of the HAL's rules.

#include <span>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/types.h"

namespace nnburst::test {

/// out[1] is in[1] after a WHILE that never ends: `limit` is not reached. Models of different
/// limits are different models.
[[nodiscard]] Model makeEndlessModel(float limit = 1e30F);
/// in[6] in the shape that is the other input.
[[nodiscard]] Model makeReshapeModel();
/// in[2] once, if the other input, the first, is true, or twice.
[[nodiscard]] Model makeBranchModel();

/// A request whose arguments lie one after the other in memory of its own, each on a line of cache.
class SmallRequest {
  public:
    /// An input with these values.
    template <class T>
    SmallRequest& input(const std::vector<T>& values, Dimensions dimensions) {
        addInput(std::as_bytes(std::span(values)), std::move(dimensions));
        return *this;
    }
    SmallRequest& omittedInput();
    /// An output of `length` bytes that holds 0xEE.
    SmallRequest& output(std::uint32_t length, Dimensions dimensions = {});
    SmallRequest& omittedOutput();

    /// Makes all outputs hold 0xEE again.
    void resetOutputs();

    template <class T>
    [[nodiscard]] T* inputValues(std::size_t index) const {
        return reinterpret_cast<T*>(bytes(request.inputs[index]).data());
    }
    [[nodiscard]] std::span<const std::byte> inputBytes(std::size_t index) const {
        return bytes(request.inputs[index]);
    }
    [[nodiscard]] std::span<const std::byte> outputBytes(std::size_t index) const {
        return bytes(request.outputs[index]);
    }
    template <class T>
    [[nodiscard]] const T* output(std::size_t index) const {
        return reinterpret_cast<const T*>(outputBytes(index).data());
    }

    SmallRequest();

    Request request;

  private:
    void addInput(std::span<const std::byte> values, Dimensions dimensions);
    [[nodiscard]] RequestArgument place(std::uint32_t length, Dimensions dimensions);
    [[nodiscard]] std::span<std::byte> bytes(const RequestArgument& argument) const;

    Mapping memory_;
    std::uint32_t used_ = 0;
};

}  // namespace nnburst::test
