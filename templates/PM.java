/*package*/
// SPDX-License-Identifier: Apache-2.0

import javacard.framework.APDU;
import javacard.framework.ISO7816;
import javacard.framework.ISOException;
import javacard.framework.JCSystem;
import javacard.framework.SystemException;

/**
 * The part of jcprof that runs on the card: traps that stop a command or log its path, and the command that arms
 * them. For Java Card 2.2.2 to 3.x. It writes two references to persistent memory, once, and a
 * third one for memory mode. All state is transient, so a
 * reset disarms. docs/architecture.md ("The card side") has the protocol.
 */
public class PM {
    private static final byte VERSION = (byte) 2;

    private static final byte P1_HELLO = (byte) 0;
    private static final byte P1_ARM = (byte) 1;
    private static final byte P1_TRACE = (byte) 2;
    private static final byte P1_READ_TRACE = (byte) 3;
    private static final byte P1_CALIBRATE = (byte) 4;
    private static final byte P1_READ_STOP = (byte) 5;
    private static final byte P1_TRACE_MEMORY = (byte) 6;
    private static final byte P1_READ_MEMORY = (byte) 7;

    private static final short CALIBRATE_EMPTY = (short) 0;
    private static final short CALIBRATE_UNARMED = (short) 1;
    private static final short CALIBRATE_COUNTING = (short) 2;
    private static final short CALIBRATE_CALLS = (short) 3;
    private static final short CALIBRATE_FRAMES = (short) 4;
    private static final short CALIBRATE_GUARDS = (short) 5;
    private static final short CALIBRATE_SITES = (short) 6;

    // The places of `state`. A count of 32 bits takes two places, the high half first.
    private static final byte MASK = (byte) 0;          // all ones: only the armed trap is slow; 0: every trap is slow
    private static final byte ARMED = (byte) 1;         // id of the armed trap; 0: none
    private static final byte MODE = (byte) 2;          // action of a slow trap now
    private static final byte PENDING = (byte) 3;       // MODE from the next command on
    private static final byte COMMANDS = (byte) 4;      // number of commands that this holds for
    private static final byte TRAP = (byte) 5;          // next value of ARMED
    private static final byte SKIP_HIGH = (byte) 6;     // stop: hits to let pass; trace: events before the window
    private static final byte SKIP_LOW = (byte) 7;
    private static final byte STOPPING = (byte) 8;      // not 0 from the stop to the end of the command
    private static final byte STOPPED_AT = (byte) 9;    // trap of the last stop
    private static final byte LOGGED = (byte) 10;       // events in the window
    private static final byte EVENTS_HIGH = (byte) 11;  // events of the run
    private static final byte EVENTS_LOW = (byte) 12;
    private static final byte BEFORE_A = (byte) 13;     // signature of what came before the window
    private static final byte BEFORE_B = (byte) 14;
    private static final byte ALL_A = (byte) 15;        // signature of the run
    private static final byte ALL_B = (byte) 16;
    private static final short STATE_SIZE = (short) 17;
    // A trace has no use for these two: they hold the mix of the run, and of what came before the window.
    private static final byte ALL_MIX = TRAP;
    private static final byte BEFORE_MIX = STOPPED_AT;

    private static final short MODE_OFF = (short) 0;
    private static final short MODE_STOP = (short) 1;
    private static final short MODE_TRACE = (short) 2;
    private static final short MODE_MEMORY = (short) 3; // a trace that looks at the free memory too

    private static final short ALL_ONES = (short) -1;
    private static final short LARGEST_WINDOW = (short) 1024;
    private static final short SMALLEST_WINDOW = (short) 8;
    private static final short TRACE_HEADER = (short) 18;
    // 18 + 2 * 100 bytes are one short answer.
    private static final short TRAPS_PER_ANSWER = (short) 100;

    // The places of `memory`: free memory by kind (persistent, transient-reset, transient-deselect, numbered as
    // MEMORY_TYPE is) before the command and at the last event, and the changes.
    private static final byte KINDS = (byte) 3;
    private static final byte BEFORE = (byte) 0;
    private static final byte LAST = (byte) 3;
    private static final byte CHANGES = (byte) 6;       // their number; later ones than fit are counted only
    private static final byte FIRST_CHANGE = (byte) 7;
    private static final short CHANGE_SIZE = (short) 5; // events up to the change, then free memory by kind
    private static final short MOST_CHANGES = (short) 64;
    private static final short MOST_COUNTED = (short) 32767;
    private static final short MEMORY_HEADER = (short) 14;
    // 14 + 10 * 20 bytes are one short answer.
    private static final short CHANGES_PER_ANSWER = (short) 20;

