"""Runs tests with pytest itself, in the program's process.

pytest collects and runs; the tests' files come from our importer, so that their
asserts count and compare plain values. What happened is taken from pytest's own
reports, and held against its JUnit file.
"""
import ast
import os
import re
import sys

from _glovebox import exam, needs

JUNIT = "/tmp/.glovebox-junit.xml"
CONFIGS = ("pytest.ini", ".pytest.ini", "pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")


def fits(readings, entry):
    """Tells whether pytest runs all that these files check."""
    if not needs.real_pytest() or entry or any(r.helpers for r in readings):
        return False
    if not any("pytest" in r.standard_roots or r.base == "conftest.py" or r.tests for r in readings):
        return False
    bare = (ast.Assert, ast.Raise)
    return all(not any(isinstance(n, bare) for n in r.tree.body) and (r.tests or r.base in ("conftest.py", "__init__.py") or r.supports(readings))
               for r in readings) and sum(r.base == "conftest.py" for r in readings) <= 1


def load():
    """Loads pytest before the program's folders are on the path."""
    import _pytest.junitxml
    import _pytest.python
    import _pytest.unittest
    import pytest
    import unittest
    return pytest


class Plugin:
    """Takes down what pytest reports of each test."""

    def __init__(self, runner, readings, pytest):
        self.runner, self.readings, self.pytest = runner, readings, pytest
        self.by_path = {r.path: r for r in readings}
        self.items, self.seen, self.bad, self.errors, self.tests = [], set(), set(), {}, 0
        self.found = {}  # nodeid: (status, exception or text) so far
        self.unparsed = None  # the exam.Unparsed that ends the exam

    def pytest_collection_finish(self, session):
        self.items = list(session.items)

    def pytest_exception_interact(self, node, call, report):
        if call.excinfo is not None:
            self.errors[node.nodeid] = call.excinfo.value

    def pytest_collectreport(self, report):
        if report.failed:
            e = self.errors.get(report.nodeid)
            cause = e and (e.__cause__ or e.__context__) or e
            reading = self.reading(report.nodeid)
            name = self.name(report.nodeid) or "import"
            if cause is not None and reading is not None:
                self.fails(name, cause, reading)
            else:
                self.runner.report.case(name, "error", str(report.longrepr))

    def fails(self, name, e, reading):
        """Reports a failure. pytest must not see what ends the exam."""
        try:
            self.runner.fails(name, e, reading)
        except exam.Unparsed as unparsed:
            self.unparsed = unparsed

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None and item.nodeid not in self.errors:
            self.errors[item.nodeid] = call.excinfo.value

    def pytest_runtest_logreport(self, report):
        status = self.found.get(report.nodeid)
        why = getattr(report, "wasxfail", None)
        if report.failed:
            self.found[report.nodeid] = "failed", str(report.longrepr)[-exam.MAX_TEXT:]
        elif status is None and why is not None:
            self.found[report.nodeid] = "xfail", "it fails as its author expected" if report.skipped else "it passed though it was expected to fail"
        elif status is None and report.skipped:
            text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.found[report.nodeid] = "skipped", text
        elif status is None and report.when == "call":
            self.found[report.nodeid] = "passed", ""

    def pytest_runtest_logfinish(self, nodeid, location):
        status, text = self.found.get(nodeid, ("failed", "the test did not run"))
        name, e, reading = self.name(nodeid), self.errors.get(nodeid), self.reading(nodeid)
        self.seen.add(nodeid)
        report = self.runner.report
        if status == "passed":
            report.case(name, "passed")
        elif status == "xfail":
            report.case(name, "skipped", text)
        elif status == "skipped":
            self.runner.skip(name, text, self.static(nodeid, reading))
        else:
            self.bad.add(nodeid)
            if e is not None and reading is not None and not text.startswith("[XPASS"):
                self.fails(name, e, reading)
            else:
                report.case(name, "failed", text)

    def static(self, nodeid, reading):
        """Tells whether a mark that looks at no program skipped a test."""
        item = next((i for i in self.items if i.nodeid == nodeid), None)
        if item is None or reading is None:
            return False
        marks = [m for m in item.iter_markers() if m.name in ("skip", "skipif")]
        names = [getattr(getattr(item, k, None), "__name__", "") for k in ("function", "cls")]
        return bool(marks) and reading.static_skip(*names)

    def reading(self, nodeid):
        return self.by_path.get(nodeid.split("::")[0])

    def name(self, nodeid):
        return nodeid if self.runner.nodes else nodeid.partition("::")[2]

    def finish(self, code):
        """Holds what was reported against what was written, collected and counted."""
        report = self.runner.report
        for item in self.items:
            if item.nodeid not in self.seen:
                report.case(self.name(item.nodeid), "error", "the test did not run")
        collected = {(i.nodeid.split("::")[0], getattr(i, "originalname", i.name)) for i in self.items}
        for r in self.readings:
            for n in r.tree.body:
                if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.name.startswith("test") and \
                        (r.path, n.name) not in collected and exam.named_like_test(r.base) and not report.failed:
                    report.case(n.name, "error", "the test was not collected")
        try:
            with open(JUNIT, encoding="utf-8", errors="replace") as f:
                suite = re.search(r"<testsuite [^>]*>", f.read()).group()
            tests, *bad = [int(re.search(r'\b%s="(\d+)"' % k, suite).group(1)) for k in ("tests", "failures", "errors")]
        except (OSError, AttributeError):
            tests, bad = -1, [1]
        if tests < len(self.seen) or not sum(bad) and self.bad or (sum(bad) or code not in (0, 5)) and not report.failed:
            report.event(type="broken", reason="pytest's own report does not fit what it ran: it ended with %d" % code)
            report.case("end", "error", "pytest's own report does not fit what it ran: it ended with %d" % code)


def run(runner, readings, packages, tests, report):
    """Runs the files, and returns what ran them."""
    import pytest
    runner.prepare(readings, packages)
    plugin = Plugin(runner, readings, pytest)
    config = next((os.path.join(exam.WORKSPACE, t) for t in tests if os.path.basename(t) in CONFIGS), "/dev/null")
    files = [os.path.join(exam.WORKSPACE, r.path) for r in readings if r.tests and not r.supports(readings)]
    end = plugin.finish
    code = pytest.main(["-q", "--color=no", "--assert=plain", "--rootdir", exam.WORKSPACE, "-c", config, "--junitxml", JUNIT,
                        "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:terminalreporter", *files], plugins=[plugin])
    if plugin.unparsed is not None:
        raise plugin.unparsed
    end(int(code))
    return "pytest " + pytest.__version__
