// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Sessions: a model that is run again and again on arrays in shared memory.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "errors.h"
#include "nnburst/session.h"
#include "nnburst/type_queries.h"

namespace nnburst::python {
namespace {

namespace py = pybind11;

/// A session, which its arrays keep alive, and which threads of Python may share: one that calls it
/// while another one does gets an error instead of undefined behaviour.
class SharedSession {
  public:
    SharedSession(Session session, std::vector<bool> openOutputs)
        : session_(std::move(session)), openOutputs_(std::move(openOutputs)) {}

    /// The model leaves dimensions of output `index` open: its memory moves when it grows.
    [[nodiscard]] bool isOpenOutput(std::size_t index) const { return openOutputs_[index]; }

    /// Calls `function` with the session, without the GIL.
    template <class Function>
    auto callWithoutGil(const Function& function) {
        const ExclusiveUse use(isUsed_);
        const py::gil_scoped_release released;
        return function(session_);
    }
    /// The same with the GIL, for short calls. No other thread calls meanwhile.
    template <class Function>
    auto callWithGil(const Function& function) {
        const ExclusiveUse use(isUsed_);
        return function(session_);
    }

  private:
    class ExclusiveUse {
      public:
        explicit ExclusiveUse(std::atomic<bool>& isUsed) : isUsed_(isUsed) {
            if (isUsed_.exchange(true, std::memory_order_acquire)) {
                raise({ErrorStatus::GENERAL_FAILURE,
                       "another thread is using this session; give each thread one of its own"});
            }
        }
        ExclusiveUse(const ExclusiveUse&) = delete;
        ExclusiveUse& operator=(const ExclusiveUse&) = delete;
        ~ExclusiveUse() { isUsed_.store(false, std::memory_order_release); }

      private:
        std::atomic<bool>& isUsed_;
    };

