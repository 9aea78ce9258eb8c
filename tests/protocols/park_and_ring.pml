/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parking: each request of a burst is served, though the burst has no thread while it is idle or waits for its turn, and
 * never by two threads at once.
 *
 *     client        SynchronizedQueue::Writer::commitWrite, EventFlag::wakeAnnounced, wakeSleepers
 *     freeing       the thread of the client's connection: FrameServer::freeMemory, Registration::ring
 *     pool thread   ServingThreadPool::runThread, answerRing, beginOrWait, serve, endAndTakeWaiting, ringNextWaiting;
 *                   Entry::tryHandOver, enter, leave; FrameServer::serve, Waiter::unpark, park
 *
 * (src/fmq/event_flag.h, event_flag.cpp, wait.h; src/burst/serving_thread_pool.cpp, serving_shares.h, server.cpp;
 * docs/waiting.md, "Parking".)
 *
 * The doorbell is a socket with room for one byte here, watched by an edge-triggered epoll: a byte that arrives makes
 * the entry ready, and one thread takes it from there. What the driver itself rings is reported by the same epoll.
 * Fences are as in sleep_and_wake.pml: the client's store may wait while its load runs, and the thread's fence after
 * its announcement is a heavy one, which ends that. Waiter::park delegates the fences: see sleep_and_wake.pml. A burst
 * that is rung while as many are served as may be waits in a list; so does one whose turn ends although there is more
 * to do. What changes under the mutex of the pool is one step.
 *
 * Not here: the shares of clients and users (any of those that wait may be the next), the end of threads and of bursts
 * (FrameServer::stop, ServingThreadPool::remove), more threads than THREADS while threads wait for their clients.
 *
 * Bounds: 3 frames, memory freed once; THREADS threads, of which ALLOWED may serve at the same time; another burst, which
 * rings once. A burst may end its turn after each frame.
 *
 * Also right:
 *   THREADS=1     no thread can be started
 *   ALLOWED=2
 *
 * Mutations:
 *   NO_LAST_LOOK         a burst is parked without a look after the announcement
 *   NO_HEAVY_FENCE       the look comes after the announcement, but the client's store may still wait
 *   RING_FORGOTTEN       a ring while a thread serves leaves no mark
 *   NO_DRAIN             the bytes stay in the socket, so that the next ring finds it full
 *   DRAIN_AT_THE_END     they are taken out after serving
 *   TURN_FORGOTTEN       a burst whose turn ends although there is more to do does not wait for another one
 *   RING_NOT_KEPT        a burst that may not be served when it is rung does not wait
 *   THREADS=1,NEXT_NOT_RUNG   a thread without an idle one beside it leaves those that wait where they are
 *   FREED_WITHOUT_RING   freed memory clears the bit of a parked burst, but does not ring
 *   ALLOWED=2,ENTERED_BY_TWO  a thread serves also what another one serves
 */
#define FRAMES 3
#define OTHER_RINGS 1
#ifndef THREADS
#define THREADS 2
#endif
#ifndef ALLOWED
#define ALLOWED 1
#endif

byte published = 0; /* frames that the threads see */
byte stored = 0;    /* by the client */
byte served = 0;
bool isUnmapRequested = false;
bool isParked = false; /* bit 30 of EventWord::word */
bool hasByte = false;  /* in the socket */
bool isReady = true;   /* in the epoll: FrameServer::start rings */
byte otherRings = OTHER_RINGS; /* that burst in the epoll */

mtype = { PARKED, SERVED, RUNG_AGAIN };
mtype state = PARKED;
byte serving = 0; /* threads that serve the burst */

/* ServingShares, and ServingThreadPool::idle_ */
byte turns = 0; /* of both bursts, at the same time */
bool isWaiting = false;
bool isOtherWaiting = false;
byte idle = THREADS;

