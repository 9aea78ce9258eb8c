/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The UNSYNCHRONIZED queue: a reader gets each element whole and at most once, in order, sees all of a message with its
 * first element, and finds elements again after an overrun.
 *
 *     writer   UnsynchronizedQueue::Writer::beginWrite, set, commitWrite
 *     reader   UnsynchronizedQueue::Reader::attach, hasElement, tryRead with one element, rejoin
 *
 * (src/fmq/unsynchronized_queue.h, sync [cell-overwritten], [message-published], [queue-joined].)
 *
 * The writer only stores and the reader only loads. All stores release and all loads acquire, so those of each thread take
 * effect in their order. A mutation without a memory order has one of them too early or too late. Sleeping is in
 * sleep_and_wake.pml.
 *
 * Bounds: POSITIONS elements, in messages of 1 to CAPACITY; 1 reader, which joins at any time.
 *
 * Also right:
 *   CAPACITY=4,POSITIONS=9
 *
 * Mutations:
 *   NOT_MARKED                  a cell is not marked before it is overwritten
 *   MARKED_WITHOUT_RELEASE      the marks of a write are seen before the position to which the last one has led
 *   PAYLOAD_WITHOUT_RELEASE     the payload is seen before the mark
 *   PUBLISHED_WITHOUT_RELEASE   the sequence is seen before the payload
 *   PUBLISHED_FORWARD           the first element of a message is published first
 *   NO_SECOND_LOOK              the sequence is not compared after the payload was copied
 *   COPIED_WITHOUT_ACQUIRE      the second look comes before the payload is copied
 *   LOOKED_WITHOUT_ACQUIRE      the position at which the reader joins again is loaded before its second look
 */
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef POSITIONS
#define POSITIONS 6
#endif
#define BEING_WRITTEN(position) (2 * (position) + 1)
#define READABLE(position) (2 * (position) + 2)

byte sequence[CAPACITY];
byte payload[CAPACITY];
byte writePosition = 0;
byte messageEnd[POSITIONS]; /* of the message of each element: for the assertion */

inline mark() {
    i = 0;
    do
    :: i < count -> sequence[(position + i) % CAPACITY] = BEING_WRITTEN(position + i); i++
    :: else -> break
    od
}

inline set() {
    i = 0;
    do
    :: i < count -> payload[(position + i) % CAPACITY] = position + i; i++
    :: else -> break
    od
}

inline publish() {
    i = count;
    do
    :: i > 0 ->
        i--;
#ifdef PUBLISHED_FORWARD
        sequence[(position + count - 1 - i) % CAPACITY] = READABLE(position + count - 1 - i)
#else
        sequence[(position + i) % CAPACITY] = READABLE(position + i)
#endif
    :: else -> break
    od
}

proctype Writer() {
    byte position = 0;
    byte count;
    byte i;
    do
    :: position < POSITIONS ->
        atomic {
            count = 1;
            do
            :: count < CAPACITY && position + count < POSITIONS -> count++
            :: break
            od;
            i = 0;
            do
            :: i < count -> messageEnd[position + i] = position + count; i++
            :: else -> break
            od
        };
#ifdef PAYLOAD_WITHOUT_RELEASE
        set();
        mark();
#else
#ifndef NOT_MARKED
        mark();
#endif
#ifdef MARKED_WITHOUT_RELEASE
        writePosition = position;
#endif
#ifndef PUBLISHED_WITHOUT_RELEASE
        set();
#endif
#endif
        publish();
#ifdef PUBLISHED_WITHOUT_RELEASE
        set();
#endif
        position = position + count;
#ifndef MARKED_WITHOUT_RELEASE
        writePosition = position
#endif
    :: else -> break
    od;
    writePosition = position
}

proctype Reader() {
    byte position;
    byte before;
    byte after;
    byte value;
    byte joined;
    byte i;
    position = writePosition;
    do
    :: position < POSITIONS ->
        /* hasElement, then the first look */
        atomic {
            sequence[position % CAPACITY] >= READABLE(position);
            before = sequence[position % CAPACITY];
            i = position;
            do
            :: before == READABLE(position) && i < messageEnd[position] ->
                assert(sequence[i % CAPACITY] >= READABLE(i));
                i++
            :: else -> break
            od
        };
#ifdef COPIED_WITHOUT_ACQUIRE
        after = sequence[position % CAPACITY];
        value = payload[position % CAPACITY];
#else
        value = payload[position % CAPACITY];
#ifdef LOOKED_WITHOUT_ACQUIRE
        joined = writePosition;
#endif
        after = sequence[position % CAPACITY];
#endif
#ifdef NO_SECOND_LOOK
        after = before;
#endif
        if
        :: before == READABLE(position) && after == before ->
            assert(value == position);
            position++
        :: else ->
#ifndef LOOKED_WITHOUT_ACQUIRE
            joined = writePosition;
#endif
            assert(joined > position);
            position = joined
        fi
    :: else -> break
    od
}

init {
    atomic {
        run Writer();
        run Reader()
    }
}
