/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pool of kernel threads: each index of an operator is done once, by a thread that sees that operator's fields,
 * and nobody sleeps for ever.
 *
 *     publish     ThreadPool::publish
 *     doIndexes   ThreadPool::doIndexes (the shares as one counter)
 *     await       ThreadPool::awaitWorkers
 *     worker      ThreadPool::work: awaitOperator, enter, leave
 *
 * (src/exec/pool/thread_pool.h and .cpp, sync [pool-operator-published], [pool-worker-left].)
 *
 * The word is one atomic; the model writes its bits as fields and changes them in one step. The kernel compares the
 * whole word before it puts a thread to sleep, in one step, too. All accesses take effect in their order. A mutation without
 * a memory order has an access to the operator's fields or results too early or too late.
 *
 * Bounds: OPERATORS operators of two indexes, then the end of the pool; WORKERS workers.
 *
 * Also right:
 *   WORKERS=1,OPERATORS=3
 *
 * Mutations:
 *   WAKES_NO_WORKERS                  a published operator does not wake
 *   WORKERS=1,SLEEPS_WITHOUT_COMPARE  a worker sleeps although the word has changed since it announced its sleep
 *   WORKERS=1,SLEEPS_WITHOUT_BIT      a worker sleeps without announcing it
 *   STAYS_OPEN                        a worker can enter an operator that the caller has left
 *   CALLER_DOES_NOT_WAIT              the caller does not wait for workers inside
 *   LEAVES_SILENTLY                   the last worker does not wake the caller
 *   CALLER_SLEEPS_WITHOUT_COMPARE     the caller sleeps although the word has changed since it announced its sleep
 *   WORKERS=1,PUBLISHED_WITHOUT_RELEASE   an operator's fields become visible after the word that publishes it
 *   WORKERS=1,ENTERED_WITHOUT_ACQUIRE     a worker reads the fields before it sees the operator
 *   WORKERS=1,LEFT_WITHOUT_RELEASE        what a worker has done becomes visible after it has left
 *   WORKERS=1,AWAITED_WITHOUT_ACQUIRE     the caller reads the results before it sees that no worker is inside
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef OPERATORS
#define OPERATORS 2
#endif

/* the word */
byte number = 0;
bool isOpen = false;
byte inside = 0;
bool callerSleeps = false;
bool workersSleep = false;
byte version = 0;                /* changes with the word: what the kernel compares; wraps */

byte left = 0;                   /* indexes that nobody has taken */
byte done = 0;                   /* indexes of this operator that are finished */
byte fields = 0;                 /* the operator that the fields describe */
bool isEnding = false;
bool workerAsleep[WORKERS + 1];  /* in the kernel */
bool callerAsleep = false;
byte ended = 0;

inline wakeWorkers() {
    i = 0;
    do
    :: i < WORKERS -> workerAsleep[i] = false; i++
    :: else -> break
    od
}

inline publish() {
    atomic {
        hadSleepers = workersSleep;
        number++;
        isOpen = true;
        inside = 0;
        callerSleeps = false;
        workersSleep = false;
        version++
    }
#ifndef WAKES_NO_WORKERS
    if
    :: hadSleepers -> atomic { wakeWorkers() }
    :: else -> skip
    fi
#endif
}

/* `seenFields` is what the thread reads of the fields, `results` counts what it has done. */
inline doIndexes(expected, seenFields, results) {
    do
    :: atomic { left > 0 -> left--; assert(seenFields == expected) };
        atomic { results++; assert(seenFields == expected && done <= 2) }
    :: left == 0 -> break
    od
}

active proctype Caller() {
    byte operator = 1;
    bool hadSleepers;
    byte i;
    byte announced;
#ifdef AWAITED_WITHOUT_ACQUIRE
    byte early;
#endif

    do
    :: operator <= OPERATORS ->
#ifndef PUBLISHED_WITHOUT_RELEASE
        fields = operator;
#endif
        done = 0;
        left = 2;
        publish();
#ifdef PUBLISHED_WITHOUT_RELEASE
        fields = operator;
#endif
        doIndexes(operator, fields, done);
#ifndef STAYS_OPEN
        atomic { isOpen = false; version++ };
#endif
#ifdef AWAITED_WITHOUT_ACQUIRE
        early = done;
#endif
#ifndef CALLER_DOES_NOT_WAIT
        do
        :: inside == 0 -> break
        :: atomic { inside > 0 -> callerSleeps = true; version++; announced = version };
            atomic {
                if
#ifdef CALLER_SLEEPS_WITHOUT_COMPARE
                :: true -> callerAsleep = true
#else
                :: version == announced -> callerAsleep = true
                :: else -> skip
#endif
                fi
            };
            !callerAsleep
        od;
#endif
#ifdef AWAITED_WITHOUT_ACQUIRE
        assert(early == 2);
#else
        assert(done == 2);
#endif
        operator++
    :: else -> break
    od;
    fields = operator;
    isEnding = true;
    publish();
    ended == WORKERS
}

proctype Worker(byte self) {
    byte previous = 0;
    byte seen;
    byte announced;
    bool isInside;
    bool wakesCaller;
#ifdef ENTERED_WITHOUT_ACQUIRE
    byte early;
#endif
#ifdef LEFT_WITHOUT_RELEASE
    byte late = 0;
#endif

    do
    :: true ->
#ifdef ENTERED_WITHOUT_ACQUIRE
        early = fields;
#endif
        /* awaitOperator: it may spin as long as it likes, and sleep whenever nothing is new */
        do
        :: isOpen && number != previous -> seen = number; break
        :: atomic {
               !(isOpen && number != previous) ->
#ifndef SLEEPS_WITHOUT_BIT
               if
               :: !workersSleep -> workersSleep = true; version++
               :: else -> skip
               fi;
#endif
               announced = version
           };
            atomic {
                if
#ifdef SLEEPS_WITHOUT_COMPARE
                :: true -> workerAsleep[self] = true
#else
                :: version == announced -> workerAsleep[self] = true
                :: else -> skip
#endif
                fi
            };
            !workerAsleep[self]
        od;
        previous = seen;
        /* enter */
        atomic {
            isInside = isOpen && number == seen;
            if
            :: isInside -> inside++; version++
            :: else -> skip
            fi
        };
        if
        :: isInside && isEnding -> break
        :: isInside && !isEnding ->
#if defined(ENTERED_WITHOUT_ACQUIRE)
            doIndexes(seen, early, done);
#elif defined(LEFT_WITHOUT_RELEASE)
            doIndexes(seen, fields, late);
#else
            doIndexes(seen, fields, done);
#endif
            /* leave */
            atomic {
                inside--;
                version++;
                wakesCaller = callerSleeps && inside == 0
            };
#ifdef LEFT_WITHOUT_RELEASE
            atomic { done = done + late; late = 0 };
#endif
#ifndef LEAVES_SILENTLY
            if
            :: wakesCaller -> callerAsleep = false
            :: else -> skip
            fi
#endif
        :: else -> skip
        fi
    od;
    ended++
}

init {
    byte worker = 0;
    atomic {
        do
        :: worker < WORKERS -> run Worker(worker); worker++
        :: else -> break
        od
    }
}
