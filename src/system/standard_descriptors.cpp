// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

namespace nnburst::system {

void openStandardDescriptors() noexcept {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
        if (::fcntl(number, F_GETFD) < 0) {
            // Gets the lowest free number, unless another thread takes that one first.
            const int opened = ::open("/dev/null", O_RDWR);
            if (opened > STDERR_FILENO) {
                ::close(opened);
            }
        }
    }
}

}  // namespace nnburst::system
