// SPDX-License-Identifier: Apache-2.0
package exact;

import javacard.framework.APDU;

/** The applet in a card that takes steps of its own for each command, also for one that stops: no trap stands here. */
public final class Card extends ExactApplet {
    static final int BEFORE = 20;
    static final int BEHIND = 30;

    public static void install(byte[] parameters, short offset, byte length) {
        new Card().register();
    }

    public void process(APDU apdu) {
        if (selectingApplet()) {
            return;
        }
        Steps.step(BEFORE);
        try {
            super.process(apdu);
        } finally {
            Steps.step(BEHIND);
        }
    }
}