    /** Old sources assign to it, for the predecessor of jcprof. */
    public static short m_perfStop;

    private static short[] state;
    private static short[] window;
    private static short[] memory;

    /** A trap. Never allocates and never writes to persistent memory. */
    public static void check(short id) {
        short[] s = state;
        if (s != null && (short) ((short) (s[ARMED] ^ id) & s[MASK]) == (short) 0) {
            slow(s, id);
        }
    }

    /** Passes the trap once the value is known, and hands the value on. */
    public static short value(short v, short id) {
        check(id);
        return v;
    }

    public static byte value(byte v, short id) {
        check(id);
        return v;
    }

    public static boolean value(boolean v, short id) {
        check(id);
        return v;
    }

    public static Object value(Object v, short id) {
        check(id);
        return v;
    }

    /** The trap at the start of a constructor, in front of a value that it hands on: entered(enter(id), value). */
    public static short enter(short id) {
        check(id);
        return id;
    }

    public static short entered(short id, short v) {
        return v;
    }

    public static byte entered(short id, byte v) {
        return v;
    }

    public static boolean entered(short id, boolean v) {
        return v;
    }

    public static Object entered(short id, Object v) {
        return v;
    }

    /** Stands first in each finally, and in each catch that would swallow a stop. Throws the stop again. */
    public static void guard() {
        short[] s = state;
        if (s != null && s[STOPPING] != (short) 0) {
            ISOException.throwIt(PMC.STOP);
        }
    }

    /** Stands first in methods that the card calls outside of the entry, such as select(): no stop lasts until there. */
    public static void outside() {
        short[] s = state;
        if (s != null) {
            s[STOPPING] = (short) 0;
        }
    }

    /** Stands first in process(). True: this was a command of jcprof, and the answer is sent. */
    public static boolean serve(APDU apdu) {
        byte[] buffer = apdu.getBuffer();
        if (buffer[ISO7816.OFFSET_CLA] == PMC.CLA && buffer[ISO7816.OFFSET_INS] == PMC.INS) {
            answer(apdu, buffer);
            return true;
        }
        if (state != null) {
            begin(state);
        }
        return false;
    }

    /** A command of the applet begins. The pending order holds from here on; the earlier order has ended. */
    private static void begin(short[] s) {
        boolean goesOn = s[MODE] != MODE_OFF && s[STOPPING] == (short) 0;
        s[STOPPING] = (short) 0;
        if (s[PENDING] != MODE_OFF) {
            s[MODE] = s[PENDING];
            s[PENDING] = MODE_OFF;
            s[ARMED] = s[TRAP];
            s[MASK] = s[MODE] == MODE_STOP ? ALL_ONES : (short) 0;
            if (s[MODE] == MODE_MEMORY) {
                beginMemory(memory);
            }
        } else if (!goesOn || s[COMMANDS] == (short) 0) {
            // A reset leaves only zeros, and then every trap is slow. This ends that state too.
            disarm(s);
            return;
        }
        s[COMMANDS]--;
    }

    private static void disarm(short[] s) {
        s[ARMED] = (short) 0;
        s[MASK] = ALL_ONES;
        s[MODE] = MODE_OFF;
        s[PENDING] = MODE_OFF;
        s[STOPPING] = (short) 0;
    }

    private static void slow(short[] s, short id) {
        if (s[MODE] >= MODE_TRACE) {
            log(s, id);
        } else if (s[MODE] == MODE_STOP) {
            if ((short) (s[SKIP_HIGH] | s[SKIP_LOW]) == (short) 0) {
                stop(s, id);
            }
            countDown(s);
        }
    }

    private static void countDown(short[] s) {
        if (s[SKIP_LOW] == (short) 0) {
            s[SKIP_HIGH]--;
        }
        s[SKIP_LOW]--;
    }

    private static void stop(short[] s, short id) {
        disarm(s);
        s[STOPPING] = (short) 1;
        s[STOPPED_AT] = id;
        if (JCSystem.getTransactionDepth() != (byte) 0) {
            JCSystem.abortTransaction();
        }
        ISOException.throwIt(PMC.STOP);
    }

