// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the library writes verbose messages.

#include "log/logger.h"
#include "nnburst/logging.h"

/// NNBURST_VLOG(DRIVER, "a client has connected, {} now", count): formats and writes only if the
/// tag is logged.
#define NNBURST_VLOG(tag, ...)                                   \
    do {                                                         \
        if (::nnburst::isVerbose(::nnburst::LogTag::tag)) {      \
            ::nnburst::logger().info("[" #tag "] " __VA_ARGS__); \
        }                                                        \
    } while (false)
