// SPDX-License-Identifier: Apache-2.0
package exact;

import static exact.Steps.holds;
import static exact.Steps.step;

import javacard.framework.ISO7816;
import javacard.framework.ISOException;

/** Exceptions through calls, and what stands in `finally`. */
final class ExactExceptions {
    short run() {
        step(1);
        catches((short) 3);
        rethrows();
        finishes((short) 0);
        finishes((short) 1);
        returnsInTry();
        overrides();
        nests();
        retries();
        divides((short) 0);
        return step(2);
    }

    /** Nobody catches what it throws. */
    void givesUp() {
        try {
            step(1);
            fails((short) 2);
        } finally {
            step(3);
        }
    }

    private void fails(short n) {
        step(1);
        if (n == 0) {
            ISOException.throwIt((short) (ISO7816.SW_UNKNOWN - step(2)));
        }
        fails((short) (n - 1));
        step(100);
    }

    private short catches(short n) {
        short total = 0;
        try {
            step(1);
            fails(n);
            step(100);
        } catch (NullPointerException e) {
            step(100);
        } catch (ISOException e) {
            total += step(3);
        }
        step(2);
        return total;
    }

    private void throwsAgain() {
        try {
            fails((short) 1);
        } catch (ISOException e) {
            step(4);
            throw e;
        } finally {
            step(5);
        }
    }

    private short rethrows() {
        try {
            throwsAgain();
        } catch (RuntimeException e) {
            return step(3);
        }
        return step(100);
    }

    private short finishes(short n) {
        try {
            step(1);
            if (n > 0) fails((short) 0);
            step(2);
        } catch (ISOException e) {
            step(3);
        } finally {
            step(4);
        }
        step(5);
        return n;
    }

    private short returnsInTry() {
        try {
            return step(3);
        } finally {
            step(4);
            later();
        }
    }

    private void later() {
        step(6);
    }

    private short overrides() {
        try {
            fails((short) 0);
            return step(100);
        } finally {
            return step(3);
        }
    }

    private short nests() {
        short total = 0;
        for (short i = 0; i < 2; i++) {
            try {
                try {
                    step(1);
                    if (i == 0) fails((short) 0);
                    total += step(2);
                } finally {
                    step(3);
                }
                step(4);
                continue;
            } catch (ISOException e) {
                step(5);
            } finally {
                step(6);
            }
            step(7);
        }
        return total;
    }

    private short retries() {
        for (short tries = 0; ; tries++) {
            try {
                if (holds(1, tries < 2)) fails(tries);
                return step(2);
            } catch (ISOException e) {
                step(3);
            }
        }
    }

    private short divides(short by) {
        try {
            return (short) (step(7) / by);
        } catch (ArithmeticException e) {
            step(1);
        }
        return step(2);
    }
}
