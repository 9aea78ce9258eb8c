// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on matrices, and sums along an axis.

#include <algorithm>
#include <array>
#include <cstring>

#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

// ---- BATCH_MATMUL: x [..., rows, depth], y [..., depth, columns], BOOL whether x is transposed,
// BOOL whether y is; output [..., rows, columns]. The axes in front are those of batches; those of
// size 1 are repeated.

struct Product {
    std::size_t rows = 0;
    std::size_t depth = 0;
    std::size_t columns = 0;
    bool isXTransposed = false;
    bool isYTransposed = false;
    Dimensions batches{};
    /// Rows of y between two checks of the time limit.
    std::size_t rowsAtOnce = 1;
};

Result<Product> productOf(Operands inputs) {
    const Sizes x = inputs[0].dimensions;
    const Sizes y = inputs[1].dimensions;
    const auto refuse = [&] {
        return invalid("shapes {} and {}; must be matrices that can be multiplied",
                       dimensionsText(x), dimensionsText(y));
    };
    if (x.size() < 2 || y.size() < 2) {
        return refuse();
    }
    Product product{.isXTransposed = scalarOf<std::uint8_t>(inputs[2]) != 0,
                    .isYTransposed = scalarOf<std::uint8_t>(inputs[3]) != 0};
    const Sizes xMatrix = x.last(2);
    const Sizes yMatrix = y.last(2);
    product.rows = xMatrix[product.isXTransposed ? 1 : 0];
    product.depth = xMatrix[product.isXTransposed ? 0 : 1];
    product.columns = yMatrix[product.isYTransposed ? 0 : 1];
    if (product.depth != yMatrix[product.isYTransposed ? 1 : 0]) {
        return refuse();
    }
    product.rowsAtOnce = std::max<std::size_t>(kBlock / (product.columns + 1), 1);
    const std::size_t batchRank = std::max(x.size(), y.size()) - 2;
    product.batches.resize(batchRank);
    for (std::size_t i = 0; i < batchRank; ++i) {  // from the last axis of batches to the first
        const std::uint32_t a = i + 2 < x.size() ? x[x.size() - 3 - i] : 1;
        const std::uint32_t b = i + 2 < y.size() ? y[y.size() - 3 - i] : 1;
        if (a != b && a != 1 && b != 1) {
            return refuse();
        }
        product.batches[batchRank - 1 - i] = a == 1 ? b : a;
    }
    return product;
}

Result<> checkBatchMatmul(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (transposes x)", {BOOL}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (transposes y)", {BOOL}));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfBatchMatmul(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(Product product, productOf(inputs));
    Dimensions result = std::move(product.batches);
    result.push_back(static_cast<std::uint32_t>(product.rows));
    result.push_back(static_cast<std::uint32_t>(product.columns));
    return result;
}

/// Room for y with its rows along the depth, if it is transposed.
std::size_t scratchOfBatchMatmul(Operands inputs) {
    const bool isTransposed = scalarOf<std::uint8_t>(inputs[3]) != 0;
    const Sizes y = inputs[1].dimensions;
    return isTransposed && y.size() >= 2 ? countOf(y.last(2)) * sizeof(float) : 0;
}

/// The matrix of batch `batch` of an operand with these dimensions.
std::size_t batchOf(std::size_t batch, const Dimensions& batches, Sizes sizes) {
    std::size_t result = 0;
    std::size_t step = 1;
    for (std::size_t i = 0; i < batches.size() && i + 2 < sizes.size(); ++i) {
        const std::uint32_t all = batches[batches.size() - 1 - i];
        const std::uint32_t own = sizes[sizes.size() - 3 - i];
        result += own == 1 ? 0 : batch % all * step;
        batch /= all;
        step *= own;
    }
    return result;
}

/// One row of the output: the sum of the rows of y, each times an element of x. True if the run is
/// over.
bool multiplyRow(PartCounter& parts, const Product& product, const float* x, std::size_t xStep,
                 const float* y, float* out) {
    for (std::size_t begin = 0; begin < product.columns; begin += kBlock) {
        const std::size_t width = std::min(product.columns - begin, kBlock);
        float* const sums = out + begin;
        std::fill_n(sums, width, 0.0F);
        std::size_t k = 0;
        do {
            const std::size_t end = std::min(product.depth, k + product.rowsAtOnce);
            if (parts.isOverAfter((end - k + 1) * width)) {
                return true;
            }
            for (; k < end; ++k) {
                const float factor = x[k * xStep];
                const float* row = y + k * product.columns + begin;
                for (std::size_t column = 0; column < width; ++column) {
                    sums[column] += factor * row[column];
                }
            }
        } while (k < product.depth);
    }
    return false;
}

