// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/logging.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>

#include "log/verbose.h"

namespace nnburst {
namespace {

/// Captures the log while it exists.
class CapturedLog {
  public:
    CapturedLog() : before_(spdlog::default_logger()) {
        spdlog::set_default_logger(std::make_shared<spdlog::logger>(
            "test", std::make_shared<spdlog::sinks::ostream_sink_st>(stream_)));
    }
    ~CapturedLog() {
        spdlog::set_default_logger(before_);
        setVerboseLogging("");
    }
    CapturedLog(const CapturedLog&) = delete;
    CapturedLog& operator=(const CapturedLog&) = delete;
    [[nodiscard]] std::string text() const { return stream_.str(); }

  private:
    std::shared_ptr<spdlog::logger> before_;
    std::ostringstream stream_;
};

TEST(VerboseLogging, takesTagsWithAnySeparator) {
    const CapturedLog log;
    for (const char* tags : {"model driver", "driver,model", "driver:model", ": model,,driver "}) {
        setVerboseLogging(tags);
        EXPECT_EQ(verboseLogging(), "driver model") << tags;
    }
    for (const char* tags : {"1", "all", "model all"}) {
        setVerboseLogging(tags);
        EXPECT_EQ(verboseLogging(), "compilation cpuexe driver execution manager model");
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
