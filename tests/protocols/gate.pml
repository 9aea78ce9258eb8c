/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The execution gate: no execution waits although it could run, and a runner has one user.
 *
 *     enter       ExecutionGate::Pass::enter, ExecutionGate::tryEnter
 *     leave       ExecutionGate::Pass::~Pass, ExecutionGate::leave, hasWaiters, chargeAndAdmit
 *     wait        ExecutionGate::wait, admitWaiters, tryAdmit
 *
 * (src/exec/threads/execution_gate.h and .cpp, sync [gate-left].)
 *
 * Executions take lanes and runners without the mutex; those that find none wait, with the mutex. An execution that
 * leaves releases its runner, then its lane, then looks whether others wait. One that waits announces itself, then looks
 * for a lane and a runner. The atomics are the only order between the two: what a mutation says comes too late is a
 * store that others see only after a later load of the same thread, which processors (ARM's: also where the store is
 * that of an atomic exchange and the load is not an acquiring one) and compilers may do to weaker orders.
 *
 * Not here: extra executions, which run beyond the lanes; waiters that give up at their deadline; executions that yield and
 * hold their runner meanwhile (waitingHolderOf), so that they leave without a lane: see [gate-left] in docs/waiting.md.
 *
 * Bounds: EXECUTIONS, each runs once; runner `self % MODELS` is the one that execution `self` needs.
 *
 * Also right:
 *   LANES=2
 *   LANES=2,MODELS=2
 *   MODELS=3
 *
 * Mutations:
 *   LOOK_BEFORE_ANNOUNCEMENT           a waiter's look for a lane (tryTake) is a relaxed load
 *   WAITERS_BEFORE_LANE                the look for waiters comes before the lane is released
 *   LANES=2,RUNNER_AFTER_LOOK          the runner's release is seen after the look for waiters
 *   LEAVES_WITHOUT_LOOK                an execution that has not waited does not look for waiters
 */
#ifndef LANES
#define LANES 1
#endif
#ifndef MODELS
#define MODELS 1
#endif
#define EXECUTIONS 3

byte freeLanes = LANES;
byte waitingCount = 0;
bool isHeld[MODELS];
bool isLocked = false;          /* the mutex */
bool isWaiting[EXECUTIONS];     /* is in waiters_ */
bool isAdmitted[EXECUTIONS];
byte users[MODELS];             /* that run: for the assertion */

/* A compare-and-exchange that succeeds, or a load that sees no lane. */
inline tryTake(taken) {
    atomic {
        taken = freeLanes > 0;
        freeLanes = freeLanes - taken
    }
}

inline tryHold(model, taken) {
    atomic {
        taken = !isHeld[model];
        isHeld[model] = true
    }
}

inline admitWaiters() {
    next = 0;
    do
    :: next == EXECUTIONS -> break
    :: next < EXECUTIONS && !isWaiting[next] -> next++
    :: next < EXECUTIONS && isWaiting[next] ->
        tryTake(hasLane);
        if
        :: !hasLane -> break
        :: else -> skip
        fi;
        tryHold(next % MODELS, hasRunner);
        if
        :: hasRunner ->
            isWaiting[next] = false;
            waitingCount--;
            isAdmitted[next] = true
        :: else -> freeLanes++
        fi;
        next++
    od
}

inline lock() {
    atomic { !isLocked -> isLocked = true }
}

proctype Execution(byte self) {
    bool hasLane = false;
    bool hasRunner = false;
    bool hasWaited = false;
    byte next;
    byte seen;

    /* enter */
    if
    :: waitingCount == 0 ->
        tryTake(hasLane);
        if
        :: hasLane ->
            tryHold(self % MODELS, hasRunner);
            if
            :: hasRunner -> goto entered
            :: else -> freeLanes++
            fi
        :: else -> skip
        fi
    :: else -> skip
    fi;

    /* wait */
    hasWaited = true;
    lock();
    isWaiting[self] = true;
#ifdef LOOK_BEFORE_ANNOUNCEMENT
    if
    :: freeLanes == 0 -> waitingCount++
    :: waitingCount++; admitWaiters()
    fi;
#else
    waitingCount++;
    admitWaiters();
#endif
    isLocked = false;
    isAdmitted[self];

entered:
    users[self % MODELS]++;
    assert(users[self % MODELS] == 1);
    users[self % MODELS]--;

    /* leave */
#ifdef RUNNER_AFTER_LOOK
    freeLanes++;
    seen = waitingCount;
    isHeld[self % MODELS] = false;
#else
    isHeld[self % MODELS] = false;
#ifdef WAITERS_BEFORE_LANE
    seen = waitingCount;
    freeLanes++;
#else
    freeLanes++;
    seen = waitingCount;
#endif
#endif
#ifdef LEAVES_WITHOUT_LOOK
    seen = 0;
#endif
    if
    :: hasWaited || seen != 0 ->
        lock();
        admitWaiters();
        isLocked = false
    :: else -> skip
    fi
}

init {
    byte i = 0;
    atomic {
        do
        :: i < EXECUTIONS -> run Execution(i); i++
        :: else -> break
        od
    }
}
