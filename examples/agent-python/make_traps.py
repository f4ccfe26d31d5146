"""Writes the trap map of sensor.py to standard output. For Java, jcprof-gen does this and puts the traps in, too."""
import hashlib
import json
import re

KINDS = {1: "entry0", 2: "entry", 7: "entry", 9: "loop body"}
LEAVES = {6: "return", 10: "return"}

traps, function, offset = [], "", 0
lines = open("sensor.py", encoding="utf-8").read().splitlines(keepends=True)
for at, line in enumerate(lines):
    function = (re.findall(r"def (\w+)", line) or [function])[0]
    for trap in map(int, re.findall(r"^\s+jcprof_trap\((\d+)\)", line)):
        kind = (KINDS | LEAVES).get(trap, "before")
        # The statement that the trap stands for is in the next line; those at the top stand where they are.
        down = 0 if kind.startswith("entry") and trap == 1 else 1
        text = lines[at + down]
        traps.append({"id": trap, "key": hashlib.sha256(f"{function} {text}".encode()).hexdigest(),
                      "name": f"TRAP_{function}_{trap}", "kind": kind, "function": function, "path": "sensor.py",
                      "line": at + down + 1, "column": len(text) - len(text.lstrip()) + 1,
                      "offset": offset + down * len(line)})
    offset += len(line.encode())
print(json.dumps({"format": "jcprof-traps", "version": 1, "language": "python", "sources": [], "traps": traps}, indent=1))
