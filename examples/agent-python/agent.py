"""An agent for Python code: stops it at one trap at a time and takes the time. docs/agent-protocol.md"""
import gc
import json
import sys
import time

import sensor
import traps


def shoot(trap, hit, input="", delay_ns=0, **_):
    message = bytes.fromhex(input)
    time.sleep(delay_ns / 1e9)
    traps.armed, traps.left = trap, hit
    begin = time.perf_counter_ns()
    try:
        reply = sensor.process(message)
        end = time.perf_counter_ns()
        return {"outcome": "ended", "ticks": end - begin, "status": 0, "reply": reply.hex()}
    except traps.Stop:
        end = time.perf_counter_ns()
        return {"outcome": "stopped", "ticks": end - begin, "trap": traps.armed, "hit": hit - traps.left}
    except Exception as error:
        return {"outcome": "lost", "why": repr(error)}
    finally:
        traps.armed = 0


def signature(events):
    a = b = 0
    for trap in events:
        a = (a * 251 + trap) % 65536
        b = (b + a) % 65536
    return a * 65536 + b


def trace(input, count, **request):
    first, traps.passed = request["from"], []
    shoot(0, 1, input)
    events, traps.passed = traps.passed, None
    window = events[first:first + count]
    return {"events": window, "more": len(events) > first + count, "signature": signature(events[:first])}


def descend(frames):
    return traps.jcprof_trap(1) if frames == 0 else descend(frames - 1)


def calibrate(kind, passes, **_):
    traps.armed, traps.left = (0 if kind == "unarmed" else 1), (1 if kind in ("unwind", "stop") else passes + 1)
    begin = time.perf_counter_ns()
    try:
        if kind == "unwind":
            descend(passes)
        for _ in range(0 if kind == "returned" else passes):
            traps.jcprof_trap(1)
    except traps.Stop:
        pass
    end = time.perf_counter_ns()
    traps.armed = 0
    return {"ticks": end - begin}


def hello(**_):
    clock = {"name": "perf_counter_ns", "unit": "ns", "resolution": 1, "exact": False}
    return {"protocol": 1, "agent": "agent-python/1.0", "device": "Python " + sys.version.split()[0],
            "simulated": False, "clock": clock, "max_batch": 256, "can": ["trace", "calibrate"]}


gc.disable()  # it would come by at any time, and be nobody's cost
for line in sys.stdin:
    request = json.loads(line)
    answer, do = {"id": request["id"]}, request["do"]
    for n, shot in enumerate(request.get("shots", [])):
        print(json.dumps(answer | {"n": n, "sample": shoot(**shot)}), flush=True)
    verbs = {"hello": hello, "trace": trace, "calibrate": calibrate, "measure": dict, "bye": dict}
    print(json.dumps(answer | ({"ok": verbs[do](**({} if verbs[do] is dict else request))} if do in verbs
                               else {"error": {"message": "unknown verb " + do}})), flush=True)
    if do == "bye":
        break
