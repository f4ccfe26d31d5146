// A package, imports by name, a process that is not the first method, and qualified types.
package com.example.demo;

import javacard.framework.Applet;
import javacard.framework.ISO7816;

public final class InPackage extends Applet {
    private short count;

    private InPackage() {
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new InPackage();
    }

    public boolean select() {
        count = 0;
        return true;
    }

    public void process(javacard.framework.APDU command) throws javacard.framework.ISOException {
        byte[] bytes = command.getBuffer();
        if (selectingApplet()) return;
        try {
            switch (bytes[ISO7816.OFFSET_P1]) {
                case 0: count++; break;
                case 1: javacard.framework.ISOException.throwIt((short) 0x6A86);
                default: count += bytes[ISO7816.OFFSET_P2];
            }
        } catch (javacard.framework.ISOException e) {
            count = 9;
        }
        bytes[0] = (byte) count;
        command.setOutgoingAndSend((short) 0, (short) 1);
    }
}
