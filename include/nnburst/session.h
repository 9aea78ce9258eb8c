// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A `Session` runs one model again and again: write its inputs, run, read its outputs, by name.
///
///     NNBURST_TRY_ASSIGN(const SharedDevice device, spawnDriver());
///     NNBURST_TRY_ASSIGN(Session session, Session::open(*device, "mobilenet.tflite"));
///     NNBURST_TRY_ASSIGN(const std::span<float> image, session.input<float>("image"));
///     NNBURST_TRY_ASSIGN(const std::span<const float> scores, session.output<float>("scores"));
///     while (camera.read(image)) {
///         NNBURST_TRY(session.run());
///         show(scores);
///     }
///
/// Inputs and outputs lie in memory that the driver reads and writes in place. A session has a
/// burst of its own with a reusable execution: in the steady state a run takes no system call,
/// allocation or copy. Used by one thread at a time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nnburst/burst.h"
#include "nnburst/device.h"
#include "nnburst/element_type.h"
#include "nnburst/export.h"
#include "nnburst/model_signature.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst/types.h"

namespace nnburst {

/// How a session is to be set up.
struct SessionOptions {
    PrepareOptions prepare;  ///< how the model is prepared, unless it already is
    BurstOptions burst;      ///< how both sides wait; one execution is in flight at most
    MeasureTiming measure = MeasureTiming::NO;  ///< YES: Session::timing has durations
    OptionalTimeoutDuration loopTimeout;        ///< see ExecutionOptions
    /// Dimensions of inputs. `open` imports the file with them (TfliteOptions::inputDimensions):
    /// inputs that are not named here get those of the file, mostly 1 where it leaves a size
    /// unspecified. `create` needs those of all inputs that the model leaves unspecified; those of
    /// other inputs must equal the model's.
    InputDimensions inputDimensions;
    /// Initial memory of each output whose dimensions are unspecified. If a run needs more, the
    /// session enlarges the memory, up to the maximum, and repeats the run.
    std::uint64_t openOutputBytes = 64 << 10;
    std::uint64_t maximumOpenOutputBytes = 256 << 20;
    bool integersFitInt32 = false;  ///< for the import by `open`: TfliteOptions::integersFitInt32
};

/// Movable; moving does not change the addresses of inputs and outputs. Keeps the prepared model
/// and its memory alive. The session holds the states of recurrent models (ModelSignature::states),
/// which are not among its inputs and outputs: they begin as ModelState says and pass from one
/// run to the next without a copy.
class Session {
  public:
    /// Imports the `.tflite` file at `path`, prepares it on `device` and makes a session for it.
    /// Errors of loadTflite, Device::prepareModel and `create`.
    [[nodiscard]] NNBURST_EXPORT static Result<Session> open(Device& device,
                                                             const std::string& path,
                                                             const SessionOptions& options = {});
    /// The same for a model that was already imported or built.
    [[nodiscard]] NNBURST_EXPORT static Result<Session> create(Device& device,
                                                               const TfliteModel& model,
                                                               const SessionOptions& options = {});
    [[nodiscard]] NNBURST_EXPORT static Result<Session> create(Device& device, const Model& model,
                                                               const SessionOptions& options = {});
    /// The same for a model that was already prepared, for instance from a cache
    /// (prepareModelFromCache); `signature` must be that of the model. INVALID_ARGUMENT if
    /// SessionOptions::inputDimensions lacks unspecified dimensions of an input, if an operand's
    /// size is not known (types of extensions), or if the two ends of a state differ;
    /// RESOURCE_EXHAUSTED_TRANSIENT for lack of shared memory.
    [[nodiscard]] NNBURST_EXPORT static Result<Session> create(SharedPreparedModel prepared,
                                                               ModelSignature signature,
                                                               const SessionOptions& options = {});

    NNBURST_EXPORT Session(Session&&) noexcept;
    NNBURST_EXPORT Session& operator=(Session&&) noexcept;
    NNBURST_EXPORT ~Session();

    /// The inputs and outputs, without states. Where the model leaves dimensions of an output
    /// unspecified, they are those of the last run.
    [[nodiscard]] NNBURST_EXPORT std::span<const NamedOperand> inputs() const noexcept;
    [[nodiscard]] NNBURST_EXPORT std::span<const NamedOperand> outputs() const noexcept;

    /// The elements of an input, to be written while no run is under way. They keep their values
    /// from one run to the next. `T` is a C++ type that isElementOf allows. INVALID_ARGUMENT for an
    /// unknown name or another type; the message says what the session has.
    template <class T>
    [[nodiscard]] Result<std::span<T>> input(std::string_view name) {
        return as<T>(inputBytes(name, elementTypeOf<T>()));
    }
    template <class T>
    [[nodiscard]] Result<std::span<T>> input(std::size_t index = 0) {
        return as<T>(inputBytes(index, elementTypeOf<T>()));
    }

    /// The elements of an output after a run. If the model leaves its dimensions unspecified, the
    /// span is valid until the next run: ask for it after each run.
    template <class T>
    [[nodiscard]] Result<std::span<const T>> output(std::string_view name) const {
        return as<const T>(outputBytes(name, elementTypeOf<T>()));
    }
    template <class T>
    [[nodiscard]] Result<std::span<const T>> output(std::size_t index = 0) const {
        return as<const T>(outputBytes(index, elementTypeOf<T>()));
    }

