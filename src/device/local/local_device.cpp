// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/local_device.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include "device/local/capabilities_file.h"
#include "device/local/catch_exceptions.h"
#include "device/local/extension_library.h"
#include "device/local/supported_operations.h"
#include "exec/graph/constants.h"
#include "exec/plan/profile.h"
#include "exec/run/accelerated_model.h"
#include "exec/run/engine.h"
#include "log/client_log.h"
#include "log/marks.h"
#include "log/verbose.h"
#include "model/buffer_status.h"
#include "model/callback_check.h"
#include "model/extension_registry.h"
#include "model/version_rules.h"
#include "nnburst/validation.h"
#include "nnburst/version.h"
#include "system/scheduling.h"
#include "system/standard_descriptors.h"
#include "tflite_operations/extension.h"

namespace nnburst::device {

namespace {

/// `options` without those that `version` does not have: they take their defaults.
PrepareOptions knownTo(HalVersion version, const PrepareOptions& options) {
    PrepareOptions known;
    if (supportsPreference(version)) {
        known.preference = options.preference;
    }
    if (supportsPriority(version)) {
        known.priority = options.priority;
    }
    if (supportsDeadlines(version)) {
        known.deadline = options.deadline;
    }
    if (supportsCompilationCaching(version)) {
        known.modelCache = options.modelCache;
        known.dataCache = options.dataCache;
        known.token = options.token;
    }
    return known;
}

/// Checks the values of options that no driver supports, before any work is done.
Result<> checkOptions(const PrepareOptions& options) {
    if (options.preference < ExecutionPreference::LOW_POWER ||
        options.preference > ExecutionPreference::SUSTAINED_SPEED) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("prepareModel with preference {}: must be 0 to 2",
                                   static_cast<int>(options.preference)));
    }
    if (options.priority < Priority::LOW || options.priority > Priority::HIGH) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("prepareModel with priority {}: must be 0 to 2",
                                   static_cast<int>(options.priority)));
    }
    return {};
}

/// Duplicates the files, so that the caller may close its descriptors. Invalid descriptors are left
/// out. RESOURCE_EXHAUSTED_* at a limit of `account`.
Result<CacheFiles> duplicateFiles(const PrepareOptions& options, const SharedAccount& account) {
    NNBURST_TRY_ASSIGN(Charge charge,
                       chargeTo(account, Resource::DESCRIPTORS,
                                options.modelCache.size() + options.dataCache.size()));
    const auto duplicates = [](const std::vector<int>& fds) {
        std::vector<UniqueFd> files;
        for (const int fd : fds) {
            if (auto file = UniqueFd::duplicate(fd)) {
                files.push_back(std::move(*file));
            }
        }
        return files;
    };
    return CacheFiles{.charge = std::move(charge),
                      .model = duplicates(options.modelCache),
                      .data = duplicates(options.dataCache),
                      .token = options.token};
}

/// Compiles, and then fills the cache. The deadline does not apply to the time that the cache
/// takes. Frees what `work` holds: its copy of the constants takes time to free, which the client's
/// first execution would share if it were freed later.
CompiledOrError compileUntil(const OptionalTimePoint& deadline, ModelStore& models,
                             Preparation work) {
    NNBURST_MARK(prepare__begin, &work);
    CompiledOrError compiled = work.compile(models, deadline);
    NNBURST_MARK(prepare__end, &work);
    if (compiled && isPast(deadline)) {
        return failure(ErrorStatus::MISSED_DEADLINE_PERSISTENT,
                       "prepareModel: the deadline passed during the preparation");
    }
    if (compiled) {
        work.save(**compiled);
    }
    return compiled;
}

/// What a prepared model takes beside its structure, constants and temporaries, about.
constexpr std::uint64_t kBytesOfPreparedModel = std::uint64_t{16} << 10;

/// What a prepared model keeps of the structure of its model, and beside it for each operand and
/// operation, about. Its plans and interpreters are counted with its temporaries.
constexpr std::uint64_t kCopiesOfStructure = 2;

