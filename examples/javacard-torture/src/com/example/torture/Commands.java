// SPDX-License-Identifier: Apache-2.0
package com.example.torture;

import javacard.framework.APDU;
import javacard.framework.ISO7816;
import javacard.framework.ISOException;
import javacard.framework.JCSystem;
import javacard.framework.Util;

/** What a command does to the card and wants from it: status words, a PIN, transactions, state, data of any length. */
final class Commands {
    private static final byte[] PIN = {(byte) 0x31, (byte) 0x32, (byte) 0x33, (byte) 0x34};
    private static final short UNIT_LENGTH = (short) 200;

    // What a place of `session` holds.
    private static final byte AUTHENTICATED = (byte) 0;
    private static final byte TURN = (byte) 1;
    private static final byte STAGE = (byte) 2;
    private static final short SESSION_LENGTH = (short) 3;

    private final Work work;
    private final byte[] session;
    private short balance;

    Commands(Work work) {
        this.work = work;
        session = JCSystem.makeTransientByteArray(SESSION_LENGTH, JCSystem.CLEAR_ON_DESELECT);
    }

    void run(byte construct, APDU apdu) {
        switch (construct) {
            case 0x01: fails(); return;
            case 0x02: verify(apdu); return;
            case 0x03: wantsPin(); return;
            case 0x04: transaction(); return;
            case 0x05: sendBalance(apdu); return;
            case 0x06: takesTurns(); return;
            case 0x07: firstTurn(); return;
            case 0x08: withoutData(); return;
            case 0x09: byLength(apdu); return;
            case 0x0A: begin(); return;
            case 0x0B: update(); return;
            case 0x0C: finish(apdu); return;
            default: ISOException.throwIt(ISO7816.SW_INCORRECT_P1P2);
        }
    }

    private void fails() {
        work.units((short) 1);  // work: failing command
        ISOException.throwIt(ISO7816.SW_CONDITIONS_NOT_SATISFIED);
    }

    private void verify(APDU apdu) {
        short length = apdu.setIncomingAndReceive();
        if (length != (short) PIN.length
                || Util.arrayCompare(apdu.getBuffer(), ISO7816.OFFSET_CDATA, PIN, (short) 0, length) != 0) {
            ISOException.throwIt(ISO7816.SW_WRONG_DATA);
        }
        session[AUTHENTICATED] = 1;
    }

    /** Good for one command. */
    private void wantsPin() {
        if (session[AUTHENTICATED] == 0) {
            ISOException.throwIt(ISO7816.SW_SECURITY_STATUS_NOT_SATISFIED);
        }
        session[AUTHENTICATED] = 0;
        work.units((short) 1);  // work: behind the PIN
    }

    private void transaction() {
        JCSystem.beginTransaction();
        balance++;
        work.units((short) 1);  // work: transaction
        balance++;
        JCSystem.commitTransaction();
        work.units((short) 2);  // work: behind the transaction
    }

    private void sendBalance(APDU apdu) {
        Util.setShort(apdu.getBuffer(), (short) 0, balance);
        apdu.setOutgoingAndSend((short) 0, (short) 2);
    }

    private void takesTurns() {
        if (session[TURN] == 0) {
            session[TURN] = 1;
            work.units((short) 1);  // work: first turn
        } else {
            session[TURN] = 0;
            work.units((short) 3);  // work: second turn
        }
    }

    private void firstTurn() {
        session[TURN] = 0;
    }

    private void withoutData() {
        work.units((short) 1);  // work: command without data
    }

    private void byLength(APDU apdu) {
        short length = receive(apdu);
        work.units((short) (1 + length / UNIT_LENGTH));  // work: by length
        Util.setShort(apdu.getBuffer(), (short) 0, length);
        apdu.setOutgoingAndSend((short) 0, (short) 2);
    }

    private static short receive(APDU apdu) {
        short received = apdu.setIncomingAndReceive();
        while (received < apdu.getIncomingLength()) {
            received += apdu.receiveBytes((short) 0);
        }
        return received;
    }

    private void begin() {
        session[STAGE] = 1;
        work.units((short) 1);  // work: first command
    }

    private void update() {
        session[STAGE]++;
        work.units((short) 2);  // work: second command
    }

    private void finish(APDU apdu) {
        work.units((short) 3);  // work: third command
        apdu.getBuffer()[0] = session[STAGE];
        apdu.setOutgoingAndSend((short) 0, (short) 1);
    }
}