    /// Runs the model and waits for its end. Errors of Burst::execute. After an error the contents
    /// of the outputs are undefined, and states are as before the run. RESOURCE_EXHAUSTED_TRANSIENT
    /// if an output of unspecified dimensions needs more than
    /// SessionOptions::maximumOpenOutputBytes; GENERAL_FAILURE if the driver says that it has
    /// written more than its memory.
    [[nodiscard]] NNBURST_EXPORT Result<> run(const OptionalTimePoint& deadline = {});

    /// Starts a run without waiting for its end: `wait` does. Until then inputs and outputs belong
    /// to the driver. At most one run is under way: RESOURCE_EXHAUSTED_TRANSIENT until `wait` has
    /// returned the result of the last one. For more, use several sessions of one prepared model.
    [[nodiscard]] NNBURST_EXPORT Result<> submit(const OptionalTimePoint& deadline = {});
    /// Waits for the end of the submitted run, at the latest until its deadline plus
    /// BurstOptions::deadlineGrace. Returns what `run` would have returned. INVALID_ARGUMENT if no
    /// run was submitted. A run whose outputs of unspecified dimensions did not fit is repeated in
    /// this call, which then takes as long as that run.
    [[nodiscard]] NNBURST_EXPORT Result<> wait();
    /// Waits for at most `timeout`, and then for a repeated run; false if the run is still under
    /// way then. Unlike `wait` without a timeout, it sleeps without spinning, and does not notice
    /// that a driver hangs: give runs a deadline. GENERAL_FAILURE if the driver has no completion
    /// descriptors.
    [[nodiscard]] NNBURST_EXPORT Result<bool> wait(std::chrono::nanoseconds timeout);
    /// True from `submit` until `wait` has returned the result.
    [[nodiscard]] NNBURST_EXPORT bool isRunning() const noexcept;

    /// For event loops: a descriptor that becomes readable once, after `armCompletion`, when the
    /// run that was submitted has ended. See Burst::completionDescriptor, armCompletion and isDone.
    /// Owned by the session; replaceModel replaces it by another one.
    [[nodiscard]] NNBURST_EXPORT Result<int> completionDescriptor();
    /// As Burst::armCompletion. Returns true, without arming it, if `wait` would not block.
    [[nodiscard]] NNBURST_EXPORT Result<bool> armCompletion();
    /// True if a run was submitted and `wait` would return at once, unless it repeats the run.
    [[nodiscard]] NNBURST_EXPORT bool isDone();

    /// True if a run ended with DEVICE_UNAVAILABLE because the driver had not answered in time, and
    /// the driver may still use inputs and outputs: see Burst::isMemoryInUse. Runs are refused
    /// until this is false.
    [[nodiscard]] NNBURST_EXPORT bool isMemoryInUse();
    /// Waits until isMemoryInUse is false: see Burst::waitForMemory.
    [[nodiscard]] NNBURST_EXPORT Result<> waitForMemory(const OptionalTimePoint& deadline = {});

    /// Sets all states to what they were before the first run. RESOURCE_EXHAUSTED_TRANSIENT while a
    /// run is under way or memory is in use.
    [[nodiscard]] NNBURST_EXPORT Result<> resetStates();

    /// Replaces the model by that of `next`, between two runs: by a new version of the model, or by
    /// the same model on another device. Prepare `next` beforehand, on another thread if frames
    /// must not wait. Inputs, outputs and states keep their addresses and contents; the memory of
    /// `next` is freed. The next run is the first one of a new burst: the driver fetches the memory
    /// once. After an error this session is unchanged: INVALID_ARGUMENT if the signatures differ
    /// (then assign `next` to this session, and ask for inputs and outputs again),
    /// RESOURCE_EXHAUSTED_TRANSIENT while a run is under way or memory is in use.
    [[nodiscard]] NNBURST_EXPORT Result<> replaceModel(Session next);

    /// Durations of the last run if SessionOptions::measure is YES, else kTimeNotAvailable.
    [[nodiscard]] NNBURST_EXPORT Timing timing() const noexcept;
    /// See Burst::waitStats.
    [[nodiscard]] NNBURST_EXPORT BurstWaitStats waitStats() const;

  private:
    class Impl;
    explicit Session(std::unique_ptr<Impl> impl) noexcept;

    [[nodiscard]] NNBURST_EXPORT Result<std::span<std::byte>> inputBytes(std::string_view name,
                                                                         ElementType type);
    [[nodiscard]] NNBURST_EXPORT Result<std::span<std::byte>> inputBytes(std::size_t index,
                                                                         ElementType type);
    [[nodiscard]] NNBURST_EXPORT Result<std::span<std::byte>> outputBytes(std::string_view name,
                                                                          ElementType type) const;
    [[nodiscard]] NNBURST_EXPORT Result<std::span<std::byte>> outputBytes(std::size_t index,
                                                                          ElementType type) const;

    /// `bytes`, which are aligned for every element type and a multiple of its size.
    template <class T>
    [[nodiscard]] static Result<std::span<T>> as(const Result<std::span<std::byte>>& bytes) {
        if (!bytes) {
            return tl::unexpected<Error>(bytes.error());
        }
        return std::span<T>(reinterpret_cast<T*>(bytes->data()), bytes->size() / sizeof(T));
    }

    std::unique_ptr<Impl> impl_;
};

}  // namespace nnburst
