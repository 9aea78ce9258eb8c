// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An output file that a program opens before it works for minutes, so that a wrong path is an
/// error at the beginning, not at the end.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::tools {

/// Movable.
class OutputFile {
  public:
    /// No file: `write` does nothing.
    OutputFile() noexcept;
    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;
    /// Removes the file if `open` has made it and nothing was written.
    ~OutputFile();

    /// Opens the file at `path`, whose contents stay until `write`; no file if `path` is empty.
    /// INVALID_ARGUMENT if it cannot be written.
    [[nodiscard]] static Result<OutputFile> open(const std::string& path);

    /// Replaces the contents.
    [[nodiscard]] Result<> write(std::string_view contents);

  private:
    friend Result<> checkSeparate(const std::vector<const OutputFile*>& files);

    struct File;
    std::unique_ptr<File> file_;
};

/// INVALID_ARGUMENT if two of `files` are the same, or one is that of the standard output: one
/// would overwrite the other. Terminals and devices, such as /dev/null, may be.
[[nodiscard]] Result<> checkSeparate(const std::vector<const OutputFile*>& files);

}  // namespace nnburst::tools
