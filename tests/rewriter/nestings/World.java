// SPDX-License-Identifier: Apache-2.0
// What generated programs act on: inputs, fuel so that each of them ends, and the trail of what they did.
import java.util.function.BooleanSupplier;

public class World {
    static final int FUEL = 60;
    static final boolean ALWAYS = true;
    static final boolean NEVER = false;
    static final short[] ARRAY = {3, 1, 2};

    static Program program;
    /** True while a stop is on its way up: no code of the user's may run then. */
    static BooleanSupplier stopping;
    static boolean ranWhileStopping;

    static int fuel;
    static int inputs;
    static int trail;
    static short steps;

    interface Program {
        short run() throws Checked;
    }

    static class Checked extends Exception {
    }

    static class UserError extends javacard.framework.CardRuntimeException {
        UserError() {
            super((short) 7);
        }
    }

    static class UserIso extends javacard.framework.ISOException {
        UserIso() {
            super((short) 0x6A81);
        }
    }

    static void begin(int seed) {
        fuel = FUEL;
        inputs = seed * 0x9E3779B1 + 1;
        trail = 0;
        steps = 0;
    }

    static void seen(long value) {
        if (stopping != null && stopping.getAsBoolean()) ranWhileStopping = true;
        trail = trail * 31 + (int) value;
        steps++;
    }

    static void seen(boolean value) {
        seen(value ? 1 : 0);
    }

    static void seen(Object value) {
        seen(value == null ? 0 : 2);
    }

    static boolean out() {
        if (stopping != null && stopping.getAsBoolean()) ranWhileStopping = true;
        return --fuel < 0;
    }

    static short next() {
        out();
        inputs = inputs * 1103515245 + 12345;
        return (short) ((inputs >>> 16) % 6);
    }

    /** False once the fuel is spent, so that a loop under this condition ends. */
    static boolean c() {
        return next() > 2 && fuel > 0;
    }
}
