# SPDX-License-Identifier: Apache-2.0
"""An exchange hook for a toy channel, which the cards of tests speak too: data is XORed with a session key, and behind it stand a
counter and a check sum of four bytes, chained from command to command. Nothing else is like a real one.

Words that change it: "through" (jcprof's own commands go through the channel), "keep" (a bare answer leaves the channel open),
"inner" (the status word stands in the data, before 9000), "wrong-key", "aid=HEX" to select, "slow=SECONDS" for each answer,
"clock" (the log says when it answers), "VERB:FAULT" for something that it does wrong, "after=ID" of a request."""
import json
import os
import sys
import time

MASTER_KEY = 0x5A
words = sys.argv[1:]
faults = dict(word.split(":") for word in words if ":" in word)
settings = dict(word.split("=") for word in words if "=" in word)
aid = bytes.fromhex(settings.get("aid", ""))


def log(text):
    print(text, file=sys.stderr, flush=True)


class Channel:
    def __init__(self, key):
        self.key = key
        self.counter = 0
        self.chain = 0

    def add(self, text):
        for byte in text:
            self.chain = (self.chain * 31 + byte + self.key) & 0xFFFFFFFF
        return self.chain.to_bytes(4, "big")

    def hide(self, text):
        return bytes(byte ^ self.key for byte in text)

    def wrap(self, apdu):
        header, length = bytes([apdu[0] | 4]) + apdu[1:4], apdu[4] if len(apdu) > 5 else 0
        data, le = apdu[5:5 + length], apdu[5 + length:] if len(apdu) > 5 else apdu[4:]
        self.counter += 1
        body = self.hide(data) + bytes([self.counter & 0xFF])
        body += self.add(header + body)
        return header + bytes([len(body)]) + body + le

    def unwrap(self, answer):
        data, check, status = answer[:-6], answer[-6:-2], answer[-2:]
        if self.add(data + status) != check:
            raise ValueError("check sum of the answer")
        return self.hide(data) + status


channel = None
challenge = 0
step = 0


def opening(request):
    global channel, challenge, step
    step = 0 if request["do"] == "open" else step + 1
    if step > 0 and not request["answer"].endswith("9000"):
        return {"error": {"message": "the card refuses step %d: %s" % (step, request["answer"]), "hint": "look at the keys"}}
    if step == 0:
        return {"send": (bytes.fromhex("00a40400") + bytes([len(aid)]) + aid).hex()}
    if step == 1:
        challenge = (challenge + 1) & 0xFF
        return {"send": (bytes.fromhex("8050000001") + bytes([challenge]) + b"\0").hex()}
    if step == 2:
        channel = Channel(MASTER_KEY ^ challenge ^ int(request["answer"][:2], 16))
        return {"send": (bytes.fromhex("8482000001") + bytes([channel.key ^ (0 if "wrong-key" in words else 0xFF)])).hex()}
    return {"ok": {}}


def answer(request):
    if request["do"] in ("open", "sent"):
        return opening(request)
    if request["do"] == "wrap":
        if request["own"] and "through" not in words:
            return {"ok": {}}
        return {"ok": {"apdu": channel.wrap(bytes.fromhex(request["apdu"])).hex()}}
    plain = bytes.fromhex(request["answer"])
    if len(plain) == 2:
        return {"ok": {} if "keep" in words else {"reopen": True}}
    plain = channel.unwrap(plain)
    return {"ok": {"answer": (plain[:-2] if "inner" in words else plain).hex()}}


def faulty(fault, good):
    if fault == "exit":
        log("the keys are lost")
        sys.exit(3)
    if fault == "close":
        os.close(1)
        time.sleep(600)
    if fault == "hang":
        time.sleep(600)
    return {"garbage": "so be it", "list": [], "id": {"id": 0, "ok": {}}, "empty": {},
            "send": {"send": "0084000008"}, "apdu": {"ok": {"apdu": "8031"}}, "short": {"ok": {"answer": "90"}},
            "odd": {"ok": {"apdu": "8"}}, "no-apdu": {"send": "80"}, "error": {"error": {"message": "no card key", "hint": "buy one"}},
            "reopen": {"ok": {**good.get("ok", {}), "reopen": True}},
            "no-reopen": {"ok": {**good.get("ok", {}), "reopen": False}}}[fault]


log("pid %d" % os.getpid())
for line in sys.stdin:
    request = json.loads(line)
    log(" ".join(str(request[key]) for key in ("do", "why", "apdu", "own", "answer", "stopped") if key in request))
    time.sleep(float(settings.get("slow", 0)))
    reply = answer(request)
    if request["do"] in faults and request["id"] > int(settings.get("after", 0)):
        reply = faulty(faults[request["do"]], reply)
    if isinstance(reply, dict):
        reply = {"id": request["id"], **reply}
    if "clock" in words:
        log("clock %s %d" % (request["do"], time.monotonic_ns()))
    print(reply if isinstance(reply, str) else json.dumps(reply), flush=True)
