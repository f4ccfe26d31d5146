// Functions that share a name, types that stand over several lines, and values that boxing would change.
import javacard.framework.*;

public class Signatures extends Applet {
    byte[] memory;

    protected Signatures() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Signatures();
    }

    /** Not the card's select(): the applet's own. */
    void select(APDU apdu) {
        memory[1]++;
    }

    void install(APDU apdu) {
        memory[2]++;
    }

    public void process(APDU apdu) {
        if (selectingApplet()) {
            return;
        }
        byte[] buffer = apdu.getBuffer();
        select(apdu);
        install(apdu);
        short result = run(buffer[ISO7816.OFFSET_P1], buffer[ISO7816.OFFSET_P2]);
        Util.setShort(buffer, (short) 0, result);
        apdu.setOutgoingAndSend((short) 0, (short) 2);
    }

    short run(byte a, byte b) {
        byte[] one = {a, b};
        return (short) (local(a) + sum(a) + sum(one) + sum(a, b) + boxed(a) + lines(one)[0] + two(a, one));
    }

    short sum(byte a) {
        return twice(a);
    }

    short sum(byte a[]) {
        return twice(a[0]);
    }

    short sum(byte first, byte... a) {
        return twice(a[0]);
    }

    short twice(byte a) {
        return (short) (a + a);
    }

    short local(byte a) {
        if (a > 2) {
            class Local {
                short value() {
                    return twice((byte) 1);
                }
            }
            return new Local().value();
        } else {
            class Local {
                short value() {
                    return twice((byte) 1);
                }
            }
            return new Local().value();
        }
    }

    Byte boxed(byte a) {
        return a > 1 ? 2 + 1 : a;
    }

    java.util.Map.
            /* of */
            Entry<Byte, // the key
            byte[]> entry(byte[] a) {
        return new java.util.AbstractMap.SimpleEntry<>(a[0], a);
    }

    byte /* an
            array */ [
            ] lines(byte[] a) {
        return entry(a).getValue();
    }

    short two(byte a, byte[] memory) {
        if (a == 0)
            return 1;
        else if (a == 1) // one
            memory[0]++;
        else if (a == 2)
            memory[0] += 2;
        else if (a == 3) {
            memory[0] += 3;
        }
        return memory[0];
    }
}
