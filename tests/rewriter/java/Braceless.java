// Bodies without braces, nested in one another, and comments in between.
import javacard.framework.*;

public class Braceless extends Applet {
    byte[] memory;

    protected Braceless() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Braceless();
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
        if (a > 1) x = 1;
        if (a > 2) x += 2; else x += 3;
        if (a > 0) if (b > 0) x += 4; else x += 5; // of the inner if
        if (a == b) x += 6;
        else if (a > b) x += 7;
        else if (a == 0) /* here */ x += 8; /* and here */
        else
            x += 9;
        for (short i = 0; i < a; i++) for (short j = 0; j < b; j++) if (i != j) x++;
        while (x > 40) if (b == 0) x -= 3; else x -= 5;
        if (x == 100);
        if (x == 101) {} else x++;
        return x;
    }
}
