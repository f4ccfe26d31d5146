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

    short run() {
        step(1);
        anonymous((short) 1);
        local((short) 2);
        member((short) 3);
        derived((short) 4);
        lambda((short) 5);
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

    private short lambda(short x) {
        Step one = y -> own((short) (y + step(2))); // not by line: no statement, so it has no trap
        Step other = y -> {
            step(3);
            return own(y);
        };
        return (short) (one.take(x) + other.take(x)); // not by line
    }
}
