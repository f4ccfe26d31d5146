// SPDX-License-Identifier: Apache-2.0
package com.example.torture;

import javacard.framework.ISO7816;
import javacard.framework.ISOException;

/** Switches, else-if chains, conditions, and branches that hang on the input. */
final class Branches {
    private final Work work;

    Branches(Work work) {
        this.work = work;
    }

    short run(byte construct, short x) {
        switch (construct) {
            case 0x01: return switchOfReturns(x);
            case 0x02: return fallsThrough(x);
            case 0x03: return elseIfs(x);
            case 0x04: return ternary(x);
            case 0x05: return condition(x);
            case 0x06: return dependsOnInput(x);
            default: ISOException.throwIt(ISO7816.SW_INCORRECT_P1P2);
        }
        return 0;
    }

    private short switchOfReturns(short x) {
        switch (x) {
            case 0:
                x++;
                work.units((short) 1);  // work: switch whose groups return
                return x;
            case 1:
                return 7;
            default:
                return 9;
        }
    }

    private short fallsThrough(short x) {
        switch (x) {
            case 0:
                x++;
            case 1:
                work.units((short) 1);  // work: fall-through
            case 2:
                x--;
                break;
            default:
                x = 9;
        }
        return x;
    }

    private short elseIfs(short x) {
        if (x == 1) {
            x = 2;
        } else if (x == 2) {
            x = 3;
        } else if (x == 0) {
            work.units((short) 1);  // work: else-if
        } else {
            x = 4;
        }
        return x;
    }

    private short ternary(short x) {
        x++;
        short y = x == 1 ? work.value(x) : (short) 3;  // work: ternary
        y++;
        return y;
    }

    private short condition(short x) {
        if (work.holds(x == 0) && work.holds(x < 5)) {  // work: condition
            x++;
        } else {
            x--;
        }
        return x;
    }

    private short dependsOnInput(short x) {
        if (x == 0) {
            work.units((short) 1);  // work: input 0
        } else {
            work.units((short) 3);  // work: another input
        }
        x++;
        return x;
    }
}