proctype Client() {
    bool wasParked;
    do
    :: stored < FRAMES ->
        stored++;
        /* wakeAnnounced, with a light fence */
        if
        :: isParked ->
            /* wakeSleepers: its exchange empties the store buffer */
            d_step {
                published = stored;
                wasParked = isParked;
                isParked = false;
            }
            if
            :: wasParked ->
                d_step {
                    if
                    :: !hasByte -> hasByte = true; isReady = true
                    :: else -> skip /* send fails with EAGAIN */
                    fi
                }
            :: else -> skip
            fi
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

proctype Freeing() {
    isUnmapRequested = true;
    isParked = false; /* wakeSleepers, which has no doorbell here */
#ifndef FREED_WITHOUT_RING
    isReady = true /* ServingThreadPool::ring: the epoll reports it at once */
#endif
}

/* Part of steps under the mutex. */
inline ringNextWaiting() {
    if
    :: turns < ALLOWED && isWaiting -> isWaiting = false; isReady = true
    :: turns < ALLOWED && isOtherWaiting -> isOtherWaiting = false; otherRings++
    :: else -> skip
    fi
}

proctype PoolThread() {
    bool hasTurn;
    bool hadTurn;
    bool isOther; /* the turn of the other burst */
    bool isServing;
    bool hasMore;
end:
    do
    :: atomic {
        if
        :: isReady -> isReady = false; isOther = false
        :: otherRings > 0 -> otherRings--; isOther = true
        fi };
        hasTurn = true;
        /* tryHandOver */
        d_step {
            if
            :: !isOther && state != PARKED ->
                hasTurn = false;
#ifndef RING_FORGOTTEN
                state = RUNG_AGAIN
#endif
            :: else -> skip
            fi
        }
        /* beginOrWait */
        atomic {
            if
            :: hasTurn && turns < ALLOWED -> turns++; ringNextWaiting()
            :: hasTurn && turns == ALLOWED ->
                hasTurn = false;
#ifndef RING_NOT_KEPT
                isWaiting = isWaiting || !isOther;
                isOtherWaiting = isOtherWaiting || isOther
#endif
            :: else -> skip
            fi
        }
        atomic { hadTurn = hasTurn; idle = idle - hadTurn };
        do
        :: !hasTurn -> break
        :: hasTurn ->
            /* enter */
            d_step {
                if
                :: isOther -> skip
                :: !isOther && state == PARKED -> state = SERVED; isServing = true
                :: else ->
                    state = RUNG_AGAIN;
#ifdef ENTERED_BY_TWO
                    isServing = true
#endif
                fi
            }
            do
            :: !isServing -> break
            :: else ->
                serving++;
                assert(serving == 1);
#if !defined(NO_DRAIN) && !defined(DRAIN_AT_THE_END)
                hasByte = false;
#endif
                /* FrameServer::serve, from unpark on */
                isParked = false;
                do
                :: served < published || isUnmapRequested ->
                    isUnmapRequested = false;
                    if
                    :: served < published -> served++
                    :: else -> skip
                    fi;
                    if
                    :: hasMore = true; break /* the turn is over */
                    :: skip
                    fi
                :: served == published && !isUnmapRequested ->
                    /* park */
                    isParked = true;
#ifndef NO_HEAVY_FENCE
                    published = stored;
#endif
#ifdef NO_LAST_LOOK
                    break
#else
                    if
                    :: served < published || isUnmapRequested -> isParked = false
                    :: else -> break
                    fi
#endif
                od;
#ifdef DRAIN_AT_THE_END
                hasByte = false;
#endif
                serving--;
                /* leave; with more to do also if it was rung again */
                d_step {
                    if
                    :: state == SERVED || hasMore -> state = PARKED; isServing = false
                    :: else -> state = SERVED
                    fi
                }
            od;
            /* endAndTakeWaiting */
            atomic {
                turns--;
#ifndef TURN_FORGOTTEN
                isWaiting = isWaiting || hasMore;
#endif
                hasMore = false;
                hasTurn = false;
                if
                :: idle > 0 && isWaiting && turns < ALLOWED -> isWaiting = false; isOther = false; hasTurn = true
                :: idle > 0 && isOtherWaiting && turns < ALLOWED -> isOtherWaiting = false; isOther = true; hasTurn = true
                :: else -> skip
                fi;
                turns = turns + hasTurn;
#ifndef NEXT_NOT_RUNG
                ringNextWaiting()
#endif
            }
        od;
        atomic {
            idle = idle + hadTurn;
            hadTurn = false;
            isOther = false
        }
    od
}

/* When nothing moves any more, everything is served. */
proctype Judge() {
    timeout -> assert(served == FRAMES && !isUnmapRequested && !isReady && !isWaiting && state == PARKED)
}

init {
    byte i = 0;
    atomic {
        run Client();
        run StoreBuffer();
        run Freeing();
        run Judge();
        do
        :: i < THREADS -> run PoolThread(); i++
        :: else -> break
        od
    }
}
