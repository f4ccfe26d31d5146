// SPDX-License-Identifier: Apache-2.0
package com.example.bignum;

import javacard.framework.APDU;
import javacard.framework.Applet;
import javacard.framework.ISO7816;
import javacard.framework.ISOException;
import javacard.framework.JCSystem;
import javacard.framework.Util;

/** Modular multiplication of big numbers by the byte: what one writes on a card that has no coprocessor for it. */
public class BigNumApplet extends Applet {
    private static final byte INS_MULTIPLY = (byte) 0x41;
    private static final short LENGTH = (short) 64;
    private static final short MASK = (short) 0x00FF;

    private final byte[] factor;
    private final byte[] product;
    private final byte[] modulus;

    private BigNumApplet() {
        factor = new byte[LENGTH];
        modulus = new byte[LENGTH];
        product = JCSystem.makeTransientByteArray((short) (LENGTH + 2), JCSystem.CLEAR_ON_DESELECT);
        Util.arrayFillNonAtomic(factor, (short) 0, LENGTH, (byte) 0x9D);
        Util.arrayFillNonAtomic(modulus, (short) 0, LENGTH, (byte) 0xC5);
        register();
    }

    public static void install(byte[] parameters, short offset, byte length) {
        new BigNumApplet();
    }

    public void process(APDU apdu) {
        if (selectingApplet()) {
            return;
        }
        byte[] buffer = apdu.getBuffer();
        if (buffer[ISO7816.OFFSET_INS] != INS_MULTIPLY) {
            ISOException.throwIt(ISO7816.SW_INS_NOT_SUPPORTED);
        }
        short length = apdu.setIncomingAndReceive();
        if (length != LENGTH) {
            ISOException.throwIt(ISO7816.SW_WRONG_LENGTH);
        }
        multiply(buffer, ISO7816.OFFSET_CDATA);
        Util.arrayCopyNonAtomic(product, (short) 2, buffer, (short) 0, LENGTH);
        apdu.setOutgoingAndSend((short) 0, LENGTH);
    }

    /** product = other · factor mod modulus, most significant byte first. */
    private void multiply(byte[] other, short offset) {
        Util.arrayFillNonAtomic(product, (short) 0, (short) product.length, (byte) 0);
        for (short i = 0; i < LENGTH; i++) {
            shiftByByte();
            addMultiple(factor, (short) (other[(short) (offset + i)] & MASK));
            reduce();
        }
    }

    /** product = 256 · product; its top byte is free. */
    private void shiftByByte() {
        for (short i = 0; i < (short) (product.length - 1); i++) {
            product[i] = product[(short) (i + 1)];
        }
        product[(short) (product.length - 1)] = 0;
    }

    /** product += number · times */
    private void addMultiple(byte[] number, short times) {
        if (times == 0) {
            return;
        }
        short carry = 0;
        for (short i = (short) (LENGTH - 1); i >= 0; i--) {
            short sum = (short) ((short) (number[i] & MASK) * times);
            short low = (short) ((short) (sum & MASK) + (short) (product[(short) (i + 2)] & MASK) + (short) (carry & MASK));
            product[(short) (i + 2)] = (byte) low;
            carry = (short) ((short) ((sum >>> 8) & MASK) + (short) ((carry >>> 8) & MASK) + (short) (low >>> 8));
        }
        addCarry(carry);
    }

    private void addCarry(short carry) {
        short sum = (short) ((short) (product[1] & MASK) + carry);
        product[1] = (byte) sum;
        product[0] += (byte) (sum >>> 8);
    }

    /** product = product mod modulus */
    private void reduce() {
        short digit = (short) 128;
        while (isTooLarge()) {
            while (digit > 1 && !fits(digit)) {
                digit >>= 1;
            }
            subtractMultiple(digit);
        }
    }

    private boolean isTooLarge() {
        if (product[0] != 0 || product[1] != 0) {
            return true;
        }
        return compare((short) 2) >= 0;
    }

    /** Whether digit · modulus surely is not larger than the product: by the top bytes alone. */
    private boolean fits(short digit) {
        short top = (short) ((short) (product[0] << 8) | (short) (product[1] & MASK));
        short estimate = (short) ((short) ((short) ((modulus[0] & MASK) + 1) * digit) >>> 8);
        return top > estimate;
    }

    private short compare(short offset) {
        for (short i = 0; i < LENGTH; i++) {
            short difference = (short) ((short) (product[(short) (offset + i)] & MASK) - (short) (modulus[i] & MASK));
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    private void subtractMultiple(short times) {
        short borrow = 0;
        for (short i = (short) (LENGTH - 1); i >= 0; i--) {
            short part = (short) ((short) (modulus[i] & MASK) * times);
            short low = (short) ((short) (product[(short) (i + 2)] & MASK) - (short) (part & MASK) - (short) (borrow & MASK));
            product[(short) (i + 2)] = (byte) low;
            borrow = (short) ((short) ((part >>> 8) & MASK) + (short) ((borrow >>> 8) & MASK) + (short) ((short) -(low >> 8)));
        }
        short rest = (short) ((short) (product[1] & MASK) - borrow);
        product[1] = (byte) rest;
        product[0] += (byte) (rest >> 8);
    }
}
