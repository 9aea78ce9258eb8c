// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/logging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>

#include "log/client_log.h"
#include "log/logger.h"
#include "log/verbose.h"

namespace nnburst {
namespace {

/// Captures the log while it exists.
class CapturedLog {
  public:
    CapturedLog() {
        setLogSink([this](LogLevel level, std::string_view message) {
            text_.append(toString(level)).append(": ").append(message).append("\n");
        });
    }
    ~CapturedLog() {
        setLogSink({});
        setLogLevel(LogLevel::INFO);
        setVerboseLogging("");
    }
    CapturedLog(const CapturedLog&) = delete;
    CapturedLog& operator=(const CapturedLog&) = delete;
    [[nodiscard]] std::string text() const { return text_; }

  private:
    std::string text_;
};

TEST(Logging, givesMessagesToTheSinkOfTheApplication) {
    const CapturedLog log;
    testing::internal::CaptureStderr();
    logger().warn("buffer {} is late", 3);
    logger().critical("{}", "the end");
    EXPECT_EQ(log.text(), "warning: buffer 3 is late\ncritical: the end\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Logging, writesToStandardErrorAndNeverToStandardOutputWithoutASink) {
    { const CapturedLog gone; }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    logger().info("hello");
    setVerboseLogging("model");
    NNBURST_VLOG(MODEL, "number {}", 1);
    setVerboseLogging("");
    logger().flush();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("[nnburst] [info] hello"), std::string::npos) << text;
    EXPECT_NE(text.find("[info] [MODEL] number 1"), std::string::npos) << text;
}

TEST(Logging, leavesOutMessagesBelowItsLevel) {
    const CapturedLog log;
    EXPECT_EQ(logLevel(), LogLevel::INFO);
    logger().debug("1");
    setLogLevel(LogLevel::DEBUGGING);
    logger().debug("2");
    setLogLevel(LogLevel::ERROR);
    logger().warn("3");
    logger().error("4");
    setLogLevel(LogLevel::OFF);
    logger().critical("5");
    EXPECT_EQ(log.text(), "debug: 2\nerror: 4\n");
    EXPECT_EQ(logLevel(), LogLevel::OFF);
}

TEST(Logging, survivesASinkThatThrows) {
    const CapturedLog log;
    setLogSink([](LogLevel, std::string_view) { throw std::runtime_error("disk full"); });
    logger().warn("1");
    setLogSink({});
}

TEST(Logging, survivesASinkThatThrowsWhatIsNoStandardException) {
    const CapturedLog log;
    int count = 0;
    setLogSink([&count](LogLevel, std::string_view) { throw ++count; });
    testing::internal::CaptureStderr();
    EXPECT_NO_THROW(logger().warn("1"));
    EXPECT_NO_THROW(logger().warn("2"));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "spdlog writes there what it catches";
    EXPECT_EQ(count, 2);
    setLogSink({});
}

TEST(Logging, callsTheSinkNoMoreWhenAnotherIsSet) {
    const CapturedLog log;
    std::atomic<bool> isGone{false};
    std::atomic<bool> isWrong{false};
    std::atomic<bool> isEnding{false};
    setLogSink([&](LogLevel, std::string_view) { isWrong = isWrong || isGone; });
    std::thread other([&] {
        while (!isEnding) {
            logger().warn("x");
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    setLogSink([](LogLevel, std::string_view) {});
    isGone = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    isEnding = true;
    other.join();
    EXPECT_FALSE(isWrong);
}

TEST(ClientLog, leavesOutLinesBeyondTheLimitOfASecondAndCountsThem) {
    const CapturedLog captured;
    ClientLog log;
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] { return std::chrono::steady_clock::now() - start; };
    std::size_t given = 0;
    while (captured.text().find("left out") == std::string::npos &&
           elapsed() < std::chrono::seconds(60)) {
        log.write(LogLevel::INFO, "line " + std::to_string(++given));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed()).count();
    const std::string text = captured.text();
    const auto written = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
    EXPECT_LE(written, ClientLog::kLinesPerSecond * static_cast<std::size_t>(seconds + 1));
    EXPECT_NE(text.find("warning: " + std::to_string(given - written) +
                        " lines about clients were left out: at most 50 are logged in a second\n"
                        "info: line " +
                        std::to_string(given) + "\n"),
              std::string::npos)
        << text;
}

TEST(VerboseLogging, takesTagsWithAnySeparator) {
    const CapturedLog log;
    for (const char* tags : {"model driver", "driver,model", "driver:model", ": model,,driver "}) {
        setVerboseLogging(tags);
        EXPECT_EQ(verboseLogging(), "driver model") << tags;
    }
    for (const char* tags : {"1", "all", "model all"}) {
        setVerboseLogging(tags);
        EXPECT_EQ(verboseLogging(),
                  "compilation cpuexe driver execution manager model partitioning");
    }
    setVerboseLogging("");
    EXPECT_EQ(verboseLogging(), "");
    EXPECT_EQ(log.text(), "");
}

TEST(VerboseLogging, namesTagsThatItDoesNotKnow) {
    const CapturedLog log;
    setVerboseLogging("model,burstiness");
    EXPECT_EQ(verboseLogging(), "model");
    EXPECT_NE(log.text().find("burstiness"), std::string::npos);
}

TEST(VerboseLogging, writesWhatIsOnAndFormatsNothingElse) {
    const CapturedLog log;
    int formatted = 0;
    const auto count = [&] { return ++formatted; };
    NNBURST_VLOG(MODEL, "number {}", count());
    EXPECT_EQ(formatted, 0);
    setVerboseLogging("model");
    NNBURST_VLOG(MODEL, "number {}", count());
    NNBURST_VLOG(DRIVER, "number {}", count());
    EXPECT_EQ(formatted, 1);
    EXPECT_NE(log.text().find("[MODEL] number 1"), std::string::npos) << log.text();
}

}  // namespace
}  // namespace nnburst
