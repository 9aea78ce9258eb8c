// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/product_step.h"

#include <algorithm>
#include <array>
#include <utility>

#include "exec/dot8/coverage.h"
#include "exec/dot8/packing.h"
#include "exec/dot8/rounding.h"
#include "exec/dot8/row_writer.h"
#include "exec/dot8/shared_work.h"
#include "log/assert.h"

namespace nnburst::exec::dot8 {

namespace {

/// Rows that a task multiplies at most: their corrections lie on the stack.
constexpr std::size_t kMaximumTaskRows = 120;
/// About as many bytes of rows stay in the second-level cache beside the weights.
constexpr std::size_t kTaskRowBytes = std::size_t{64} << 10;
/// Longer rows would need much scratch memory; XNNPACK takes them.
constexpr std::size_t kMaximumDepth = std::size_t{1} << 20;

/// What one thread multiplies in a nanosecond, about.
constexpr double kMultiplicationsPerNs = 250;
/// Tasks of this length even out threads that start late or run slowly.
constexpr double kTaskNs = 20000;
constexpr double kMaximumTasksPerThread = 4;

/// How a product is divided into tasks: `taskRows` rows, with the blocks of columns in `splits`.
struct Division {
    std::size_t taskRows = 0;
    std::size_t splits = 1;

    Division(const Product& product, const Microkernels& kernels, std::size_t threads,
             double ns) noexcept {
        const std::size_t tile = kernels.tileRows;
        const std::size_t most =
            std::clamp(kTaskRowBytes / product.depth, tile, kMaximumTaskRows) / tile * tile;
        taskRows = most;
        if (threads == 1) {
            return;
        }
        const std::size_t wanted = threads * static_cast<std::size_t>(std::clamp(
                                                 ns / static_cast<double>(threads) / kTaskNs, 1.0,
                                                 kMaximumTasksPerThread));
        const std::size_t blocks = ceilDivide(product.groupOutputs, kernels.blockColumns);
        // Few rows: dividing them would let each thread read all weights.
        if (product.rowCount > most || blocks < 2 * threads) {
            taskRows = std::min(most, roundUp(ceilDivide(product.rowCount, wanted), tile));
        }
        const std::size_t rowTasks = ceilDivide(product.rowCount, taskRows);
        if (rowTasks < wanted) {
            splits = std::min(blocks, ceilDivide(wanted, rowTasks));
        }
    }
};

class ProductStep final : public Step {
  public:
    ProductStep(const Product& product, std::shared_ptr<const PackedFilter> filter,
                const Requantization& requantization, pthreadpool_t threads, double ns)
        : product_(product),
          filter_(std::move(filter)),
          requantization_(requantization),
          threads_(threads),
          division_(product, *filter_->kernels, threadCount(threads), ns),
          multipliedDepth_(product.windows ? roundUp(product.depth, 4) : product.depth),
          rowStride_(product.windows ? multipliedDepth_ : product.groups * product.depth),
          outputStride_(product.groups * product.groupOutputs) {
        if (product_.windows) {
            const std::size_t rows = std::min(division_.taskRows, product_.rowCount);
            threadScratchBytes_ =
                roundUp(rows * rowStride_ + RowWriter::kSlackBytes, kOperandAlignmentBytes);
        }
    }

    [[nodiscard]] std::size_t scratchBytes() const noexcept override {
        return threadScratchBytes_ * threadCount(threads_);
    }
    [[nodiscard]] bool hasPackedConstants() const noexcept override { return true; }
    [[nodiscard]] bool isMultithreaded() const noexcept override { return threads_ != nullptr; }

    Result<> setUp(std::span<std::byte* const> operands) override {
        const bool hasScratch = threadScratchBytes_ != 0;
        NNBURST_ASSERT(operands.size() >= (hasScratch ? 5U : 4U), "{} operands", operands.size());
        input_ = reinterpret_cast<const std::uint8_t*>(operands.front());
        scratch_ = hasScratch ? reinterpret_cast<std::uint8_t*>(operands.back()) : nullptr;
        output_ = reinterpret_cast<std::uint8_t*>(operands[operands.size() - (hasScratch ? 2 : 1)]);
        return {};
    }

    Result<> run(TimeLimit& limit) override {
        const std::size_t tasks =
            ceilDivide(product_.rowCount, division_.taskRows) * division_.splits;
        runTasks(
            threads_, tasks,
            [](const void* step, std::size_t index, std::size_t thread, Pace& pace) {
                static_cast<const ProductStep*>(step)->runTask(index, thread, pace);
            },
            this, limit);
        return {};
    }