/// The compiled model. Its client is charged as if the model were not shared, for as long as it
/// holds the model.
CompiledOrError compileCharged(ModelStore& models, const ModelSnapshot& snapshot,
                               const exec::PackedModel& packed, const SharedAccount& account,
                               const std::atomic<bool>& isCancelled,
                               const OptionalTimePoint& deadline) {
    // While it is prepared the constants are there twice: in the snapshot, and packed or copied for
    // each operand.
    NNBURST_TRY_ASSIGN(
        Charge constants,
        chargeTo(account, Resource::MEMORY,
                 snapshot.constantBytes() + kCopiesOfStructure * snapshot.structureBytes()));
    GrowingCharge made(account.get(), Resource::MEMORY);
    NNBURST_TRY_ASSIGN(
        std::shared_ptr<exec::CompiledModel> compiled,
        models.compile(snapshot, packed, {.memory = &made, .isCancelled = &isCancelled}, deadline));
    made.clear();  // the whole is charged next
    NNBURST_TRY_ASSIGN(
        Charge temporaries,
        chargeTo(account, Resource::MEMORY, compiled->memoryBytes() + kBytesOfPreparedModel));
    return chargedFor(chargedFor(std::move(compiled), std::move(constants)),
                      std::move(temporaries));
}

/// Charges what a check of the operations of `model`, which is valid, copies of its constants.
Result<Charge> chargeCopies(const Model& model, const SharedAccount& account) {
    NNBURST_TRY_ASSIGN(const std::uint64_t bytes, exec::Constants::bytesToCopy(model));
    return chargeTo(account, Resource::MEMORY, bytes);
}

/// Saves a model, if its client gave files for that. A preparation does not fail because of that.
void saveToCache(const CompilationCache& cache, const ModelSnapshot& snapshot,
                 const exec::CompiledModel& compiled, const Result<CacheFiles>& files) {
    if (files && files->model.empty() && files->data.empty()) {
        return;
    }
    const Result<> saved = files ? cache.save(snapshot, compiled.packed(), *files)
                                 : tl::unexpected<Error>(files.error());
    if (!saved) {
        clientLog().write(LogLevel::WARNING, "cannot save to the cache: " + saved.error().message);
    }
}

/// Checks a model that was read from a cache, whose extensions it resolves.
Result<> checkCached(Model& model, HalVersion version, DriverVariant variant,
                     const SharedAccount& account) {
    NNBURST_TRY(resolveExtensions(model, PrefixSource::CACHE));
    NNBURST_TRY(validateModel(model));
    NNBURST_TRY(checkExtensionsKnown(model));
    NNBURST_TRY_ASSIGN(const Charge copies, chargeCopies(model, account));
    GrowingCharge results(account.get(), Resource::MEMORY);
    if (const Result<> supported = checkSupported(model, version, variant, results); !supported) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("prepareModelFromCache: the cached model is of another driver "
                                   "and not supported by this one: {}",
                                   supported.error().message));
    }
    return {};
}

/// Checks that a valid model, whose extensions are resolved, can be prepared.
Result<> checkPreparable(const Model& model, HalVersion version, DriverVariant variant,
                         const SharedAccount& account) {
    NNBURST_TRY_ASSIGN(const Charge copies, chargeCopies(model, account));
    GrowingCharge results(account.get(), Resource::MEMORY);
    Result<> supported = checkSupported(model, version, variant, results);
    if (!supported && supported.error().status == ErrorStatus::GENERAL_FAILURE) {
        NNBURST_TRY(checkExtensionsKnown(model));  // names the extension
    }
    return supported;
}

/// Which operations of the main subgraph of `model`, whose extensions are resolved, a device
/// supports. `accelerator` may be null.
Result<std::vector<bool>> supportedInResolved(const Model& model, HalVersion version,
                                              DriverVariant variant, const Accelerator* accelerator,
                                              const SharedAccount& account) {
    NNBURST_TRY(validateModel(model));
    NNBURST_TRY_ASSIGN(const Charge copies, chargeCopies(model, account));
    GrowingCharge results(account.get(), Resource::MEMORY);
    NNBURST_TRY_ASSIGN(std::vector<bool> isSupported,
                       supportedOperations(model, version, variant, results));
    if (accelerator != nullptr) {
        const std::vector<bool> isAccelerated = exec::supportedOperations(*accelerator, model);
        std::transform(isSupported.begin(), isSupported.end(), isAccelerated.begin(),
                       isSupported.begin(), std::logical_and<bool>());
    }
    return isSupported;
}

