// SPDX-License-Identifier: Apache-2.0
package exact;

/** Work is steps. What a step does is filled in: on the card time passes, in the traced program it tells who took it. */
final class Steps {
    private Steps() {
    }

    /** Takes n steps, and is n. */
    static short step(int n) {
        // taken
        return (short) n;
    }

    static boolean holds(int n, boolean condition) {
        step(n);
        return condition;
    }
}
