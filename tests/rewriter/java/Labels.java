// Labelled loops and blocks, breaks and continues that name them.
import javacard.framework.*;

public class Labels extends Applet {
    byte[] memory;

    protected Labels() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Labels();
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
        outer:
        for (short i = 0; i < 4; i++) {
            inner: for (short j = 0; j < 4; j++) {
                if (j == a) continue outer;
                if (i == b) break inner;
                if (i + j == 5) break outer;
                x++;
            }
            x += 10;
        }
        block: {
            if (a == b) break block;
            x += 100;
        }
        one: two: x++;
        l: if (a > 0) break l; else x += 3;
        return x;
    }
}