Result<> runBatchMatmul(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const Product product, productOf(run.inputs));
    const std::size_t batches = countOf(product.batches);
    auto* const transposed = reinterpret_cast<float*>(run.scratch.data());
    PartCounter parts(run);
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const float* x =
            run.input<float>(0) + batchOf(batch, product.batches, run.inputs[0].dimensions) *
                                      product.rows * product.depth;
        const float* y =
            run.input<float>(1) + batchOf(batch, product.batches, run.inputs[1].dimensions) *
                                      product.depth * product.columns;
        if (product.isYTransposed) {
            for (std::size_t column = 0; column < product.columns; ++column) {
                const bool isOver = forEachElement(run, product.depth, [&](std::size_t k) {
                    transposed[k * product.columns + column] = y[column * product.depth + k];
                });
                if (isOver || run.limit.isOverAfter(product.depth)) {
                    return {};
                }
            }
            y = transposed;
        }
        float* out = run.output<float>() + batch * product.rows * product.columns;
        for (std::size_t row = 0; row < product.rows; ++row) {
            if (multiplyRow(
                    parts, product, product.isXTransposed ? x + row : x + row * product.depth,
                    product.isXTransposed ? product.rows : 1, y, out + row * product.columns)) {
                return {};
            }
        }
    }
    return {};
}

// ---- CUMSUM: the tensor, INT32 axis, BOOL whether an element is not part of its own sum, BOOL
// whether sums begin at the end.

Result<> checkCumsum(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32, TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (axis)", {INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (exclusive)", {BOOL}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (reverse)", {BOOL}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfCumsum(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY(axisOf(scalarOf<std::int32_t>(inputs[1]), inputs[0].dimensions.size()));
    return dimensionsOf(inputs[0]);
}

/// The sums along a line of `count` elements, the first at `place`. True if the run is over.
template <class T, class Sum>
bool sumLine(const RunContext& run, std::size_t place, std::size_t count, std::size_t step,
             bool isExclusive, bool isReverse) {
    const T* const in = run.input<T>(0) + place;
    T* const out = run.output<T>() + place;
    Sum sum{};
    return forEachElement(run, count, [&](std::size_t i) {
        const std::size_t at = (isReverse ? count - 1 - i : i) * step;
        const Sum before = sum;
        sum += static_cast<Sum>(in[at]);
        out[at] = static_cast<T>(isExclusive ? before : sum);
    });
}

Result<> runCumsum(const RunContext& run) {
    const Sizes sizes = run.inputs[0].dimensions;
    NNBURST_TRY_ASSIGN(const std::size_t axis,
                       axisOf(scalarOf<std::int32_t>(run.inputs[1]), sizes.size()));
    const bool isExclusive = scalarOf<std::uint8_t>(run.inputs[2]) != 0;
    const bool isReverse = scalarOf<std::uint8_t>(run.inputs[3]) != 0;
    const std::size_t inner = countOf(sizes.subspan(axis + 1));
    const std::size_t outer = countOf(sizes.first(axis));
    for (std::size_t line = 0; line < outer * inner; ++line) {
        const std::size_t at = line / inner * inner * sizes[axis] + line % inner;
        // Integers as unsigned ones, as sums that do not fit wrap around.
        const auto sum = run.inputs[0].type == TENSOR_INT32 ? sumLine<std::int32_t, std::uint32_t>
                                                            : sumLine<float, float>;
        if (sum(run, at, sizes[axis], inner, isExclusive, isReverse) ||
            run.limit.isOverAfter(sizes[axis])) {
            return {};
        }
    }
    return {};
}

// ---- MATRIX_DIAG: [..., n] becomes [..., n, n]. MATRIX_SET_DIAG: matrices [..., rows, columns],
// and diagonals [..., min(rows, columns)].

