// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tracing marks: USDT probes of provider "nnburst", which perf, bpftrace and SystemTap can watch
/// in a running process (docs/tracing.md). A mark that is not watched is one no-operation
/// instruction.

#include <sys/sdt.h>

/// NNBURST_MARK(execution__begin, model): the mark nnburst:execution__begin with its arguments,
/// numbers or addresses.
#define NNBURST_MARK(name, argument) DTRACE_PROBE1(nnburst, name, argument)
