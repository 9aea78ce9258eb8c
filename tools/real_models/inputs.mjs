// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The inputs of the models: the same numbers from 0 to 1 everywhere.

/** `count` numbers of input `input`, by a linear congruential generator. */
export function randomElements(count, input) {
    const result = new Float32Array(count);
    let state = (12345 + input) >>> 0;
    for (let i = 0; i < count; ++i) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        result[i] = (state >>> 8) / (1 << 24);
    }
    return result;
}
