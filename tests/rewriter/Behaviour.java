// SPDX-License-Identifier: Apache-2.0
// Runs applets as the user wrote them and as jcprof-gen rewrote them on jCardSim, in one JVM, and compares:
//   unarmed, every command has the same answer;
//   traced, it has the same answer, and the path is read back;
//   armed at each event of that path, it stops there and nowhere else, and the next command is the same as ever.
// Usage: java -cp jcardsim.jar Behaviour.java DIR…, each DIR holding original/, instrumented/ and entry (the
// applet's class). Prints one line a folder; exit status 1 when one differs.
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

public class Behaviour {
    static final byte[] AID_BYTES = {(byte) 0xF0, 0, 0, 0, 1, 1, 1};
    static final int MOST_EVENTS_ARMED = 60;

    public static void main(String[] folders) throws Exception {
        boolean same = true;
        for (String folder : folders) {
            String fault = compare(Path.of(folder));
            System.out.println(Path.of(folder).getFileName() + ": " + (fault == null ? "same" : fault));
            same &= fault == null;
        }
        System.exit(same ? 0 : 1);
    }

    static String compare(Path folder) throws Exception {
        String entry = Files.readString(folder.resolve("entry")).strip();
        try {
            Card original = new Card(folder.resolve("original"), entry);
            Card instrumented = new Card(folder.resolve("instrumented"), entry);
            return compare(original, instrumented);
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    static String compare(Card original, Card instrumented) throws Exception {
        for (int p1 = 0; p1 < 6; p1++) {
            for (int p2 = 0; p2 < 4; p2++) {
                byte[] command = {0, 1, (byte) p1, (byte) p2, 0};
                String expected = hex(original.send(command));
                String unarmed = hex(instrumented.send(command));
                if (!unarmed.equals(expected)) return differs(command, "unarmed", expected, unarmed);
                String fault = stops(original, instrumented, command);
                if (fault != null) return fault;
            }
        }
        return null;
    }

    /** The applets keep state, so each run of one is a run of the other; a stop leaves it, so both start afresh. */
    static String stops(Card original, Card instrumented, byte[] command) throws Exception {
        original.restart();
        instrumented.restart();
        String expected = hex(original.send(command));
        instrumented.command(2, ByteBuffer.allocate(5).putInt(0).put((byte) 1).array());
        String traced = hex(instrumented.send(command));
        if (!traced.equals(expected)) return differs(command, "traced", expected, traced);
        int[] path = instrumented.path();
        boolean isNew = instrumented.seenPaths.add(Arrays.toString(path));
        for (int i = 0; isNew && i < path.length; i += 1 + path.length / MOST_EVENTS_ARMED) {
            int trap = path[i];
            int hit = (int) Arrays.stream(path, 0, i + 1).filter(other -> other == trap).count();
            instrumented.restart();
            instrumented.command(1, ByteBuffer.allocate(7).putShort((short) trap).putInt(hit).put((byte) 1).array());
            String stopped = hex(instrumented.send(command));
            if (!stopped.equals(instrumented.stopStatus)) return differs(command, "armed at " + trap + ", hit " + hit, instrumented.stopStatus, stopped);
            instrumented.restart();
            String after = hex(instrumented.send(command));
            if (!after.equals(expected)) return differs(command, "after a stop at " + trap, expected, after);
        }
        original.restart();
        instrumented.restart();
        return null;
    }

    static String differs(byte[] command, String how, String expected, String answer) {
        return hex(command) + " " + how + " answers " + answer + " instead of " + expected;
    }

    static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) text.append(String.format("%02x", b));
        return text.toString();
    }

    /** One applet on a jCardSim of its own: its runtime is static, so each card loads the simulator anew. */
    static class Card {
        final ClassLoader loader;
        final Class<?> applet;
        final byte cla;
        final byte ins;
        final String stopStatus;
        final Set<String> seenPaths = new HashSet<>();  // with stops at their events
        Object simulator;
        Method transmit;

