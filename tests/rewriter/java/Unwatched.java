// Code without traps that calls code with traps: a stop must get through it. And a select that is left clean.
import javacard.framework.*;

public class Unwatched extends Applet {
    byte[] memory;

    protected Unwatched() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Unwatched();
    }

    public boolean select() {
        try {
            count((short) 1);
        } finally {
            memory[3] = 0;
        }
        return true;
    }

    public void process(APDU apdu) {
        byte[] buffer = apdu.getBuffer();
        process(apdu, buffer[ISO7816.OFFSET_P1]);
    }

    void process(APDU apdu, byte a) {
        if (selectingApplet()) {
            return;
        }
        if (a == 1) {
            select();
        }
        short result = (short) (new Holder().held + count(a));
        try {
            result += new Doer() {
                short go() {
                    try {
                        return count((short) 3);
                    } catch (javacard.framework. /* qualified */ ISOException e) {
                        return 1;
                    }
                }
            }.go();
        } catch (java.lang
            .Exception e) {
            result = 7;
        }
        byte[] buffer = apdu.getBuffer();
        Util.setShort(buffer, (short) 0, result);
        apdu.setOutgoingAndSend((short) 0, (short) 2);
    }

    short count(short n) {
        try {
            memory[0] += n;
        } finally {
            memory[1]++;
        }
        return memory[0];
    }

    abstract static class Doer {
        abstract short go();
    }

    class Holder {
        short held;

        {
            try {
                held = count((short) 2);
            } catch (Throwable t) {
                held = 9;
            }
        }
    }
}
