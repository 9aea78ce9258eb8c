// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Measures the paths from a client to the kernels beside each other.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst_stream/frame_bank.h"
#include "nnburst_stream/options.h"
#include "nnburst_stream/recorder.h"
#include "nnburst_stream/segment.h"
#include "nnburst_stream/target.h"
#include "support/processor_time.h"

namespace nnburst::stream {

/// The measurement of one path.
struct PathMeasurement {
    Path path = Path::BURST;
    std::vector<Recorder> clients;
    std::uint64_t frames = 0;               ///< sent by all clients, with those of the warm-up
    std::chrono::nanoseconds clientTime{};  ///< processor time of this process
    std::chrono::nanoseconds driverTime{};  ///< and of the driver, if its clock is known
    std::chrono::nanoseconds elapsed{};     ///< of all segments
};

/// Called a few times a second while clients are sending. Of the measurement only the latencies'
/// histograms may be read meanwhile. `elapsed` is the time of this path's segments so far, `left`
/// that of all segments of all paths that are still to come, if it can be estimated.
using ProgressCallback =
    std::function<void(const PathMeasurement& measurement, std::chrono::nanoseconds elapsed,
                       std::optional<std::chrono::nanoseconds> left)>;

/// The measurements until the end or the first error.
struct Measurements {
    std::vector<PathMeasurement> paths;
    Result<> result;
};

/// Opens the devices, has a target of each client on each path, and measures the paths in
/// alternating segments. Movable, except during a measurement. Not thread-safe.
class PathComparison {
  public:
    /// Opens the devices and prepares everything. Model and frames must outlive this object.
    [[nodiscard]] static Result<PathComparison> create(const Options& options,
                                                       const TfliteModel& model,
                                                       const FrameBank& frames);

    /// Whether the outputs of some frames are the same on all paths, bit for bit. To be called
    /// before frames are sent.
    [[nodiscard]] Result<bool> compareOutputs();

    /// Measures all rounds, or until `stop` is set, or until a frame fails, as when the driver
    /// ends. Errors after a stop are ignored: the cause of the stop may have stopped the driver,
    /// too.
    [[nodiscard]] Measurements measure(const std::atomic<bool>& stop,
                                       const ProgressCallback& progress);

    /// Measures the timing of some frames on the first client's device, while it does nothing else.
    /// A frame takes about `perFrame`.
    [[nodiscard]] Result<Recorder> measureTiming(Path path, std::chrono::nanoseconds perFrame,
                                                 const std::atomic<bool>& stop);

    /// The first client's target of a path.
    [[nodiscard]] Target& target(Path path);

    [[nodiscard]] const std::string& deviceVersion() const noexcept { return deviceVersion_; }
    /// Opening the first client's device, and preparing the model in it.
    [[nodiscard]] std::chrono::nanoseconds initTime() const noexcept { return initTime_; }
    /// The duration of the very first execution, on the burst.
    [[nodiscard]] std::chrono::nanoseconds firstInference() const noexcept {
        return firstInference_;
    }
    /// The driver that this program has started, with the processes that run beside it if
    /// NNBURST_DRIVER names a script; none if this program has started none.
    [[nodiscard]] const std::vector<pid_t>& driverProcesses() const noexcept {
        return driverProcesses_;
    }
    /// The clocks of these processes; an error with the reason if there is none.
    [[nodiscard]] const Result<std::vector<tools::ProcessorClock>>& driverClocks() const noexcept {
        return driverClocks_;
    }
    /// Whether that driver has a thread with a real-time policy. To be called after a frame was
    /// sent on a burst.
    [[nodiscard]] bool hasRealtimeDriver() const;

  private:
    PathComparison(const Options& options, const FrameBank& frames)
        : options_(&options), frames_(&frames) {}

    Result<> open(const TfliteModel& model);
    /// Finds the driver that was started after the children `before`.
    void findDriver(const std::vector<pid_t>& before);
    /// The time of all segments that are still to come, if it can be estimated.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> timeLeft(
        const std::vector<PathMeasurement>& measurements, std::chrono::nanoseconds ofSegment) const;
    Result<> runSegment(PathMeasurement& measurement, std::vector<Target>& targets, Segment segment,
                        const std::atomic<bool>& stop, const ProgressCallback& progress,
                        const std::vector<PathMeasurement>& all) const;

    const Options* options_;
    const FrameBank* frames_;
    std::vector<SharedDevice> devices_;         ///< one for all clients, or one for each
    std::vector<std::vector<Target>> targets_;  ///< by path, then by client
    Result<std::vector<tools::ProcessorClock>> driverClocks_ =
        failure(ErrorStatus::GENERAL_FAILURE, "there is no driver process");
    std::vector<pid_t> driverProcesses_;
    std::string deviceVersion_;
    std::chrono::nanoseconds initTime_{};
    std::chrono::nanoseconds firstInference_{};
};

}  // namespace nnburst::stream
