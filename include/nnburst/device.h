// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The HAL's interfaces: a `Device` prepares models, a `PreparedModel` executes requests, a `Burst`
/// executes them with the least latency, a `Buffer` is memory that the driver manages. Three kinds
/// of device give the same interface: `makeLocalDevice()` runs in this process, `spawnDriver()` in
/// a child process of its own, `connect()` in a driver that others may share.
///
/// Every method may be called from any thread at any time unless it says otherwise. Objects may be
/// dropped in any order; each keeps what it needs. When the driver process ends, every call that
/// waits for it and every later one fails with DEVICE_UNAVAILABLE, at once; a driver that lives but
/// no longer answers is taken for gone after `kHangTimeout`.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nnburst/hal_version.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "nnburst/wait_policy.h"

namespace nnburst {

/// After this long without an answer from a driver that should give one, it is taken for gone. An
/// execution may take longer, as long as the driver's control plane answers meanwhile.
inline constexpr std::chrono::milliseconds kHangTimeout{3000};

/// How one execution is to run.
struct ExecutionOptions {
    MeasureTiming measure = MeasureTiming::NO;
    /// The time by which it must have finished, else MISSED_DEADLINE_*.
    OptionalTimePoint deadline;
    /// Limit on each WHILE; unset is 2 s, more than 15 s is taken as 15 s (HAL 1.3
    /// LoopTimeoutDurationNs).
    OptionalTimeoutDuration loopTimeout;
};

/// What an execution gives beside the contents of the outputs. Pass the same object again: its
/// memory is reused, so that the steady state allocates nothing.
struct ExecutionOutcome {
    /// One a model output if the status is NONE or OUTPUT_INSUFFICIENT_SIZE, else empty. Always
    /// empty from a driver of HAL 1.0 or 1.1.
    std::vector<OutputShape> outputShapes;
    Timing timing;
};

/// Called once, on a thread of the library, when an asynchronous execution has ended. Must not
/// block.
using ExecutionCallback = std::function<void(Result<> status, const ExecutionOutcome& outcome)>;

/// How a burst is to be set up.
struct BurstOptions {
    /// Lines of 56 usable bytes in each queue, a power of two between 16 and 4096. A request with
    /// two operands takes two lines. Longer frames go over the control plane.
    std::uint32_t queueLines = 128;
    /// Executions that may be in flight at a time (Burst::submit): 1 to 64.
    std::uint32_t inFlight = 1;
    WaitPolicy clientWait;  ///< of the thread that calls Burst::execute
    WaitPolicy
        driverWait;  ///< of the driver's thread that serves this burst; the driver may wait less
};

/// The request of an execution in flight, until `Burst::wait` has given its result.
enum class Submission : std::uint64_t {};

/// A request that is executed again and again on one burst, with new contents in the same memory:
/// the common case of streaming. The driver checks and decodes it once; every later computation
/// sends one cache line and gets one back. Results are those of Burst::execute with the same
/// request, in every case. Of one thread at a time, the one that uses the burst; keeps the burst
/// and the request's memory.
class ReusableExecution {
  public:
    virtual ~ReusableExecution() = default;

    /// Executes the request and waits for its end. `outcome` is overwritten in every case.
    [[nodiscard]] virtual Result<> compute(const OptionalTimePoint& deadline,
                                           ExecutionOutcome& outcome) = 0;

    /// Hands the execution in without waiting for it: see Burst::submit.
    [[nodiscard]] virtual Result<Submission> submit(const OptionalTimePoint& deadline) = 0;
};

/// Executes requests of one prepared model through shared memory, in order (HAL 1.2 IBurstContext).
/// In the steady state, with the memory pools known and both sides awake, an execution takes no
/// system call, allocation or copy beside the kernels. A second thread that uses the burst
/// meanwhile gets GENERAL_FAILURE, as the HAL says of one burst object.
class Burst {
  public:
    virtual ~Burst() = default;

    /// Executes `request` and waits for its end. `outcome` is overwritten in every case. Same
    /// errors and rules as PreparedModel::executeSynchronously. RESOURCE_EXHAUSTED_TRANSIENT while
    /// as many executions are in flight as may be.
    [[nodiscard]] virtual Result<> execute(const Request& request, const ExecutionOptions& options,
                                           ExecutionOutcome& outcome) = 0;

    /// Prepares `request` for being executed again and again. Of `options` the deadline is not
    /// used. The request is checked when it is executed.
    [[nodiscard]] virtual Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) = 0;

    /// Hands `request` in without waiting for its end. Its outputs belong to the driver until
    /// `wait` has given the result. INVALID_ARGUMENT if they overlap with outputs of an execution
    /// in flight; RESOURCE_EXHAUSTED_TRANSIENT while BurstOptions::inFlight are. Errors of the
    /// execution itself come from `wait`.
    [[nodiscard]] virtual Result<Submission> submit(const Request& request,
                                                    const ExecutionOptions& options) = 0;

