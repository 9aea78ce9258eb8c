// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <array>
#include <string>

namespace nnburst::python {
namespace {

namespace py = pybind11;

/// The class of exceptions for some statuses. The classes live as long as the process.
struct ErrorClass {
    const char* name;
    const char* description;
    std::array<ErrorStatus, 2> statuses;
    PyObject* object = nullptr;
};

PyObject* baseClass = nullptr;

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): filled once, by addErrors
std::array errorClasses{
    ErrorClass{"DeviceUnavailableError", "The driver is gone, hangs, or is offline.",
               {ErrorStatus::DEVICE_UNAVAILABLE, ErrorStatus::DEVICE_UNAVAILABLE}},
    ErrorClass{"GeneralFailureError", "What no other class of errors says.",
               {ErrorStatus::GENERAL_FAILURE, ErrorStatus::GENERAL_FAILURE}},
    ErrorClass{"OutputInsufficientSizeError", "The memory of an output is too small.",
               {ErrorStatus::OUTPUT_INSUFFICIENT_SIZE, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE}},
    ErrorClass{"InvalidArgumentError", "A model or another argument breaks a rule.",
               {ErrorStatus::INVALID_ARGUMENT, ErrorStatus::INVALID_ARGUMENT}},
    ErrorClass{
        "MissedDeadlineError", "It had not ended by its deadline.",
        {ErrorStatus::MISSED_DEADLINE_TRANSIENT, ErrorStatus::MISSED_DEADLINE_PERSISTENT}},
    ErrorClass{
        "ResourceExhaustedError", "Memory, or another resource, does not suffice.",
        {ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT}},
};

PyObject* newClass(py::module_& module, const char* name, const char* description, PyObject* base) {
    PyObject* created = PyErr_NewExceptionWithDoc((std::string("nnburst.") + name).c_str(),
                                                  description, base, nullptr);
    if (created == nullptr) {
        throw py::error_already_set();
    }
    module.add_object(name, py::handle(created));
    return created;
}

PyObject* classOf(ErrorStatus status) {
    for (const ErrorClass& candidate : errorClasses) {
        if (candidate.statuses[0] == status || candidate.statuses[1] == status) {
            return candidate.object;
        }
    }
    return baseClass;
}

}  // namespace

void addErrors(py::module_& module) {
    py::enum_<ErrorStatus>(module, "ErrorStatus", "Statuses, with the codes of HAL 1.3.")
        .value("DEVICE_UNAVAILABLE", ErrorStatus::DEVICE_UNAVAILABLE)
        .value("GENERAL_FAILURE", ErrorStatus::GENERAL_FAILURE)
        .value("OUTPUT_INSUFFICIENT_SIZE", ErrorStatus::OUTPUT_INSUFFICIENT_SIZE)
        .value("INVALID_ARGUMENT", ErrorStatus::INVALID_ARGUMENT)
        .value("MISSED_DEADLINE_TRANSIENT", ErrorStatus::MISSED_DEADLINE_TRANSIENT)
        .value("MISSED_DEADLINE_PERSISTENT", ErrorStatus::MISSED_DEADLINE_PERSISTENT)
        .value("RESOURCE_EXHAUSTED_TRANSIENT", ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
        .value("RESOURCE_EXHAUSTED_PERSISTENT", ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    baseClass = newClass(module, "Error",
                         "A call failed: `status` is the HAL's code, `message` says why.",
                         PyExc_RuntimeError);
    for (ErrorClass& errorClass : errorClasses) {
        errorClass.object = newClass(module, errorClass.name, errorClass.description, baseClass);
    }
}

void raise(const Error& error) {
    const py::handle type(classOf(error.status));
    // A message may have the name of a file, which need not be UTF-8.
    const auto message = py::reinterpret_steal<py::str>(PyUnicode_DecodeFSDefaultAndSize(
        error.message.data(), static_cast<py::ssize_t>(error.message.size())));
    const py::object exception = type(py::str("{}: {}").format(toString(error.status), message));
    exception.attr("status") = error.status;
    exception.attr("message") = message;
    PyErr_SetObject(type.ptr(), exception.ptr());
    throw py::error_already_set();
}

}  // namespace nnburst::python
