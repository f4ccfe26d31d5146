// Fall-through, default in the middle, groups that all return, empty and nested switches.
import javacard.framework.*;

public class Switches extends Applet {
    byte[] memory;

    protected Switches() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Switches();
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
        switch (a) {
            case 0:
                x = 1;
            case 1:
            case 2:
                x += 2;
                break;
            default:
                x = 50;
            case 4: {
                x += 5;
            }
        }
        switch (b) {
        }
        switch (b) {
            case 1: short t = 4; x += t; break;
            case 2: t = 5; x += t;
        }
        switch (a) {
            case 1: switch (b) { case 0: x += 3; default: break; }
            case 2: while (x > 3) { x--; if (x == 9) break; }
            default:
        }
        return (short) (x + all(a));
    }

    short all(byte a) {
        switch (a) {
            case 0: return 3;
            case 1: return (short) (a + memory.length);
            default: return -1;
        }
    }
}
