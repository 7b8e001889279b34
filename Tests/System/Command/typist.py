# SPDX-License-Identifier: Apache-2.0
"""typist.py STATUS COMMAND...: a command on a terminal, which ends with this status. Standard input has a line for each
question: its end, a tab, and the answer. The output is in "screen"."""
import fcntl, os, pty, select, struct, sys, termios
lines = [line.rstrip("\n").split("\t") for line in sys.stdin]
process, terminal = pty.fork()
if process == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 500, 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
screen, seen = b"", 0
def more():
    global screen
    if not select.select([terminal], [], [], 60)[0]:
        sys.exit(f"nothing comes after {screen}")
    try:
        octets = os.read(terminal, 4096)
    except OSError:
        return False
    screen += octets
    return octets != b""
for question, answer in lines:
    while question.encode() not in screen[seen:]:
        if not more():
            sys.exit(f"no {question} in {screen}")
    seen = screen.index(question.encode(), seen) + len(question.encode())
    os.write(terminal, answer.encode().decode("unicode_escape").encode() + b"\n")
while more():
    pass
open("screen", "wb").write(screen)
status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
if status != int(sys.argv[1]):
    sys.exit(f"exit status {status}: {screen}")
