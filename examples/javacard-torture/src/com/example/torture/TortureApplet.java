// SPDX-License-Identifier: Apache-2.0
package com.example.torture;

import javacard.framework.APDU;
import javacard.framework.Applet;
import javacard.framework.ISO7816;
import javacard.framework.ISOException;
import javacard.framework.Util;
import javacardx.apdu.ExtendedLength;

/**
 * Constructs that profilers stumble over, each with known work at a known line. INS selects the group, P1 the
 * construct, P2 is its argument; the answer is a short. See README.md.
 */
public class TortureApplet extends Applet implements ExtendedLength {
    private static final byte INS_EXCEPTIONS = (byte) 0x10;
    private static final byte INS_LOOPS = (byte) 0x20;
    private static final byte INS_BRANCHES = (byte) 0x30;
    private static final byte INS_CALLS = (byte) 0x40;
    private static final byte INS_COMMANDS = (byte) 0x50;

    private final Exceptions exceptions;
    private final Loops loops;
    private final Branches branches;
    private final Calls calls;
    private final Commands commands;

    private TortureApplet() {
        Work work = new Work();
        exceptions = new Exceptions(work);
        loops = new Loops(work);
        branches = new Branches(work);
        calls = new Calls(work);
        commands = new Commands(work);
        register();
    }

    public static void install(byte[] parameters, short offset, byte length) {
        new TortureApplet();
    }

    public void process(APDU apdu) {
        if (selectingApplet()) {
            return;
        }
        byte[] buffer = apdu.getBuffer();
        byte construct = buffer[ISO7816.OFFSET_P1];
        short x = buffer[ISO7816.OFFSET_P2];
        switch (buffer[ISO7816.OFFSET_INS]) {
            case INS_EXCEPTIONS:
                answer(apdu, exceptions.run(construct, x));
                break;
            case INS_LOOPS:
                answer(apdu, loops.run(construct, x));
                break;
            case INS_BRANCHES:
                answer(apdu, branches.run(construct, x));
                break;
            case INS_CALLS:
                answer(apdu, calls.run(construct, x));
                break;
            case INS_COMMANDS:
                commands.run(construct, apdu);
                break;
            default:
                ISOException.throwIt(ISO7816.SW_INS_NOT_SUPPORTED);
        }
    }

    private static void answer(APDU apdu, short result) {
        Util.setShort(apdu.getBuffer(), (short) 0, result);
        apdu.setOutgoingAndSend((short) 0, (short) 2);
    }
}
