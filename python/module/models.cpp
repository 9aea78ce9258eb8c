// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Models: imported, built in, or built operation by operation.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "errors.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"
#include "nnburst/type_queries.h"

namespace nnburst::python {

namespace py = pybind11;

py::dtype dtypeOf(OperandType type) {
    switch (type) {
        case OperandType::FLOAT32:
        case OperandType::TENSOR_FLOAT32:
            return py::dtype("f4");
        case OperandType::FLOAT16:
        case OperandType::TENSOR_FLOAT16:
            return py::dtype("f2");
        case OperandType::INT32:
        case OperandType::TENSOR_INT32:
            return py::dtype("i4");
        case OperandType::UINT32:
            return py::dtype("u4");
        case OperandType::BOOL:
        case OperandType::TENSOR_BOOL8:
            return py::dtype("?");
        case OperandType::TENSOR_QUANT16_SYMM:
            return py::dtype("i2");
        case OperandType::TENSOR_QUANT16_ASYMM:
            return py::dtype("u2");
        case OperandType::TENSOR_QUANT8_ASYMM:
            return py::dtype("u1");
        case OperandType::TENSOR_QUANT8_SYMM:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return py::dtype("i1");
        case OperandType::SUBGRAPH:
        case OperandType::OEM:
        case OperandType::TENSOR_OEM_BYTE:
            break;
    }
    raise({ErrorStatus::INVALID_ARGUMENT,
           std::string("operands of type ") + toString(type) + " have no elements in NumPy"});
}

namespace {

NamedModel named(Model model) {
    TfliteModel imported;
    imported.model = std::move(model);
    ModelSignature signature = signatureOf(imported.model);
    return {std::move(imported), std::move(signature)};
}

NamedModel named(TfliteModel model) {
    ModelSignature signature = signatureOf(model);
    return {std::move(model), std::move(signature)};
}

/// Gives inputs or outputs other names, which must be as many.
void rename(std::vector<NamedOperand>& operands, const std::vector<std::string>& names,
            const char* kind) {
    if (names.size() != operands.size()) {
        raise({ErrorStatus::INVALID_ARGUMENT, std::to_string(names.size()) + " names for " +
                                                  std::to_string(operands.size()) + ' ' + kind});
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        operands[i].name = names[i];
    }
}

/// The model with other names, or with states, which a model that was built cannot say itself.
NamedModel withSignature(const NamedModel& model,
                         const std::optional<std::vector<std::string>>& inputs,
                         const std::optional<std::vector<std::string>>& outputs,
                         const std::vector<std::pair<std::uint32_t, std::uint32_t>>& states) {
    NamedModel changed = model;
    if (inputs) {
        rename(changed.signature.inputs, *inputs, "inputs");
    }
    if (outputs) {
        rename(changed.signature.outputs, *outputs, "outputs");
    }
    for (const auto& [input, output] : states) {
        changed.signature.states.push_back({.input = input, .output = output});
    }
    return changed;
}

std::uint32_t addArray(ModelBuilder& builder, OperandType type, const py::array& values,
                       float scale, std::int32_t zeroPoint) {
    const py::dtype wanted = dtypeOf(type);
    if (!values.dtype().is(wanted) && !values.dtype().equal(wanted)) {
        raise({ErrorStatus::INVALID_ARGUMENT,
               std::string("a constant of type ") + toString(type) + " takes an array of " +
                   std::string(py::str(static_cast<const py::object&>(wanted))) + ", not of " +
                   std::string(py::str(static_cast<const py::object&>(values.dtype())))});
    }
    const py::array contiguous = py::array::ensure(values, py::array::c_style);
    if (!contiguous) {
        throw std::bad_alloc();
    }
    Dimensions dimensions;
    for (py::ssize_t axis = 0; axis < contiguous.ndim(); ++axis) {
        dimensions.push_back(static_cast<std::uint32_t>(contiguous.shape(axis)));
    }
    return builder.addConstant(type, std::move(dimensions),
                               {static_cast<const std::byte*>(contiguous.data()),
                                static_cast<std::size_t>(contiguous.nbytes())},
                               scale, zeroPoint);
}

[[noreturn]] void throwOverflow(const py::object& value, const char* type) {
    PyErr_Format(PyExc_OverflowError, "%R does not fit into %s", value.ptr(), type);
    throw py::error_already_set();
}

std::uint32_t addScalar(ModelBuilder& builder, const py::object& value) {
    if (py::isinstance<py::bool_>(value) ||
        py::isinstance(value, py::module_::import("numpy").attr("bool_"))) {
        return builder.addScalar(value.cast<bool>());
    }
    // int, and NumPy's integers. Arrays of real numbers look like them, but are none.
    if (PyObject* const index =
            PyIndex_Check(value.ptr()) != 0 ? PyNumber_Index(value.ptr()) : nullptr) {
        int overflow = 0;
        const long number =
            PyLong_AsLongAndOverflow(py::reinterpret_steal<py::int_>(index).ptr(), &overflow);
        if (overflow != 0 || number != static_cast<std::int32_t>(number)) {
            throwOverflow(value, "an INT32");
        }
        return builder.addScalar(static_cast<std::int32_t>(number));
    }
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
        throw py::error_already_set();
    }
    PyErr_Clear();
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
    }
    // The largest float as it is printed, 3.4028235e38, is a little above it and rounds to it.
    const auto rounded = static_cast<float>(number);
    if (std::isfinite(number) && std::isinf(rounded)) {
        throwOverflow(value, "a FLOAT32");
    }
    return builder.addScalar(rounded);
}

