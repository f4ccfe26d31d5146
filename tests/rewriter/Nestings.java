// SPDX-License-Identifier: Apache-2.0
// Runs generated programs as they were written and as jcprof-gen rewrote them on jCardSim, in one JVM: unarmed and
// traced, a program must do the same for the same inputs; armed at an event of its path, it must stop there, no code
// of the user's may run after that, and the next command must be the same as ever.
// Usage: java -cp jcardsim.jar:CLASSES Nestings DIR…, each DIR holding original/ and instrumented/, each of those
// World, NestingApplet and the programs. Prints "FAULT DIR PROGRAM what", then what was run.
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

public class Nestings {
    static final int INPUTS = 4;
    static final int STOPS = 3;
    static final int STOPPING = 8;  // where PM keeps that a stop is under way
    static final Pattern ERROR = Pattern.compile("(?m)^\\S*/(N\\d+)\\.java:\\d+: error: (.*)");

    static int programs, runs, stops, tooLarge;
    static long events;

    public static void main(String[] folders) throws Exception {
        // Behaviour.Card gives the applet this class path, which must not hold the applet's own classes twice.
        System.setProperty("java.class.path", System.getProperty("java.class.path").split(":")[0]);
        for (String folder : folders) batch(Path.of(folder));
        System.out.printf("%d programs, %d runs, %d events, %d stops, %d times too large%n", programs + tooLarge, runs, events, stops, tooLarge);
    }

    static void batch(Path folder) throws Exception {
        Map<String, String> faults = new TreeMap<>();
        Behaviour.Card original = card(folder, "original", faults);
        for (String refused : faults.keySet()) Files.delete(folder.resolve("instrumented/" + refused + ".java"));
        Behaviour.Card instrumented = card(folder, "instrumented", faults);
        watchStops(instrumented);
        for (String program : programsIn(folder.resolve("instrumented"))) {
            programs++;
            String fault = compare(original, instrumented, program);
            if (fault != null) faults.put(program, fault);
        }
        faults.forEach((program, fault) -> System.out.println("FAULT " + folder + " " + program + " " + fault));
    }

    /** Programs that do not compile are faults, and are deleted so that the others can run. */
    static Behaviour.Card card(Path folder, String which, Map<String, String> faults) throws Exception {
        for (;;) {
            try {
                return new Behaviour.Card(folder.resolve(which), "NestingApplet");
            } catch (IllegalStateException e) {
                Matcher error = ERROR.matcher(e.getMessage());
                Map<String, String> found = new TreeMap<>();
                while (error.find()) found.putIfAbsent(error.group(1), which + " does not compile: " + error.group(2));
                if (found.isEmpty()) throw e;
                for (String program : found.keySet()) Files.delete(folder.resolve(which + "/" + program + ".java"));
                // A method holds 64 KB, and javac copies each finally to all its exits: the compile check is for that.
                int all = found.size();
                found.values().removeIf(what -> which.equals("instrumented") && what.contains("too large"));
                tooLarge += all - found.size();
                found.forEach(faults::putIfAbsent);
            }
        }
    }

    static List<String> programsIn(Path folder) throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString().replace(".java", ""))
                .filter(name -> name.matches("N\\d+")).sorted().collect(Collectors.toList());
        }
    }

    static Field field(Behaviour.Card card, String type, String name) throws Exception {
        Field field = card.loader.loadClass(type).getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    static void watchStops(Behaviour.Card card) throws Exception {
        Field state = field(card, "PM", "state");
        BooleanSupplier stopping = () -> {
            try {
                short[] s = (short[]) state.get(null);
                return s != null && s[STOPPING] != 0;
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        };
        field(card, "World", "stopping").set(null, stopping);
    }

    static String compare(Behaviour.Card original, Behaviour.Card instrumented, String program) throws Exception {
        for (Behaviour.Card card : List.of(original, instrumented)) {
            var constructor = card.loader.loadClass(program).getDeclaredConstructor();
            constructor.setAccessible(true);
            field(card, "World", "program").set(null, constructor.newInstance());
        }
        for (int input = 0; input < INPUTS; input++) {
            byte[] command = {0, 1, (byte) program.hashCode(), (byte) input, 0};
            String expected = Behaviour.hex(original.send(command));
            String unarmed = Behaviour.hex(instrumented.send(command));
            runs++;
            String fault = unarmed.equals(expected) ? armed(instrumented, command, expected)
                                                    : Behaviour.differs(command, "unarmed", expected, unarmed);
            if (fault != null) return fault;
        }
        return null;
    }

    static String armed(Behaviour.Card card, byte[] command, String expected) throws Exception {
        card.command(2, ByteBuffer.allocate(5).putInt(0).put((byte) 1).array());
        String traced = Behaviour.hex(card.send(command));
        if (!traced.equals(expected)) return Behaviour.differs(command, "traced", expected, traced);
        int[] path = card.path();
        events += path.length;
        for (int i = 0; i < STOPS; i++) {
            String fault = stopped(card, command, path, (command[2] * 7919 + command[3] * 104729 + i * 1299709 & 0x7FFFFFFF) % path.length);
            if (fault != null) return fault;
            String after = Behaviour.hex(card.send(command));
            if (!after.equals(expected)) return Behaviour.differs(command, "after a stop", expected, after);
        }
        return null;
    }

    static String stopped(Behaviour.Card card, byte[] command, int[] path, int event) throws Exception {
        int trap = path[event];
        int hit = (int) Arrays.stream(path, 0, event + 1).filter(other -> other == trap).count();
        card.command(1, ByteBuffer.allocate(7).putShort((short) trap).putInt(hit).put((byte) 1).array());
        field(card, "World", "ranWhileStopping").set(null, false);
        String answer = Behaviour.hex(card.send(command));
        stops++;
        String how = "armed at " + trap + ", hit " + hit + ",";
        if (!answer.equals(card.stopStatus)) return Behaviour.differs(command, how, card.stopStatus, answer);
        if ((boolean) field(card, "World", "ranWhileStopping").get(null)) return how + " goes on after the stop";
        return null;
    }
}
