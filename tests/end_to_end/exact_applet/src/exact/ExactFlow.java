// SPDX-License-Identifier: Apache-2.0
package exact;

import static exact.Steps.holds;
import static exact.Steps.step;

/** Loops, switches, conditions, recursion. */
final class ExactFlow {
    short run() {
        step(1);
        loops((short) 7);
        labels();
        for (short i = 0; i < 5; i++) {
            fallsThrough(i);
        }
        for (short i = 0; i < 4; i++) returnsEarly(i);
        conditions((short) 1);
        conditions((short) 2);
        arguments((short) 2);
        recurses((short) 3);
        passesOften();
        return (short) (even((short) 4) + step(3));
    }

    private short plain(short n) {
        step(n);
        return step(2);
    }

    private short loops(short n) {
        short total = 0;
        for (short i = step(1); i < n; i += step(2)) { // not by line
            if (i == 3) continue; // not by line: what follows it in the loop's head is its own
            total += step(3);
        }
        while (holds(1, total < 14)) total += step(2);
        do step(4); while (holds(2, --n > 4));
        for (short i = 0; i < 3; i++)
            for (short j = 0; j < i; j++) step(5);
        return total;
    }

    private short labels() {
        short passes = 0;
        outer:
        for (short i = 0; i < 4; i++) {
            for (short j = 0; j < 4; j++) {
                step(1);
                if (j == 2) continue outer;
                if (i == 2) break outer;
                passes++;
            }
            step(100);
        }
        block: {
            step(2);
            if (passes > 0) break block;
            step(100);
        }
        return passes;
    }

    private short fallsThrough(short n) {
        short total = 0;
        switch (holds(1, n > 100) ? 0 : n) {
            case 1:
                total += step(2);
            case 2:
                total += step(3);
                break;
            case 3: {
                total += plain((short) 1);
                break;
            }
            default:
                total += step(4);
        }
        return total;
    }

    private short returnsEarly(short n) {
        if (n == 0) return step(3);
        if (holds(1, n == 1)) return (short) (plain((short) 4) + step(5));
        else if (holds(2, n == 2)) step(6);
        else return plain(step(2));
        return (short) 1;
    }

    private short conditions(short n) {
        short total = n > 1 ? step(2) : plain((short) 3);
        if (holds(1, n > 1) && holds(2, true) || holds(3, false)) total++;
        total += (short) (holds(1, true) ? step(4) : step(100));
        return n > 1 ? plain((short) 2) : step(5);
    }

    private short arguments(short n) {
        return plain((short) (plain(plain(n)) + step(1)));
    }

    private short recurses(short n) {
        step(1);
        if (n == 0) return step(2);
        short below = recurses((short) (n - 1));
        step(3);
        return (short) (below + recurses((short) 0) + step(1));
    }

    private short even(short n) {
        step(2);
        return n == 0 ? step(1) : odd((short) (n - 1));
    }

    private short odd(short n) {
        if (holds(3, n == 0)) return 0;
        return even((short) (n - 1));
    }

    private void passesOften() {
        for (short i = 0; i < 25; i++) {
            step(1);
        }
    }
}