/// The same of a model as it comes from a client.
Result<std::vector<bool>> supportedIn(const Model& model, HalVersion version, DriverVariant variant,
                                      const Accelerator* accelerator,
                                      const SharedAccount& account) {
    if (model.extensionNameToPrefix.empty()) {
        return supportedInResolved(model, version, variant, accelerator, account);
    }
    NNBURST_TRY_ASSIGN(const Charge charge,
                       chargeTo(account, Resource::MEMORY, memoryBytes(model)));
    Model resolved = model;
    NNBURST_TRY(resolveExtensions(resolved, PrefixSource::CLIENT));
    return supportedInResolved(resolved, version, variant, accelerator, account);
}

}  // namespace

LocalDevice::LocalDevice(Shared shared, const SharesOfUser& user, SharedAccount account,
                         Priority highestPriority, std::shared_ptr<RecentMappings> recentMappings)
    : shared_(std::move(shared)),
      account_(std::move(account)),
      highestPriority_(highestPriority),
      lanes_(std::make_shared<exec::LaneShare>(user.lanes, account_)),
      scheduler_(std::make_shared<Scheduler::Client>(shared_.scheduler, user.jobs, counts_)),
      recentMappings_(std::move(recentMappings)) {}

Result<DeviceSetup> DeviceSetup::prepare(const DriverOptions& options) {
    DeviceSetup setup{.options = options,
                      .tuning = nullptr,
                      .capabilities = uncalibrated(),
                      .cache = std::make_shared<CompilationCache>(options.cacheKeyFile)};
    NNBURST_TRY_ASSIGN(SystemTuning applied, SystemTuning::apply(setup.options));
    setup.tuning = std::make_shared<const SystemTuning>(std::move(applied));
    // OpenSSL registers its exit handler now, so that a static device, whose job threads use
    // OpenSSL, is destroyed before the handler runs. It reads its configuration on this thread:
    // what it keeps of that for a thread is lost if a job thread ends after the handler.
    ::OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_LOAD_CONFIG, nullptr);
    (void)exec::Profile::ofProcess();  // makes its file before a sandbox closes
    if (options.useTfliteOperations) {
        NNBURST_TRY(tflite_operations::registerOperations());
    }
    for (const std::string& library : options.extensionLibraries) {
        NNBURST_TRY(loadExtension(library));
    }
    if (!options.capabilitiesFile.empty()) {
        NNBURST_TRY_ASSIGN(setup.capabilities, readCapabilities(options.capabilitiesFile));
    }
    return setup;
}

Result<std::shared_ptr<LocalDevice>> LocalDevice::create(DeviceSetup setup,
                                                         std::shared_ptr<Scheduler> scheduler,
                                                         exec::KernelThreadPlacement placement,
                                                         std::shared_ptr<Accelerator> accelerator) {
    const DriverOptions& options = setup.options;
    NNBURST_TRY_ASSIGN(std::shared_ptr<exec::Engine> engine,
                       exec::Engine::create(options, placement));
    NNBURST_TRY_ASSIGN(std::shared_ptr<burst::ServingThreadPool> servingThreads,
                       burst::ServingThreadPool::create(burst::ServingThreadPool::kMaximumThreads,
                                                        options.realtimePriority));
    const auto models = std::make_shared<ModelStore>(engine, accelerator);
    std::shared_ptr<IdleWatchdog> watchdog;
    if (options.idleTime.count() > 0) {
        NNBURST_TRY_ASSIGN(watchdog, IdleWatchdog::create(models, options.idleTime));
    }
    return std::shared_ptr<LocalDevice>(
        new LocalDevice({.tuning = std::move(setup.tuning),
                         .accelerator = std::move(accelerator),
                         .engine = std::move(engine),
                         .scheduler = std::move(scheduler),
                         .servingThreads = std::move(servingThreads),
                         .buffers = std::make_shared<exec::ManagedBuffers>(),
                         .models = models,
                         .watchdog = std::move(watchdog),
                         .cache = std::move(setup.cache),
                         .capabilities = std::move(setup.capabilities),
                         .version = options.version,
                         .variant = options.variant},
                        {}));
}

