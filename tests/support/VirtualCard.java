// SPDX-License-Identifier: Apache-2.0
// jCardSim as a virtual card on a vpcd port, started as its own VSmartCard is (the same -D properties), with three
// things that differ: frames are acknowledged at once, since vpcd sends them in two pieces and would wait 40 ms for
// a delayed acknowledgement, and there is no sleep at the start. Its transient memory has an end, which jCardSim's has
// not. It ends when the reader closes the connection.
import com.licel.jcardsim.base.CardManager;
import com.licel.jcardsim.base.Simulator;
import com.licel.jcardsim.base.SimulatorRuntime;
import com.licel.jcardsim.base.TransientMemory;
import java.io.DataInputStream;
import java.io.EOFException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import javacard.framework.JCSystem;
import javacard.framework.SystemException;
import jdk.net.ExtendedSocketOptions;

final class VirtualCard {
    private static final int POWER_OFF = 0;
    private static final int POWER_ON = 1;
    private static final int RESET = 2;
    private static final int GET_ATR = 4;

    public static void main(String[] arguments) throws Exception {
        String prefix = "com.licel.jcardsim.vsmartcard.";
        Simulator simulator = new Simulator(new LimitedRuntime());
        Tears tears = new Tears();
        for (boolean isThere = true; isThere;) {
            try (Socket socket = new Socket(System.getProperty(prefix + "host"), Integer.getInteger(prefix + "port"))) {
                isThere = isTorn(socket, simulator, tears);
            }
        }
    }

    /** Serves until the card loses its power, or until the reader closes the connection (false). */
    private static boolean isTorn(Socket socket, Simulator simulator, Tears tears) throws Exception {
        socket.setTcpNoDelay(true);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        boolean hasServed = false;
        long poweredAt = 0;
        try {
            for (;;) {
                byte[] frame = new byte[in.readUnsignedShort()];
                socket.setOption(ExtendedSocketOptions.TCP_QUICKACK, true);
                in.readFully(frame);
                if (frame.length != 1 && tears.isNow()) {
                    tears.tear(simulator, frame);
                    return true;
                } else if (frame.length != 1) {
                    hasServed = true;
                    send(socket, CardManager.dispatchApdu(simulator, frame));
                } else if (frame[0] == GET_ATR) {
                    send(socket, simulator.getATR());
                } else if (frame[0] == POWER_OFF || frame[0] == RESET) {
                    simulator.reset();
                    // The daemon takes the power from a card that was idle for seconds, or that its client left.
                    boolean isOfClient = !hasServed && System.nanoTime() - poweredAt < 4_000_000_000L;
                    if (isOfClient && Boolean.getBoolean("jcprof.card.tells")) System.err.println("reset");
                } else if (frame[0] == POWER_ON) {
                    poweredAt = System.nanoTime();
                } else {
                    throw new IllegalStateException("no control command of vpcd: " + frame[0]);
                }
            }
        } catch (EOFException end) {
            System.err.println("the reader closed the connection");
            return false;
        }
    }

    /** The power is lost in so many commands as a property of the JVM says, at random moments. */
    private static final class Tears {
        private final int most = Integer.getInteger("jcprof.card.tears", 0);
        private final Random random = new Random(Integer.getInteger("jcprof.card.seed", 1));
        private int torn;
        private int commands = gap();

        private int gap() {
            return 400 + random.nextInt(800);
        }

        boolean isNow() {
            return torn < most && --commands == 0;
        }

        /** What the applet wrote stays, what is transient goes, and nobody gets an answer. */
        void tear(Simulator simulator, byte[] command) throws Exception {
            if (random.nextBoolean()) CardManager.dispatchApdu(simulator, command);
            simulator.reset();
            commands = gap();
            if (++torn == most) Files.createFile(Path.of("torn"));
        }
    }

    /** Free bytes of transient memory at the start: a property of the JVM, else more than a card can tell. */
    private static final class Transient extends TransientMemory {
        private final int[] free = {0, Integer.getInteger("jcprof.card.reset", 65536),
                                    Integer.getInteger("jcprof.card.deselect", 65536)};

        short free(int kind) {
            return (short) Math.min(free[kind], Short.MAX_VALUE);
        }

        /** jCardSim's keys make arrays of their own, which no card does. */
        private static boolean isOfSimulator() {
            return StackWalker.getInstance().walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                    .dropWhile(name -> name.startsWith("VirtualCard") || name.endsWith(".TransientMemory")
                            || name.endsWith(".JCSystem"))
                    .findFirst().orElse("").startsWith("com.licel."));
        }

        /** An element of a boolean or byte array takes a byte, one of the others two; jCardSim has no headers. */
        @Override
        protected void storeArray(Object array, byte event) {
            int elements = java.lang.reflect.Array.getLength(array);
            int size = array instanceof byte[] || array instanceof boolean[] ? elements : 2 * elements;
            if (isOfSimulator()) size = 0;
            if (size > free[event]) SystemException.throwIt(SystemException.NO_TRANSIENT_SPACE);
            free[event] -= size;
            super.storeArray(array, event);
        }
    }

    /** Persistent memory is the JVM's: nobody can see a `new` there, and it stays what it is set to. */
    private static final class LimitedRuntime extends SimulatorRuntime {
        private LimitedRuntime() {
            super(new Transient());
        }

        @Override
        public short getAvailablePersistentMemory() {
            return (short) Math.min(Integer.getInteger("jcprof.card.persistent", 65536), Short.MAX_VALUE);
        }

        @Override
        public short getAvailableTransientResetMemory() {
            return ((Transient) transientMemory).free(JCSystem.CLEAR_ON_RESET);
        }

        @Override
        public short getAvailableTransientDeselectMemory() {
            return ((Transient) transientMemory).free(JCSystem.CLEAR_ON_DESELECT);
        }
    }

    private static void send(Socket socket, byte[] data) throws Exception {
        ByteBuffer frame = ByteBuffer.allocate(2 + data.length).putShort((short) data.length).put(data);
        socket.getOutputStream().write(frame.array());
    }
}
