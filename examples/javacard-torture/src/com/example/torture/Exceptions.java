// SPDX-License-Identifier: Apache-2.0
package com.example.torture;

import javacard.framework.ISO7816;
import javacard.framework.ISOException;

/** Exceptions that are swallowed, answered otherwise and tried again, and what stands in `finally`. */
final class Exceptions {
    private static final short SW_MAPPED = (short) 0x6F42;

    private final Work work;

    Exceptions(Work work) {
        this.work = work;
    }

    short run(byte construct, short x) {
        switch (construct) {
            case 0x01: return swallowsException(x);
            case 0x02: return swallowsISOException(x);
            case 0x03: return answersOtherwise(x);
            case 0x04: return retries(x);
            case 0x05: return retriesForever();
            case 0x06: return heavyFinally(x);
            case 0x07: return heavyFinallyOfFailure(x);
            case 0x08: return returnsInTry(x);
            case 0x09: return returnsInFinally(x);
            case 0x0A: return nests(x);
            case 0x0B: return worksInCatch(x);
            default: ISOException.throwIt(ISO7816.SW_INCORRECT_P1P2);
        }
        return 0;
    }

    private short swallowsException(short x) {
        try {
            x += 2;
            x *= 3;
            work.units((short) 1);  // work: swallowed Exception
            x--;
            x += 5;
        } catch (Exception e) {
            x = -1;
        }
        x++;
        return x;
    }

    private short swallowsISOException(short x) {
        try {
            x += 2;
            work.units((short) 1);  // work: swallowed ISOException
            x++;
            fail();
            x--;
        } catch (ISOException e) {
            x += 100;
        }
        x++;
        return x;
    }

    private short answersOtherwise(short x) {
        try {
            x++;
            work.units((short) 1);  // work: answered otherwise
            fail();
        } catch (ISOException e) {
            x--;
            ISOException.throwIt(SW_MAPPED);
        }
        return x;
    }

    private short retries(short x) {
        for (short tries = 0; tries < 5; tries++) {
            try {
                x += attempt(tries);
                break;
            } catch (ISOException e) {
                x++;
            }
        }
        return x;
    }

    private short retriesForever() {
        short tries = 0;
        while (true) {
            try {
                return attempt(tries);
            } catch (ISOException e) {
                tries++;
            }
        }
    }

    /** Fails twice. */
    private short attempt(short tries) {
        work.units((short) 1);  // work: attempt
        if (tries < 2) {
            fail();
        }
        return tries;
    }

    private short heavyFinally(short x) {
        try {
            x++;
            x += 2;
        } finally {
            x--;
            work.units((short) 2);  // work: heavy finally
            x++;
        }
        x += 3;
        return x;
    }

    private short heavyFinallyOfFailure(short x) {
        try {
            try {
                x++;
                fail();
            } finally {
                work.units((short) 2);  // work: heavy finally of a failure
            }
        } catch (ISOException e) {
            x--;
        }
        return x;
    }

    private short returnsInTry(short x) {
        try {
            return work.value(x);  // work: return in a try
        } catch (ISOException e) {
            return -1;
        } finally {
            work.units((short) 2);  // work: finally of a return
        }
    }

    private short returnsInFinally(short x) {
        try {
            work.units((short) 1);  // work: try of a finally that returns
            fail();
        } finally {
            return x;
        }
    }

    private short nests(short x) {
        try {
            x++;
            try {
                work.units((short) 1);  // work: inner try
                fail();
            } catch (NullPointerException e) {
                x = -1;
            } finally {
                work.units((short) 2);  // work: inner finally
            }
            x--;
        } catch (ISOException e) {
            work.units((short) 3);  // work: outer catch
        } finally {
            x++;
        }
        return x;
    }

    private short worksInCatch(short x) {
        try {
            fail();
        } catch (ISOException e) {
            x++;
            work.units((short) 1);  // work: catch
            x--;
        }
        return x;
    }

    private static void fail() {
        ISOException.throwIt(ISO7816.SW_CONDITIONS_NOT_SATISFIED);
    }
}