std::shared_ptr<LocalDevice> LocalDevice::forClient(const SharesOfUser& user, SharedAccount account,
                                                    Priority highestPriority) const {
    return std::shared_ptr<LocalDevice>(new LocalDevice(
        shared_, user, std::move(account), highestPriority, std::make_shared<RecentMappings>()));
}

Result<Capabilities> LocalDevice::getCapabilities() {
    return convertTo(shared_.version, shared_.capabilities);
}

Result<DeviceType> LocalDevice::getType() {
    if (!supportsTypeAndVersionString(shared_.version)) {
        return DeviceType::OTHER;
    }
    return shared_.accelerator ? shared_.accelerator->type() : DeviceType::CPU;
}

Result<std::string> LocalDevice::getVersionString() {
    if (!supportsTypeAndVersionString(shared_.version)) {
        return std::string("UNKNOWN");
    }
    return shared_.accelerator ? shared_.accelerator->name() : "nnburst-" NNBURST_VERSION;
}

Result<std::vector<Extension>> LocalDevice::getSupportedExtensions() {
    return supportsExtensions(shared_.version) ? registeredExtensions() : std::vector<Extension>();
}

Result<NumberOfCacheFiles> LocalDevice::getNumberOfCacheFilesNeeded() {
    return shared_.cache->isSupported() && supportsCompilationCaching(shared_.version)
               ? kCacheFiles
               : NumberOfCacheFiles{};
}

DeviceStatus LocalDevice::getStatus() {
    return shared_.engine->isBusy() || shared_.scheduler->isBusy() ? DeviceStatus::BUSY
                                                                   : DeviceStatus::AVAILABLE;
}

Result<std::vector<bool>> LocalDevice::getSupportedOperations(const Model& model) {
    return knownTo(shared_.version, supportedIn(model, shared_.version, shared_.variant,
                                                shared_.accelerator.get(), account_));
}

Result<> LocalDevice::prepareModel(const Model& model, const PrepareOptions& options,
                                   PreparedModelCallback callback) {
    NNBURST_TRY(checkCallback(callback, "prepareModel"));
    return prepare(model, {}, options, std::move(callback));
}

Result<> LocalDevice::prepare(Model model, Charge waiting, const PrepareOptions& given,
                              PrepareCallback callback) {
    const PrepareOptions options = knownTo(shared_.version, given);
    const auto files =
        std::make_shared<const Result<CacheFiles>>(duplicateFiles(options, account_));
    const auto sharedModel = std::make_shared<Model>(std::move(model));
    NNBURST_VLOG(MODEL, "{} operations, {} operands, {} referenced subgraphs, {} pools",
                 sharedModel->main.operations.size(), sharedModel->main.operands.size(),
                 sharedModel->referenced.size(), sharedModel->pools.size());
    const auto check = [&]() -> Result<> {
        NNBURST_TRY(checkOptions(options));
        NNBURST_TRY(resolveExtensions(*sharedModel, PrefixSource::CLIENT));
        NNBURST_TRY(validateModel(*sharedModel));
        return checkPreparable(*sharedModel, shared_.version, shared_.variant, account_);
    };
    auto snapshot = std::make_shared<ModelSnapshot>();
    return launch(
        check(), options,
        {.compile = [sharedModel, snapshot, account = account_, client = lanes_,
                     waiting = std::make_shared<Charge>(std::move(waiting))](
                        ModelStore& models, const OptionalTimePoint& deadline) -> CompiledOrError {
             *waiting = Charge();  // the snapshot has its own
             NNBURST_TRY_ASSIGN(*snapshot, ModelSnapshot::take(std::move(*sharedModel), account,
                                                               &client->isCancelled()));
             return compileCharged(models, *snapshot, {}, account, client->isCancelled(), deadline);
         },
         .save =
             [snapshot = std::move(snapshot), files,
              cache = shared_.cache](const exec::CompiledModel& compiled) {
                 saveToCache(*cache, *snapshot, compiled, *files);
             }},
        std::move(callback));
}