    Session session_;
    std::vector<bool> openOutputs_;
    std::atomic<bool> isUsed_ = false;
};

using SessionHandle = std::shared_ptr<SharedSession>;

/// NumPy takes the size of an array from its shape: it must not be larger than `bytes`.
void checkSize(const NamedOperand& operand, std::span<const std::byte> bytes) {
    const auto needed = operandBytes(operand.type, operand.dimensions);
    if (!needed || *needed > bytes.size()) {
        raise({ErrorStatus::GENERAL_FAILURE,
               '\'' + operand.name + "': has no array of its shape before a run has given it one"});
    }
}

/// An array on `bytes`, which `session` keeps, or on a copy of them.
py::array arrayOf(const NamedOperand& operand, std::span<std::byte> bytes,
                  const SessionHandle& session, bool copies) {
    checkSize(operand, bytes);
    const py::dtype dtype = dtypeOf(operand.type);
    const std::vector<py::ssize_t> shape(operand.dimensions.begin(), operand.dimensions.end());
    if (copies) {
        return py::array(dtype, shape, bytes.data());
    }
    const py::capsule owner(new SessionHandle(session),
                            [](void* handle) { delete static_cast<SessionHandle*>(handle); });
    return py::array(dtype, shape, bytes.data(), owner);
}

std::size_t indexOf(std::span<const NamedOperand> operands, const py::object& key,
                    const char* kind) {
    if (py::isinstance<py::str>(key)) {
        const auto name = key.cast<std::string>();
        const auto found =
            std::find_if(operands.begin(), operands.end(),
                         [&](const NamedOperand& operand) { return operand.name == name; });
        if (found != operands.end()) {
            return static_cast<std::size_t>(found - operands.begin());
        }
        std::string names;
        for (const NamedOperand& operand : operands) {
            names += (names.empty() ? "'" : ", '") + operand.name + "'";
        }
        throw py::key_error("no " + std::string(kind) + " '" + name + "'; there are " + names);
    }
    const py::ssize_t index = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
    if (PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
    }
    if (index < 0 || static_cast<std::size_t>(index) >= operands.size()) {
        throw py::index_error("no " + std::string(kind) + ' ' + std::to_string(index) +
                              "; there are " + std::to_string(operands.size()));
    }
    return static_cast<std::size_t>(index);
}

py::array inputArray(const SessionHandle& handle, const py::object& key) {
    return handle->callWithGil([&](Session& session) {
        const std::size_t index = indexOf(session.inputs(), key, "input");
        return arrayOf(session.inputs()[index], take(session.input<std::byte>(index)), handle,
                       false);
    });
}

/// The array of an output that may move has a copy.
py::array outputArray(const SessionHandle& handle, const py::object& key) {
    return handle->callWithGil([&](Session& session) {
        const std::size_t index = indexOf(session.outputs(), key, "output");
        const std::span<const std::byte> bytes = take(session.output<std::byte>(index));
        return arrayOf(session.outputs()[index],
                       {const_cast<std::byte*>(bytes.data()), bytes.size()}, handle,
                       handle->isOpenOutput(index));
    });
}

WaitPolicy waitPolicyOf(const std::string& name) {
    const auto mode = waitModeOf(name);
    if (!mode) {
        throw py::value_error("no way to wait is named '" + name +
                              "'; there are adaptive, spin and block");
    }
    WaitPolicy policy;
    policy.mode = *mode;
    return policy;
}

SessionHandle makeSession(const NamedPreparedModel& model,
                          const std::map<std::string, Dimensions>& inputShapes,
                          const std::string& wait, bool measure,
                          std::optional<double> loopTimeout) {
    SessionOptions options;
    options.inputDimensions.insert(inputShapes.begin(), inputShapes.end());
    options.burst.clientWait = waitPolicyOf(wait);
    options.burst.driverWait = options.burst.clientWait;
    options.measure = measure ? MeasureTiming::YES : MeasureTiming::NO;
    options.loopTimeout = durationOf(loopTimeout);
    Session session =
        take(withoutGil([&] { return Session::create(model.prepared, model.signature, options); }));
    // States are no outputs of a session: it lists those that are left by their names.
    std::vector<bool> openOutputs;
    for (const NamedOperand& output : session.outputs()) {
        openOutputs.push_back(!isFullySpecified(output.type, output.dimensions));
    }
    return destroyedWithoutGil(
        std::make_shared<SharedSession>(std::move(session), std::move(openOutputs)));
}

void run(SharedSession& shared, std::optional<double> timeout) {
    const OptionalTimePoint deadline = deadlineAfter(timeout);
    take(shared.callWithoutGil([&](Session& session) { return session.run(deadline); }));
}

/// Without a limit as long as the run takes.
bool wait(SharedSession& shared, std::optional<double> limit) {
    const auto duration = durationOf(limit);
    return take(shared.callWithoutGil([&](Session& session) -> Result<bool> {
        if (duration) {
            return session.wait(*duration);
        }
        NNBURST_TRY(session.wait());
        return true;
    }));
}

py::dict timingOf(SharedSession& shared) {
    const Timing timing = shared.callWithGil([](Session& session) { return session.timing(); });
    const auto seconds = [](std::uint64_t microseconds) -> py::object {
        if (microseconds == kTimeNotAvailable) {
            return py::none();
        }
        return py::float_(static_cast<double>(microseconds) * 1e-6);
    };
    py::dict times;
    times["on_device"] = seconds(timing.timeOnDevice);
    times["in_driver"] = seconds(timing.timeInDriver);
    return times;
}

std::vector<NamedOperand> inputOperands(SharedSession& shared) {
    return shared.callWithGil([](Session& session) {
        return std::vector<NamedOperand>(session.inputs().begin(), session.inputs().end());
    });
}

std::vector<NamedOperand> outputOperands(SharedSession& shared) {
    return shared.callWithGil([](Session& session) {
        return std::vector<NamedOperand>(session.outputs().begin(), session.outputs().end());
    });
}

void submit(SharedSession& shared, std::optional<double> timeout) {
    const OptionalTimePoint deadline = deadlineAfter(timeout);
    take(shared.callWithoutGil([&](Session& session) { return session.submit(deadline); }));
}

bool isRunning(SharedSession& shared) {
    return shared.callWithGil([](Session& session) { return session.isRunning(); });
}

bool isDone(SharedSession& shared) {
    return shared.callWithGil([](Session& session) { return session.isDone(); });
}

int completionDescriptor(SharedSession& shared) {
    return take(
        shared.callWithoutGil([](Session& session) { return session.completionDescriptor(); }));
}

bool armCompletion(SharedSession& shared) {
    return take(shared.callWithoutGil([](Session& session) { return session.armCompletion(); }));
}

void resetStates(SharedSession& shared) {
    take(shared.callWithoutGil([](Session& session) { return session.resetStates(); }));
}

bool isMemoryInUse(SharedSession& shared) {
    return shared.callWithGil([](Session& session) { return session.isMemoryInUse(); });
}

void waitForMemory(SharedSession& shared, std::optional<double> timeout) {
    const OptionalTimePoint deadline = deadlineAfter(timeout);
    take(shared.callWithoutGil([&](Session& session) { return session.waitForMemory(deadline); }));
}

}  // namespace

void addSessions(py::module_& module) {
    py::class_<SharedSession, SessionHandle>(module, "SessionBase")
        .def(py::init(&makeSession), py::arg("model"), py::kw_only(),
             py::arg("input_shapes") = std::map<std::string, Dimensions>(),
             py::arg("wait") = "adaptive", py::arg("measure") = false,
             py::arg("loop_timeout") = py::none())
        .def_property_readonly("input_operands", &inputOperands,
                               "Names, types and shapes of the inputs, without states.")
        .def_property_readonly("output_operands", &outputOperands,
                               "The same of the outputs; open sizes are those of the last run.")
        .def("input", &inputArray, py::arg("key") = 0,
             "The array of an input, by name or number, in the memory that the driver reads.")
        .def("output", &outputArray, py::arg("key") = 0,
             "The array of an output, in the memory that the driver writes; of an output of open "
             "dimensions, a copy of what the last run gave.")
        .def("run", &run, py::arg("timeout") = py::none(),
             "Runs the model and waits for its end, at most about `timeout` seconds.")
        .def("submit", &submit, py::arg("timeout") = py::none(),
             "Starts a run. Inputs and outputs belong to the driver until `wait` returned.")
        .def("wait", &wait, py::arg("limit") = py::none(),
             "Waits for the run that was submitted. False if it takes longer than `limit` seconds.")
        .def_property_readonly("is_running", &isRunning, "A run was submitted and not waited for.")
        .def("is_done", &isDone, "A run was submitted, and `wait` would return at once.")
        .def("fileno", &completionDescriptor,
             "The descriptor that becomes readable after `arm_completion`. Do not read from it.")
        .def("arm_completion", &armCompletion,
             "Has the end of the run make the descriptor readable, once. True: it has ended.")
        .def("reset_states", &resetStates,
             "Sets all states to what they were before the first run.")
        .def_property_readonly("is_memory_in_use", &isMemoryInUse,
                               "A driver that did not answer in time may still use the arrays.")
        .def("wait_for_memory", &waitForMemory, py::arg("timeout") = py::none(),
             "Waits until no memory is in use.")
        .def_property_readonly("timing", &timingOf,
                               "Seconds of the last run, if the session measures.");
}

}  // namespace nnburst::python
