// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Between the canonical types and RPC messages. `toMessage` fills a message, `fromMessage` and
/// `receive...` read one that another process wrote: counts are checked before memory is taken for
/// them, enumerators before they are believed, and descriptors by Region::receive. The contents of
/// a model or request are checked by validateModel and CompiledModel::bind. All functions are
/// called on the event loop's thread unless they say otherwise.

#include <kj/async.h>

#include <cstddef>
#include <string>
#include <vector>

#include "device/rpc/descriptors.h"
#include "device/rpc/nnburst.capnp.h"
#include "model/buffer_outputs.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

// ---- Errors and texts

void toMessage(const Result<>& status, rpc::Status::Builder builder);
/// The error, or success. An unknown code gives GENERAL_FAILURE.
[[nodiscard]] Result<> fromMessage(rpc::Status::Reader reader);

/// Of any length, cut to kMaximumTextBytes.
[[nodiscard]] std::string fromMessage(capnp::Text::Reader reader);

void toMessage(const OptionalTimePoint& time, rpc::OptionalNanoseconds::Builder builder);
[[nodiscard]] OptionalTimePoint timePointFromMessage(rpc::OptionalNanoseconds::Reader reader);
void toMessage(const OptionalTimeoutDuration& duration, rpc::OptionalNanoseconds::Builder builder);
[[nodiscard]] OptionalTimeoutDuration durationFromMessage(rpc::OptionalNanoseconds::Reader reader);

// ---- Models

/// The memory of a model as it is sent to a driver process.
struct SharedModelMemory {
    SharedRegion operandValues;  ///< null if they travel in the message
    /// The pools of the model. Files that the driver would refuse (memory/local_file.h) are
    /// replaced by copies.
    std::vector<SharedRegion> pools;
};

/// RESOURCE_EXHAUSTED_PERSISTENT if the model has too many pools or operand values,
/// INVALID_ARGUMENT for a null pool or one that cannot be read. Any thread.
[[nodiscard]] Result<SharedModelMemory> shareMemory(const Model& model);

/// RESOURCE_EXHAUSTED_PERSISTENT if the model becomes too large a message; `memory` is from
/// `shareMemory`.
[[nodiscard]] Result<> toMessage(const Model& model, const SharedModelMemory& memory,
                                 rpc::Model::Builder builder);

/// A model without its operand values and the memory of its pools: all that is no memory.
/// RESOURCE_EXHAUSTED_PERSISTENT if it becomes too large a message. Any thread.
[[nodiscard]] Result<> structureToMessage(const Model& model, rpc::Model::Builder builder);
/// What the operands and operations of the model take when they are read. A message of few bytes
/// may have many: a list whose elements have no bytes. Any thread.
[[nodiscard]] std::uint64_t structureBytes(rpc::Model::Reader reader);
/// The structure, with the operand values if they are in the message. Any thread: large ones take
/// long.
[[nodiscard]] Result<Model> structureFromMessage(rpc::Model::Reader reader);

/// A model as it came, of which the operand values may still lie in shared memory.
struct ReceivedModel {
    Model model;
    SharedRegion operandValues;
};

/// Receives what `structure`, which was read from `reader`, still lacks. `reader` is not needed any
/// more when this returns.
[[nodiscard]] kj::Promise<Result<ReceivedModel>> receiveModel(Model structure,
                                                              rpc::Model::Reader reader,
                                                              const SharedPeer& peer);

/// The whole model: copies the operand values, once, from the shared memory. Any thread.
[[nodiscard]] Result<Model> completeModel(ReceivedModel received);

// ---- Requests and their answers

/// RESOURCE_EXHAUSTED_PERSISTENT if the request has too many pools or becomes too large a message;
/// INVALID_ARGUMENT for a null region.
[[nodiscard]] Result<> toMessage(const Request& request, rpc::Request::Builder builder);
/// The lists of a request in a message.
struct RequestLists {
    explicit RequestLists(rpc::Request::Reader reader)
        : inputs(reader.getInputs()), outputs(reader.getOutputs()), pools(reader.getPools()) {}
    /// What the arguments take when they are read, however few bytes they have in the message.
    [[nodiscard]] std::uint64_t argumentBytes() const noexcept {
        return (std::uint64_t{inputs.size()} + outputs.size()) * sizeof(RequestArgument);
    }

    capnp::List<rpc::RequestArgument>::Reader inputs;
    capnp::List<rpc::RequestArgument>::Reader outputs;
    capnp::List<rpc::RequestPool>::Reader pools;
};
/// The request, with null regions. Any thread: many arguments take long.
[[nodiscard]] Result<Request> requestWithoutMemory(const RequestLists& lists);
/// Receives what `request`, which was read from a message with these pools, still lacks. `pools`
/// is not needed any more when this returns.
[[nodiscard]] kj::Promise<Result<Request>> receiveRequest(
    Request request, capnp::List<rpc::RequestPool>::Reader pools, const SharedPeer& peer);

/// The first `limit` outputs of a request at most that name a driver-managed buffer. The request
/// may break any rule.
[[nodiscard]] std::vector<BufferOutput> bufferOutputsFromMessage(rpc::Request::Reader reader,
                                                                 std::size_t limit);
void toMessage(const std::vector<BufferOutput>& outputs,
               capnp::List<rpc::BufferOutput>::Builder builder);
/// The first `limit` of them at most.
[[nodiscard]] std::vector<BufferOutput> fromMessage(capnp::List<rpc::BufferOutput>::Reader reader,
                                                    std::size_t limit);

void toMessage(const ExecutionOptions& options, rpc::ExecutionOptions::Builder builder);
[[nodiscard]] Result<ExecutionOptions> fromMessage(rpc::ExecutionOptions::Reader reader);

void toMessage(const WaitPolicy& policy, rpc::WaitPolicy::Builder builder);
[[nodiscard]] Result<WaitPolicy> fromMessage(rpc::WaitPolicy::Reader reader);

void toMessage(const Timing& timing, rpc::Timing::Builder builder);
[[nodiscard]] Timing fromMessage(rpc::Timing::Reader reader);

void toMessage(const ExecutionOutcome& outcome, rpc::ExecutionOutcome::Builder builder);
/// Overwrites `outcome`, which is empty after an error.
[[nodiscard]] Result<> fromMessage(rpc::ExecutionOutcome::Reader reader, ExecutionOutcome& outcome);

// ---- Devices

void toMessage(const Capabilities& capabilities, rpc::Capabilities::Builder builder);
[[nodiscard]] Result<Capabilities> fromMessage(rpc::Capabilities::Reader reader);

[[nodiscard]] Result<DeviceType> deviceTypeFromMessage(std::int32_t code);
/// UNKNOWN for an unknown code.
[[nodiscard]] DeviceStatus deviceStatusFromMessage(std::int32_t code);

void toMessage(const std::vector<Extension>& extensions,
               capnp::List<rpc::Extension>::Builder builder);
[[nodiscard]] Result<std::vector<Extension>> fromMessage(
    capnp::List<rpc::Extension>::Reader reader);

/// Without the cache files.
void toMessage(const PrepareOptions& options, rpc::PrepareOptions::Builder builder);
/// Without the cache files. INVALID_ARGUMENT for unknown preferences and priorities.
[[nodiscard]] Result<PrepareOptions> fromMessage(rpc::PrepareOptions::Reader reader);

}  // namespace nnburst::device