Result<> LocalDevice::prepareFromCache(const PrepareOptions& given, PrepareCallback callback) {
    const PrepareOptions options = knownTo(shared_.version, given);
    auto cached = std::make_shared<CachedModel>();
    Result<> loaded = [&]() -> Result<> {
        NNBURST_TRY(checkOptions(options));
        if (!supportsCompilationCaching(shared_.version)) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("prepareModelFromCache: HAL {} has no compilation caching",
                                       toString(shared_.version)));
        }
        NNBURST_TRY_ASSIGN(const CacheFiles files, duplicateFiles(options, account_));
        NNBURST_TRY_ASSIGN(*cached,
                           shared_.cache->load(files, shared_.models->packedFor(), account_));
        return checkCached(cached->snapshot.model, shared_.version, shared_.variant, account_);
    }();
    return launch(std::move(loaded), options,
                  {.compile =
                       [cached = std::move(cached), account = account_, client = lanes_](
                           ModelStore& models, const OptionalTimePoint& deadline) {
                           return compileCharged(models, cached->snapshot, cached->packed, account,
                                                 client->isCancelled(), deadline);
                       },
                   .save = [](const exec::CompiledModel& /*compiled*/) {}},
                  std::move(callback));
}

Result<> LocalDevice::launch(Result<> checked, const PrepareOptions& options, Preparation work,
                             PrepareCallback callback) {
    const auto sharedCallback = std::make_shared<PrepareCallback>(std::move(callback));
    if (checked) {
        const exec::Urgency urgency = urgencyOf(options);
        const bool wasLateAtLaunch = isPast(options.deadline);
        // The prepared model takes over the reference to the scheduler's client. The last reference
        // must not be dropped by this job, which runs on a thread of that scheduler.
        checked = scheduler_->trySubmit(
            JobKind::PREPARATION, urgency,
            [models = shared_.models,
             executable = exec::Executable{.buffers = shared_.buffers,
                                           .priority = urgency.priority,
                                           .client = lanes_,
                                           .counts = counts_,
                                           .recentMappings = recentMappings_,
                                           .version = shared_.version},
             scheduler = scheduler_, fences = fences_, work = std::move(work),
             deadline = options.deadline, wasLateAtLaunch, sharedCallback]() mutable {
                const HalVersion version = executable.version;
                auto prepared = catchExceptions(
                    "prepareModel", [&]() -> Result<std::shared_ptr<LocalPreparedModel>> {
                        if (isPast(deadline)) {
                            return missedBeforeStart("the preparation", wasLateAtLaunch);
                        }
                        const system::ScopedTimeSlice slice(system::kBackgroundTimeSlice);
                        NNBURST_TRY_ASSIGN(executable.model,
                                           compileUntil(deadline, *models, std::move(work)));
                        return std::make_shared<LocalPreparedModel>(
                            std::move(executable), std::move(scheduler), std::move(fences));
                    });
                scheduler = nullptr;
                (*sharedCallback)(knownTo(version, std::move(prepared)));
            },
            [wasLateAtLaunch, sharedCallback] {
                (*sharedCallback)(missedBeforeStart("the preparation", wasLateAtLaunch));
            });
    }
    checked = knownTo(shared_.version, std::move(checked));
    if (!checked) {
        (*sharedCallback)(tl::unexpected<Error>(checked.error()));
    }
    return checked;
}

exec::Urgency LocalDevice::urgencyOf(const PrepareOptions& given) const {
    const PrepareOptions options = knownTo(shared_.version, given);
    return {.priority = std::min(options.priority, highestPriority_), .deadline = options.deadline};
}

