// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The decoders of frames: any lines give a frame or an error.

#include <cstring>
#include <vector>

#include "burst/request_frame.h"
#include "burst/result_frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace nnburst::burst;
    std::vector<FrameLine> lines(size / sizeof(FrameLine));
    if (lines.empty()) {
        return 0;
    }
    std::memcpy(lines.data(), data, lines.size() * sizeof(FrameLine));
    // A decoder gets as many lines as the frame announces.
    const auto lineCount = static_cast<std::uint32_t>(lines.size());
    lines[0].words[1] = (lines[0].words[1] & UINT32_MAX) | std::uint64_t{lineCount} << 32;
    static DecodedRequest request;
    static nnburst::ExecutionOutcome outcome;
    (void)decodeRequest(lines, request);
    (void)decodeResult(lines, outcome);
    DecodedCompute compute;
    (void)decodeCompute(lines[0], compute);
    return 0;
}