    private static void log(short[] s, short id) {
        if (id == (short) 0) {
            // Old sources call such a trap where jcprof cannot measure.
            return;
        }
        s[ALL_A] = (short) ((short) (s[ALL_A] * (short) 251) + id);
        s[ALL_B] = (short) (s[ALL_B] + s[ALL_A]);
        short mix = (short) ((short) (s[ALL_MIX] ^ id) * (short) 0x5D39);
        s[ALL_MIX] = (short) (mix ^ (short) ((short) (mix >> 7) & (short) 0x01FF));
        s[EVENTS_LOW]++;
        if (s[EVENTS_LOW] == (short) 0) {
            s[EVENTS_HIGH]++;
        }
        if (s[MODE] == MODE_MEMORY) {
            noteMemory(s, memory);
        }
        if ((short) (s[SKIP_HIGH] | s[SKIP_LOW]) != (short) 0) {
            countDown(s);
            s[BEFORE_A] = s[ALL_A];
            s[BEFORE_B] = s[ALL_B];
            s[BEFORE_MIX] = s[ALL_MIX];
        } else if (window != null && s[LOGGED] < (short) window.length) {
            window[s[LOGGED]] = id;
            s[LOGGED]++;
        }
    }

    private static void beginMemory(short[] m) {
        for (byte kind = (byte) 0; kind < KINDS; kind++) {
            m[(short) (BEFORE + kind)] = JCSystem.getAvailableMemory(kind);
            m[(short) (LAST + kind)] = m[(short) (BEFORE + kind)];
        }
        m[CHANGES] = (short) 0;
    }

    /** Notes the free memory, if it is another than at the event before. */
    private static void noteMemory(short[] s, short[] m) {
        boolean isSame = true;
        for (byte kind = (byte) 0; kind < KINDS; kind++) {
            short free = JCSystem.getAvailableMemory(kind);
            isSame = isSame && free == m[(short) (LAST + kind)];
            m[(short) (LAST + kind)] = free;
        }
        if (isSame || m[CHANGES] == MOST_COUNTED) {
            return;
        }
        if (m[CHANGES] < roomForChanges(m)) {
            short at = (short) (FIRST_CHANGE + (short) (m[CHANGES] * CHANGE_SIZE));
            m[at] = s[EVENTS_HIGH];
            m[(short) (at + 1)] = s[EVENTS_LOW];
            for (byte kind = (byte) 0; kind < KINDS; kind++) {
                m[(short) (at + (short) (2 + kind))] = m[(short) (LAST + kind)];
            }
        }
        m[CHANGES]++;
    }

    private static short roomForChanges(short[] m) {
        return (short) ((short) (m.length - FIRST_CHANGE) / CHANGE_SIZE);
    }

    private static void answer(APDU apdu, byte[] buffer) {
        short length = (short) 0;
        switch (buffer[ISO7816.OFFSET_P1]) {
            case P1_HELLO:
                length = hello(buffer);
                break;
            case P1_ARM:
                arm(apdu, buffer);
                break;
            case P1_TRACE:
                trace(apdu, buffer, MODE_TRACE);
                break;
            case P1_TRACE_MEMORY:
                traceMemory(apdu, buffer);
                break;
            case P1_READ_MEMORY:
                length = readMemory(apdu, buffer);
                break;
            case P1_READ_TRACE:
                length = readTrace(apdu, buffer);
                break;
            case P1_CALIBRATE:
                calibrate(apdu, buffer);
                break;
            case P1_READ_STOP:
                length = put(buffer, (short) 0, state == null ? (short) 0 : state[STOPPED_AT]);
                break;
            default:
                ISOException.throwIt(ISO7816.SW_INCORRECT_P1P2);
        }
        if (length > (short) 0) {
            apdu.setOutgoingAndSend((short) 0, length);
        }
    }

    private static short hello(byte[] buffer) {
        buffer[0] = VERSION;
        short at = put(buffer, (short) 1, PMC.BUILD_HIGH);
        at = put(buffer, at, PMC.BUILD_LOW);
        return put(buffer, at, window == null ? (short) 0 : (short) window.length);
    }

    /** The state, cleared, with nothing armed. */
    private static short[] fresh() {
        if (state == null) {
            state = JCSystem.makeTransientShortArray(STATE_SIZE, JCSystem.CLEAR_ON_RESET);
        }
        short[] s = state;
        for (short i = (short) 0; i < STATE_SIZE; i++) {
            s[i] = (short) 0;
        }
        disarm(s);
        return s;
    }

