"""Shared by script tests."""
import sys


class Checks:
    """Counts the checks, prints those that fail, and names them once more at the end."""

    def __init__(self):
        self.done, self.failures = 0, []

    def that(self, holds, text):
        self.done += 1
        if not holds:
            self.failures.append(text)
            print(f"FAILED {text}", flush=True)

    def equal(self, got, expected, text):
        self.that(got == expected, f"{text}: got {got!r}, expected {expected!r}")

    def end(self):
        for text in self.failures:
            print("FAILED", text.splitlines()[0])
        print(f"{self.done} checks, {len(self.failures)} failed")
        sys.exit(1 if self.failures else 0)
