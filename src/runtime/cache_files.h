// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Cache files of parts of models, in the folder that an application names. Each part has files and
/// a token of its own, which follow from the application's token, the device, and the operations of
/// the part: another division of the same model finds no files.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/runtime.h"
#include "nnburst/unique_fd.h"

namespace nnburst::runtime {

/// The open files of one part.
class PartCacheFiles {
  public:
    /// `operations` are those of the part; empty for a whole model. nullopt if the device or the
    /// application uses no cache.
    [[nodiscard]] static std::optional<PartCacheFiles> name(
        const CompileOptions& options, const DeviceInfo& device,
        std::span<const std::uint32_t> operations);

    /// Opens the files that are there. False if one is missing.
    [[nodiscard]] bool openExisting();
    /// Makes the files new and empty. False if that fails, with a warning.
    [[nodiscard]] bool makeNew();

    /// Names the open files in `options`. They stay open as long as this object lives.
    void giveTo(PrepareOptions& options) const;

  private:
    [[nodiscard]] bool open(int flags);

    std::vector<std::string> modelPaths_;
    std::vector<std::string> dataPaths_;
    CacheToken token_{};
    std::vector<UniqueFd> model_;
    std::vector<UniqueFd> data_;
};

}  // namespace nnburst::runtime
