// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The files that name the devices of a runtime. A file holds one device or an array of them:
///
///     [{"name": "npu", "socket": "/run/npu/driver.sock"},
///      {"name": "second", "program": "/usr/bin/nnburst-driver",
///       "options": {"threads": 2, "variant": "float"}}]
///
/// A device has a `name` and either a `socket` that its driver listens on or a `program` to start,
/// with `options` named as those of nnburst-driver: threads, processors, name, log-level,
/// memory-limit, concurrency-memory, xnnpack, dot-products, tflite-operations, cache-key, hal,
/// variant, capabilities, idle-time, extensions, realtime, lock-memory, huge-pages.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nnburst/driver_options.h"
#include "nnburst/result.h"

namespace nnburst::runtime {

/// A device as a file names it.
struct ConfiguredDevice {
    std::string name;
    std::string socket;   ///< of a driver that listens; empty: a program is started
    std::string program;  ///< as for spawnDriver
    DriverOptions options;
};

/// Limit on the devices of a runtime.
inline constexpr std::size_t kMaximumDevices = 64;

/// The devices in `text`. INVALID_ARGUMENT names the device, the field and the rule.
[[nodiscard]] Result<std::vector<ConfiguredDevice>> parseConfiguration(std::string_view text);

/// The devices in all files of `paths` (files, or folders of *.json files in the order of their
/// names). Files that cannot be read, devices whose name occurs a second time, and devices beyond
/// kMaximumDevices are left out, with a warning.
[[nodiscard]] std::vector<ConfiguredDevice> readConfiguration(std::span<const std::string> paths);

/// RuntimeOptions::configuration, or its default if that is empty.
[[nodiscard]] std::vector<std::string> configurationPaths(std::span<const std::string> given);

}  // namespace nnburst::runtime
