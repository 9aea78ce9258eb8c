/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The completion descriptor: no event loop sleeps on it although a result is there or the connection is lost. It is
 * readable after a loss; without one, it is unreadable once the loop has looked after the last ring.
 *
 *     event loop    RequestExchange::armCompletion, isDone, completionDescriptor; AnswerWait::arm, isLostInOrder;
 *                   Waiter::park; CompletionSignal::descriptor, takeRings, takeAllRings
 *     loss          the thread of the client's connection: RequestExchange::connectionLost, AnswerWait::connectionLost,
 *                   CompletionSignal::connectionLost
 *     driver        SynchronizedQueue::Writer::commitWrite, EventFlag::wakeAnnounced, wakeSleepers
 *
 * (src/burst/request_exchange.h, request_exchange.cpp, answer_wait.h, completion_signal.h, completion_signal.cpp;
 * src/fmq/wait.h, event_flag.h, event_flag.cpp; docs/waiting.md, "Waiting in an event loop".)
 *
 * The descriptor is readable while the doorbell holds a byte, or the loss has made its eventfd readable. Fences are as
 * in park_and_ring.pml, with the sides exchanged. The sequentially consistent accesses of [loss-visible] are steps; the
 * mutation of their order exchanges two of them. The loop arms the descriptor once for each time that it sleeps, as
 * burst.h asks for, or looks without sleeping.
 *
 * Bounds: 3 results, which the driver sends whenever it likes; the connection may be lost at any time. Whether the driver
 * goes on after that does not matter.
 *
 * Mutations:
 *   NO_LAST_LOOK            the descriptor is armed without a look after the announcement
 *   NO_HEAVY_FENCE          the look comes after the announcement, but the driver's store may still wait
 *   CLEARED_AFTER_ARMING    the ring is taken away after the announcement
 *   NO_RING_BACK            the driver clears the bit, but does not ring
 *   LOSS_SEEN_TOO_EARLY     the loop looks for a loss before the other thread can see its descriptor
 *   LOSS_WITHOUT_DESCRIPTOR the loss clears the bit, but does not make the descriptor readable
 *   ONE_FLAG_FOR_TWO_RINGS  a ring that was taken leaves another one to be expected only if the bit is still set
 *   LATE_RING_NOT_COUNTED   a ring is not counted if the last look finds a result, although the driver has cleared the bit
 */
#define RESULTS 3

byte published = 0; /* results that the loop sees */
byte stored = 0;    /* by the driver */
byte taken = 0;
bool isArmed = false; /* bit 30 of EventWord::word */
byte bytes = 0;       /* in the doorbell */
byte ringsToCome = 0; /* CompletionSignal::ringsToCome_ */
bool isLost = false;
bool hasDescriptor = false; /* CompletionSignal::visibleLoss_ */
bool isLossReadable = false;
bool isOver = false; /* the loop has ended */

proctype Driver() {
    bool wasArmed;
    do
    :: stored < RESULTS ->
        stored++;
        /* wakeAnnounced, with a light fence */
        if
        :: isArmed ->
            /* wakeSleepers: its exchange empties the store buffer */
            d_step {
                published = stored;
                wasArmed = isArmed;
                isArmed = false
            }
#ifndef NO_RING_BACK
            if
            :: wasArmed ->
                bytes++
            :: else -> skip
            fi
#endif
        :: else -> skip
        fi
    :: else -> break
    od
}

proctype StoreBuffer() {
end:
    do
    :: published != stored -> published = stored
    od
}

proctype Loss() {
    if
    :: skip /* the connection is not lost */
    :: isLost = true;
        isArmed = false; /* wakeSleepers, which has no doorbell here */
#ifndef LOSS_WITHOUT_DESCRIPTOR
        if
        :: hasDescriptor -> isLossReadable = true
        :: else -> skip
        fi
#endif
    fi
}

inline takeRings() {
    do
    :: ringsToCome > 0 && bytes > 0 ->
        d_step {
            bytes--;
#ifdef ONE_FLAG_FOR_TWO_RINGS
            ringsToCome = (isArmed -> 1 : 0)
#else
            ringsToCome--
#endif
        }
    :: else -> break
    od
}

proctype EventLoop() {
    bool isRingAsked;
    bool isRingCancelled;
    bool seesLoss = false;
    do
    :: taken == RESULTS || seesLoss -> break
    :: else ->
        /* armCompletion */
#ifdef LOSS_SEEN_TOO_EARLY
        isLossReadable = isLossReadable || isLost;
        hasDescriptor = true;
#else
        hasDescriptor = true;
        isLossReadable = isLossReadable || isLost;
#endif
#ifndef CLEARED_AFTER_ARMING
        takeRings(); /* and those that were not asked for, of which there are none here */
#endif
        if
        :: taken < published -> taken = published
        :: else ->
            d_step {
                isRingAsked = !isArmed;
                isArmed = true
            }
#ifndef NO_HEAVY_FENCE
            published = stored;
#endif
            if
#ifndef NO_LAST_LOOK
            :: taken < published || isLost ->
                d_step {
                    isRingCancelled = isArmed;
                    isArmed = false
                }
#ifndef LATE_RING_NOT_COUNTED
                ringsToCome = ringsToCome + isRingAsked - isRingCancelled
#endif
#endif
            :: else ->
#ifdef ONE_FLAG_FOR_TWO_RINGS
                ringsToCome = 1;
#else
                ringsToCome = ringsToCome + isRingAsked;
#endif
#ifdef CLEARED_AFTER_ARMING
                takeRings();
#endif
                if
                :: true -> skip /* the application looks at once */
                :: true -> bytes > 0 || isLossReadable /* or it sleeps */
                fi
            fi
        fi;
        /* isDone */
        seesLoss = isLost;
#ifndef CLEARED_AFTER_ARMING
        takeRings();
#endif
        taken = published
    od;
    isOver = true
}

/* When nothing moves any more, the loop has all results or knows of the loss. One more look takes the late rings. */
proctype Judge() {
    timeout -> assert(isOver && (!isLost || isLossReadable));
    takeRings();
    assert(isLost || bytes == 0)
}

init {
    atomic {
        run Driver();
        run StoreBuffer();
        run Loss();
        run EventLoop();
        run Judge()
    }
}
