// SPDX-License-Identifier: Apache-2.0
package com.example.torture;

import javacard.framework.ISO7816;
import javacard.framework.ISOException;

/**
 * Calls of functions, of constructors, and into classes of all kinds. Objects are made on the way to have their
 * constructors measured; on a card they would be made once, at installation.
 */
final class Calls {
    private interface Step {
        short take(short x);
    }

    private static final class Record {
        private final short number;

        Record(Work work, short number) {
            this.number = number;
            work.units((short) 1);  // work: constructor
        }
    }

    private final class Member implements Step {
        public short take(short x) {
            work.units((short) 1);  // work: member class
            return x;
        }
    }

    private final Work work;

    Calls(Work work) {
        this.work = work;
    }

    short run(byte construct, short x) {
        switch (construct) {
            case 0x01: return returnsCall(x);
            case 0x02: return recurses((short) 2);
            case 0x03: return callsSeveralTimes(x);
            case 0x04: return outer(x);
            case 0x05: return anonymousClass(x);
            case 0x06: return localClass(x);
            case 0x07: return memberClass(x);
            case 0x08: return constructor(x);
            default: ISOException.throwIt(ISO7816.SW_INCORRECT_P1P2);
        }
        return 0;
    }

    private short returnsCall(short x) {
        x++;
        return work.value(x);  // work: return of a call
    }

    private short recurses(short depth) {
        work.units((short) 1);  // work: on the way down
        if (depth == 0) {
            return 0;
        }
        short below = recurses((short) (depth - 1));
        work.units((short) 2);  // work: on the way up
        return (short) (below + 1);
    }

    private short callsSeveralTimes(short x) {
        x = pay((short) 1);
        x += pay((short) 2);
        x += pay((short) 3);
        return x;
    }

    private short pay(short units) {
        work.units(units);  // work: paid
        return units;
    }

    private short outer(short x) {
        work.units((short) 1);  // work: outer function
        x = middle(x);
        return x;
    }

    private short middle(short x) {
        x = inner(x);
        work.units((short) 2);  // work: middle function
        return x;
    }

    private short inner(short x) {
        work.units((short) 3);  // work: inner function
        return x;
    }

    private short anonymousClass(short x) {
        Step step = new Step() {
            public short take(short y) {
                y++;
                work.units((short) 1);  // work: anonymous class
                return y;
            }
        };
        return step.take(x);
    }

    private short localClass(short x) {
        class Local implements Step {
            public short take(short y) {
                work.units((short) 1);  // work: local class
                return y;
            }
        }
        Step step = new Local();
        return step.take(x);
    }

    private short memberClass(short x) {
        Step step = new Member();
        return step.take(x);
    }

    private short constructor(short x) {
        Record record = new Record(work, x);
        return record.number;
    }
}
