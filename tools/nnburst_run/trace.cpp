// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/trace.h"

#include <algorithm>

#include "report/json.h"

namespace nnburst::run {

namespace {

using tools::Json;

/// The row of client calls; those of the device have the numbers of its threads.
constexpr std::uint32_t kCallsRow = 1;

class Trace {
  public:
    explicit Trace(std::uint64_t begin) : begin_(begin) {}

    void nameProcess(std::uint32_t process, const char* name) {
        events_.push_back(
            {{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"args", {{"name", name}}}});
    }
    Json& add(const std::string& name, const char* category, std::uint32_t process,
              std::uint32_t thread, std::uint64_t beginNs, std::uint64_t endNs) {
        events_.push_back({{"name", name},
                           {"cat", category},
                           {"ph", "X"},
                           {"pid", process},
                           {"tid", thread},
                           {"ts", static_cast<double>(beginNs - begin_) * 1e-3},
                           {"dur", static_cast<double>(endNs - beginNs) * 1e-3}});
        return events_.back();
    }
    [[nodiscard]] std::string text() && {
        return tools::toText({{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events_)}});
    }

  private:
    std::uint64_t begin_;
    Json events_ = Json::array();
};

}  // namespace

std::string traceOf(const RecordedProfile& profile, std::span<const ClientCall> calls,
                    std::uint32_t clientProcess) {
    std::uint64_t begin = UINT64_MAX;
    for (const ClientCall& call : calls) {
        begin = std::min(begin, call.beginNs);
    }
    for (const StepRun& run : profile.runs) {
        begin = std::min(begin, run.beginNs);
    }
    Trace trace(begin);
    trace.nameProcess(clientProcess, profile.process == clientProcess
                                         ? "nnburst-run with a local device"
                                         : "nnburst-run");
    if (profile.process != clientProcess) {
        trace.nameProcess(profile.process, "nnburst-driver");
    }
    for (const ClientCall& call : calls) {
        trace.add("execute", "client", clientProcess, kCallsRow, call.beginNs, call.endNs);
    }
    for (const StepRun& run : profile.runs) {
        if (run.step == exec::kWholeExecution) {
            trace.add("execution", "device", profile.process, run.thread, run.beginNs, run.endNs);
            continue;
        }
        const DescribedStep& step = profile.steps[run.step];
        trace.add(operationText(step), "operation", profile.process, run.thread, run.beginNs,
                  run.endNs)["args"] = {{"operation", step.operation},
                                        {"kernels", toString(step.library)},
                                        {"kernel", step.kernel},
                                        {"inputBytes", step.inputBytes},
                                        {"constantBytes", step.constantBytes},
                                        {"outputBytes", step.outputBytes}};
    }
    return std::move(trace).text();
}

}  // namespace nnburst::run
