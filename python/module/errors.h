// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Errors of the library as exceptions of Python.

#include <pybind11/pybind11.h>

#include <utility>

#include "nnburst/result.h"

namespace nnburst::python {

/// Adds the exceptions to the module: `Error`, and a class for each kind of status.
void addErrors(pybind11::module_& module);

/// Raises `error` as the exception of its status, with the attributes `status` and `message`.
/// Needs the GIL.
[[noreturn]] void raise(const Error& error);

/// The value of `result`, or its error as an exception.
template <class T>
T take(Result<T> result) {
    if (!result) {
        raise(result.error());
    }
    return std::move(*result);
}
inline void take(const Result<>& result) {
    if (!result) {
        raise(result.error());
    }
}

/// What `function` returns; other threads of Python run meanwhile.
template <class Function>
auto withoutGil(const Function& function) {
    const pybind11::gil_scoped_release released;
    return function();
}

}  // namespace nnburst::python
