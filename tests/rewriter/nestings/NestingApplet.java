// SPDX-License-Identifier: Apache-2.0
// Runs World.program on the inputs that P1 and P2 choose, and answers with all that it did.
import javacard.framework.APDU;
import javacard.framework.Applet;
import javacard.framework.CardRuntimeException;
import javacard.framework.Util;

public class NestingApplet extends Applet {
    public static void install(byte[] data, short offset, byte length) {
        new NestingApplet().register();
    }

    public void process(APDU apdu) {
        if (selectingApplet()) return;
        byte[] buffer = apdu.getBuffer();
        World.begin(buffer[2] * 256 + buffer[3]);
        short result;
        try {
            result = World.program.run();
        } catch (CardRuntimeException e) {
            result = (short) (e.getClass().getName().hashCode() + e.getReason());
        } catch (Throwable e) {
            result = (short) e.getClass().getName().hashCode();
        }
        Util.setShort(buffer, (short) 0, result);
        Util.setShort(buffer, (short) 2, World.steps);
        Util.setShort(buffer, (short) 4, (short) (World.trail >> 16));
        Util.setShort(buffer, (short) 6, (short) World.trail);
        apdu.setOutgoingAndSend((short) 0, (short) 8);
    }
}
