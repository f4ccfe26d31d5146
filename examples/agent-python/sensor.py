"""The code under study: what a sensor might do with a message. jcprof_trap(n) stands before each statement."""
import zlib

from traps import jcprof_trap


def process(message):
    jcprof_trap(1)  # a dummy block: what the call itself takes ends here
    jcprof_trap(2)
    readings = decode(message)
    jcprof_trap(3)
    mean = sum(readings) / len(readings)
    jcprof_trap(4)
    spread = sum((reading - mean) ** 2 for reading in readings)
    jcprof_trap(5)
    packed = zlib.compress(message * 64, 9)
    jcprof_trap(6)
    return bytes([int(mean) & 255, int(spread) & 255, len(packed) & 255])


def decode(message):
    jcprof_trap(7)
    readings = []
    jcprof_trap(8)
    for i in range(0, len(message), 2):
        jcprof_trap(9)
        readings.append(int.from_bytes(message[i:i + 2], "big"))
    jcprof_trap(10)
    return readings
