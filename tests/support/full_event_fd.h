// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An eventfd to which nothing can be added.

#include <linux/aio_abi.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "nnburst/unique_fd.h"

namespace nnburst::test {

/// One whose count is the largest that there is, which write(2) cannot reach: it counts the end of
/// asynchronous I/O. A write to it blocks, also one that adds nothing. Invalid where the system has
/// no asynchronous I/O.
inline UniqueFd makeFullEventFd() {
    UniqueFd event(::eventfd(0, EFD_CLOEXEC));
    const std::uint64_t most = UINT64_MAX - 1;
    const UniqueFd file(::memfd_create("written", MFD_CLOEXEC));
    aio_context_t context = 0;
    if (::write(event.get(), &most, sizeof(most)) != sizeof(most) ||
        ::syscall(SYS_io_setup, 1, &context) != 0) {
        return {};
    }
    iocb write{};
    write.aio_lio_opcode = IOCB_CMD_PWRITE;
    write.aio_fildes = static_cast<std::uint32_t>(file.get());
    write.aio_buf = reinterpret_cast<std::uint64_t>(&most);
    write.aio_nbytes = sizeof(most);
    write.aio_flags = IOCB_FLAG_RESFD;
    write.aio_resfd = static_cast<std::uint32_t>(event.get());
    iocb* writes = &write;
    const bool isSubmitted = ::syscall(SYS_io_submit, context, 1, &writes) == 1;
    io_event ended{};
    const bool hasEnded =
        isSubmitted && ::syscall(SYS_io_getevents, context, 1, 1, &ended, nullptr) == 1;
    ::syscall(SYS_io_destroy, context);
    return hasEnded ? std::move(event) : UniqueFd();
}

}  // namespace nnburst::test