void addTypes(py::module_& module) {
    py::enum_<OperandType> operandTypes(module, "OperandType", "Types of operands, as in HAL 1.3.");
    for (int code = 0; code <= static_cast<int>(OperandType::TENSOR_QUANT8_ASYMM_SIGNED); ++code) {
        const auto type = static_cast<OperandType>(code);
        operandTypes.value(toString(type), type);
    }
    py::enum_<OperationType> operationTypes(module, "OperationType",
                                            "Types of operations, as in HAL 1.3.");
    for (const OperationType type : kOperationTypes) {
        operationTypes.value(toString(type), type);
    }
    py::class_<NamedOperand>(module, "Operand", "An input or output of a model.")
        .def_readonly("name", &NamedOperand::name)
        .def_readonly("type", &NamedOperand::type)
        .def_property_readonly("dtype",
                               [](const NamedOperand& operand) { return dtypeOf(operand.type); })
        .def_property_readonly(
            "shape",
            [](const NamedOperand& operand) { return py::tuple(py::cast(operand.dimensions)); },
            "Sizes of the axes; 0 is a size that the model leaves open.")
        .def_readonly("scale", &NamedOperand::scale)
        .def_readonly("zero_point", &NamedOperand::zeroPoint)
        .def("__repr__", [](const NamedOperand& operand) {
            return "<nnburst.Operand " + toString(operand) + '>';
        });
}

void addBuilder(py::module_& module) {
    py::class_<ModelBuilder>(module, "ModelBuilder",
                             "Builds a model from operations. Operands are numbers.")
        .def(py::init<>())
        .def(
            "add_tensor",
            [](ModelBuilder& builder, OperandType type, Dimensions shape, float scale,
               std::int32_t zeroPoint) {
                return builder.addTensor(type, std::move(shape), scale, zeroPoint);
            },
            py::arg("type"), py::arg("shape"), py::kw_only(), py::arg("scale") = 0.0F,
            py::arg("zero_point") = 0, "A tensor without value: an input, an output, a temporary.")
        .def("add_constant", &addArray, py::arg("type"), py::arg("values"), py::kw_only(),
             py::arg("scale") = 0.0F, py::arg("zero_point") = 0,
             "A constant tensor with a copy of an array.")
        .def("add_scalar", &addScalar, py::arg("value"),
             "A constant BOOL, INT32 or FLOAT32, as the value is.")
        .def("add_omitted", &ModelBuilder::addOmitted, py::arg("type"),
             "An optional operand that is left out.")
        .def("add_operation", &ModelBuilder::addOperation, py::arg("type"), py::arg("inputs"),
             py::arg("outputs"))
        .def(
            "build",
            [](ModelBuilder& builder, std::vector<std::uint32_t> inputs,
               std::vector<std::uint32_t> outputs) {
                return named(take(builder.build(std::move(inputs), std::move(outputs))));
            },
            py::arg("inputs"), py::arg("outputs"),
            "The model with these inputs and outputs. The builder is empty afterwards.");
}

}  // namespace

