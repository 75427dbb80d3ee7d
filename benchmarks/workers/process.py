"""A process that measures cells, replaced by a new one if it crashes or hangs."""

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress

from benchmarks.measure import ROOT


class CellProcess:
    """Sends cells to ``workers.cell`` and waits for their rows, each for limited time."""

    def __init__(self, bench):
        # Not resolved here: a child that changed directories would not find them.
        places = [
            str(bench.output.resolve()),
            str(bench.data.resolve() if bench.data else ""),
        ]
        self.options = [bench.settings.mode, *places]
        self.process = None

    def measure(self, name, cell, limit):
        """Return the row of a cell of a target, after ``limit`` seconds at most."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.workers.cell", *self.options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=ROOT,
                # Peers with OpenMP would wait for each other in busy loops, and be very
                # slow next to other work of the computer.
                env={"OMP_WAIT_POLICY": "passive", **os.environ},
                text=True,
                start_new_session=True,  # so that its own children can be ended with it
            )
        try:
            self.process.stdin.write(json.dumps([name, cell]) + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], limit)
            line = self.process.stdout.readline() if ready else None
        except BrokenPipeError:
            line = ""
        except BaseException:
            self.close()
            raise
        if line:
            return json.loads(line)
        reason = f"no answer within {limit:.0f} s"
        if line is not None:
            reason = f"the process ended with code {self.process.wait()}"
        self.close()
        late = {"took": limit, "late": True} if line is None else {}
        return {**cell, **late, "failed": reason}

    def close(self):
        """End the process and its children."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        with suppress(BrokenPipeError):  # a cell that it did not live to read
            self.process.stdin.close()
        self.process.stdout.close()
        self.process = None
