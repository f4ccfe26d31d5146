// SPDX-License-Identifier: Apache-2.0
// jCardSim as a virtual card on a vpcd port, started as its own VSmartCard is (the same -D properties), with two
// things that differ: frames are acknowledged at once, since vpcd sends them in two pieces and would wait 40 ms for
// a delayed acknowledgement, and there is no sleep at the start. It ends when the reader closes the connection.
import com.licel.jcardsim.base.CardManager;
import com.licel.jcardsim.base.Simulator;
import java.io.DataInputStream;
import java.io.EOFException;
import java.net.Socket;
import java.nio.ByteBuffer;
import jdk.net.ExtendedSocketOptions;

final class VirtualCard {
    private static final int POWER_OFF = 0;
    private static final int POWER_ON = 1;
    private static final int RESET = 2;
    private static final int GET_ATR = 4;

    public static void main(String[] arguments) throws Exception {
        String prefix = "com.licel.jcardsim.vsmartcard.";
        Simulator simulator = new Simulator();
        try (Socket socket = new Socket(System.getProperty(prefix + "host"), Integer.getInteger(prefix + "port"))) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (;;) {
                byte[] frame = new byte[in.readUnsignedShort()];
                socket.setOption(ExtendedSocketOptions.TCP_QUICKACK, true);
                in.readFully(frame);
                if (frame.length != 1) {
                    send(socket, CardManager.dispatchApdu(simulator, frame));
                } else if (frame[0] == GET_ATR) {
                    send(socket, simulator.getATR());
                } else if (frame[0] == POWER_OFF || frame[0] == RESET) {
                    simulator.reset();
                } else if (frame[0] != POWER_ON) {
                    throw new IllegalStateException("no control command of vpcd: " + frame[0]);
                }
            }
        } catch (EOFException end) {
            System.err.println("the reader closed the connection");
        }
    }

    private static void send(Socket socket, byte[] data) throws Exception {
        ByteBuffer frame = ByteBuffer.allocate(2 + data.length).putShort((short) data.length).put(data);
        socket.getOutputStream().write(frame.array());
    }
}