    /// Waits for the end of an execution that was submitted, in any order, once. As execute, and
    /// INVALID_ARGUMENT for one that is not in flight.
    [[nodiscard]] virtual Result<> wait(Submission submission, ExecutionOutcome& outcome) = 0;

    /// Tells the driver to forget `region`, which it may still have mapped from earlier executions
    /// (HAL 1.2 IBurstContext::freeMemory). It is fetched again if a request uses it again. Regions
    /// whose last handle is dropped are freed without this call, the next time a new one is used.
    virtual void freeMemory(const SharedRegion& region) = 0;

    /// What waiting has cost both sides so far; what it has cost the driver is as the driver says.
    /// All zero of a burst in this process, which never waits.
    [[nodiscard]] virtual BurstWaitFigures waitFigures() const = 0;
};

/// A fence is any descriptor that becomes readable when it is signalled.
struct FencedExecution {
    UniqueFd fence;  ///< invalid if the execution has already ended
    /// Ask after the fence was signalled: how the execution ended; timing from the launch, and from
    /// the moment at which all awaited fences were signalled.
    std::function<Result<>(Timing& launched, Timing& fenced)> callback;
};

/// A model that is checked, planned and packed (HAL 1.3 IPreparedModel). Any number of executions
/// of any kind may run at the same time.
class PreparedModel {
  public:
    virtual ~PreparedModel() = default;

    /// Executes `request` and waits for its end. The caller leaves the request's memory alone until
    /// then. INVALID_ARGUMENT if the request breaks a rule; OUTPUT_INSUFFICIENT_SIZE, with output
    /// shapes, if an output's buffer is too small; MISSED_DEADLINE_*; DEVICE_UNAVAILABLE.
    [[nodiscard]] virtual Result<> executeSynchronously(const Request& request,
                                                        const ExecutionOptions& options,
                                                        ExecutionOutcome& outcome) = 0;

    /// Launches an execution. The callback comes exactly once, also if this call gives an error.
    [[nodiscard]] virtual Result<> execute(const Request& request, const ExecutionOptions& options,
                                           ExecutionCallback callback) = 0;

    /// Launches an execution that starts when all `waitFor` fences are signalled. The outputs must
    /// have known dimensions. `timeoutAfterFence` limits the execution from that moment on.
    [[nodiscard]] virtual Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) = 0;

    /// A new burst of this model. It keeps the model alive.
    [[nodiscard]] virtual Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) = 0;
};

using SharedPreparedModel = std::shared_ptr<PreparedModel>;

/// Called once, on a thread of the library, when a model is prepared or cannot be. Must not block.
using PreparedModelCallback = std::function<void(Result<SharedPreparedModel> preparedModel)>;

/// How a model is to be prepared.
struct PrepareOptions {
    ExecutionPreference preference = ExecutionPreference::FAST_SINGLE_ANSWER;
    Priority priority = Priority::MEDIUM;
    OptionalTimePoint deadline;
    /// Cache files, open for reading and writing, as many as getNumberOfCacheFilesNeeded says:
    /// to fill (or none; errors of the cache do not matter then), or to prepare from. The caller
    /// may close them when the call returns.
    std::vector<int> modelCache;
    std::vector<int> dataCache;
    CacheToken token{};
};

/// Memory that the driver manages (HAL 1.3 IBuffer).
class Buffer {
  public:
    virtual ~Buffer() = default;

    /// Copies the buffer's contents to `destination`, which has exactly their size.
    [[nodiscard]] virtual Result<> copyTo(const SharedRegion& destination) = 0;
    /// Copies `source` into the buffer. `dimensions` are those of the contents, or empty if the
    /// buffer's are fully known.
    [[nodiscard]] virtual Result<> copyFrom(const SharedRegion& source,
                                            const Dimensions& dimensions) = 0;
};

/// A driver-managed buffer and the token by which requests name it.
struct AllocatedBuffer {
    std::shared_ptr<Buffer> buffer;
    BufferToken token{};
};

/// A driver (HAL 1.3 IDevice).
class Device {
  public:
    virtual ~Device() = default;

    /// The version whose rules the device follows. Does not ask the driver, which has said it when
    /// it was connected.
    [[nodiscard]] virtual HalVersion getHalVersion() const noexcept = 0;
    [[nodiscard]] virtual Result<Capabilities> getCapabilities() = 0;
    [[nodiscard]] virtual Result<DeviceType> getType() = 0;
    [[nodiscard]] virtual Result<std::string> getVersionString() = 0;
    [[nodiscard]] virtual Result<std::vector<Extension>> getSupportedExtensions() = 0;
    [[nodiscard]] virtual Result<NumberOfCacheFiles> getNumberOfCacheFilesNeeded() = 0;
    /// AVAILABLE, BUSY or OFFLINE; OFFLINE also when the driver process is gone.
    [[nodiscard]] virtual DeviceStatus getStatus() = 0;

