// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/report.h"
#include "report/json.h"
#include "support/latency.h"

namespace nnburst::stream {

namespace {

using tools::Json;
using tools::microseconds;
using tools::orNull;

Json jsonOf(const Distribution& distribution) {
    if (distribution.count() == 0) {
        return nullptr;
    }
    const Summary summary = summarise(distribution);
    const ShownPercentiles shown = shownPercentiles(summary);
    return {{"count", summary.count},
            {"first", summary.first},
            {"curr", summary.last},
            {"min", summary.min},
            {"max", summary.max},
            {"avg", summary.mean},
            {"std", summary.standardDeviation},
            {"p50", summary.p50},
            {"p90", orNull(shown.p90)},
            {"p99", orNull(shown.p99)},
            {"p99.9", orNull(shown.p999)}};
}

Json jsonOf(const ProcessorTime& time) {
    return {{"usPerFrame", time.perFrame}, {"share", time.share}};
}

Json jsonOf(const ClientFigures& client) {
    return {{"client", client.client},
            {"p50", client.p50},
            {"p99", orNull(client.p99)},
            {"framesPerSecond", client.throughput}};
}

Json jsonOf(const WaitRates& rates) {
    Json json;
    for (std::size_t i = 0; i < kWaitStats.size(); ++i) {
        const WaitStat& stat = kWaitStats[i];
        json[stat.name + std::string(stat.time != nullptr ? "Share" : "PerFrame")] = rates[i];
    }
    return json;
}

Json jsonOf(const BurstWaitRates& waits) {
    Json json;
    for (const auto& [side, rates] : sidesOf(waits)) {
        json[side] = jsonOf(rates);
    }
    return json;
}

Json histogramOf(const Distribution& distribution) {
    Json buckets = Json::array();
    for (const Histogram::Bucket& bucket : distribution.histogram().buckets()) {
        buckets.push_back({microseconds(bucket.begin), microseconds(bucket.end), bucket.count});
    }
    return buckets;
}

Json seriesOf(const TimeSeries& series) {
    Json points = Json::array();
    for (const TimeSeries::Point& point : series.points()) {
        points.push_back({std::chrono::duration<double>(point.time).count(),
                          microseconds(point.min), point.mean() * 1e-3, microseconds(point.max)});
    }
    return points;
}

Json jsonOf(const Options& options) {
    Json baselines = Json::array();
    for (const Path path : options.baselines) {
        baselines.push_back(toString(path));
    }
    return {{"model", options.model},
            {"device", options.device},
            {"rateHz", orNull(options.rate)},
            {"seconds", orNull(options.seconds)},
            {"frames", orNull(options.frames)},
            {"clients", options.clients},
            {"inFlight", options.inFlight},
            {"wait", toString(options.wait)},
            {"plain", options.isPlain},
            {"threads", options.threads},
            {"warmUp", options.warmUp},
            {"deadlineMs", orNull(options.deadlineMs)},
            {"baselines", baselines},
            {"inputs", options.inputs.empty() ? Json(nullptr) : Json(options.inputs)},
            {"realtime", options.realtime},
            {"processors", options.processors}};
}

Json jsonOf(const PathReport& path, const Report& report) {
    // The keys say "way", as programs read them.
    Json json{{"way", toString(path.path)},
              {"latencyUs", jsonOf(path.latency)},
              {"warmUpUs", jsonOf(path.warmUp)},
              {"jitterUs", jsonOf(path.jitter)},
              {"misses",
               {{"refused", path.misses.refused},
                {"late", path.misses.late},
                {"unsent", path.misses.unsent}}},
              {"framesPerSecond", path.throughput},
              {"mostInFlight", path.mostInFlight},
              {"fastestClient", jsonOf(path.fastest)},
              {"slowestClient", jsonOf(path.slowest)}};
    json["processorTime"]["client"] = jsonOf(path.clientProcessor);
    json["processorTime"]["driver"] =
        path.driverProcessor ? jsonOf(*path.driverProcessor) : Json(report.noDriverProcessor);
    json["waits"] = path.waits ? jsonOf(*path.waits) : Json(nullptr);
    if (path.calls) {
        json["systemCallsPerFrame"] = {{"client", path.calls->client},
                                       {"driver", orNull(path.calls->driver)}};
    } else {
        json["systemCallsPerFrame"] = "not counted: " + report.noCalls;
    }
    json["timeInDriverUs"] = jsonOf(path.timeInDriver);
    json["timeOnDeviceUs"] = jsonOf(path.timeOnDevice);
    json["histogramUs"] = histogramOf(path.latency);
    json["seriesOfFirstClient"] = seriesOf(path.series);
    return json;
}

}  // namespace

std::string toJson(const Report& report) {
    Json json = tools::benchmarkJson(report.context, benchmarkRows(report));
    json.update(
        {{"settings", jsonOf(report.options)},
         {"machine",
          {{"processor", report.processor},
           {"processors", report.processors},
           {"kernel", report.kernel}}},
         {"deviceVersion", report.deviceVersion},
         {"frameBytes", report.frameBytes},
         {"initUs", microseconds(report.initTime)},
         {"firstInferenceUs", microseconds(report.firstInference)},
         {"realtimeGranted", orNull(report.isRealtimeGranted)},
         {"isStopped", report.isStopped},
         {"failure", report.failure.empty() ? Json(nullptr) : Json(report.failure)},
         {"verdict", verdictText(report)},
         {"memoryBytes",
          {{"client", report.clientMemory == 0 ? Json(nullptr) : Json(report.clientMemory)},
           {"driver", report.driverMemory == 0 ? Json(nullptr) : Json(report.driverMemory)}}},
         {"isSameOnAllWays", report.isSameOnAllPaths},
         {"ways", Json::array()}});
    for (const PathReport& path : report.paths) {
        json["ways"].push_back(jsonOf(path, report));
    }
    return tools::toText(json);
}

}  // namespace nnburst::stream
