# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0

@0xbafc67f627d0da46;

# The control plane between an application and a driver: the interfaces of the Neural Networks HAL
# 1.0 to 1.3 (neuralnetworks/*/I*.hal) under their HAL names.
#
# - Every code is the HAL's (ErrorStatus, OperandType, ...). The receiver checks each one.
# - Every call answers a Status; an RPC exception is a broken peer, not a failed call.
# - Shared memory and files travel as capabilities that carry a descriptor. They have no methods.
# - Points in time are nanoseconds of CLOCK_MONOTONIC, durations are nanoseconds.
# - Dropping the last reference of a capability frees the object behind it.
# - Limits: `kMaximumMessageBytes` and `kMaximumFdsPerMessage` in rpc_limits.h.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("nnburst::rpc");

const protocolVersion :UInt32 = 4;
# The newest version. Changes whenever one side could misunderstand the other; protocol_version.h has
# the oldest that is spoken, and how two sides find a version.

# ---- The door

interface Driver {
  # What a connection offers first. This interface never changes, so that any two versions can tell
  # each other apart.

  open @0 (protocolVersion :UInt32) -> (protocolVersion :UInt32, status :Status, device :Device);
  # The client says a version. A driver that speaks it answers with the same, and `device`. Another
  # one answers with the nearest version that it speaks, and a status; the client may ask again.

  ping @1 () -> ();
  # A sign of life, given by the thread that serves all calls.
}

struct Status {
  code @0 :Int32;  # ErrorStatus
  message @1 :Text;
}

# ---- Things that carry a descriptor

interface Memory {}
interface File {}

struct MemoryRegion {
  # A memfd sealed against shrinking. The receiver checks that, and the size.
  memory @0 :Memory;
  sizeBytes @1 :UInt64;
}

# ---- Models

struct DataLocation {
  poolIndex @0 :UInt32;
  offset @1 :UInt32;
  length @2 :UInt32;
}

struct SymmPerChannelQuantParams {
  scales @0 :List(Float32);
  channelDim @1 :UInt32;
}

struct Operand {
  type @0 :Int32;  # OperandType
  dimensions @1 :List(UInt32);
  numberOfConsumers @2 :UInt32;
  scale @3 :Float32;
  zeroPoint @4 :Int32;
  lifetime @5 :Int32;  # OperandLifeTime
  location @6 :DataLocation;
  extraParams :union {
    none @7 :Void;
    channelQuant @8 :SymmPerChannelQuantParams;
    extension @9 :Data;
  }
}

struct Operation {
  type @0 :Int32;  # OperationType
  inputs @1 :List(UInt32);
  outputs @2 :List(UInt32);
}

struct Subgraph {
  operands @0 :List(Operand);
  operations @1 :List(Operation);
  inputIndexes @2 :List(UInt32);
  outputIndexes @3 :List(UInt32);
}

struct ExtensionNameAndPrefix {
  name @0 :Text;
  prefix @1 :UInt16;
}

struct Model {
  main @0 :Subgraph;
  referenced @1 :List(Subgraph);
  operandValues :union {
    inline @2 :Data;
    shared @3 :MemoryRegion;  # as soon as they are large: they never go through the socket
  }
  pools @4 :List(MemoryRegion);
  relaxComputationFloat32toFloat16 @5 :Bool;
  extensionNameToPrefix @6 :List(ExtensionNameAndPrefix);
}

# ---- Requests and their answers

struct RequestArgument {
  hasNoValue @0 :Bool;
  location @1 :DataLocation;
  dimensions @2 :List(UInt32);
}

struct RequestPool {
  union {
    memory @0 :MemoryRegion;
    token @1 :UInt32;
  }
}

struct Request {
  inputs @0 :List(RequestArgument);
  outputs @1 :List(RequestArgument);
  pools @2 :List(RequestPool);
}

struct OptionalNanoseconds {
  union {
    none @0 :Void;
    nanoseconds @1 :Int64;
  }
}

struct ExecutionOptions {
  measure @0 :Int32;  # MeasureTiming
  deadline @1 :OptionalNanoseconds;
  loopTimeout @2 :OptionalNanoseconds;
}

struct OutputShape {
  dimensions @0 :List(UInt32);
  isSufficient @1 :Bool;
}

struct Timing {
  # Microseconds; all ones where not measured.
  timeOnDevice @0 :UInt64;
  timeInDriver @1 :UInt64;
}

struct ExecutionOutcome {
  outputShapes @0 :List(OutputShape);
  timing @1 :Timing;
}

# ---- Device

struct PerformanceInfo {
  execTime @0 :Float32;
  powerUsage @1 :Float32;
}

struct OperandPerformance {
  type @0 :Int32;  # OperandType
  info @1 :PerformanceInfo;
}

