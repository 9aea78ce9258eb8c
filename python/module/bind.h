// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What each file of the module adds to it, in the order of their dependencies.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "nnburst/model_signature.h"
#include "nnburst/prepared_model.h"
#include "nnburst/tflite.h"
#include "nnburst/types.h"

namespace nnburst::python {

/// A model that is imported or built, with the names of its inputs and outputs.
struct NamedModel {
    TfliteModel model;
    ModelSignature signature;
};

/// A model that a device has prepared, with the same names.
struct NamedPreparedModel {
    SharedPreparedModel prepared;
    ModelSignature signature;
};

void addModels(pybind11::module_& module);
void addDevices(pybind11::module_& module);
void addSessions(pybind11::module_& module);

/// The elements of an operand of `type` in NumPy. InvalidArgumentError if there are none.
[[nodiscard]] pybind11::dtype dtypeOf(OperandType type);

/// The bytes of a path: str, bytes or os.PathLike. ValueError for one with a NUL.
[[nodiscard]] std::string pathOf(const pybind11::object& path);

/// A holder for objects of Python whose destruction may wait for a driver: other threads of Python
/// run meanwhile. Nothing but Python may own the result, since its end needs the GIL.
template <class T>
[[nodiscard]] std::shared_ptr<T> destroyedWithoutGil(std::shared_ptr<T> owned) {
    T* const object = owned.get();
    return {object, [owned = std::move(owned)](T* /*object*/) mutable {
                const pybind11::gil_scoped_release released;
                owned.reset();
            }};
}

/// Seconds as Python's programs count them, from now on. Nothing: no deadline. ValueError for a
/// NaN; a time beyond 292 years is without end.
[[nodiscard]] OptionalTimePoint deadlineAfter(std::optional<double> seconds);
[[nodiscard]] std::optional<std::chrono::nanoseconds> durationOf(std::optional<double> seconds);

}  // namespace nnburst::python