Result<> LocalDevice::prepareModelFromCache(const PrepareOptions& options,
                                            PreparedModelCallback callback) {
    NNBURST_TRY(checkCallback(callback, "prepareModelFromCache"));
    return prepareFromCache(options, std::move(callback));
}

Result<AllocatedBuffer> LocalDevice::allocate(const BufferDesc& desc,
                                              std::span<const SharedPreparedModel> preparedModels,
                                              std::span<const BufferRole> inputRoles,
                                              std::span<const BufferRole> outputRoles) {
    std::vector<std::shared_ptr<LocalPreparedModel>> models;
    for (std::size_t i = 0; i < preparedModels.size(); ++i) {
        auto model = std::dynamic_pointer_cast<LocalPreparedModel>(preparedModels[i]);
        if (!model || model->executable().buffers != shared_.buffers) {
            return failure(
                ErrorStatus::INVALID_ARGUMENT,
                fmt::format("allocate: prepared model {} {}; must be one of this device", i,
                            preparedModels[i] ? "belongs to another device" : "is null"));
        }
        models.push_back(std::move(model));
    }
    NNBURST_TRY_ASSIGN(auto buffer, allocateFor(desc, models, inputRoles, outputRoles));
    return AllocatedBuffer{.buffer = buffer, .token = buffer->token()};
}

Result<std::shared_ptr<LocalBuffer>> LocalDevice::allocateFor(
    const BufferDesc& desc, std::span<const std::shared_ptr<LocalPreparedModel>> preparedModels,
    std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles) {
    if (!supportsBuffers(shared_.version)) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("allocate: HAL {} has no driver-managed buffers",
                                   toString(shared_.version)));
    }
    return toBufferStatus(
        allocateBuffer(shared_.buffers, desc, preparedModels, inputRoles, outputRoles, account_));
}

Scheduler::Limits defaultJobLimits() noexcept {
    return {.threadsForOthers = 256,
            .threadsPerClient = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 8)};
}

Scheduler::Limits jobLimitsOfProgram() noexcept {
    constexpr std::size_t kWaitingJobs = Scheduler::kMaximumWaitingJobsOfProgram;
    Scheduler::Limits limits = defaultJobLimits();
    limits.waitingJobs = kWaitingJobs;
    limits.waitingJobsPerUser = kWaitingJobs;
    limits.waitingJobsPerClient = kWaitingJobs;
    return limits;
}

}  // namespace nnburst::device

namespace nnburst {

Result<SharedDevice> makeLocalDevice(const DriverOptions& options) {
    return makeLocalDevice(nullptr, options);
}

Result<SharedDevice> makeLocalDevice(std::shared_ptr<Accelerator> accelerator,
                                     const DriverOptions& options) {
    if (!options.processName.empty() || options.memoryLimitBytes != 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "makeLocalDevice with a process name or a memory limit: they can be chosen "
                       "for a driver process only; the process is the application's");
    }
    if (!options.processors.empty()) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "makeLocalDevice with processors: they can be chosen for a driver process "
                       "only; set the affinity of the application's own threads instead");
    }
    if (options.realtimePriority != 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "makeLocalDevice with a real-time priority: bursts run on the application's "
                       "own threads; set the priority of those instead");
    }
    if (options.lockMemory) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "makeLocalDevice with locked memory: it is the application's; call "
                       "mlockall(2) in the application instead");
    }
    system::openStandardDescriptors();
    NNBURST_TRY_ASSIGN(std::shared_ptr<device::Scheduler> scheduler,
                       device::Scheduler::create("nnburst-job", device::jobLimitsOfProgram()));
    // Kernel threads with processors of their own would take these from the application's threads.
    NNBURST_TRY_ASSIGN(device::DeviceSetup setup, device::DeviceSetup::prepare(options));
    return device::LocalDevice::create(std::move(setup), std::move(scheduler),
                                       exec::KernelThreadPlacement::ANYWHERE,
                                       std::move(accelerator));
}

}  // namespace nnburst
