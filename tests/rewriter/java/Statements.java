// Straight-line statements: declarations with and without a value, assignments, calls, an empty one.
import javacard.framework.*;

public class Statements extends Applet {
    byte[] memory;

    protected Statements() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Statements();
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
        short x;
        short y = (short) (a + 1), z;
        x = (short) (y * 2);;
        z = 3; x += z; store(x);
        final short last = memory[0];
        return (short) (last + x + b);
    }

    void store(short x) {
        memory[0] = (byte) x;
    }
}