struct Capabilities {
  relaxedFloat32toFloat16PerformanceScalar @0 :PerformanceInfo;
  relaxedFloat32toFloat16PerformanceTensor @1 :PerformanceInfo;
  operandPerformance @2 :List(OperandPerformance);
  ifPerformance @3 :PerformanceInfo;
  whilePerformance @4 :PerformanceInfo;
}

struct ExtensionOperandTypeInformation {
  type @0 :UInt16;
  isTensor @1 :Bool;
  byteSize @2 :UInt32;
}

struct Extension {
  name @0 :Text;
  operandTypes @1 :List(ExtensionOperandTypeInformation);
}

struct PrepareOptions {
  preference @0 :Int32;  # ExecutionPreference
  priority @1 :Int32;  # Priority
  deadline @2 :OptionalNanoseconds;
  modelCache @3 :List(File);
  dataCache @4 :List(File);
  token @5 :Data;
}

struct BufferRole {
  modelIndex @0 :UInt32;
  ioIndex @1 :UInt32;
  frequency @2 :Float32;
}

interface Device {
  getCapabilities @0 () -> (status :Status, capabilities :Capabilities);
  getType @1 () -> (status :Status, type :Int32);
  getVersionString @2 () -> (status :Status, version :Text);
  getSupportedExtensions @3 () -> (status :Status, extensions :List(Extension));
  getNumberOfCacheFilesNeeded @4 () -> (status :Status, numModelCache :UInt32, numDataCache :UInt32);
  getStatus @5 () -> (deviceStatus :Int32);

  getSupportedOperations @6 (model :Model) -> (status :Status, supported :List(Bool));

  prepareModel @7 (model :Model, options :PrepareOptions, callback :PreparedModelCallback)
      -> (status :Status);
  # The callback comes once, also with an error; it comes first if the call answers an error.

  prepareModelFromCache @8 (options :PrepareOptions, callback :PreparedModelCallback)
      -> (status :Status);

  allocate @9 (dimensions :List(UInt32), preparedModels :List(PreparedModel),
               inputRoles :List(BufferRole), outputRoles :List(BufferRole))
      -> (status :Status, buffer :Buffer, token :UInt32);

  getHalVersion @10 () -> (halVersion :UInt8);  # HalVersion: 0 is 1.0, 3 is 1.3
}

interface PreparedModelCallback {
  notify @0 (status :Status, preparedModel :PreparedModel) -> ();
}

# ---- Prepared model

interface PreparedModel {
  executeSynchronously @0 (request :Request, options :ExecutionOptions)
      -> (status :Status, outcome :ExecutionOutcome);

  execute @1 (request :Request, options :ExecutionOptions, callback :ExecutionCallback)
      -> (status :Status);

  executeFenced @2 (request :Request, waitFor :List(File), options :ExecutionOptions,
                    timeoutAfterFence :OptionalNanoseconds)
      -> (status :Status, fence :File, callback :FencedExecutionCallback);
  # No fence: the execution has ended.

  configureExecutionBurst @3 (channel :MemoryRegion, callback :BurstCallback,
                              driverWait :WaitPolicy)
      -> (status :Status, burst :Burst, doorbell :File, kernelThreads :UInt32,
          ringsBack :Bool);
  # `channel` holds both queues of the burst; src/burst/ lays it out. While the burst is parked the
  # client rings `doorbell`, a datagram socket, by sending anything. `kernelThreads` share the work
  # of an operation: the client leaves them their processors. With `ringsBack` the driver sends
  # something to the client over `doorbell` after a result, if the client has set the parked bit of
  # the word on which it waits for results.

  discardOutputs @4 (outputs :List(BufferOutput)) -> ();
  # An execution with these outputs was refused by the client, so that the driver has not seen it:
  # their buffers have no contents any more, as after any failed execution.
}

struct BufferOutput {
  # An output of a request that goes into a driver-managed buffer.

  index @0 :UInt32;
  token @1 :UInt32;
}

interface ExecutionCallback {
  notify @0 (status :Status, outcome :ExecutionOutcome) -> ();
}

interface FencedExecutionCallback {
  getExecutionInfo @0 () -> (status :Status, launched :Timing, fenced :Timing);
}

# ---- Burst

struct WaitPolicy {
  mode @0 :UInt8;
  spinNanoseconds @1 :Int64;
}

interface Burst {
  # HAL 1.2 IBurstContext. Its executions go through the channel, not through here.

  freeMemory @0 (slot :Int32) -> ();
}

interface BurstCallback {
  getMemories @0 (slots :List(Int32)) -> (status :Status, memories :List(MemoryRegion));
  # One entry for each slot, without memory for a slot that names none.
}

# ---- Buffer

interface Buffer {
  copyTo @0 (destination :MemoryRegion) -> (status :Status);
  copyFrom @1 (source :MemoryRegion, dimensions :List(UInt32)) -> (status :Status);
  discardContents @2 () -> ();
  # A copyFrom was refused by the client: no contents any more, as after any that fails.
}
