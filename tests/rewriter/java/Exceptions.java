// A stop may be swallowed by no catch and no finally.
import javacard.framework.*;

public class Exceptions extends Applet {
    byte[] memory;

    protected Exceptions() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Exceptions();
    }

    public void process(APDU apdu) {
        if (selectingApplet()) {
            return;
        }
        byte[] buffer = apdu.getBuffer();
        short result = run(buffer[ISO7816.OFFSET_P1], buffer[ISO7816.OFFSET_P2]);
        Util.setShort(buffer, (short) 0, result);
        apdu.setOutgoingAndSend((short) 0, (short) 2);
    }

    short run(byte a, byte b) {
        short x = 0;
        try {
            x = risky(a);
            x++;
        } catch (ISOException e) {
            x = (short) (e.getReason() + 1);
        }
        try {
            x += risky(b);
        } catch (Exception e) {
        } finally {
            x += 10;
        }
        try {
            try {
                risky((byte) (a + b));
            } finally {
                x += 100;
            }
        } catch (Throwable t) {
            x += 1000;
        }
        for (short i = 0; i < 3; i++) {
            try {
                if (i == a) continue;
                if (i == b) throw new RuntimeException();
                x++;
            } catch (NullPointerException e) {
                x--;
            } catch (RuntimeException e) {
                x += 5;
            } finally {
                x += 2;
            }
        }
        return (short) (x + retry(a) + swallow(b));
    }

    short risky(byte v) {
        if (v == 2) ISOException.throwIt((short) 0x6A80);
        if (v == 3) CardRuntimeException.throwIt((short) 7);
        return v;
    }

    short retry(byte a) {
        byte tries = 0;
        while (true) {
            try {
                tries++;
                risky(tries == 3 ? (byte) 0 : a);
                return tries;
            } catch (CardRuntimeException e) {
                if (tries > 4) return -1;
            }
        }
    }

    short swallow(byte b) {
        try {
            return risky(b);
        } catch (final ISOException | ArithmeticException e) {
            return 77;
        } finally {
            memory[2]++;
        }
    }
}
