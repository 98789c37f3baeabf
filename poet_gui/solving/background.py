"""What jobs of background threads have in common: their faults are told like any other."""

import threading
from concurrent.futures import Future


def report_fault(job: Future[None]) -> None:
    """An executor keeps a job's exception to itself: hand it to the hook that shows it."""
    error = None if job.cancelled() else job.exception()
    if error is not None:
        args = (type(error), error, error.__traceback__, threading.current_thread())
        threading.excepthook(threading.ExceptHookArgs(args))