    private static void arm(APDU apdu, byte[] buffer) {
        receive(apdu, buffer, (short) 7);
        short[] s = fresh();
        s[TRAP] = get(buffer, (short) 0);
        s[SKIP_HIGH] = get(buffer, (short) 2);
        s[SKIP_LOW] = get(buffer, (short) 4);
        if ((short) (s[SKIP_HIGH] | s[SKIP_LOW]) == (short) 0) {
            ISOException.throwIt(ISO7816.SW_WRONG_DATA);
        }
        // Hits count from 1. The state holds the number of passes before the stop.
        countDown(s);
        setPending(s, MODE_STOP, buffer[(short) (ISO7816.OFFSET_CDATA + 6)]);
    }

    private static void trace(APDU apdu, byte[] buffer, short mode) {
        receive(apdu, buffer, (short) 5);
        short[] s = fresh();
        if (window == null) {
            window = makeArray(LARGEST_WINDOW, SMALLEST_WINDOW);
        }
        s[SKIP_HIGH] = get(buffer, (short) 0);
        s[SKIP_LOW] = get(buffer, (short) 2);
        setPending(s, mode, buffer[(short) (ISO7816.OFFSET_CDATA + 4)]);
    }

    private static void traceMemory(APDU apdu, byte[] buffer) {
        // First, so that it is as large as without memory mode.
        if (window == null) {
            window = makeArray(LARGEST_WINDOW, SMALLEST_WINDOW);
        }
        if (memory == null) {
            memory = makeArray((short) (FIRST_CHANGE + (short) (MOST_CHANGES * CHANGE_SIZE)),
                    (short) (FIRST_CHANGE + CHANGE_SIZE));
        }
        if (memory == null) {
            ISOException.throwIt(ISO7816.SW_FILE_FULL);
        }
        trace(apdu, buffer, MODE_MEMORY);
    }

    private static void setPending(short[] s, short mode, byte commands) {
        s[COMMANDS] = (short) (commands & (short) 0xFF);
        if (s[COMMANDS] != (short) 0) {
            s[PENDING] = mode;
        }
    }

    /** Takes at most a quarter of the free memory, so that enough is left for the applet. */
    private static short[] makeArray(short largest, short smallest) {
        short free = JCSystem.getAvailableMemory(JCSystem.MEMORY_TYPE_TRANSIENT_RESET);
        short quarter = (short) (free >> 3);
        for (short size = largest; size >= smallest; size = (short) (size >> 1)) {
            if (free > (short) 0 && size > quarter && (short) (size >> 1) >= smallest) {
                continue;
            }
            try {
                return JCSystem.makeTransientShortArray(size, JCSystem.CLEAR_ON_RESET);
            } catch (SystemException e) {
                // Too large: try half.
            }
        }
        return null;
    }

    private static short readTrace(APDU apdu, byte[] buffer) {
        receive(apdu, buffer, (short) 2);
        short from = get(buffer, (short) 0);
        short[] s = state;
        if (s == null || from < (short) 0) {
            ISOException.throwIt(ISO7816.SW_CONDITIONS_NOT_SATISFIED);
        }
        short at = put(buffer, (short) 0, s[EVENTS_HIGH]);
        at = put(buffer, at, s[EVENTS_LOW]);
        at = put(buffer, at, s[BEFORE_A]);
        at = put(buffer, at, s[BEFORE_B]);
        at = put(buffer, at, s[BEFORE_MIX]);
        at = put(buffer, at, s[ALL_A]);
        at = put(buffer, at, s[ALL_B]);
        at = put(buffer, at, s[ALL_MIX]);
        at = put(buffer, at, s[LOGGED]);
        short most = (short) ((short) (buffer.length - TRACE_HEADER) >> 1);
        if (most > TRAPS_PER_ANSWER) {
            most = TRAPS_PER_ANSWER;
        }
        for (short i = from; i < s[LOGGED] && (short) (i - from) < most; i++) {
            at = put(buffer, at, window[i]);
        }
        return at;
    }

