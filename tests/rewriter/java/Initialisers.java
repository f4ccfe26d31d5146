// Values of fields, blocks of a class, and what constructors hand to others: code in front of a constructor's statements.
import javacard.framework.*;

public class Initialisers extends Applet {
    byte[] memory = new byte[16];
    final Plain kept = new Plain((short) 3);

    {
        memory[1] = 1;
    }

    protected Initialisers() {
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Initialisers();
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
        switch (a) {
            case 0:
                return new Fields(b).sum();
            case 1:
                return (short) (new Hands(b).sum() + new Hands(b, true).sum());
            case 2:
                return (short) (new Arrays(b).length + new Others((short) 2, memory).length);
            case 3:
                return new Plain(b) {
                    short more = work((short) 2);

                    {
                        more += n;
                    }

                    short sum() {
                        return (short) (n + more);
                    }
                }.sum();
            default:
                return new Fails(b).n;
        }
    }

    static short work(short n) {
        short total = n;
        for (short i = 0; i < n; i++) {
            total += i;
        }
        return total;
    }

    static class Plain {
        short n;

        Plain(short n) {
            this.n = n;
        }

        Plain(byte n) {
            this.n = (short) (n + 100);
        }

        short sum() {
            return n;
        }
    }

    static class Fields extends Plain {
        static final short CONSTANT = 4;
        private short cheap = 5;
        /** Documented. */
        private final short first = work((short) 3), second = (short) (first + work((short) 2));
        byte[] array = {(byte) work((short) 1), 2}; short last = work(second);
        Plain part = new Plain(first);

        {
            try {
                cheap = work(last);
            } finally {
                last = 1;
            }
        }

        Fields(byte n) {
            super(n);
            cheap++;
        }

        short sum() {
            return (short) (n + first + second + array[0] + last + part.n + cheap + CONSTANT);
        }
    }

    static class Hands extends Plain {
        Hands(byte n) {
            super((short) (work(n) + 1));
        }

        Hands(short n) {
            super(twice(n));
            n++;
        }

        Hands(byte n, boolean again) {
            this(twice(again ? work(n) : n));
        }

        Hands(Plain one, short other) {
            super(one.sum());
        }

        static short twice(short n) {
            return (short) (2 * work(n));
        }
    }

    static class Arrays {
        short length;

        Arrays(byte n) {
            this(new byte[(short) (n + 1)], work(n));
        }

        Arrays(byte[] array, short more) {
            length = (short) (array.length + more);
        }
    }

    static class Others extends Arrays {
        Others(short n, byte[] array) {
            super(array, work(n));
        }

        Others(short n) {
            super(made(n), n);
        }

        static byte[] made(short n) {
            return new byte[n];
        }
    }

    static class Fails extends Plain {
        Fails(byte n) {
            super(checked(n));
        }

        static short checked(byte n) {
            if (n > 2) ISOException.throwIt((short) 0x6A80);
            return n;
        }
    }
}
