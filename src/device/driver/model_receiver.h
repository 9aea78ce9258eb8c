// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Receives models from messages. Work that may take long is done on job threads of the client, and
/// the memory of a model is charged to the client from before the model is read.

#include <memory>
#include <utility>

#include "device/driver/run_on_job_thread.h"
#include "device/local/local_device.h"
#include "device/local/model_snapshot.h"
#include "device/rpc/conversion.h"
#include "device/rpc/kj_conversions.h"

namespace nnburst::device {

/// What is charged for the memory of a received model.
struct ModelCharges {
    Charge structure;      ///< for all that came in the message
    Charge operandValues;  ///< for the copy of those that came in shared memory
};

/// Used on the event loop's thread.
class ModelReceiver {
  public:
    using SharedCharges = std::shared_ptr<ModelCharges>;

    ModelReceiver(SharedClientContext client, std::shared_ptr<LocalDevice> device)
        : client_(std::move(client)), device_(std::move(device)) {}

    /// Receives the model of `reader` and calls `use` with it, and with what is charged for it, on
    /// a job thread. The message and this must live until the promise resolves.
    template <class T, class Use>
    [[nodiscard]] kj::Promise<Result<T>> receive(rpc::Model::Reader reader, Use use) const {
        return readOnJobThread<ReadModel>(
                   *client_,
                   [reader, device = device_,
                    account = client_->peer->account()]() -> Result<ReadModel> {
                       if (device->isCancelled()) {
                           return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the client has gone");
                       }
                       return read(reader, account);
                   })
            .then([this, reader,
                   use = std::move(use)](Result<ReadModel>&& read) -> kj::Promise<Result<T>> {
                if (!read) {
                    return failureOf<T>(read);
                }
                return receiveModel(std::move(read->structure), reader, client_->peer)
                    .then([this, use,
                           charges = std::move(read->charges)](Result<ReceivedModel>&& received) {
                        return complete<T>(std::move(received), charges, use);
                    });
            });
    }

  private:
    struct ReadModel {
        Model structure;
        SharedCharges charges;
    };

    static Result<ReadModel> read(rpc::Model::Reader reader, const SharedAccount& account) {
        ReadModel read{.structure = {}, .charges = std::make_shared<ModelCharges>()};
        Charge& charge = read.charges->structure;
        NNBURST_TRY_ASSIGN(charge, account->charge(Resource::MEMORY, structureBytes(reader)));
        NNBURST_TRY_ASSIGN(read.structure, structureFromMessage(reader));
        // What lists and names take is known now: several may be the same bytes of the message.
        NNBURST_TRY_ASSIGN(charge, account->charge(Resource::MEMORY, memoryBytes(read.structure)));
        return read;
    }

    template <class T, class Use>
    kj::Promise<Result<T>> complete(Result<ReceivedModel> received, const SharedCharges& charges,
                                    const Use& use) const {
        if (!received) {
            return failureOf<T>(received);
        }
        return runOnJobThread<T>(
            *client_, JobKind::CONTROL, {},
            [use, charges, account = client_->peer->account(),
             whole = std::make_shared<ReceivedModel>(std::move(*received))]() -> Result<T> {
                if (whole->operandValues) {
                    NNBURST_TRY_ASSIGN(
                        charges->operandValues,
                        account->charge(Resource::MEMORY, whole->operandValues->sizeBytes()));
                }
                NNBURST_TRY_ASSIGN(Model model, completeModel(std::move(*whole)));
                return use(std::move(model), charges);
            });
    }

    const SharedClientContext client_;
    const std::shared_ptr<LocalDevice> device_;
};

}  // namespace nnburst::device
