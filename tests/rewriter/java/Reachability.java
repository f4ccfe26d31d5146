// Ends of blocks that cannot be reached get no trap, those that can do.
import javacard.framework.*;

public class Reachability extends Applet {
    byte[] memory;

    protected Reachability() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Reachability();
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

    static final boolean ON = true;

    short run(byte a, byte b) {
        short x = forever(a);
        if (a == 1) {
            x++;
        } else {
            if (b == 1) {
                return both(a);
            } else {
                x += never(b);
            }
        }
        synchronized (this) {
            x++;
        }
        {
            x--;
        }
        return x;
    }

    short forever(byte a) {
        while (true) {
            if (a++ > 5) {
                return a;
            }
        }
    }

    short both(byte a) {
        if (a > 2) {
            return 1;
        } else {
            return 2;
        }
    }

    short never(byte a) {
        do {
            if (a > 3) break;
            if (++a == 3) continue;
            else break;
        } while (true);
        for (; ON; ) {
            if (a++ > 9) return a;
        }
    }

    short nested(byte a) {
        outer:
        for (;;) {
            for (;;) {
                if (a++ > 7) break outer;
                if (a > 3) continue outer;
            }
        }
        return a;
    }

    void spin(byte a) {
        for (;;) {
            try {
                if (a == 0) return;
            } finally {
                a--;
            }
        }
    }

    void repeated(byte a) {
        if (a > 0) {
            again:
            do {
                if (a-- > 3) continue again;
                return;
            } while (a > 1);
        }
    }
}
