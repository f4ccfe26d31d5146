// SPDX-License-Identifier: Apache-2.0
package com.example.pin;

/** Makes the hash rounds of a command last as long on a machine that others keep busy: each ends at its own time. */
final class Pace {
    private static final long ROUND = 15_000; // ns, a multiple of what a round takes
    private static long end;

    static void begin(short unused) {
        end = System.nanoTime();
    }

    static void round(short unused) {
        end += ROUND;
        while (System.nanoTime() < end) {
            continue;
        }
    }
}
