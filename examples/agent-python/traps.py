"""The traps: one call each, which compares and goes on unless it is armed, or the path is being traced."""


class Stop(BaseException):
    """Leaves the code under study. No Exception, so that nobody catches it on the way."""


armed = 0  # the trap that stops; 0: none
left = 0  # passes of it until it does
passed = None  # the traps passed, while a path is traced


def jcprof_trap(trap):
    global left
    if trap == armed:
        left -= 1
        if left == 0:
            raise Stop
    elif passed is not None:
        passed.append(trap)
