// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The driver that fuzzers of the control plane attack.

#include <string>

#include "nnburst/device.h"

namespace nnburst::fuzz {

/// A driver on a thread of its own, for ever, and a client of it that must be served whatever
/// others send.
class FuzzedDriver {
  public:
    FuzzedDriver();

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// Ends the process if the client does not get a right result.
    void expectService();

  private:
    std::string path_;
    SharedDevice device_;
    SharedPreparedModel prepared_;
};

}  // namespace nnburst::fuzz
