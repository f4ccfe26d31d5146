// SPDX-License-Identifier: Apache-2.0
package com.example.torture;

import javacard.framework.ISO7816;
import javacard.framework.ISOException;

/** Loops of all kinds, and the ways out of them. */
final class Loops {
    private final Work work;

    Loops(Work work) {
        this.work = work;
    }

    short run(byte construct, short x) {
        switch (construct) {
            case 0x01: return passes(x);
            case 0x02: return endless(x);
            case 0x03: return continuesOrBreaks(x);
            case 0x04: return rarely(x);
            case 0x05: return doWhile(x);
            case 0x06: return labels(x);
            case 0x07: return braceless(x);
            case 0x08: return heavyCondition(x);
            case 0x09: return never(x);
            default: ISOException.throwIt(ISO7816.SW_INCORRECT_P1P2);
        }
        return 0;
    }

    /** The first pass takes more than the others. */
    private short passes(short x) {
        for (short pass = 0; pass < 4; pass++) {
            x++;
            work.units(pass == 0 ? (short) 3 : (short) 1);  // work: passes
            x--;
        }
        return x;
    }

    private short endless(short x) {
        while (true) {
            work.units((short) 1);  // work: endless loop
            if (++x == 3) {
                return x;
            }
        }
    }

    private short continuesOrBreaks(short x) {
        for (short i = 0; i < 10; i++) {
            work.units((short) 1);  // work: continue or break
            if (i < 2) {
                x++;
                continue;
            } else {
                x--;
                break;
            }
        }
        return x;
    }

    private short rarely(short x) {
        for (short i = 0; i < 6; i++) {
            x++;
            if (i == 3) {
                x += 2;
                work.units((short) 2);  // work: rare branch
            }
            x--;
        }
        return x;
    }

    private short doWhile(short x) {
        do {
            work.units((short) 1);  // work: do-while
            x++;
        } while (x < 2);
        return x;
    }

    private short labels(short x) {
        outer:
        for (short i = 0; i < 3; i++) {
            for (short j = 0; j < 3; j++) {
                if (j > i) {
                    continue outer;
                }
                if (i == 2) {
                    break outer;
                }
                work.units((short) 1);  // work: labelled loops
            }
        }
        return x;
    }

    private short braceless(short x) {
        for (short i = 0; i < 3; i++)
            if (i == 1)
                work.units((short) 2);  // work: braceless
            else
                x++;
        while (x > 0) x--;
        return x;
    }

    /** The condition is looked at once more than there are passes. */
    private short heavyCondition(short x) {
        while (work.holds(x < 2)) {  // work: heavy condition
            x++;
        }
        return x;
    }

    private short never(short x) {
        work.units((short) 1);  // work: in front of a loop that is not entered
        while (x < 0) {
            x++;
        }
        return x;
    }
}