    /// One entry an operation of the main subgraph: whether this device can run it.
    /// INVALID_ARGUMENT if the model is not valid.
    [[nodiscard]] virtual Result<std::vector<bool>> getSupportedOperations(const Model& model) = 0;

    /// Prepares `model` in the background. The callback comes exactly once, also if this call gives
    /// an error, and then with the same one. The model may be dropped when the call returns.
    [[nodiscard]] virtual Result<> prepareModel(const Model& model, const PrepareOptions& options,
                                                PreparedModelCallback callback) = 0;

    /// As prepareModel, from the cache files that an earlier preparation filled.
    [[nodiscard]] virtual Result<> prepareModelFromCache(const PrepareOptions& options,
                                                         PreparedModelCallback callback) = 0;

    /// Memory managed by the driver, for the given uses.
    [[nodiscard]] virtual Result<AllocatedBuffer> allocate(
        const BufferDesc& desc, std::span<const SharedPreparedModel> preparedModels,
        std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles) = 0;
};

using SharedDevice = std::shared_ptr<Device>;

/// Prepares `model` and waits for it.
[[nodiscard]] Result<SharedPreparedModel> prepareModel(Device& device, const Model& model,
                                                       const PrepareOptions& options = {});

/// Prepares a model from the cache files that `options` names and waits for it.
[[nodiscard]] Result<SharedPreparedModel> prepareModelFromCache(Device& device,
                                                                const PrepareOptions& options);

/// What a device pretends to be unable to do, for tests of applications and frameworks.
enum class DriverVariant : std::uint8_t {
    FULL,     ///< supports all operations
    FLOAT,    ///< operations whose first input is TENSOR_FLOAT32
    QUANT,    ///< operations whose first input is TENSOR_QUANT8_ASYMM or its signed sibling
    MINIMAL,  ///< ADD, CONCATENATION, CONV_2D and DEPTHWISE_CONV_2D
};

/// "full", "float", "quant" or "minimal".
[[nodiscard]] const char* toString(DriverVariant variant) noexcept;

/// How many threads kernels use, and where; what kind of driver it is; and what it asks the system
/// for. What the system does not grant is a warning in the log, and the driver goes on without it.
struct DriverOptions {
    static constexpr std::uint32_t kMaximumThreads = 64;

    /// Threads that share the work of one operation, the executing one included, at most
    /// kMaximumThreads. 1 is the fastest for small models and makes no system calls. 0: each model
    /// is measured when it is prepared, which takes about a second, and has more than one thread if
    /// answers then come sooner.
    std::uint32_t threads = 1;
    /// Processors on which the driver may run; empty for all.
    std::vector<std::uint32_t> processors;
    /// Operations run by XNNPACK where it has the operator; false: reference kernels alone.
    bool useXnnpack = true;
    /// The file of the secret by which compilation caches are known to be a driver's own. It is
    /// made when it is needed first. Empty: $XDG_STATE_HOME/nnburst/cache.key, or
    /// ~/.local/state/nnburst/cache.key; without either nothing is cached.
    std::string cacheKeyFile;
    /// The device acts as one of this version: it refuses what the version does not know and
    /// follows its rules (docs/hal.md).
    HalVersion version = kLatestHalVersion;
    DriverVariant variant = DriverVariant::FULL;
    /// What `nnburst-driver --calibrate` has written: the capabilities that the device reports.
    /// Empty: it was not calibrated, and reports 1.0 everywhere.
    std::string capabilitiesFile;
    /// A model that is not executed for so long gives the memory of its temporaries back to the
    /// system, until the next execution; 0: never.
    std::chrono::milliseconds idleTime{10'000};
    /// Shared libraries of vendor extensions (extension.h) to load. They are trusted.
    std::vector<std::string> extensionLibraries;
    /// SCHED_FIFO priority (1 to 99) of the threads that serve bursts; 0: as other threads.
    std::uint32_t realtimePriority = 0;
    /// The driver's memory is not given to others: its code, and pages that it has touched, stay.
    bool lockMemory = false;
    /// Packed weights and temporaries lie on huge pages where they fill some. Holds for the whole
    /// process from then on.
    bool useHugePages = false;
    /// While the device lives, processors stay out of idle states that take longer than this to
    /// wake up from: see shallow_idle.h.
    std::optional<std::chrono::microseconds> shallowIdle;
};

/// A device in this process, without isolation. The threads and the memory are the application's:
/// DriverOptions::processors, realtimePriority and lockMemory are not supported here.
[[nodiscard]] Result<SharedDevice> makeLocalDevice(const DriverOptions& options = {});

/// Starts a private driver process. It ends with the last object that needs it, and with this
/// process. The program is `program`, or else the environment's NNBURST_DRIVER, or else
/// `nnburst-driver` beside the running program, or else on the PATH.
[[nodiscard]] Result<SharedDevice> spawnDriver(const DriverOptions& options = {},
                                               const std::string& program = {});

/// Connects to the driver that listens on the Unix socket `path`.
[[nodiscard]] Result<SharedDevice> connect(const std::string& path);

}  // namespace nnburst
