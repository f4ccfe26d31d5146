// Markers by hand, with a name and without, and where one cannot stand.
import javacard.framework.*;

public class Markers extends Applet {
    byte[] memory;

    protected Markers() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Markers();
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

    // PM_CHECK nowhere
    short run(byte a, byte b) {
        // PM_CHECK first
        /* PM_CHECK block */ // PM_CHECK: colon
        short x = a;
        x += b; // PM_CHECK
        if (x > 3) { // PM_CHECK inside
            x--;
            // PM_CHECK
        }
        if (x > 2) // PM_CHECK misplaced
            x--;
        switch (a) {
            case 1: x++; // PM_CHECK one
        }
        return x;
        // PM_CHECK unreachable
    }
}