Result<> checkMatrixDiag(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1, 1));
    NNBURST_TRY(checkTensor(inputs[0], "input 0"));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfMatrixDiag(Operands inputs, std::size_t /*output*/) {
    Dimensions result = dimensionsOf(inputs[0]);
    if (result.empty()) {
        return invalid("input 0 without dimensions; must have at least 1");
    }
    result.push_back(result.back());
    return result;
}

/// Writes the diagonals of matrices of rows x columns.
Result<> writeDiagonals(const RunContext& run, const std::byte* diagonals, std::size_t rows,
                        std::size_t columns) {
    const std::size_t bytes = elementBytes(run.outputs[0].type);
    const std::size_t length = std::min(rows, columns);
    const std::size_t matrices = countOf(run.outputs[0]) / (rows * columns);
    for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
        const bool isOver = forEachElement(run, length, [&](std::size_t i) {
            std::memcpy(run.outputs[0].data + (matrix * rows * columns + i * (columns + 1)) * bytes,
                        diagonals + (matrix * length + i) * bytes, bytes);
        });
        if (isOver || run.limit.isOverAfter(length)) {
            return {};
        }
    }
    return {};
}

Result<> runMatrixDiag(const RunContext& run) {
    const std::size_t size = run.inputs[0].dimensions.back();
    const ExtensionOperand& output = run.outputs[0];
    const bool isOffset = output.type == TENSOR_QUANT8_ASYMM ||
                          output.type == TENSOR_QUANT8_ASYMM_SIGNED ||
                          output.type == TENSOR_QUANT16_ASYMM;
    bool isOver = false;
    if (isOffset && output.type == TENSOR_QUANT16_ASYMM) {
        isOver = fill(run, run.output<std::uint16_t>(), countOf(output),
                      static_cast<std::uint16_t>(output.zeroPoint));
    } else {
        isOver = fill(run, output.data, countOf(output) * elementBytes(output.type),
                      static_cast<std::byte>(isOffset ? output.zeroPoint : 0));
    }
    return isOver ? Result<>() : writeDiagonals(run, run.inputs[0].data, size, size);
}

Result<> checkMatrixSetDiag(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkTensor(inputs[0], "input 0"));
    NNBURST_TRY(checkSameType(inputs[0], inputs[1]));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfMatrixSetDiag(Operands inputs, std::size_t /*output*/) {
    const Sizes matrices = inputs[0].dimensions;
    Dimensions diagonals(matrices.begin(), matrices.end());
    if (matrices.size() >= 2) {
        diagonals.pop_back();
        diagonals.back() = std::min(matrices[matrices.size() - 2], matrices.back());
    }
    if (matrices.size() < 2 || dimensionsOf(inputs[1]) != diagonals) {
        return invalid("shapes {} and {}; must be matrices and their diagonals",
                       dimensionsText(matrices), dimensionsText(inputs[1].dimensions));
    }
    return dimensionsOf(inputs[0]);
}

Result<> runMatrixSetDiag(const RunContext& run) {
    const Sizes matrices = run.inputs[0].dimensions;
    if (copyBytes(run, run.outputs[0].data, run.inputs[0].data,
                  countOf(matrices) * elementBytes(run.inputs[0].type))) {
        return {};
    }
    return writeDiagonals(run, run.inputs[1].data, matrices[matrices.size() - 2], matrices.back());
}

constexpr std::array kMatrixOperations{
    OperationDefinition{Code::BATCH_MATMUL, "BATCH_MATMUL", checkBatchMatmul, shapeOfBatchMatmul,
                        runBatchMatmul, scratchOfBatchMatmul},
    OperationDefinition{Code::CUMSUM, "CUMSUM", checkCumsum, shapeOfCumsum, runCumsum},
    OperationDefinition{Code::MATRIX_DIAG, "MATRIX_DIAG", checkMatrixDiag, shapeOfMatrixDiag,
                        runMatrixDiag},
    OperationDefinition{Code::MATRIX_SET_DIAG, "MATRIX_SET_DIAG", checkMatrixSetDiag,
                        shapeOfMatrixSetDiag, runMatrixSetDiag},
};

}  // namespace

std::span<const OperationDefinition> matrixOperations() noexcept {
    return kMatrixOperations;
}

}  // namespace nnburst::tflite_operations
