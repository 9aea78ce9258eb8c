// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <string_view>

namespace nnburst::serve {
namespace {

/// A value of a label: the format escapes these three characters.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\' || c == '"') {
            result += '\\';
        }
        result += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return result;
}

class MetricsText {
  public:
    void begin(const char* name, const char* type, const char* help) {
        name_ = name;
        fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                       type);
    }
    template <class Value>
    void add(const std::string& labels, Value value) {
        fmt::format_to(std::back_inserter(text_), "{}{}{}{} {}\n", name_, labels.empty() ? "" : "{",
                       labels, labels.empty() ? "" : "}", value);
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    const char* name_ = "";
    std::string text_;
};

std::string labelsOf(const ModelVersion& model) {
    return fmt::format("model=\"{}\",version=\"{}\"", escaped(model.name), model.version);
}

double seconds(const Total& total) {
    return std::chrono::duration<double>(total.time).count();
}

}  // namespace

std::string metricsText(const ServerState& state) {
    MetricsText text;
    const auto models = state.repository.all();
    text.begin("nnburst_serve_inferences_total", "counter", "Inferences that have ended.");
    for (const auto& model : models) {
        const Statistics statistics = model->statistics.statistics();
        text.add(labelsOf(*model) + ",result=\"success\"", statistics.success.count);
        text.add(labelsOf(*model) + ",result=\"failure\"", statistics.failure.count);
    }
    text.begin("nnburst_serve_inference_seconds_total", "counter",
               "Time of inferences that succeeded, by phase.");
    for (const auto& model : models) {
        const Statistics statistics = model->statistics.statistics();
        text.add(labelsOf(*model) + ",phase=\"queue\"", seconds(statistics.queue));
        text.add(labelsOf(*model) + ",phase=\"input\"", seconds(statistics.input));
        text.add(labelsOf(*model) + ",phase=\"run\"", seconds(statistics.run));
        text.add(labelsOf(*model) + ",phase=\"output\"", seconds(statistics.output));
    }
    text.begin("nnburst_serve_retries_total", "counter",
               "Runs that were repeated because the driver was lost.");
    for (const auto& model : models) {
        text.add(labelsOf(*model), model->statistics.statistics().retries);
    }
    text.begin("nnburst_serve_waiting_requests", "gauge", "Requests that wait for a session.");
    for (const auto& model : models) {
        text.add(labelsOf(*model), model->pool.waiting());
    }
    text.begin("nnburst_serve_sessions", "gauge", "Sessions of a model.");
    for (const auto& model : models) {
        text.add(labelsOf(*model), model->pool.size());
    }
    text.begin("nnburst_serve_ready", "gauge", "1 if the server is ready for requests.");
    text.add("", state.isReady() ? 1 : 0);
    if (state.driver != nullptr) {
        text.begin("nnburst_serve_driver_up", "gauge", "1 if there is a driver.");
        text.add("", state.driver->state() == DriverState::SERVING ? 1 : 0);
        text.begin("nnburst_serve_driver_losses_total", "counter", "Drivers that were lost.");
        text.add("", state.driver->supervisionStats().losses);
    }
    return text.take();
}

}  // namespace nnburst::serve
