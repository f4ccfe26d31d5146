// SPDX-License-Identifier: Apache-2.0
import com.licel.jcardsim.base.Simulator;
import com.licel.jcardsim.utils.AIDUtil;
import exact.Card;
import javacard.framework.AID;

/** The applet without jcprof, in the simulator: sends the commands, each step says who took it. */
final class Traced {
    private Traced() {
    }

    public static void main(String[] commands) {
        Simulator simulator = new Simulator();
        AID aid = AIDUtil.create("F0000000010104");
        simulator.installApplet(aid, Card.class);
        simulator.selectApplet(aid);
        System.out.println("selected");
        for (String command : commands) {
            byte[] bytes = new byte[command.length() / 2];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) Integer.parseInt(command.substring(2 * i, 2 * i + 2), 16);
            }
            byte[] answer = simulator.transmitCommand(bytes);
            System.out.println("answered " + (answer[answer.length - 2] & 0xFF));
        }
    }
}