    private static short readMemory(APDU apdu, byte[] buffer) {
        receive(apdu, buffer, (short) 2);
        short from = get(buffer, (short) 0);
        short[] m = memory;
        if (m == null || from < (short) 0) {
            ISOException.throwIt(ISO7816.SW_CONDITIONS_NOT_SATISFIED);
        }
        short at = (short) 0;
        for (byte kind = (byte) 0; kind < KINDS; kind++) {
            at = put(buffer, at, m[(short) (BEFORE + kind)]);
        }
        for (byte kind = (byte) 0; kind < KINDS; kind++) {
            at = put(buffer, at, JCSystem.getAvailableMemory(kind));
        }
        at = put(buffer, at, m[CHANGES]);
        short noted = roomForChanges(m);
        if (noted > m[CHANGES]) {
            noted = m[CHANGES];
        }
        short most = (short) ((short) (buffer.length - MEMORY_HEADER) / (short) (2 * CHANGE_SIZE));
        if (most > CHANGES_PER_ANSWER) {
            most = CHANGES_PER_ANSWER;
        }
        if (noted > (short) (from + most)) {
            noted = (short) (from + most);
        }
        short end = (short) (FIRST_CHANGE + (short) (noted * CHANGE_SIZE));
        for (short i = (short) (FIRST_CHANGE + (short) (from * CHANGE_SIZE)); i < end; i++) {
            at = put(buffer, at, m[i]);
        }
        return at;
    }

    /** `count` is a number of thousands of passes, of frames, or of traps to let pass. The kinds differ only in what these do. */
    private static void calibrate(APDU apdu, byte[] buffer) {
        receive(apdu, buffer, (short) 3);
        short kind = (short) (buffer[ISO7816.OFFSET_CDATA] & (short) 0xFF);
        short count = get(buffer, (short) 1);
        short[] s = fresh();
        switch (kind) {
            case CALIBRATE_EMPTY:
                passNothing(count);
                break;
            case CALIBRATE_COUNTING:
                s[MODE] = MODE_STOP;
                s[ARMED] = PMC.CALIBRATION;
                s[SKIP_HIGH] = ALL_ONES;
                s[SKIP_LOW] = ALL_ONES;
                passTraps(count);
                break;
            case CALIBRATE_UNARMED:
                passTraps(count);
                break;
            case CALIBRATE_CALLS:
            case CALIBRATE_FRAMES:
                descend(s, count, kind == CALIBRATE_FRAMES);
                break;
            case CALIBRATE_GUARDS:
                descendGuarded(s, count);
                break;
            case CALIBRATE_SITES:
                s[MODE] = MODE_STOP;
                s[ARMED] = PMC.CALIBRATION;
                s[SKIP_LOW] = count;
                passSites();
                break;
            default:
                ISOException.throwIt(ISO7816.SW_WRONG_DATA);
        }
        disarm(s);
    }

    private static void descend(short[] s, short frames, boolean stops) {
        if (frames != (short) 0) {
            descend(s, (short) (frames - 1), stops);
        } else if (stops) {
            stop(s, (short) 0);
        }
    }

    private static void descendGuarded(short[] s, short frames) {
        if (frames == (short) 0) {
            stop(s, (short) 0);
        }
        try {
            descendGuarded(s, (short) (frames - 1));
        } finally {
            guard();
        }
    }

    /** One trap at several sites of one function, which differ in nothing else. */
    private static void passSites() {
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
        check(PMC.CALIBRATION);
    }

    private static void passNothing(short thousands) {
        for (; thousands != (short) 0; thousands--) {
            for (short i = (short) 0; i < (short) 1000; i++) {
            }
        }
    }

    private static void passTraps(short thousands) {
        for (; thousands != (short) 0; thousands--) {
            for (short i = (short) 0; i < (short) 1000; i++) {
                check(PMC.CALIBRATION);
            }
        }
    }

    private static void receive(APDU apdu, byte[] buffer, short expected) {
        if (apdu.setIncomingAndReceive() != expected
                || (short) (buffer[ISO7816.OFFSET_LC] & (short) 0xFF) != expected) {
            ISOException.throwIt(ISO7816.SW_WRONG_LENGTH);
        }
    }

    /** Two bytes of the command's data. */
    private static short get(byte[] buffer, short at) {
        at += ISO7816.OFFSET_CDATA;
        return (short) ((short) (buffer[at] << 8) | (short) (buffer[(short) (at + 1)] & (short) 0xFF));
    }

    private static short put(byte[] buffer, short at, short v) {
        buffer[at] = (byte) (v >> 8);
        buffer[(short) (at + 1)] = (byte) v;
        return (short) (at + 2);
    }
}
