#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pairs.py RUNS COMMAND COMMAND: runs two commands in turn. Prints the medians of the processor time and of the whole time
of each, in milliseconds, and of the ratios of neighbours."""
import resource
import shlex
import statistics
import subprocess
import sys
import time


def run(command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    end, after = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used * 1000, (end - start) * 1000


commands = [shlex.split(text) for text in sys.argv[2:]]
# The first runs find files that are not in memory.
pairs = [[run(command) for command in commands] for _ in range(int(sys.argv[1]) + 2)][2:]
for kind, name in enumerate(("processor", "whole")):
    first, second = ([pair[index][kind] for pair in pairs] for index in (0, 1))
    ratio = statistics.median(a / b for a, b in zip(first, second))
    print(f"{name}|{statistics.median(first):.2f}|{statistics.median(second):.2f}|{ratio:.2f}")
