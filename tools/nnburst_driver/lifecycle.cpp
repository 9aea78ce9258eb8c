// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "lifecycle.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>

#include "device/rpc/kj_conversions.h"
#include "log/logger.h"

namespace nnburst {

namespace {

/// How often the number of clients is reported to the service manager.
constexpr std::chrono::seconds kReportInterval{10};
constexpr kj::Duration kForLastAnswers = 20 * kj::MILLISECONDS;

}  // namespace

bool Lifecycle::run(kj::Promise<void> gone, std::chrono::milliseconds drainTimeout,
                    const std::function<void()>& stopAccepting) {
    kj::Promise<void> reports = manager_.isConnected() ? report().eagerlyEvaluate(nullptr)
                                                       : kj::Promise<void>(kj::READY_NOW);
    kj::Promise<void> stopped = stopSignal().exclusiveJoin(kj::mv(stopRequest_.promise)).then([&] {
        stopAccepting();
        isReadySent_ = true;
        (void)manager_.notify(fmt::format("STOPPING=1\nSTATUS=Finishing the work of {} clients",
                                          serving_.clientCount()));
        return drain(drainTimeout);
    });
    loop_.run(gone.exclusiveJoin(kj::mv(stopped)));
    // Answers that are ready go to the sockets. Not until nothing is left to do: clients that send
    // without pause always have something.
    loop_.run(loop_.timer().afterDelay(kForLastAnswers));
    return !isWorkLeft_;
}

kj::Promise<void> Lifecycle::stopSignal() {
    const auto signalled = [this](int number) {
        return loop_.io().unixEventPort.onSignal(number).then([number](auto&&) {
            logger().info("stopping: {}", ::strsignal(number));  // NOLINT(concurrency-mt-unsafe)
        });
    };
    return signalled(SIGTERM).exclusiveJoin(signalled(SIGINT));
}

kj::Promise<void> Lifecycle::drain(std::chrono::milliseconds timeout) {
    const auto leave = [this](const char* why) {
        logger().warn("work of clients is left unfinished: {}", why);
        isWorkLeft_ = true;
    };
    return serving_.drain()
        .exclusiveJoin(stopSignal().then([leave] { leave("a second signal came"); }))
        .exclusiveJoin(loop_.timer().afterDelay(device::toKj(timeout)).then([leave] {
            leave("the time of --drain-timeout is over");
        }));
}

/// Also the sign of life of the event loop, which a watchdog of the service manager waits for. Says
/// that the driver is ready until one report has reached the manager, or a signal stops the driver.
kj::Promise<void> Lifecycle::report() {
    const auto watchdog = manager_.watchdogTime();
    const bool isSent = manager_.notify(
        fmt::format("{}{}STATUS=Serving {} clients", isReadySent_ ? "" : "READY=1\n",
                    watchdog.count() > 0 ? "WATCHDOG=1\n" : "", serving_.clientCount()));
    isReadySent_ = isReadySent_ || isSent;
    const std::chrono::microseconds interval =
        watchdog.count() > 0 ? std::min<std::chrono::microseconds>(kReportInterval, watchdog / 3)
                             : kReportInterval;
    return loop_.timer().afterDelay(device::toKj(interval)).then([this] { return report(); });
}

}  // namespace nnburst
