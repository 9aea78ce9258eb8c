// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An output file that a program opens before it works for minutes, so that a wrong path is an
/// error at the beginning, not at the end.

#include <string>
#include <string_view>

#include "nnburst/result.h"
#include "nnburst/unique_fd.h"

namespace nnburst::tools {

/// Movable.
class OutputFile {
  public:
    /// No file: `write` does nothing.
    OutputFile() noexcept = default;
    /// Opens the file at `path`, whose contents stay until `write`; no file if `path` is empty.
    /// INVALID_ARGUMENT if it cannot be written.
    [[nodiscard]] static Result<OutputFile> open(const std::string& path);

    /// Replaces the contents.
    [[nodiscard]] Result<> write(std::string_view contents);

  private:
    std::string path_;
    UniqueFd file_;
};

}  // namespace nnburst::tools
