// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The part of the Python package that is written in C++: `nnburst._nnburst`.
#include <pybind11/pybind11.h>

#include <cmath>
#include <limits>

#include "bind.h"
#include "errors.h"
#include "nnburst/logging.h"
#include "nnburst/version.h"

namespace nnburst::python {

std::string pathOf(const pybind11::object& path) {
    const pybind11::bytes encoded = pybind11::module_::import("os").attr("fsencode")(path);
    auto bytes = static_cast<std::string>(encoded);
    if (bytes.find('\0') != std::string::npos) {
        throw pybind11::value_error("the path " + static_cast<std::string>(pybind11::repr(path)) +
                                    " must not have a NUL");
    }
    return bytes;
}

std::optional<std::chrono::nanoseconds> durationOf(std::optional<double> seconds) {
    if (!seconds) {
        return std::nullopt;
    }
    if (std::isnan(*seconds)) {
        throw pybind11::value_error("a time in seconds is not a number");
    }
    const double nanoseconds = *seconds * 1e9;
    // The largest double below 2^63.
    constexpr double kMaximum = 9223372036854774784.0;
    if (nanoseconds >= kMaximum) {
        return std::nullopt;
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(std::fmax(nanoseconds, -kMaximum)));
}

OptionalTimePoint deadlineAfter(std::optional<double> seconds) {
    const auto duration = durationOf(seconds);
    if (!duration) {
        return std::nullopt;
    }
    const TimePoint now = std::chrono::steady_clock::now();
    return *duration >= TimePoint::max() - now ? OptionalTimePoint() : now + *duration;
}

}  // namespace nnburst::python

PYBIND11_MODULE(_nnburst, module) {
    using nnburst::LogLevel;
    module.doc() = "Neural networks in a driver process, at the price of a function call.";
    module.attr("__version__") = nnburst::libraryVersion();
    pybind11::enum_<LogLevel>(module, "LogLevel")
        .value("TRACE", LogLevel::TRACE)
        .value("DEBUGGING", LogLevel::DEBUGGING)
        .value("INFO", LogLevel::INFO)
        .value("WARNING", LogLevel::WARNING)
        .value("ERROR", LogLevel::ERROR)
        .value("CRITICAL", LogLevel::CRITICAL)
        .value("OFF", LogLevel::OFF);
    module.def("set_log_level", &nnburst::setLogLevel, pybind11::arg("level"),
               "What the library logs to the standard error from now on.");
    nnburst::python::addErrors(module);
    nnburst::python::addModels(module);
    nnburst::python::addDevices(module);
    nnburst::python::addSessions(module);
}
