// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// nnburst-driver: the driver process with the kernels of this library.

#include "nnburst/driver.h"

int main(int argc, char** argv) {
    return nnburst::driverMain(argc, argv, nullptr);
}
