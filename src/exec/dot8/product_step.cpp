// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/product_step.h"

#include <algorithm>
#include <utility>

#include "exec/dot8/block_products.h"
#include "exec/dot8/coverage.h"
#include "exec/dot8/packing.h"
#include "exec/dot8/rounding.h"
#include "exec/dot8/row_writer.h"
#include "exec/dot8/task_step.h"
#include "exec/operation/parallel_work.h"
#include "log/assert.h"

namespace nnburst::exec::dot8 {

namespace {

class ProductStep final : public TaskStep {
  public:
    ProductStep(const Product& product, std::shared_ptr<const PackedFilter> filter,
                const Requantization& requantization, pthreadpool_t threads, double ns)
        : TaskStep(kLayerOperands, threads),
          product_(product),
          filter_(std::move(filter)),
          requantization_(requantization),
          division_(product.rowCount, product.depth, product.groupOutputs, *filter_->kernels,
                    threadCount(threads), ns),
          multipliedDepth_(product.windows ? roundUp(product.depth, 4) : product.depth),
          rowStride_(product.windows ? multipliedDepth_ : product.groups * product.depth),
          outputStride_(product.groups * product.groupOutputs) {
        if (product_.windows) {
            const std::size_t rows = std::min(division_.taskRows, product_.rowCount);
            setThreadScratchBytes(
                roundUp(rows * rowStride_ + RowWriter::kSlackBytes, kOperandAlignmentBytes));
        }
    }

    [[nodiscard]] bool hasPackedConstants() const noexcept override { return true; }

    Result<> run(TimeLimit& limit) override {
        const std::size_t tasks =
            ceilDivide(product_.rowCount, division_.taskRows) * division_.splits;
        runTasks(
            threads(), tasks,
            [](const void* step, std::size_t index, std::size_t thread, Pace& pace) {
                static_cast<const ProductStep*>(step)->runTask(index, thread, pace);
            },
            this, limit);
        return {};
    }

  private:
    void runTask(std::size_t index, std::size_t thread, Pace& pace) const noexcept {
        const std::size_t first = index / division_.splits * division_.taskRows;
        const std::size_t split = index % division_.splits;
        const FilterLayout layout(*filter_->kernels, product_.depth, product_.groupOutputs);
        ActivationRows rows{.stride = rowStride_,
                            .count = std::min(division_.taskRows, product_.rowCount - first),
                            .multipliedDepth = multipliedDepth_};
        for (std::size_t group = 0; group < product_.groups; ++group) {
            if (product_.windows) {
                std::uint8_t* const scratch = scratchOf(thread);
                product_.windows->gather(input(), group, first, rows.count, scratch, rowStride_);
                rows.data = scratch;
            } else {
                rows.data = input() + first * rowStride_ + group * product_.depth;
            }
            const FilterMatrix matrix{.filter = filter_.get(),
                                      .depth = product_.depth,
                                      .outputs = product_.groupOutputs,
                                      .weightsOffset = group * layout.groupBytes,
                                      .parametersOffset = group * layout.columns};
            const OutputRows outputs{
                .data = output() + first * outputStride_ + group * product_.groupOutputs,
                .stride = outputStride_};
            if (!multiplyBlocks(matrix, rows, outputs, requantization_, split, division_.splits,
                                pace)) {
                return;
            }
        }
    }

    const Product product_;
    const std::shared_ptr<const PackedFilter> filter_;
    const Requantization requantization_;
    const ProductDivision division_;
    /// Rows in scratch memory are read to a multiple of 4: there the weights are 0.
    const std::size_t multipliedDepth_;
    const std::size_t rowStride_;
    const std::size_t outputStride_;
};

}  // namespace

StepResult makeProductStep(const OperationView& operation, const StepContext& context,
                           QuantizedRange range, const Product& product) {
    if (product.depth > kMaximumDepth) {
        return nullptr;
    }
    const FilterLayout layout(*context.kernels, product.depth, product.groupOutputs);
    NNBURST_TRY_ASSIGN(std::shared_ptr<const PackedFilter> filter,
                       shareFilter(context, layout.form(product.groups), hasFilter(operation), [&] {
                           return packFilter(operation, *context.kernels, product.depth,
                                             product.groups, product.groupOutputs);
                       }));
    if (!filter) {
        return nullptr;
    }
    NNBURST_ASSERT(filter->kernels == context.kernels, "operation {} is packed for {}",
                   context.operation, filter->kernels->name);
    const double ns =
        productNs(static_cast<double>(product.rowCount) * static_cast<double>(product.depth) *
                  static_cast<double>(product.groups * product.groupOutputs));
    return std::make_unique<ProductStep>(product, std::move(filter),
                                         requantizationOf(operation.outputs[0], range),
                                         ns < kMinimumParallelNs ? nullptr : context.threads, ns);
}

}  // namespace nnburst::exec::dot8
