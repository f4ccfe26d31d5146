// finally that returns, continues or breaks.
import javacard.framework.*;

public class FinallyReturns extends Applet {
    byte[] memory;

    protected FinallyReturns() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new FinallyReturns();
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
        short x = overrides(a);
        for (short i = 0; i < 3; i++) {
            try {
                if (a > 1) return fail();
            } finally {
                x++;
                continue;
            }
        }
        while (true) {
            try {
                x += fail();
            } catch (ISOException e) {
                x += 3;
                break;
            } finally {
                x += 20;
            }
        }
        lab: {
            try {
                x++;
            } finally {
                break lab;
            }
        }
        return x;
    }

    short overrides(byte a) {
        try {
            return (short) (a / memory[3]);
        } catch (ArithmeticException e) {
            return 5;
        } finally {
            if (a < 9) return 6;
        }
    }

    short fail() {
        ISOException.throwIt((short) 0x6985);
        return 0;
    }
}
