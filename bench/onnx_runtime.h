// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// ONNX Runtime, a library that is opened while the program runs: Debian 12 does not have it, and
/// the package that has it elsewhere comes without headers.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nnburst::bench {

/// Null if the environment variable NNBURST_ONNX_RUNTIME, which names the library's file, is not
/// set.
[[nodiscard]] const char* onnxRuntimeVersion();

/// A network with one input and one output.
class OnnxSession {
  public:
    /// `elementBytes` is 4 (float) or 1 (unsigned). Ends the program with a message if ONNX Runtime
    /// refuses `file`. The session lives as long as the program.
    OnnxSession(const std::string& file, std::uint32_t threads, std::size_t elementBytes,
                const std::vector<std::int64_t>& inputDimensions, const std::string& inputName,
                const std::vector<std::int64_t>& outputDimensions, const std::string& outputName);

    [[nodiscard]] std::span<std::byte> input() noexcept { return input_; }
    [[nodiscard]] std::span<const std::byte> output() const noexcept { return output_; }
    [[nodiscard]] bool run() noexcept;

  private:
    std::vector<std::byte> input_;
    std::vector<std::byte> output_;
    std::string inputName_;
    std::string outputName_;
    void* session_ = nullptr;
    void* inputValue_ = nullptr;
    void* outputValue_ = nullptr;
};

}  // namespace nnburst::bench