        Card(Path sources, String entry) throws Exception {
            URL simulatorJar = Path.of(System.getProperty("java.class.path")).toUri().toURL();
            loader = new URLClassLoader(new URL[] {compile(sources).toUri().toURL(), simulatorJar}, ClassLoader.getPlatformClassLoader());
            applet = loader.loadClass(entry);
            String in = entry.contains(".") ? entry.substring(0, entry.lastIndexOf('.') + 1) : "";
            if (Files.exists(sources.resolve("PMC.java"))) {
                Class<?> constants = loader.loadClass(in + "PMC");
                cla = (byte) constant(constants, "CLA");
                ins = (byte) constant(constants, "INS");
                stopStatus = String.format("%04x", constant(constants, "STOP") & 0xFFFF);
            } else {
                cla = ins = 0;
                stopStatus = "";
            }
            restart();
        }

        static int constant(Class<?> constants, String name) throws Exception {
            var field = constants.getDeclaredField(name);
            field.setAccessible(true);
            return ((Number) field.get(null)).intValue();
        }

        void restart() throws Exception {
            Class<?> simulatorClass = loader.loadClass("com.licel.jcardsim.base.Simulator");
            Class<?> aidClass = loader.loadClass("javacard.framework.AID");
            Object aid = aidClass.getConstructor(byte[].class, short.class, byte.class)
                .newInstance(AID_BYTES, (short) 0, (byte) AID_BYTES.length);
            simulator = simulatorClass.getConstructor().newInstance();
            transmit = simulatorClass.getMethod("transmitCommand", byte[].class);
            simulatorClass.getMethod("resetRuntime").invoke(simulator);
            simulatorClass.getMethod("installApplet", aidClass, Class.class).invoke(simulator, aid, applet);
            if (!(boolean) simulatorClass.getMethod("selectApplet", aidClass).invoke(simulator, aid))
                throw new IllegalStateException("cannot be selected");
        }

        byte[] send(byte[] command) throws Exception {
            return (byte[]) transmit.invoke(simulator, (Object) command);
        }

        byte[] command(int verb, byte[] data) throws Exception {
            byte[] apdu = ByteBuffer.allocate(6 + data.length).put(cla).put(ins).put((byte) verb).put((byte) 0)
                .put((byte) data.length).put(data).put((byte) 0).array();
            byte[] answer = send(apdu);
            if (!hex(answer).endsWith("9000")) throw new IllegalStateException("PM refuses " + hex(apdu) + " with " + hex(answer));
            return Arrays.copyOf(answer, answer.length - 2);
        }

        int[] path() throws Exception {
            List<Integer> traps = new ArrayList<>();
            int total;
            do {
                ByteBuffer answer = ByteBuffer.wrap(command(3, ByteBuffer.allocate(2).putShort((short) traps.size()).array()));
                total = Math.min(answer.getInt(), answer.getShort(16));
                answer.position(18);
                while (answer.hasRemaining()) traps.add(answer.getShort() & 0xFFFF);
            } while (traps.size() < total);
            return traps.stream().mapToInt(Integer::intValue).toArray();
        }

        static Path compile(Path sources) throws Exception {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            Path classes = Files.createDirectories(sources.resolveSibling(sources.getFileName() + ".classes"));
            List<String> arguments = new ArrayList<>(List.of("--release", "8", "-nowarn", "-encoding", "ISO-8859-1", "-cp",
                System.getProperty("java.class.path"), "-d", classes.toString()));
            try (Stream<Path> files = Files.list(sources)) {
                arguments.addAll(files.map(Path::toString).filter(file -> file.endsWith(".java")).sorted().collect(Collectors.toList()));
            }
            var errors = new java.io.ByteArrayOutputStream();
            if (compiler.run(null, errors, errors, arguments.toArray(new String[0])) != 0)
                throw new IllegalStateException("does not compile:\n" + errors);
            return classes;
        }
    }
}
