/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parking: each request of a burst is served, though the burst has no thread while it is idle, and never by two threads
 * at once.
 *
 *     client        SynchronizedQueue::Writer::commitWrite, EventFlag::wakeAnnounced, wakeSleepers
 *     pool thread   ServingThreadPool::runThread, serve, ring; Entry::enter, leave;
 *                   Server::Impl::serve, Waiter::unpark, park
 *
 * (src/fmq/event_flag.h, event_flag.cpp, wait.h; src/burst/serving_threads.cpp, server.cpp; docs/waiting.md, "Parking".)
 *
 * The doorbell is a socket with room for one byte here, watched by an edge-triggered epoll: a byte that arrives makes the
 * entry ready, and one thread takes it from there. Fences are as in sleep_and_wake.pml: the client's store may wait
 * while its load runs, and the thread's fence after its announcement is a heavy one, which ends that.
 *
 * Bounds: 3 frames, 2 threads. A thread may give its turn to other bursts after each frame.
 *
 * Mutations:
 *   NO_LAST_LOOK        a burst is parked without a look after the announcement
 *   NO_HEAVY_FENCE      the look comes after the announcement, but the client's store may still wait
 *   RING_FORGOTTEN      a ring while a thread serves leaves no mark
 *   NO_DRAIN            the bytes stay in the socket, so that the next ring finds it full
 *   DRAIN_AT_THE_END    they are taken out after serving
 *   TURN_WITHOUT_RING   a thread that gives its turn away does not ring
 *   ENTERED_BY_TWO      a thread serves also what another one serves
 */
#define FRAMES 3
#define THREADS 2

byte published = 0; /* frames that the threads see */
byte stored = 0;    /* by the client */
byte served = 0;
bool isParked = true; /* bit 30 of EventWord::word: a burst is announced as parked from its set-up on */
bool hasByte = false; /* in the socket */
bool isReady = true;  /* in the epoll: Server::Impl::start rings */

mtype = { PARKED, SERVED, RUNG_AGAIN };
mtype state = PARKED;
byte serving = 0; /* threads */

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

proctype PoolThread() {
    bool hasMore;
    bool isServing;
end:
    do
    :: atomic { isReady -> isReady = false };
        /* enter */
        d_step {
            if
            :: state == PARKED -> state = SERVED; isServing = true
            :: else ->
#ifndef RING_FORGOTTEN
                state = RUNG_AGAIN;
#endif
#ifdef ENTERED_BY_TWO
                isServing = true
#else
                isServing = false
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
            /* Server::Impl::serve, from unpark on */
            isParked = false;
            hasMore = false;
            do
            :: served < published ->
                served++;
                if
                :: hasMore = true; break /* the turn is over */
                :: skip
                fi
            :: served == published ->
                /* park */
                isParked = true;
#ifndef NO_HEAVY_FENCE
                published = stored;
#endif
#ifdef NO_LAST_LOOK
                break
#else
                if
                :: served < published -> isParked = false
                :: else -> break
                fi
#endif
            od;
#ifdef DRAIN_AT_THE_END
            hasByte = false;
#endif
            serving--;
            /* leave */
            d_step {
                if
                :: state == SERVED -> state = PARKED; isServing = false
                :: else -> state = SERVED
                fi
            }
        od;
#ifndef TURN_WITHOUT_RING
        if
        :: hasMore -> isReady = true /* epoll_ctl with EPOLLOUT reports it at once */
        :: else -> skip
        fi;
#endif
        hasMore = false
    od
}

/* When nothing moves any more, everything is served. */
proctype Judge() {
    timeout -> assert(served == FRAMES && !isReady && state == PARKED)
}

init {
    byte i = 0;
    atomic {
        run Client();
        run StoreBuffer();
        run Judge();
        do
        :: i < THREADS -> run PoolThread(); i++
        :: else -> break
        od
    }
}
