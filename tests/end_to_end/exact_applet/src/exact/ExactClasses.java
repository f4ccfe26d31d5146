// SPDX-License-Identifier: Apache-2.0
package exact;

import static exact.Steps.step;

/** Calls into classes of all kinds, and constructors. */
final class ExactClasses {
    private interface Step {
        short take(short x);
    }

    private static class Base {
        protected final short number;

        /** Without steps: those of a super constructor are in front of the first trap. */
        Base(short number) {
            this.number = number;
        }

        short value() {
            return (short) (number + step(2));
        }
    }

    private static final class Derived extends Base {
        Derived(short number) {
            super(number);
            step(3);
        }

        short value() {
            step(4);
            return (short) (super.value() + step(1));
        }
    }

    private final class Member implements Step {
        public short take(short x) {
            step(5);
            return own(x);
        }
    }

    private static class Loud {
        protected final short number;

        Loud(short number) {
            this.number = number;
            step(2);
        }

        Loud(byte[] bytes, short number) {
            this.number = (short) (bytes.length + number);
            step(1);
        }
    }

    /** Its arguments, and what it calls with them, are its own: its first trap stands in front of them. */
    private static final class Hands extends Loud {
        Hands(short n) { super((short) (step(3) + n)); step(1); }

        Hands(boolean again) { this((short) (again ? step(4) : step(5)), step(1)); }

        private Hands(short n, short m) { super(new byte[step(2)], step(n)); }

        Hands(byte n) { super(doubled(n)); step(1); }

        private static short doubled(short n) {
            step(2);
            return (short) (2 * n);
        }
    }

    /** Values of fields are functions of their own, and so are blocks: calls of who makes the object. */
    private static final class Fields extends Base {
        private short cheap = 5;
        private final short first = step(2), second = (short) (first + step(1));
        private final byte[] array = {(byte) step(3), 2};

        {
            step(2);
            if (cheap > 4) {
                cheap = step(1);
            }
        }

        private final Loud part = new Loud(step(1));

        Fields(short n) {
            super(n);
            step(3);
        }

        short sum() {
            return (short) (second + array.length + cheap + part.number + step(1));
        }
    }

    short run() {
        step(1);
        anonymous((short) 1);
        local((short) 2);
        member((short) 3);
        derived((short) 4);
        lambda((short) 5);
        initialised((short) 6);
        handed((short) 7);
        return step(2);
    }

    private short own(short x) {
        return (short) (x + step(1));
    }

    private short anonymous(short x) {
        Step one = new Step() {
            public short take(short y) {
                step(2);
                Step inner = new Step() {
                    public short take(short z) {
                        return own(step(3));
                    }
                };
                return inner.take(y);
            }
        };
        step(1);
        return (short) (one.take(x) + step(4));
    }

    private short local(short x) {
        class Local implements Step {
            public short take(short y) {
                step(3);
                return own(y);
            }
        }
        Step step = new Local();
        return step.take(x);
    }

    private short member(short x) {
        Step one = new Member();
        return (short) (one.take(x) + own(x));
    }

    private short derived(short x) {
        Base base = new Derived(x);
        step(2);
        return base.value();
    }

    private short initialised(short x) {
        Fields one = new Fields(x);
        step(2);
        Fields other = new Fields((short) 4);
        Step made = new Step() {
            private final short held = step(2);

            public short take(short y) {
                return (short) (held + step(1));
            }
        };
        return (short) (one.sum() + other.sum() + made.take(x));
    }

    private short handed(short x) {
        Hands one = new Hands(x);
        step(1);
        return (short) (one.number + new Hands(true).number + new Hands((byte) 3).number);
    }

    private short lambda(short x) {
        Step one = y -> own((short) (y + step(2))); // not by line: no statement, so it has no trap
        Step other = y -> {
            step(3);
            return own(y);
        };
        return (short) (one.take(x) + other.take(x)); // not by line
    }
}
