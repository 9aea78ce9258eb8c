// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
int main() { return 1; }
