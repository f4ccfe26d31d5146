"""The agent of an exact device: python3 agent.py LIBRARY. Its clock counts the steps that the code under study takes."""
import ctypes
import json
import sys


class Outcome(ctypes.Structure):
    _fields_ = [("trap", ctypes.c_uint32), ("has_come_back", ctypes.c_uint32), ("hit", ctypes.c_uint64),
                ("ticks", ctypes.c_uint64), ("events", ctypes.c_uint64), ("in_window", ctypes.c_uint64),
                ("before", ctypes.c_uint32), ("status", ctypes.c_uint32), ("ids", ctypes.c_uint32 * 65536)]


library = ctypes.CDLL(sys.argv[1])
library.agent_run.argtypes = [ctypes.c_int, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64]
library.agent_run.restype = ctypes.POINTER(Outcome)
library.agent_calibrate.argtypes = [ctypes.c_int, ctypes.c_uint64]
library.agent_calibrate.restype = ctypes.c_uint64
group = 0


def shoot(trap, hit, **_):
    outcome = library.agent_run(group, trap, hit, 0).contents
    if not outcome.has_come_back:
        return {"outcome": "lost", "why": "it crashed"}
    if outcome.trap:
        return {"outcome": "stopped", "ticks": outcome.ticks, "trap": outcome.trap, "hit": outcome.hit}
    return {"outcome": "ended", "ticks": outcome.ticks, "status": outcome.status}


def trace(**request):
    outcome = library.agent_run(group, 0, 0, request["from"]).contents
    if not outcome.has_come_back:
        raise ValueError("it crashed")
    return {"events": outcome.ids[:outcome.in_window], "more": outcome.events > request["from"] + outcome.in_window,
            "signature": outcome.before, "total": outcome.events}


def calibrate(kind, passes, **_):
    if kind == "unwind":
        raise ValueError("a stop is a longjmp: it unwinds nothing")
    return {"ticks": library.agent_calibrate(["empty", "unarmed", "counting"].index(kind), passes)}


def hello(trigger, **_):
    global group
    group = trigger["group"]
    clock = {"name": "steps", "unit": "instructions", "resolution": 1, "exact": True}
    return {"protocol": 1, "agent": "agent-exact/1.0", "device": "exact", "simulated": False, "clock": clock,
            "max_batch": 256, "can": ["trace", "calibrate"]}


VERBS = {"hello": hello, "trace": trace, "calibrate": calibrate, "measure": lambda **_: {}, "bye": lambda **_: {}}
for line in sys.stdin:
    request = json.loads(line)
    answer, do = {"id": request["id"]}, request["do"]
    for n, shot in enumerate(request.get("shots", [])):
        print(json.dumps(answer | {"n": n, "sample": shoot(**shot)}), flush=True)
    try:
        answer["ok"] = VERBS[do](**request)
    except (KeyError, ValueError) as error:
        answer["error"] = {"message": f"{do}: {error}"}
    print(json.dumps(answer), flush=True)
    if do == "bye":
        break
