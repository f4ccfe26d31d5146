// SPDX-License-Identifier: Apache-2.0
package com.example.torture;

import javacard.framework.JCSystem;
import javacard.security.MessageDigest;

/** Known work. No trap stands in here ("exclude" in jcprof.json), so that its time belongs to the line that calls it. */
final class Work {
    private static final short BLOCK_LENGTH = (short) 256;
    private static final short HASHES = (short) 200;

    private final MessageDigest sha;
    private final byte[] block;

    Work() {
        sha = MessageDigest.getInstance(MessageDigest.ALG_SHA_256, false);
        block = JCSystem.makeTransientByteArray(BLOCK_LENGTH, JCSystem.CLEAR_ON_DESELECT);
    }

    /** Some half a millisecond each on jCardSim. */
    void units(short count) {
        for (; count > 0; count--) {
            for (short i = 0; i < HASHES; i++) {
                sha.doFinal(block, (short) 0, BLOCK_LENGTH, block, (short) 0);
            }
        }
    }

    /** One unit, to be used in an expression. */
    short value(short x) {
        units((short) 1);
        return x;
    }

    /** The same for conditions. */
    boolean holds(boolean condition) {
        units((short) 1);
        return condition;
    }
}
