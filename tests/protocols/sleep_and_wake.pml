/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sleeping and waking: nobody sleeps on an event flag although what it waits for is there.
 *
 *     publisher   SynchronizedQueue::Writer::commitWrite, EventFlag::wakeAnnounced, wakeSleepers
 *     sleeper     Waiter::sleep, EventFlag::announceSleeper, sleep, retractSleeper
 *
 * (src/fmq/synchronized_queue.h, event_flag.h, event_flag.cpp, wait.h; docs/waiting.md, "The waiter bits".)
 *
 * A store may wait in the publisher's store buffer while its later loads run, and the sleeper may look before its
 * announcement is visible, unless a fence stands between: this is what processors do, ARM's included. A heavy fence
 * (membarrier) of the sleeper empties the publisher's buffer. There is no limit of a sleep here (kLongestSleep), so
 * that a wake-up that is lost is a deadlock.
 *
 * A sleeper that is alone may delegate the fences to the publisher (EventFlag::setWakerMakesFences), and make heavy ones
 * again, before each announcement. Those that share a flag always delegate them (Waiter::sharing), because some of them may
 * be unable to make heavy ones.
 *
 * Bounds: 2 frames; 1 sleeper that is alone, or SLEEPERS that share the flag and read all frames each.
 *
 * Also right:
 *   SLEEPERS=2   which share the flag
 *
 * Mutations:
 *   NO_SLEEPERS_FENCE         the sleeper looks without a fence after its announcement
 *   LIGHT_FENCE_ALWAYS        the publisher makes no fence of its own for a sleeper that cannot make heavy ones
 *   LEFT_AT_ONCE              a sleeper that delegates the fences to the publisher makes no heavy one after it has said so
 *   NO_LAST_LOOK              the sleeper does not look again after its announcement
 *   COUNT_READ_TOO_LATE       the count of wake-ups is read after the announcement
 *   WAKE_UPS_NOT_COUNTED      a wake-up does not change the count
 *   SLEEPERS=2,RETRACTED_AMONG_OTHERS   one of several sleepers clears the bit that all of them share
 *   SLEEPERS=2,NOT_DELEGATED_AMONG_OTHERS   one of several says that the sleeper makes heavy fences
 */
#ifndef SLEEPERS
#define SLEEPERS 1
#endif
#define FRAMES 2

/* What all see. */
byte published = 0;      /* frames in the queue: the sequence numbers of its cells */
bool isSleeping = false; /* bit 31 of EventWord::word */
byte wakeCount = 0;      /* the futex; it has room for all wake-ups of this model */
bool isAsleep[SLEEPERS]; /* in the kernel */
bool hasHeavyFences[SLEEPERS]; /* each can make them */
bool saysHeavyFences;    /* WaiterState::kHasHeavyFences: the sleeper makes them before each sleep */

/* What the publisher has stored; the others see it when its store buffer is emptied. */
byte stored = 0;

proctype Publisher() {
    byte i;
    bool isLeft;
    do
    :: stored < FRAMES ->
        stored++;
        /* wakeAnnounced */
#ifndef LIGHT_FENCE_ALWAYS
        isLeft = !saysHeavyFences;
        if
        :: isLeft -> published = stored
        :: else -> skip
        fi;
#endif
        if
        :: isSleeping ->
            /* wakeSleepers */
            isSleeping = false;
#ifndef WAKE_UPS_NOT_COUNTED
            wakeCount++;
#endif
            d_step {
                i = 0;
                do
                :: i < SLEEPERS -> isAsleep[i] = false; i++
                :: else -> break
                od
            }
        :: else -> skip
        fi
    :: else -> break
    od
}

/* Stores leave the buffer at any time. */
proctype StoreBuffer() {
end:
    do
    :: published != stored -> published = stored
    od
}

proctype Sleeper(byte self) {
    byte read = 0;
    byte seenCount;
    byte seen;
    bool wakerMakesFences = false;
    bool hasDelegatedFences = false;
    do
    :: read == FRAMES -> break
    :: else ->
        /* setWakerMakesFences, publishWaiterCpu: also in waits that end before they sleep */
        do
        ::
#if SLEEPERS == 1
            if
            :: wakerMakesFences = hasHeavyFences[self]
            :: wakerMakesFences = false
            fi;
#elif !defined(NOT_DELEGATED_AMONG_OTHERS)
            wakerMakesFences = true;
#endif
            hasDelegatedFences = hasDelegatedFences && wakerMakesFences && !saysHeavyFences;
            saysHeavyFences = hasHeavyFences[self] && !wakerMakesFences;
#ifdef LEFT_AT_ONCE
            hasDelegatedFences = wakerMakesFences;
#endif
            if
            :: break
            :: skip
            fi
        od;
        /* announceSleeper */
#ifdef COUNT_READ_TOO_LATE
        isSleeping = true;
        seenCount = wakeCount;
#else
        seenCount = wakeCount;
#ifdef NO_SLEEPERS_FENCE
        if
        :: seen = published; isSleeping = true; goto looked
        :: isSleeping = true
        fi;
#else
        isSleeping = true;
#endif
#endif
        if
        :: hasHeavyFences[self] && !hasDelegatedFences ->
            published = stored;
            hasDelegatedFences = wakerMakesFences
        :: else -> skip
        fi;
        seen = published;
looked:
#ifdef NO_LAST_LOOK
        seen = read;
#endif
        if
        :: seen > read -> read = seen
        :: else ->
            /* sleep: the kernel compares and puts to sleep in one step */
            atomic {
                if
                :: wakeCount == seenCount -> isAsleep[self] = true
                :: else -> skip
                fi
            }
            !isAsleep[self];
            read = published
        fi
    od;
#if SLEEPERS == 1 || defined(RETRACTED_AMONG_OTHERS)
    isSleeping = false /* retractSleeper */
#endif
}

init {
    byte i = 0;
    atomic {
        run Publisher();
        run StoreBuffer();
        do
        :: i < SLEEPERS ->
            if
            :: hasHeavyFences[i] = true
            :: hasHeavyFences[i] = false
            fi;
            run Sleeper(i);
            i++
        :: else -> break
        od
    }
}
