// Values of every type that can be held up, trivial ones, and void.
import javacard.framework.*;

public class Returns extends Applet {
    byte[] memory;

    protected Returns() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Returns();
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

    static final byte FIVE = 5;

    short run(byte a, byte b) {
        nothing(a);
        if (flag(a) && !flag(b)) return number(a);
        if (flag(b)) return (short) (number(b) + small(a));
        if (object(a) == this) return -7;
        return array(a)[0];
    }

    void nothing(byte a) {
        if (a == 0) return;
        memory[0] = a;
    }

    boolean flag(byte a) {
        return a > 1 || memory[0] == a;
    }

    byte small(byte a) {
        if (a == 3) return FIVE;
        if (a == 4) return (byte) -2;
        if (a == 5) return 3 + 4;
        return (byte) (a + 1);
    }

    short number(byte a) {
        if (a == 3) return (byte) (a * 2);
        return a == 2 ? (short) 300 : memory[(short) (a & 7)];
    }

    Object object(byte a) {
        if (a == 1) return null;
        return a == 2 ? this : new Object();
    }

    byte[] array(byte a) {
        return a == 3 ? null == this ? null : memory : new byte[]{a, 2};
    }

    Returns self(){return(this);}
}
