/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slots and reusable executions: each request runs on the memory that it named, though its slot is freed by another
 * thread while the request is in flight, and given to other memory later; so does each computation of a reusable
 * execution, which names nothing but its number.
 *
 *     application   RequestSender::sendWhole, findSlot, forget, isRemembered, sendCompute;
 *                   PendingExecutions::oldestSlotVersion; ResultReceiver::give
 *     freeing       RequestSender::freeMemory, SlotTable::retire
 *     client loop   the thread of the client's connection: SlotTable::regions, reuse
 *     driver loop   the thread of the driver's connection: SlotMappings::requestUnmap
 *     server        the thread that serves the burst: FrameServer::serveNext, serveCompute, executeRequest;
 *                   SlotMappings::resolve, unmapRequested; ReusableRegistry::remember, find, unbindUnmapped
 *
 * (src/burst/request_sender.h, request_sender.cpp, result_receiver.cpp, slot_table.cpp, slot_mappings.h,
 * slot_mappings.cpp, reusable_registry.cpp, bound_request.cpp, server.cpp.)
 *
 * Messages of a connection arrive in their order. A region is a number from 1 on, 0 is none.
 *
 * Bounds: 2 regions, 2 slots, at most 2 requests in flight. Without REUSABLE 3 requests, each of any region, memory freed
 * twice. With it 4, each of any region or a computation of a reusable execution, memory freed once; the execution may
 * be replaced once by another one of the same number.
 *
 * Also right:
 *   REUSABLE
 *   REUSABLE,ANSWER_OF_ANOTHER   the answer to an execution that was replaced is taken for one to the next of the same
 *                                number: the driver finds another generation and has the request sent as a whole
 *
 * Mutations:
 *   REUSED_AT_ONCE             a slot is given away before the driver has forgotten it
 *   IN_FLIGHT_IGNORED          also while a request in flight may name it
 *   FETCHED_AGAIN_IGNORED      also if the driver has fetched it again for a request in flight
 *   FORGOTTEN_BEFORE_A_FRAME   the server forgets slots before it looks for a frame, instead of after
 *   TABLE_FORGETS_THE_REGION   a slot that was freed stands for nothing in requests in flight
 *   VERSION_READ_TOO_LATE      the version of the slots of a request is read after they were found
 *   REUSABLE,COMPUTED_AFTER_FREEING   the application computes by number although a slot was freed since
 *   REUSABLE,LEFT_BOUND               an execution stays bound to memory that is unmapped
 *   REUSABLE,ANSWER_OF_ANOTHER,GENERATION_IGNORED   the driver does not compare generations
 */
#define SLOTS 2
#define IN_FLIGHT 2
#define NOTHING_IN_FLIGHT 255
#ifdef REUSABLE
#define REQUESTS 4
#define FREES 1
#else
#define REQUESTS 3
#define FREES 2
#endif

/* ---- The client's table of slots */
mtype = { UNUSED, GIVEN, RETIRED, FREE };
mtype state[SLOTS];
byte region[SLOTS]; /* also of slots that were freed: a weak_ptr */
byte retiredAt[SLOTS];
bool isFetchedAgain[SLOTS];
byte version = 1;

/* ---- The driver's memory */
byte mapped[SLOTS];
bool isUnmapRequested[SLOTS];

/* ---- What the driver remembers of the reusable execution */
byte knownGeneration = 0; /* 0: it knows none */
byte knownSlot;
byte boundTo; /* a region, 0 if it is not bound */
#ifdef GENERATION_IGNORED
#define IS_KNOWN(generation) (knownGeneration != 0)
#else
#define IS_KNOWN(generation) (knownGeneration == generation)
#endif

/* ---- What they send each other */
mtype = { WHOLE, COMPUTE };
mtype = { DONE, REMEMBERED, UNKNOWN };
mtype = { FREE_MEMORY, MEMORY, GET_MEMORY, FREED };
chan requests = [IN_FLIGHT] of { mtype, byte, byte, byte }; /* slot; generation or 0; the region that is meant */
chan results = [IN_FLIGHT] of { mtype };
chan toDriver = [6] of { mtype, byte, byte }; /* slot, region */
chan toClient = [6] of { mtype, byte };       /* slot */
chan fetched = [1] of { byte };               /* region, from the driver's loop to the server */

