// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Memfds named kFakeDmaBufName pass for dma-bufs in a process with fake_dma_buf.cpp: fstatfs says
/// so, DMA_BUF_IOCTL_SYNC works on them and is counted, pread and pwrite do not.

#include <atomic>
#include <cstdint>

namespace nnburst::test {

inline constexpr const char* kFakeDmaBufName = "fake-dma-buf";

struct FakeDmaBufs {
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    std::atomic<bool> areInUse{false};  ///< by a device: they are not ready to be written
    std::atomic<bool> refuse{false};    ///< the ioctl fails
};

FakeDmaBufs& fakeDmaBufs();

}  // namespace nnburst::test
