// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/path_comparison.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <random>
#include <system_error>
#include <thread>

#include "support/device_source.h"

namespace nnburst::stream {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Frames whose outputs are compared.
constexpr std::size_t kComparedFrames = 4;
/// Frames whose timing is measured.
constexpr std::uint64_t kTimedFrames = 50;
/// Frames at the beginning of later segments that are not measured, as sleepers wake up.
constexpr std::uint64_t kWakingFrames = 3;
/// The pause between segments is longer than a driver spins for the next frame.
constexpr std::chrono::nanoseconds kPauseBetweenSegments = 15ms;
/// Time for threads to start before the first frame is due.
constexpr std::chrono::nanoseconds kStartOfThreads = 2ms;
constexpr std::chrono::nanoseconds kProgressInterval = 200ms;

Result<std::uint64_t> sendAsClient(Target& target, const Segment& segment, Recorder& recorder,
                                   const std::atomic<bool>& stop) {
    useExactTimers();
    return sendSegment(target, segment, recorder, stop);
}

/// Whether a thread of `process` has a real-time policy.
bool hasRealtimeThread(pid_t process) {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), error)) {
        const int policy = ::sched_getscheduler(std::stoi(entry.path().filename()));
        if (policy == SCHED_FIFO || policy == SCHED_RR) {
            return true;
        }
    }
    return false;
}

using SendingClients = std::vector<std::future<Result<>>>;

/// Starts a thread for each target; the first frames are spread over a period. Sets `isOver` if a
/// thread cannot be started or a frame fails, which ends the other clients.
Result<> startClients(std::vector<Target>& targets, Segment segment,
                      std::vector<Recorder>& recorders, std::atomic<bool>& isOver,
                      SendingClients& clients) {
    const auto count = static_cast<std::int64_t>(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        try {
            clients.push_back(std::async(std::launch::async, [&, i, segment]() -> Result<> {
                const auto sent = sendAsClient(targets[i], segment, recorders[i], isOver);
                if (!sent) {
                    isOver = true;
                    return tl::unexpected<Error>(sent.error());
                }
                return {};
            }));
        } catch (const std::system_error& error) {
            isOver = true;
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           fmt::format("cannot start the thread of client {} of {}: {}", i + 1,
                                       targets.size(), error.what()));
        }
        segment.start += segment.period.value_or(0ns) / count;
    }
    return {};
}

/// Frames that a client has sent so far, as far as it has recorded them.
std::uint64_t sentFrames(const Recorder& recorder) {
    return recorder.latency().count() + recorder.warmUp().count() - recorder.misses().unsent;
}

}  // namespace

Result<PathComparison> PathComparison::create(const Options& options, const TfliteModel& model,
                                              const FrameBank& frames) {
    PathComparison comparison(options, frames);
    NNBURST_TRY(comparison.open(model));
    return comparison;
}

void PathComparison::findDriver(const std::vector<pid_t>& before) {
    const Result<pid_t> process = tools::newChildProcess(before);
    if (!process) {
        driverClocks_ = tl::unexpected<Error>(process.error());
        return;
    }
    // The process may be a script that runs the driver.
    driverProcesses_ = tools::processesOfGroup(*process);
    std::vector<tools::ProcessorClock> clocks;
    for (const pid_t member : driverProcesses_) {
        if (const auto clock = tools::ProcessorClock::of(member)) {
            clocks.push_back(*clock);
        }
    }
    driverClocks_ = std::move(clocks);
}

Result<> PathComparison::open(const TfliteModel& model) {
    DriverOptions driver{.threads = options_->threads};
    const std::vector<pid_t> before = tools::childProcesses();
    DriverOptions spawned = driver;
    spawned.processors = options_->processors;
    spawned.realtimePriority = options_->realtime;
    for (std::uint32_t i = 0; i < (options_->makesDevice() ? 1 : options_->clients); ++i) {
        const auto start = steady_clock::now();
        NNBURST_TRY_ASSIGN(SharedDevice device, tools::openDevice(options_->device, spawned));
        devices_.push_back(std::move(device));
        initTime_ = i == 0 ? steady_clock::now() - start : initTime_;
    }
    if (options_->device == "spawn") {
        findDriver(before);
    } else if (!options_->makesDevice()) {
        driverClocks_ =
            failure(ErrorStatus::GENERAL_FAILURE, "the driver was not started by this program");
    }
    NNBURST_TRY_ASSIGN(deviceVersion_, devices_.front()->getVersionString());
    SharedDevice local;
    for (const Path path : options_->paths()) {
        if (path == Path::IN_PROCESS) {
            NNBURST_TRY_ASSIGN(local, makeLocalDevice(driver));
        }
        std::vector<Target>& targets = targets_.emplace_back();
        for (std::uint32_t i = 0; i < options_->clients; ++i) {
            Device& device = path == Path::IN_PROCESS ? *local : *devices_[i % devices_.size()];
            const auto start = steady_clock::now();
            NNBURST_TRY_ASSIGN(Target target,
                               Target::create(path, device, model, *frames_, *options_));
            targets.push_back(std::move(target));
            if (targets_.size() == 1 && i == 0) {
                initTime_ += steady_clock::now() - start;
            }
        }
    }
    return {};
}

bool PathComparison::hasRealtimeDriver() const {
    return std::ranges::any_of(driverProcesses_, hasRealtimeThread);
}

Target& PathComparison::target(Path path) {
    const std::vector<Path> paths = options_->paths();
    const auto index = static_cast<std::size_t>(std::ranges::find(paths, path) - paths.begin());
    return targets_[index].front();
}

