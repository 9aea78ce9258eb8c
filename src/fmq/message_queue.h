// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The fast message queue (FMQ) of the HAL: a ring of fixed-size elements in shared memory, in both
/// of its flavours (system/libfmq). One process writes.
///
/// - SYNCHRONIZED (synchronized_queue.h): one reader gets every element; a full queue refuses or
///   blocks the writer.
/// - UNSYNCHRONIZED (unsynchronized_queue.h): any number of readers, each with a position of its
///   own; the writer never waits, and a reader that is too slow is told that it was overrun.
///
/// What lies in memory is the same for both: queue_layout.h.
///
/// Bursts use the SYNCHRONIZED flavour, without an event for a full queue (burst/frame.h). The
/// other flavour, blocking reads and writes and event bits are here because libfmq has them. Only
/// tests and nnburst-bench use them.
///
/// Invariants that keep a process safe from the other side: everything from the header is copied
/// and checked once when attaching; positions are private, and the peer's is used only to know how
/// much room there is, after checking that it lies between what it was and what was written; a
/// sequence is only compared. A peer that writes wrong values loses messages; it cannot make this
/// side access other memory.
///
/// An end (Writer, Reader) belongs to one thread at a time. It cannot be resumed: a writer, and the
/// reader of a SYNCHRONIZED queue, begin at the first element, and a queue that was used before is
/// refused. Nothing here allocates after create/attach.

#include <type_traits>

#include "fmq/synchronized_queue.h"
#include "fmq/unsynchronized_queue.h"

namespace nnburst::fmq {

/// A queue of elements T, which mean the same in every process: trivially copyable, no pointers.
template <class T, QueueFlavor Flavor>
using MessageQueue = std::conditional_t<Flavor == QueueFlavor::SYNCHRONIZED, SynchronizedQueue<T>,
                                        UnsynchronizedQueue<T>>;

}  // namespace nnburst::fmq