  private:
    /// Rows of one group, where micro-kernels read them.
    struct Rows {
        const std::uint8_t* data;
        std::size_t first;
        std::size_t count;
    };

    void runTask(std::size_t index, std::size_t thread, Pace& pace) const noexcept {
        Rows rows{
            .data = nullptr, .first = index / division_.splits * division_.taskRows, .count = 0};
        rows.count = std::min(division_.taskRows, product_.rowCount - rows.first);
        const std::size_t split = index % division_.splits;
        for (std::size_t group = 0; group < product_.groups; ++group) {
            if (product_.windows) {
                std::uint8_t* const scratch = scratch_ + thread * threadScratchBytes_;
                product_.windows->gather(input_, group, rows.first, rows.count, scratch,
                                         rowStride_);
                rows.data = scratch;
            } else {
                rows.data = input_ + rows.first * rowStride_ + group * product_.depth;
            }
            if (!multiply(rows, group, split, pace)) {
                return;
            }
        }
    }

    /// False if the time is over.
    bool multiply(const Rows& rows, std::size_t group, std::size_t split,
                  Pace& pace) const noexcept {
        const Microkernels& kernels = *filter_->kernels;
        std::array<std::int32_t, kMaximumTaskRows>
            corrections;  // NOLINT(*-member-init): filled below
        if (filter_->form.activations == Activations::UNSIGNED_CORRECTED) {
            kernels.sumRows(rows.data, rowStride_, rows.count, product_.depth,
                            filter_->form.correction, corrections.data());
        }
        const FilterLayout layout(kernels, product_.depth, product_.groupOutputs);
        const std::size_t first = layout.blocks * split / division_.splits;
        const std::size_t last = layout.blocks * (split + 1) / division_.splits;
        for (std::size_t block = first; block < last; ++block) {
            const std::size_t column = block * kernels.blockColumns;
            const std::size_t parameter = group * layout.columns + column;
            const BlockProduct product{
                .rows = rows.data,
                .rowStride = rowStride_,
                .rowCount = rows.count,
                .depth = multipliedDepth_,
                .corrections = corrections.data(),
                .weights = reinterpret_cast<const std::int8_t*>(filter_->weights()) +
                           group * layout.groupBytes + layout.offset(block),
                .bias = filter_->bias() + parameter,
                .scales = filter_->scales() + parameter,
                .columns = std::min(kernels.blockColumns, product_.groupOutputs - column),
                .output =
                    output_ + rows.first * outputStride_ + group * product_.groupOutputs + column,
                .outputStride = outputStride_,
                .requantization = requantization_,
                .activations = filter_->form.activations};
            kernels.multiply(product);
            if (pace.isOverAfter(rows.count * product_.depth * product.columns)) {
                return false;
            }
        }
        return true;
    }

    const Product product_;
    const std::shared_ptr<const PackedFilter> filter_;
    const Requantization requantization_;
    const pthreadpool_t threads_;
    const Division division_;
    /// Rows in scratch memory are read to a multiple of 4: there the weights are 0.
    const std::size_t multipliedDepth_;
    const std::size_t rowStride_;
    const std::size_t outputStride_;
    std::size_t threadScratchBytes_ = 0;
    const std::uint8_t* input_ = nullptr;
    std::uint8_t* scratch_ = nullptr;
    std::uint8_t* output_ = nullptr;
};

}  // namespace

StepResult makeProductStep(const OperationView& operation, const StepContext& context,
                           QuantizedRange range, const Product& product) {
    if (product.depth > kMaximumDepth) {
        return nullptr;
    }
    const FilterLayout layout(*context.kernels, product.depth, product.groupOutputs);
    std::shared_ptr<const PackedFilter> filter =
        context.weights->find(context.operation, layout.form(product.groups));
    if (!filter) {
        if (operation.inputs[1].data == nullptr || operation.inputs[2].data == nullptr) {
            return nullptr;
        }
        NNBURST_TRY_ASSIGN(filter, packFilter(operation, *context.kernels, product.depth,
                                              product.groups, product.groupOutputs));
        filter = context.weights->insert(context.operation, std::move(filter));
    }
    NNBURST_ASSERT(filter->kernels == context.kernels, "operation {} is packed for {}",
                   context.operation, filter->kernels->name);
    const double ns = static_cast<double>(product.rowCount) * static_cast<double>(product.depth) *
                      static_cast<double>(product.groups * product.groupOutputs) /
                      kMultiplicationsPerNs;
    return std::make_unique<ProductStep>(product, std::move(filter),
                                         requantizationOf(operation.outputs[0], range),
                                         ns < kMinimumParallelNs ? nullptr : context.threads, ns);
}

}  // namespace nnburst::exec::dot8
