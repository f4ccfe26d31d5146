// SPDX-License-Identifier: Apache-2.0
package exact;

import javacard.framework.APDU;
import javacard.framework.Applet;
import javacard.framework.ISO7816;
import javacard.framework.ISOException;
import javacard.framework.Util;

/** Each function moves control another way. INS is the group. */
public class ExactApplet extends Applet {
    private final ExactExceptions exceptions = new ExactExceptions();
    private final ExactClasses classes = new ExactClasses();
    private final ExactFlow flow = new ExactFlow();

    public void process(APDU apdu) {
        Steps.step(1);
        short result = 0;
        switch (apdu.getBuffer()[ISO7816.OFFSET_INS]) {
            case 1:
                result = flow.run();
                break;
            case 2:
                result = exceptions.run();
                break;
            case 3:
                result = classes.run();
                break;
            case 4:
                exceptions.givesUp();
                break;
            default:
                ISOException.throwIt(ISO7816.SW_INS_NOT_SUPPORTED);
        }
        Steps.step(2);
        Util.setShort(apdu.getBuffer(), (short) 0, result);
        apdu.setOutgoingAndSend((short) 0, (short) 2);
    }
}
