# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0

# Version 4 of the protocol, from src/device/rpc/nnburst.capnp. It never changes.

@0xbafc67f627d0da46;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("nnburst::rpc");

const protocolVersion :UInt32 = 4;

interface Driver {
  open @0 (protocolVersion :UInt32) -> (protocolVersion :UInt32, status :Status, device :Device);
  ping @1 () -> ();
}

struct Status {
  code @0 :Int32;
  message @1 :Text;
}

interface Memory {}
interface File {}

struct MemoryRegion {
  memory @0 :Memory;
  sizeBytes @1 :UInt64;
}

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
  type @0 :Int32;
  dimensions @1 :List(UInt32);
  numberOfConsumers @2 :UInt32;
  scale @3 :Float32;
  zeroPoint @4 :Int32;
  lifetime @5 :Int32;
  location @6 :DataLocation;
  extraParams :union {
    none @7 :Void;
    channelQuant @8 :SymmPerChannelQuantParams;
    extension @9 :Data;
  }
}

struct Operation {
  type @0 :Int32;
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
    shared @3 :MemoryRegion;
  }
  pools @4 :List(MemoryRegion);
  relaxComputationFloat32toFloat16 @5 :Bool;
  extensionNameToPrefix @6 :List(ExtensionNameAndPrefix);
}

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
  measure @0 :Int32;
  deadline @1 :OptionalNanoseconds;
  loopTimeout @2 :OptionalNanoseconds;
}

struct OutputShape {
  dimensions @0 :List(UInt32);
  isSufficient @1 :Bool;
}

struct Timing {
  timeOnDevice @0 :UInt64;
  timeInDriver @1 :UInt64;
}

struct ExecutionOutcome {
  outputShapes @0 :List(OutputShape);
  timing @1 :Timing;
}

struct PerformanceInfo {
  execTime @0 :Float32;
  powerUsage @1 :Float32;
}

struct OperandPerformance {
  type @0 :Int32;
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
  preference @0 :Int32;
  priority @1 :Int32;
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
  prepareModelFromCache @8 (options :PrepareOptions, callback :PreparedModelCallback)
      -> (status :Status);
  allocate @9 (dimensions :List(UInt32), preparedModels :List(PreparedModel),
               inputRoles :List(BufferRole), outputRoles :List(BufferRole))
      -> (status :Status, buffer :Buffer, token :UInt32);
  getHalVersion @10 () -> (halVersion :UInt8);
}

interface PreparedModelCallback {
  notify @0 (status :Status, preparedModel :PreparedModel) -> ();
}

interface PreparedModel {
  executeSynchronously @0 (request :Request, options :ExecutionOptions)
      -> (status :Status, outcome :ExecutionOutcome);
  execute @1 (request :Request, options :ExecutionOptions, callback :ExecutionCallback)
      -> (status :Status);
  executeFenced @2 (request :Request, waitFor :List(File), options :ExecutionOptions,
                    timeoutAfterFence :OptionalNanoseconds)
      -> (status :Status, fence :File, callback :FencedExecutionCallback);
  configureExecutionBurst @3 (channel :MemoryRegion, callback :BurstCallback,
                              driverWait :WaitPolicy)
      -> (status :Status, burst :Burst, doorbell :File, kernelThreads :UInt32,
          ringsBack :Bool);
  discardOutputs @4 (outputs :List(BufferOutput)) -> ();
}

struct BufferOutput {
  index @0 :UInt32;
  token @1 :UInt32;
}

interface ExecutionCallback {
  notify @0 (status :Status, outcome :ExecutionOutcome) -> ();
}

interface FencedExecutionCallback {
  getExecutionInfo @0 () -> (status :Status, launched :Timing, fenced :Timing);
}

struct WaitPolicy {
  mode @0 :UInt8;
  spinNanoseconds @1 :Int64;
}

interface Burst {
  freeMemory @0 (slot :Int32) -> ();
}

interface BurstCallback {
  getMemories @0 (slots :List(Int32)) -> (status :Status, memories :List(MemoryRegion));
}

interface Buffer {
  copyTo @0 (destination :MemoryRegion) -> (status :Status);
  copyFrom @1 (source :MemoryRegion, dimensions :List(UInt32)) -> (status :Status);
  discardContents @2 () -> ();
}