Result<bool> PathComparison::compareOutputs() {
    std::vector<std::uint64_t> expected;
    bool isSame = true;
    bool isFirstPath = true;
    for (const Path path : options_->paths()) {
        Target& sender = target(path);
        for (std::size_t number = 0; number < std::min(frames_->size(), kComparedFrames);
             ++number) {
            const std::size_t buffer = number % sender.bufferCount();
            sender.write(buffer, number);
            const auto start = steady_clock::now();
            NNBURST_TRY(sender.send(buffer, std::nullopt));
            NNBURST_TRY(sender.collect(buffer));
            const auto latency = steady_clock::now() - start;
            const std::uint64_t checksum = sender.checksumOfOutputs(buffer);
            sender.finish();
            if (isFirstPath) {
                expected.push_back(checksum);
                firstInference_ = number == 0 ? latency : firstInference_;
            }
            isSame = isSame && checksum == expected[number];
        }
        isFirstPath = false;
    }
    return isSame;
}

Measurements PathComparison::measure(const std::atomic<bool>& stop,
                                     const ProgressCallback& progress) {
    const std::vector<Path> paths = options_->paths();
    const TimePoint begin = steady_clock::now();
    Measurements measured;
    std::vector<PathMeasurement>& measurements = measured.paths;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        PathMeasurement& measurement = measurements.emplace_back();
        measurement.path = paths[i];
        for (std::uint32_t client = 0; client < options_->clients; ++client) {
            measurement.clients.emplace_back(begin, options_->period(), options_->deadline());
        }
        order.push_back(i);
    }
    std::mt19937 random(1);  // the same orders each time
    const std::vector<SegmentLength> lengths = divideIntoSegments(*options_);
    for (std::size_t round = 0; round < lengths.size(); ++round) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order) {
            if (stop) {
                return measured;
            }
            const Segment segment{
                .firstFrame = round,
                .warmUp = round == 0 ? options_->warmUp : std::min(options_->warmUp, kWakingFrames),
                .length = lengths[round],
                .period = options_->period(),
                .deadline = options_->deadline()};
            measured.result =
                runSegment(measurements[i], targets_[i], segment, stop, progress, measurements);
            if (!measured.result) {
                return measured;
            }
            if (paths.size() > 1) {
                std::this_thread::sleep_for(kPauseBetweenSegments);
            }
        }
    }
    return measured;
}

std::optional<std::chrono::nanoseconds> PathComparison::timeLeft(
    const std::vector<PathMeasurement>& measurements, std::chrono::nanoseconds ofSegment) const {
    using Seconds = std::chrono::duration<double>;
    const auto paths = static_cast<double>(measurements.size());
    double elapsed = Seconds(ofSegment).count();
    double frames = 0;
    for (const PathMeasurement& path : measurements) {
        elapsed += Seconds(path.elapsed).count();
        for (const Recorder& client : path.clients) {
            frames += static_cast<double>(client.latency().histogram().count());
        }
    }
    double left = options_->seconds.value_or(0) * paths - elapsed;
    if (options_->frames) {
        if (frames == 0) {
            return std::nullopt;
        }
        const double all =
            static_cast<double>(*options_->frames) * paths * static_cast<double>(options_->clients);
        left = std::max(left, elapsed * (all - frames) / frames);
    }
    return std::chrono::round<std::chrono::nanoseconds>(Seconds(std::max(left, 0.0)));
}

Result<> PathComparison::runSegment(PathMeasurement& measurement, std::vector<Target>& targets,
                                    Segment segment, const std::atomic<bool>& stop,
                                    const ProgressCallback& progress,
                                    const std::vector<PathMeasurement>& all) const {
    const tools::ProcessorClock clientClock = tools::ProcessorClock::ofThisProcess();
    const auto driverNow = [&] {
        std::chrono::nanoseconds time{};
        for (const auto& clock : driverClocks_.value_or(std::vector<tools::ProcessorClock>())) {
            time += clock.now();
        }
        return time;
    };
    const TimePoint begin = steady_clock::now();
    const auto clientBegin = clientClock.now();
    const auto driverBegin = driverNow();
    std::atomic<bool> isOver = false;
    segment.start = begin + kStartOfThreads;
    SendingClients clients;
    Result<> result = startClients(targets, segment, measurement.clients, isOver, clients);
    for (const auto& client : clients) {
        while (client.wait_for(kProgressInterval) != std::future_status::ready) {
            if (stop) {
                isOver = true;
            }
            const auto elapsed = steady_clock::now() - begin;
            progress(measurement, measurement.elapsed + elapsed, timeLeft(all, elapsed));
        }
    }
    measurement.clientTime += clientClock.now() - clientBegin;
    // The clock of a driver that has ended shows zero.
    measurement.driverTime += std::max(driverNow() - driverBegin, 0ns);
    measurement.elapsed += steady_clock::now() - begin;
    for (auto& client : clients) {
        const Result<> sent = client.get();
        if (!sent && !stop && result) {
            result = sent;
        }
    }
    measurement.frames = 0;
    for (const Recorder& client : measurement.clients) {
        measurement.frames += sentFrames(client);
    }
    return result;
}

Result<Recorder> PathComparison::measureTiming(Path path, std::chrono::nanoseconds perFrame,
                                               const std::atomic<bool>& stop) {
    Segment segment = shortSegment(*options_, kTimedFrames, perFrame);
    segment.measure = MeasureTiming::YES;
    Recorder recorder(segment.start, segment.period, segment.deadline);
    NNBURST_TRY(sendSegment(target(path), segment, recorder, stop));
    return recorder;
}

}  // namespace nnburst::stream
