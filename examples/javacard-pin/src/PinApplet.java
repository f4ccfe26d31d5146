// SPDX-License-Identifier: Apache-2.0
package com.example.pin;

import javacard.framework.APDU;
import javacard.framework.Applet;
import javacard.framework.ISO7816;
import javacard.framework.ISOException;
import javacard.framework.JCSystem;
import javacard.framework.Util;
import javacard.security.AESKey;
import javacard.security.KeyBuilder;
import javacard.security.MessageDigest;
import javacard.security.Signature;
import javacardx.crypto.Cipher;

/**
 * A PIN that guards records of a kilobyte each. Their key is derived from the PIN by many rounds of SHA-256, they are
 * decrypted with it, and a MAC over them tells whether the PIN was right.
 */
public class PinApplet extends Applet {
    private static final byte INS_VERIFY = (byte) 0x31;
    private static final byte INS_UNBLOCK = (byte) 0x33;

    private static final short ROUNDS = (short) 1000;
    private static final short SALT_LENGTH = (short) 224;
    private static final short HASH_LENGTH = (short) 32;
    private static final short KEY_LENGTH = (short) 16;
    private static final short RECORD_LENGTH = (short) 1024;
    private static final short RECORDS = (short) 8;
    private static final byte TRIES = (byte) 3;

    private final MessageDigest sha;
    private final Cipher aes;
    private final Signature mac;
    private final AESKey key;
    private final AESKey macKey;    // another one: a CBC-MAC with the key of the CBC is the same for every key
    private final byte[] block;     // hash, then salt: what each round hashes
    private final byte[] clear;     // one record, decrypted
    private final byte[] sealed;    // all of them, encrypted
    private final byte[] tag;       // their MAC
    private byte triesLeft;

    private PinApplet() {
        sha = MessageDigest.getInstance(MessageDigest.ALG_SHA_256, false);
        aes = Cipher.getInstance(Cipher.ALG_AES_BLOCK_128_CBC_NOPAD, false);
        mac = Signature.getInstance(Signature.ALG_AES_MAC_128_NOPAD, false);
        key = (AESKey) KeyBuilder.buildKey(KeyBuilder.TYPE_AES, KeyBuilder.LENGTH_AES_128, false);
        macKey = (AESKey) KeyBuilder.buildKey(KeyBuilder.TYPE_AES, KeyBuilder.LENGTH_AES_128, false);
        block = JCSystem.makeTransientByteArray((short) (HASH_LENGTH + SALT_LENGTH), JCSystem.CLEAR_ON_DESELECT);
        clear = JCSystem.makeTransientByteArray(RECORD_LENGTH, JCSystem.CLEAR_ON_DESELECT);
        sealed = new byte[(short) (RECORDS * RECORD_LENGTH)];
        tag = new byte[KEY_LENGTH];
        seal(new byte[] {(byte) 0x31, (byte) 0x32, (byte) 0x33, (byte) 0x34});
        triesLeft = TRIES;
        register();
    }

    public static void install(byte[] parameters, short offset, byte length) {
        new PinApplet();
    }

    public void process(APDU apdu) {
        if (selectingApplet()) {
            return;
        }
        byte[] buffer = apdu.getBuffer();
        switch (buffer[ISO7816.OFFSET_INS]) {
            case INS_VERIFY:
                short length = apdu.setIncomingAndReceive();
                verify(buffer, ISO7816.OFFSET_CDATA, length);
                break;
            case INS_UNBLOCK:
                triesLeft = TRIES;
                break;
            default:
                ISOException.throwIt(ISO7816.SW_INS_NOT_SUPPORTED);
        }
    }

    private void verify(byte[] pin, short offset, short length) {
        if (triesLeft == 0) {
            ISOException.throwIt(ISO7816.SW_FILE_INVALID);
        }
        triesLeft--;                                // first, so that pulling the card gains nothing
        deriveKey(pin, offset, length);
        open();
        if (!isGenuine()) {
            ISOException.throwIt((short) (0x63C0 | triesLeft));
        }
        triesLeft = TRIES;
    }

    private void deriveKey(byte[] pin, short offset, short length) {
        Util.arrayFillNonAtomic(block, (short) 0, (short) block.length, (byte) 0x5C);
        Util.arrayCopyNonAtomic(pin, offset, block, (short) 0, length);
        for (short round = 0; round < ROUNDS; round++) {
            sha.doFinal(block, (short) 0, (short) block.length, block, (short) 0);
        }
        key.setKey(block, (short) 0);
        macKey.setKey(block, KEY_LENGTH);
    }

    private void open() {
        aes.init(key, Cipher.MODE_DECRYPT);
        mac.init(macKey, Signature.MODE_VERIFY);
        for (short at = 0; at < sealed.length; at += RECORD_LENGTH) {
            aes.doFinal(sealed, at, RECORD_LENGTH, clear, (short) 0);
            mac.update(clear, (short) 0, RECORD_LENGTH);
        }
    }

    private boolean isGenuine() {
        return mac.verify(clear, (short) 0, (short) 0, tag, (short) 0, KEY_LENGTH);
    }

    private void seal(byte[] pin) {
        deriveKey(pin, (short) 0, (short) pin.length);
        aes.init(key, Cipher.MODE_ENCRYPT);
        mac.init(macKey, Signature.MODE_SIGN);
        for (short at = 0; at < sealed.length; at += RECORD_LENGTH) {
            mac.update(clear, (short) 0, RECORD_LENGTH);
            aes.doFinal(clear, (short) 0, RECORD_LENGTH, sealed, at);
        }
        mac.sign(clear, (short) 0, (short) 0, tag, (short) 0);
    }
}
