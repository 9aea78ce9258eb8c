// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The descriptors 0, 1 and 2, which a daemon may have closed.

namespace nnburst::system {

/// Opens /dev/null as each of them that is closed. To be called before this process makes other
/// descriptors: one with the number 2 would get what is written to standard error, such as the log.
/// Programs that are started inherit them.
void openStandardDescriptors() noexcept;

}  // namespace nnburst::system