/* One slot of SlotTable::retire, with its freeMemory. */
inline retire(slot) {
    state[slot] = RETIRED;
    isFetchedAgain[slot] = false;
#ifdef REUSED_AT_ONCE
    state[slot] = FREE;
#endif
    toDriver!FREE_MEMORY, slot, 0
}

proctype Application() {
    byte sent = 0;
    byte inFlight = 0;
    byte slotVersion[IN_FLIGHT]; /* of the requests in flight, the oldest first */
    byte generationOf[IN_FLIGHT];
    byte wanted; /* region */
    byte its;    /* generation of the execution to be sent, 0 for a plain request */
    byte slot;
    byte oldest;
    byte seen;
    mtype answer;
    /* The reusable execution, of region 1, and then perhaps another one, of region 2. */
    byte generation = 1;
    bool isRemembered = false;
    byte rememberedVersion;
    do
    :: inFlight > 0 ->
        results?answer;
        d_step {
            its = generationOf[0];
            oldest = slotVersion[0];
            inFlight--;
            slotVersion[0] = slotVersion[1];
            generationOf[0] = generationOf[1];
            slotVersion[1] = 0;
            generationOf[1] = 0
        }
        /* ResultReceiver::give */
        if
#ifdef ANSWER_OF_ANOTHER
        :: answer == REMEMBERED ->
#else
        :: answer == REMEMBERED && its == generation ->
#endif
            isRemembered = true;
            rememberedVersion = oldest
        :: answer == UNKNOWN ->
            assert(its == generation); /* nothing that was replaced is computed */
            isRemembered = false;
            wanted = its;
            goto sendWhole
        :: else -> skip
        fi
    :: sent < REQUESTS && inFlight < IN_FLIGHT ->
        sent++;
        if
        :: wanted = 1; its = 0
        :: wanted = 2; its = 0
#ifdef REUSABLE
        :: wanted = generation; its = generation
        :: generation == 1 -> /* replaced */
            generation = 2;
            isRemembered = false;
            wanted = 2;
            its = 2
#endif
        fi;
        if
#ifdef COMPUTED_AFTER_FREEING
        :: its != 0 && isRemembered ->
#else
        :: its != 0 && isRemembered && rememberedVersion == version ->
#endif
            /* sendCompute */
            slotVersion[inFlight] = rememberedVersion;
            generationOf[inFlight] = its;
            inFlight++;
            requests!COMPUTE, 0, its, wanted;
            goto next
        :: else -> skip
        fi;
sendWhole:
#ifndef VERSION_READ_TOO_LATE
        seen = version;
#endif
        /* SlotTable::find */
        atomic {
            slot = 0;
            do
            :: slot == SLOTS -> break
            :: slot < SLOTS && state[slot] == GIVEN && region[slot] == wanted -> break
            :: else -> slot++
            od
        }
        if
        :: slot < SLOTS -> skip
        :: else ->
            oldest = (inFlight > 0 -> slotVersion[0] : NOTHING_IN_FLIGHT);
            /* SlotTable::retire(nullptr, oldest) */
            atomic {
                slot = 0;
                do
                :: slot == SLOTS -> break
                :: slot < SLOTS && state[slot] == FREE && isFetchedAgain[slot] && retiredAt[slot] <= oldest ->
                    retire(slot);
                    slot++
                :: else -> slot++
                od
            };
            /* SlotTable::add */
            atomic {
                slot = 0;
                do
                :: slot == SLOTS -> break
                :: slot < SLOTS && (state[slot] == UNUSED ||
                                    (state[slot] == FREE
#ifndef FETCHED_AGAIN_IGNORED
                                     && !isFetchedAgain[slot]
#endif
#ifndef IN_FLIGHT_IGNORED
                                     && retiredAt[slot] <= oldest
#endif
                                    )) ->
                    state[slot] = GIVEN;
                    region[slot] = wanted;
                    isFetchedAgain[slot] = false;
                    break
                :: else -> slot++
                od
            }
        fi;
#ifdef VERSION_READ_TOO_LATE
        seen = version;
#endif
        if
        :: slot == SLOTS -> skip /* executed over the control plane */
        :: else ->
            slotVersion[inFlight] = seen;
            generationOf[inFlight] = its;
            inFlight++;
            requests!WHOLE, slot, its, wanted
        fi;
next:
        oldest = 0
    :: sent == REQUESTS && inFlight == 0 -> break
    od
}

