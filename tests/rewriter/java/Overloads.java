// Functions of one name, nested, local and anonymous classes.
import javacard.framework.*;

public class Overloads extends Applet {
    byte[] memory;

    protected Overloads() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Overloads();
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
        short x = add(a);
        x += add(a, b);
        final short y = x;
        class Local {
            short twice() { return (short) (add(y) * 2); }
        }
        Adder adder = new Adder() {
            short add(short v) {
                return (short) (v + Overloads.this.memory.length);
            }
        };
        return (short) (adder.add(new Local().twice()) + new Holder(a).get());
    }

    short add(short a) { return (short) (a + 1); }

    short add(byte a, byte b) { return (short) (a + b); }

    static abstract class Adder {
        abstract short add(short v);
    }

    static class Holder extends Adder {
        private short held;
        static short count;

        static {
            count = 3;
        }

        Holder(short v) {
            this(v, (short) 2);
            held++;
        }

        Holder(short v, short w) {
            super();
            held = (short) (v * w);
        }

        short add(short v) { return v; }

        short get() { return add(held); }
    }
}
