// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Every operation with a reference kernel, in the file of its family. operations.cpp makes the
/// table of them.

#include "exec/operation.h"

namespace nnburst::exec {

// control_flow.cpp
extern const OperationDefinition kIf;
extern const OperationDefinition kWhile;
// convolution.cpp
extern const OperationDefinition kConv2d;
extern const OperationDefinition kDepthwiseConv2d;
// elementwise_binary.cpp
extern const OperationDefinition kAdd;
// fully_connected.cpp
extern const OperationDefinition kFullyConnected;
// lstm.cpp
extern const OperationDefinition kLstm;
// pooling.cpp
extern const OperationDefinition kAveragePool2d;
extern const OperationDefinition kMaxPool2d;
// reshape.cpp
extern const OperationDefinition kReshape;
// rnn.cpp
extern const OperationDefinition kRnn;
// softmax.cpp
extern const OperationDefinition kSoftmax;

}  // namespace nnburst::exec
