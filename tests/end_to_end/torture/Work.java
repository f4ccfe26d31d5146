// SPDX-License-Identifier: Apache-2.0
package com.example.torture;

import java.util.concurrent.locks.LockSupport;

/** In place of the example's: waits for as long as a unit takes, which is the same on a machine that others keep busy. */
final class Work {
    private static final long UNIT = 3_000_000; // ns
    // The end of a wait is late by some ten microseconds, and is met by looking at the clock.
    private static final long WATCHED = 150_000;

    void units(short count) {
        final long end = System.nanoTime() + count * UNIT;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            if (left > WATCHED) {
                LockSupport.parkNanos(left - WATCHED);
            }
        }
    }

    short value(short x) {
        units((short) 1);
        return x;
    }

    boolean holds(boolean condition) {
        units((short) 1);
        return condition;
    }
}
