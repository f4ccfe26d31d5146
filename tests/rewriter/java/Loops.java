// Every loop, with a body, with one statement, and with none.
import javacard.framework.*;

public class Loops extends Applet {
    byte[] memory;

    protected Loops() {
        memory = new byte[16];
        register();
    }

    public static void install(byte[] array, short offset, byte length) {
        new Loops();
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
        short sum = 0;
        for (short i = 0; i < a; i++) {
            sum += i;
        }
        for (short i = 0, j = 5; i < j; i++, j--) sum += j;
        short k = a;
        while (k-- > 0) sum++;
        while (k < 0) {
            k++;
        }
        do {
            sum += 2;
            k++;
        } while (k < b);
        do sum--; while (sum > 50);
        for (short i = 0; i < b; sum += i++);
        while (step() < 3);
        while (step() < 3) { }
        while (step() > 9) { return 1; }
        for (;;) {
            if (sum > 7) break;
            sum++;
        }
        return sum;
    }

    short step() {
        return ++memory[1] > 3 ? memory[1] = 0 : memory[1];
    }
}
