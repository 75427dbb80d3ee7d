"""Processes that fit and judge; those that hang or die are replaced."""

import importlib
import multiprocessing
import time
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import wait

from fuzz.judge import judge
from fuzz.machines import Outcome, fit
from fuzz.problems import draw
from fuzz.warm_up import warm_up

MACHINES = "fuzz.machines:MACHINES"
# Starting and judging never take this many seconds.
PATIENCE = 600.0


def load(machines):
    """Return the machines at ``module:name``."""
    module, name = machines.split(":")
    return getattr(importlib.import_module(module), name)


def work(pipe, machines):
    """Answer requests until there are no more."""
    table = {machine.name: machine for machine in load(machines)}
    warm_up(table.values())
    pipe.send("ready")
    while True:
        try:
            task, seed, number, argument = pipe.recv()
        except EOFError:
            return
        drawn = draw(seed, number)
        if task == "fit":
            begin = time.perf_counter()
            outcome = fit(table[argument], drawn)
            outcome.seconds = time.perf_counter() - begin
            pipe.send(outcome)
        else:
            pipe.send(judge(drawn, table.values(), *argument))


@dataclass
class Progress:
    """What is known of one problem: fits to do and outcomes so far."""

    seed: int
    number: int
    to_do: deque
    outcomes: list = field(default_factory=list)
    with_oracle: bool = True


class Worker:
    """A process with a pipe, and what it is busy with."""

    def __init__(self, machines):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other, machines), daemon=True)
        self.process.start()
        other.close()
        self.progress, self.task = None, "start"
        self.until = time.monotonic() + PATIENCE

    def request(self, task, argument, seconds):
        """Send a task and start its clock."""
        self.task, self.argument = task, argument
        self.until = time.monotonic() + seconds
        self.pipe.send((task, self.progress.seed, self.progress.number, argument))

    def stop(self):
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Fuzzer:
    """Fits and judges problems in several processes.

    Parameters
    ----------
    machines : str
        Where the machines are, ``module:name``.

    jobs : int
        Number of processes.

    deadline : float
        Seconds after which a fit counts as endless.
    """

    def __init__(self, machines=MACHINES, jobs=2, deadline=20.0):
        self.machines, self.jobs, self.deadline = machines, jobs, deadline
        self.table = load(machines)

    def run(self, problems, wanted=lambda machine: True):
        """Yield each problem with the verdicts on its fits.

        ``problems`` are pairs of seed and number; ``wanted`` chooses machines.
        """
        problems = iter(problems)
        workers = [Worker(self.machines) for _ in range(self.jobs)]
        try:
            while workers:
                for worker in self._ready(workers):
                    answer = self._receive(worker)
                    if answer is None:
                        workers[workers.index(worker)] = worker = self._replace(worker)
                        continue
                    done = self._take(worker, answer)
                    if done is not None:
                        yield done
                    if not self._go_on(worker, problems, wanted):
                        worker.stop()
                        workers.remove(worker)
        finally:
            for worker in workers:
                worker.stop()

    def _ready(self, workers):
        """Return the workers that have an answer, died, or took too long."""
        left = max(0.0, min(worker.until for worker in workers) - time.monotonic())
        pipes = wait([worker.pipe for worker in workers], left)
        now = time.monotonic()
        return [w for w in workers if w.pipe in pipes or now >= w.until]

    def _receive(self, worker):
        """Return the answer of a worker, or None after recording why there is none."""
        if not worker.pipe.poll():
            worker.failure = "endless", f"not done after {self.deadline:g} s"
            return None
        try:
            return worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(PATIENCE)
            worker.failure = "crash", f"the process ended with {worker.process.exitcode}"
            return None

    def _replace(self, worker):
        """Return a new worker that continues where this one failed."""
        worker.stop()
        if worker.task == "start":
            raise RuntimeError(f"A worker did not start: {worker.failure[1]}.")
        status, message = worker.failure
        progress = worker.progress
        if worker.task == "fit":
            seconds = self.deadline if status == "endless" else 0.0
            outcome = Outcome(worker.argument, status, message, None, seconds)
            progress.outcomes.append(outcome)
        elif not progress.with_oracle:
            raise RuntimeError(
                f"Judging {progress.seed}:{progress.number} failed: {message}."
            )
        else:
            progress.with_oracle = False
        new = Worker(self.machines)
        new.progress = progress
        return new

    def _take(self, worker, answer):
        """Record an answer; return the problem with its verdicts if it is done."""
        if worker.task == "fit":
            worker.progress.outcomes.append(answer)
        elif worker.task == "judge":
            done, worker.progress = worker.progress, None
            return done, answer
        return None

    def _go_on(self, worker, problems, wanted):
        """Give a worker its next task; return whether there is one."""
        progress = worker.progress
        if progress is None:
            progress = worker.progress = self._next(problems, wanted)
        if progress is None:
            return False
        if progress.to_do:
            worker.request("fit", progress.to_do.popleft(), self.deadline)
        else:
            worker.request("judge", (progress.outcomes, progress.with_oracle), PATIENCE)
        return True

    def _next(self, problems, wanted):
        for seed, number in problems:
            drawn = draw(seed, number)
            names = [m.name for m in self.table if wanted(m) and m.can_pose(drawn)]
            if names:
                return Progress(seed, number, deque(names))
        return None
