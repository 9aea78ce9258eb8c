// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "log/logger.h"

#include <cxxabi.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <utility>

#include "log/nonblocking_output.h"
#include "nnburst/logging.h"

namespace nnburst {

namespace {

/// Passes messages to the application's sink, or else to standard error. The mutex of its base
/// class is held while it does.
class SwitchedSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    void setApplicationSink(LogSink applicationSink) {
        const std::lock_guard lock(mutex_);
        applicationSink_ = std::move(applicationSink);
    }
    void setName(const std::string& name) {
        const std::lock_guard lock(mutex_);
        const std::string pattern = "[%Y-%m-%d %H:%M:%S.%e] [" + name + "] [%^%l%$] %v";
        standardError_.set_pattern(pattern);
        set_pattern_(pattern);
    }
    void setNonblocking() {
        const std::lock_guard lock(mutex_);
        nonblocking_ = NonblockingOutput::create(STDERR_FILENO);
    }

  protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        if (applicationSink_) {
            passToApplication(message);
        } else if (nonblocking_ != nullptr) {
            spdlog::memory_buf_t line;
            formatter_->format(message, line);
            nonblocking_->write({line.data(), line.size()});
        } else {
            standardError_.log(message);
        }
    }
    void flush_() override { standardError_.flush(); }

  private:
    void passToApplication(const spdlog::details::log_msg& message) const {
        try {
            applicationSink_(static_cast<LogLevel>(message.level),
                             {message.payload.data(), message.payload.size()});
        } catch (const abi::__forced_unwind&) {
            throw;  // the thread is being cancelled
        } catch (...) {
            // Logging threads may be unable to handle it: destructors log, too.
        }
    }

    LogSink applicationSink_;
    std::unique_ptr<NonblockingOutput> nonblocking_;  // instead of standardError_
    spdlog::sinks::stderr_color_sink_mt standardError_;
};

static_assert(static_cast<int>(LogLevel::TRACE) == spdlog::level::trace &&
              static_cast<int>(LogLevel::DEBUGGING) == spdlog::level::debug &&
              static_cast<int>(LogLevel::INFO) == spdlog::level::info &&
              static_cast<int>(LogLevel::WARNING) == spdlog::level::warn &&
              static_cast<int>(LogLevel::ERROR) == spdlog::level::err &&
              static_cast<int>(LogLevel::CRITICAL) == spdlog::level::critical &&
              static_cast<int>(LogLevel::OFF) == spdlog::level::off);

/// Never destroyed, as the logger: threads may log while the process exits.
SwitchedSink& sink() {
    static auto* const instance = new SwitchedSink;
    return *instance;
}

spdlog::logger& makeLogger() {
    return *new spdlog::logger("nnburst",
                               std::shared_ptr<SwitchedSink>(&sink(), [](SwitchedSink*) {}));
}

}  // namespace

spdlog::logger& logger() noexcept {
    static spdlog::logger& instance = makeLogger();
    return instance;
}

void setLogName(const std::string& name) {
    sink().setName(name);
}

void setLogNonblocking() {
    sink().setNonblocking();
}

void setLogSink(LogSink applicationSink) {
    sink().setApplicationSink(std::move(applicationSink));
}

void setLogLevel(LogLevel level) noexcept {
    logger().set_level(static_cast<spdlog::level::level_enum>(level));
}

LogLevel logLevel() noexcept {
    return static_cast<LogLevel>(logger().level());
}

}  // namespace nnburst