void addModels(py::module_& module) {
    addTypes(module);
    py::class_<NamedModel>(module, "Model", "A model that is imported or built.")
        .def_property_readonly("inputs",
                               [](const NamedModel& model) { return model.signature.inputs; })
        .def_property_readonly("outputs",
                               [](const NamedModel& model) { return model.signature.outputs; })
        .def("with_signature", &withSignature, py::kw_only(), py::arg("inputs") = py::none(),
             py::arg("outputs") = py::none(),
             py::arg("states") = std::vector<std::pair<std::uint32_t, std::uint32_t>>(),
             "The same model with other names, and with states: pairs of an input and the output "
             "that becomes it in the next run.");
    module.def(
        "load_tflite",
        [](const py::object& path, bool keepsOpenSizes, const InputDimensions& inputShapes,
           bool integersFitInt32) {
            const std::string file = pathOf(path);
            const TfliteOptions options{.keepsOpenSizes = keepsOpenSizes,
                                        .inputDimensions = inputShapes,
                                        .integersFitInt32 = integersFitInt32};
            return named(take(withoutGil([&] { return loadTflite(file, options); })));
        },
        py::arg("path"), py::kw_only(), py::arg("keep_open_sizes") = false,
        py::arg("input_shapes") = InputDimensions(), py::arg("integers_fit_int32") = false,
        "Imports a .tflite file.");
    module.def(
        "import_tflite",
        [](const py::bytes& contents, bool keepsOpenSizes, const InputDimensions& inputShapes,
           bool integersFitInt32) {
            const std::string_view view = contents;
            const std::span<const char> bytes(view);
            const TfliteOptions options{.keepsOpenSizes = keepsOpenSizes,
                                        .inputDimensions = inputShapes,
                                        .integersFitInt32 = integersFitInt32};
            return named(
                take(withoutGil([&] { return importTflite(std::as_bytes(bytes), options); })));
        },
        py::arg("contents"), py::kw_only(), py::arg("keep_open_sizes") = false,
        py::arg("input_shapes") = InputDimensions(), py::arg("integers_fit_int32") = false,
        "Imports the bytes of a .tflite file.");
    module.def(
        "mobilenet_v1",
        [](float width, std::uint32_t resolution, bool quantized) {
            const MobileNetV1Options options{
                .width = width,
                .resolution = resolution,
                .precision = quantized ? BuiltinPrecision::QUANT8 : BuiltinPrecision::FLOAT32};
            return named(take(withoutGil([&] { return makeMobileNetV1(options); })));
        },
        py::kw_only(), py::arg("width") = 0.25F, py::arg("resolution") = 128,
        py::arg("quantized") = false, "MobileNet v1 with random weights, to measure and to try.");
    module.def(
        "streaming_lstm",
        [](std::uint32_t features, std::uint32_t cells) {
            return named(take(withoutGil(
                [&] { return makeStreamingLstm({.features = features, .cells = cells}); })));
        },
        py::kw_only(), py::arg("features") = 64, py::arg("cells") = 128,
        "An LSTM with random weights; outputs 1 and 2 are the inputs 1 and 2 of the next run.");
    addBuilder(module);
}

}  // namespace nnburst::python
