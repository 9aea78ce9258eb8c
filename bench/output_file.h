// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A file that the program writes at its end. It is opened at the start, so that a path that cannot
/// be written is found before the measurement.

#include <cstdio>
#include <memory>
#include <string>

namespace nnburst::bench {

/// Ends the program with a message if the file cannot be opened or written.
class OutputFile {
  public:
    /// Without a path, nothing is opened and nothing written.
    explicit OutputFile(std::string path);

    void write(const std::string& text);

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
    };

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace nnburst::bench
