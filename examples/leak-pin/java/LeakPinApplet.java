// SPDX-License-Identifier: Apache-2.0
package com.example.leakpin;

import javacard.framework.APDU;
import javacard.framework.Applet;
import javacard.framework.ISO7816;
import javacard.framework.ISOException;
import javacard.framework.Util;

/**
 * Compares a PIN of eight digits in three ways, and answers 1 if it is right, else 0. It counts no tries, so that nothing
 * can be blocked: a real applet would.
 */
public class LeakPinApplet extends Applet {
    private static final byte INS_EARLY_EXIT = (byte) 0x40;
    private static final byte INS_TABLE = (byte) 0x42;
    private static final byte INS_CONSTANT_TIME = (byte) 0x44;

    private static final short PIN_LENGTH = (short) 8;
    private static final short TABLE_LENGTH = (short) 256;
    private static final short LOOK_UPS = (short) 256;

    private final byte[] pin;
    private final byte[] table;
    private final short pinDigest;

    private LeakPinApplet() {
        pin = new byte[] {0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38};
        table = new byte[TABLE_LENGTH];
        for (short i = 0; i < TABLE_LENGTH; i++) {
            table[i] = (byte) (i * 167 + 13);           // all bytes once, as in a substitution box
        }
        pinDigest = digest(pin, (short) 0);
        register();
    }

    public static void install(byte[] parameters, short offset, byte length) {
        new LeakPinApplet();
    }

    public void process(APDU apdu) {
        if (selectingApplet()) {
            return;
        }
        byte[] buffer = apdu.getBuffer();
        if (apdu.setIncomingAndReceive() != PIN_LENGTH) {
            ISOException.throwIt(ISO7816.SW_WRONG_LENGTH);
        }
        byte answer = 0;
        switch (buffer[ISO7816.OFFSET_INS]) {
            case INS_EARLY_EXIT:
                answer = earlyExit(buffer, ISO7816.OFFSET_CDATA);
                break;
            case INS_TABLE:
                answer = byTable(buffer, ISO7816.OFFSET_CDATA);
                break;
            case INS_CONSTANT_TIME:
                answer = constantTime(buffer, ISO7816.OFFSET_CDATA);
                break;
            default:
                ISOException.throwIt(ISO7816.SW_INS_NOT_SUPPORTED);
        }
        buffer[0] = answer;
        apdu.setOutgoingAndSend((short) 0, (short) 1);
    }

    /** Ends at the first wrong digit. */
    private byte earlyExit(byte[] guess, short offset) {
        for (short i = 0; i < PIN_LENGTH; i++) {
            if (guess[(short) (offset + i)] != pin[i]) {
                return 0;
            }
        }
        return 1;
    }

    /** The digits choose the places of the table that are read. */
    private byte byTable(byte[] guess, short offset) {
        short found = digest(guess, offset);
        return isZero((short) (found ^ pinDigest));
    }

    /** Looks at all digits, whatever they are, and decides nothing by them. */
    private byte constantTime(byte[] guess, short offset) {
        short difference = 0;
        for (short i = 0; i < PIN_LENGTH; i++) {
            difference |= (short) (guess[(short) (offset + i)] ^ pin[i]);
        }
        return isZero(difference);
    }

    private short digest(byte[] digits, short offset) {
        byte high = 0;
        byte low = 0;
        for (short i = 0; i < LOOK_UPS; i++) {
            high ^= low;
            low = table[(short) ((low ^ high ^ digits[(short) (offset + (i & 7))]) & 0xFF)];
        }
        return Util.makeShort(high, low);
    }

    /** 1 for 0, else 0. If a number is not 0, it or its negative has the sign bit set. */
    private static byte isZero(short number) {
        return (byte) (~((short) (number | (short) -number) >> 15) & 1);
    }
}
