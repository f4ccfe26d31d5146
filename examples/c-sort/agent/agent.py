"""An agent for C code in a shared library: python3 agent.py LIBRARY. docs/agent-protocol.md

Without inputs the entry gets the file that the trigger names: {"file": "words.txt"}."""
import ctypes
import json
import platform
import sys

ROOM = 1 << 18


class Shot(ctypes.Structure):
    _fields_ = [("trap", ctypes.c_uint32), ("hit", ctypes.c_uint64), ("delay_ns", ctypes.c_int64),
                ("ticks", ctypes.c_int64), ("status", ctypes.c_int32)]


class Path(ctypes.Structure):
    _fields_ = [("first", ctypes.c_uint64), ("room", ctypes.c_uint64), ("ids", ctypes.POINTER(ctypes.c_uint32)),
                ("in_window", ctypes.c_uint64), ("events", ctypes.c_uint64), ("before", ctypes.c_uint32)]


library = ctypes.CDLL(sys.argv[1])
library.agent_calibrate.argtypes = [ctypes.c_int, ctypes.c_uint64]
library.agent_calibrate.restype = ctypes.c_int64
window = (ctypes.c_uint32 * ROOM)()
text = b""


def bytes_of(input):
    return bytes.fromhex(input) or text


def shoot(trap, hit, input="", delay_ns=0, **_):
    shot, data = Shot(trap, hit, delay_ns), bytes_of(input)
    library.agent_shoot(ctypes.byref(shot), data, ctypes.c_size_t(len(data)))
    if shot.trap:
        return {"outcome": "stopped", "ticks": shot.ticks, "trap": shot.trap, "hit": shot.hit}
    return {"outcome": "ended", "ticks": shot.ticks, "status": shot.status & 0xFFFFFFFF}


def trace(input, count, **request):
    path, data = Path(request["from"], min(count, ROOM), window), bytes_of(input)
    library.agent_trace(ctypes.byref(path), data, ctypes.c_size_t(len(data)))
    return {"events": window[:path.in_window], "more": path.events > path.first + path.in_window,
            "signature": path.before, "total": path.events}


def calibrate(kind, passes, **_):
    if kind not in ("unarmed", "counting"):
        raise ValueError(f"nothing to calibrate of {kind}: a stop is a longjmp")
    return {"ticks": library.agent_calibrate(kind == "counting", passes)}


def hello(trigger, **_):
    global text
    if "file" in trigger:
        text = open(trigger["file"], "rb").read()
    clock = {"name": "CLOCK_THREAD_CPUTIME_ID", "unit": "ns", "resolution": 1, "exact": False}
    return {"protocol": 1, "agent": "agent-ctypes/1.0", "device": platform.machine(), "simulated": False,
            "clock": clock, "max_batch": 256, "can": ["trace", "calibrate"]}


VERBS = {"hello": hello, "trace": trace, "calibrate": calibrate}
for line in sys.stdin:
    request = json.loads(line)
    answer, do = {"id": request["id"]}, request["do"]
    for n, shot in enumerate(request.get("shots", [])):
        print(json.dumps(answer | {"n": n, "sample": shoot(**shot)}), flush=True)
    try:
        answer["ok"] = VERBS[do](**request) if do in VERBS else {"measure": {}, "bye": {}}[do]
    except (KeyError, ValueError) as error:
        answer["error"] = {"message": f"{do}: {error}"}
    print(json.dumps(answer), flush=True)
    if do == "bye":
        break
