// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Devices, and models that they have prepared.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>

#include "bind.h"
#include "errors.h"
#include "nnburst/device.h"
#include "nnburst/supervised_device.h"

namespace nnburst::python {
namespace {

namespace py = pybind11;

/// Sets the member of DriverOptions that Python names `name`. False if there is none.
bool setOption(DriverOptions& options, const std::string& name, const py::handle& value) {
    if (name == "threads") {
        options.threads = value.cast<std::uint32_t>();
    } else if (name == "processors") {
        options.processors = value.cast<std::vector<std::uint32_t>>();
    } else if (name == "process_name") {
        options.processName = value.cast<std::string>();
    } else if (name == "memory_limit") {
        options.memoryLimitBytes = value.cast<std::uint64_t>();
    } else if (name == "realtime_priority") {
        options.realtimePriority = value.cast<std::uint32_t>();
    } else if (name == "lock_memory") {
        options.lockMemory = value.cast<bool>();
    } else if (name == "huge_pages") {
        options.useHugePages = value.cast<bool>();
    } else if (name == "extension_libraries") {
        options.extensionLibraries = value.cast<std::vector<std::string>>();
    } else {
        return false;
    }
    return true;
}

DriverOptions driverOptionsFrom(const py::kwargs& given) {
    DriverOptions options;
    for (const auto& [key, value] : given) {
        const auto name = key.cast<std::string>();
        try {
            if (setOption(options, name, value)) {
                continue;
            }
        } catch (const py::cast_error&) {
            throw py::type_error("the option '" + name + "' of a driver cannot be " +
                                 py::repr(value).cast<std::string>());
        }
        throw py::type_error("a driver has no option '" + name +
                             "'; there are threads, processors, process_name, memory_limit, "
                             "realtime_priority, lock_memory, huge_pages and extension_libraries");
    }
    return options;
}

/// The device that `open` gives, for Python.
template <class Open>
SharedDevice openDevice(const Open& open) {
    return destroyedWithoutGil(take(withoutGil(open)));
}

SharedDevice superviseProgram(const py::object& program, std::optional<double> waitAtMost,
                              const py::kwargs& given) {
    SupervisionOptions options;
    options.start = [program = pathOf(program), driver = driverOptionsFrom(given)] {
        return spawnDriver(driver, program);
    };
    if (const auto wait = durationOf(waitAtMost)) {
        options.waitAtMost = std::chrono::duration_cast<std::chrono::milliseconds>(*wait);
    } else {
        options.waitAtMost = std::chrono::milliseconds::max();
    }
    return openDevice([&]() -> Result<SharedDevice> {
        NNBURST_TRY_ASSIGN(SharedSupervisedDevice device, superviseDriver(options));
        return SharedDevice(std::move(device));
    });
}

std::shared_ptr<NamedPreparedModel> prepare(Device& device, const NamedModel& model,
                                            ExecutionPreference preference, Priority priority,
                                            std::optional<double> timeout) {
    PrepareOptions options;
    options.preference = preference;
    options.priority = priority;
    options.deadline = deadlineAfter(timeout);
    SharedPreparedModel prepared =
        take(withoutGil([&] { return prepareModel(device, model.model.model, options); }));
    return destroyedWithoutGil(std::make_shared<NamedPreparedModel>(
        NamedPreparedModel{std::move(prepared), model.signature}));
}

void addEnumerations(py::module_& module) {
    py::enum_<DeviceStatus>(module, "DeviceStatus", "Whether a device takes work.")
        .value("AVAILABLE", DeviceStatus::AVAILABLE)
        .value("BUSY", DeviceStatus::BUSY)
        .value("OFFLINE", DeviceStatus::OFFLINE)
        .value("UNKNOWN", DeviceStatus::UNKNOWN);
    py::enum_<ExecutionPreference>(module, "ExecutionPreference",
                                   "What a model is prepared for, as in HAL 1.3.")
        .value("LOW_POWER", ExecutionPreference::LOW_POWER)
        .value("FAST_SINGLE_ANSWER", ExecutionPreference::FAST_SINGLE_ANSWER)
        .value("SUSTAINED_SPEED", ExecutionPreference::SUSTAINED_SPEED);
    py::enum_<Priority>(module, "Priority", "Of a model among those of the same client.")
        .value("LOW", Priority::LOW)
        .value("MEDIUM", Priority::MEDIUM)
        .value("HIGH", Priority::HIGH);
}

}  // namespace

void addDevices(py::module_& module) {
    addEnumerations(module);
    py::class_<NamedPreparedModel, std::shared_ptr<NamedPreparedModel>>(
        module, "PreparedModel", "A model that a device has checked, planned and packed.")
        .def_property_readonly(
            "inputs", [](const NamedPreparedModel& model) { return model.signature.inputs; })
        .def_property_readonly(
            "outputs", [](const NamedPreparedModel& model) { return model.signature.outputs; });
    py::class_<Device, SharedDevice>(module, "Device", "A driver, or this process in its place.")
        .def_property_readonly(
            "hal_version", [](const Device& device) { return toString(device.getHalVersion()); },
            "The version of the HAL whose rules it follows, such as 1.3.")
        .def_property_readonly(
            "version",
            [](Device& device) {
                return take(withoutGil([&] { return device.getVersionString(); }));
            },
            "What the driver says that it is.")
        .def_property_readonly(
            "status", [](Device& device) { return withoutGil([&] { return device.getStatus(); }); },
            "AVAILABLE, BUSY, or OFFLINE when the driver is gone.")
        .def(
            "supported_operations",
            [](Device& device, const NamedModel& model) {
                return take(
                    withoutGil([&] { return device.getSupportedOperations(model.model.model); }));
            },
            py::arg("model"), "One entry for each operation: whether this device can run it.")
        .def("prepare", &prepare, py::arg("model"), py::kw_only(),
             py::arg("preference") = ExecutionPreference::FAST_SINGLE_ANSWER,
             py::arg("priority") = Priority::MEDIUM, py::arg("timeout") = py::none(),
             "Prepares a model, which takes at most `timeout` seconds.");
    module.def(
        "local_device",
        [](const py::kwargs& given) {
            const DriverOptions options = driverOptionsFrom(given);
            return openDevice([&] { return makeLocalDevice(options); });
        },
        "A device in this process, without isolation.");
    module.def(
        "spawn_driver",
        [](const py::object& program, const py::kwargs& given) {
            const DriverOptions options = driverOptionsFrom(given);
            const std::string path = pathOf(program);
            return openDevice([&] { return spawnDriver(options, path); });
        },
        py::arg("program") = "",
        "Starts a driver of one's own. It ends with the last object that needs it.");
    module.def(
        "connect",
        [](const py::object& path) {
            const std::string socket = pathOf(path);
            return openDevice([&] { return connect(socket); });
        },
        py::arg("path"), "Connects to the driver that listens on a Unix socket.");
    module.def("supervise_driver", &superviseProgram, py::arg("program") = "", py::kw_only(),
               py::arg("wait_at_most") = 0.0,
               "Starts a driver, and starts it again whenever it is lost: models and sessions go "
               "on. A call waits `wait_at_most` seconds for a driver while there is none.");
}

}  // namespace nnburst::python