/* Another thread of the application. */
proctype Freeing() {
    byte freed = 0;
    byte which;
    byte slot;
    do
    :: freed < FREES ->
        if
        :: which = 1
        :: which = 2
        fi;
        atomic {
            slot = 0;
            do
            :: slot == SLOTS -> break
            :: slot < SLOTS && state[slot] == GIVEN && region[slot] == which ->
                version++;
                retiredAt[slot] = version;
#ifdef TABLE_FORGETS_THE_REGION
                region[slot] = 0;
#endif
                retire(slot);
                break
            :: else -> slot++
            od
        };
        freed++
    :: break
    od
}

proctype ClientLoop() {
    byte slot;
end:
    do
    :: toClient?GET_MEMORY, slot ->
        atomic {
            isFetchedAgain[slot] = (state[slot] != GIVEN && region[slot] != 0);
            toDriver!MEMORY, slot, region[slot]
        }
    :: toClient?FREED, slot ->
        /* reuse */
        if
        :: state[slot] == RETIRED -> state[slot] = FREE
        :: else -> skip
        fi
    od
}

proctype DriverLoop() {
    byte slot;
    byte which;
end:
    do
    :: toDriver?FREE_MEMORY, slot, which ->
        isUnmapRequested[slot] = true;
        toClient!FREED, slot
    :: toDriver?MEMORY, slot, which -> fetched!which
    od
}

inline unmapRequested() {
    slot = 0;
    do
    :: slot == SLOTS -> break
    :: slot < SLOTS && isUnmapRequested[slot] ->
        d_step {
            isUnmapRequested[slot] = false;
            mapped[slot] = 0;
#ifndef LEFT_BOUND
            if
            :: knownGeneration != 0 && knownSlot == slot -> boundTo = 0
            :: else -> skip
            fi
#endif
        };
        slot++
    :: else -> slot++
    od
}

proctype Server() {
    mtype kind;
    byte slot;
    byte named;
    byte generation;
    byte meant;
    byte its;
end:
    do
#ifdef FORGOTTEN_BEFORE_A_FRAME
    :: unmapRequested();
end_forgotten:
        requests?kind, named, generation, meant;
#else
    :: isUnmapRequested[0] || isUnmapRequested[1] -> unmapRequested() /* and there is no frame */
    :: requests?kind, named, generation, meant ->
        unmapRequested();
#endif
        if
        :: kind == COMPUTE && !IS_KNOWN(generation) -> results!UNKNOWN
        :: kind == COMPUTE && IS_KNOWN(generation) && boundTo != 0 ->
            assert(boundTo == meant && mapped[knownSlot] == boundTo);
            results!DONE
        :: else ->
            /* executeRequest, of what came or of what is known and not bound */
            if
            :: kind == COMPUTE -> named = knownSlot
            :: else -> skip
            fi;
            if
            :: mapped[named] == 0 ->
                toClient!GET_MEMORY, named;
                fetched?its;
                assert(its != 0);
                mapped[named] = its
            :: else -> skip
            fi;
            assert(mapped[named] == meant);
            if
            :: generation != 0 ->
                d_step {
                    knownGeneration = generation;
                    knownSlot = named;
                    boundTo = mapped[named]
                }
                results!REMEMBERED
            :: else -> results!DONE
            fi
        fi
    od
}

init {
    byte i = 0;
    atomic {
        do
        :: i < SLOTS -> state[i] = UNUSED; i++
        :: else -> break
        od;
        run Application();
        run Freeing();
        run ClientLoop();
        run DriverLoop();
        run Server()
    }
}
