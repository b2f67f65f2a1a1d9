"""The child of a Python worker, without Spark: a scripted child follows commands in the content."""

import os
import pathlib
import select
import signal
import sys
import tempfile
import unittest

import pyarrow as pa
from decant_spark import ProgramError, tables
from decant_spark.normalizer import Normalizer
from decant_spark.program import command

CHILD = [sys.executable, str(pathlib.Path(__file__).with_name("scripted_child.py"))]
STALL_SECONDS = 300


class NormalizerTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.normalizer = None

    def tearDown(self):
        if self.normalizer:
            self.normalizer.end()
        with self.assertRaises(ChildProcessError, msg="a child was not waited for"):
            os.waitpid(-1, os.WNOHANG)

    def normalize(self, contents, child=None, stall_seconds=STALL_SECONDS):
        """Returns the content or the code of each answer, and the number of record batches."""
        if self.normalizer is None:
            self.normalizer = Normalizer(child or CHILD, stall_seconds)
        batch = pa.RecordBatch.from_pydict({"content": contents})
        found = list(tables._normalized(batch, {"content": 0}, {"content": 0}, self.normalizer))
        self.assertEqual([row for part in found for row in part.column(0).to_pylist()], contents)
        rows = [row for part in found for row in part.to_pylist()]
        for row in rows:
            self.assertEqual(row["result"] is None, row["problem"] is not None)
            self.assertEqual(row["code"] is None, row["problem"] is None)
        return rows, len(found)

    def codes(self, contents, **arguments):
        return [row["code"] for row in self.normalize(contents, **arguments)[0]]

    def test_results_and_problems_are_in_the_order_of_the_rows(self):
        rows, _ = self.normalize(["a", "bad", "b"])
        self.assertEqual([row["code"] for row in rows], [None, "json.bad", None])
        self.assertIn('"content": "b"', rows[2]["result"])

    def test_results_may_be_any_json(self):
        rows, _ = self.normalize(["a", "bad"], child=[*CHILD, "--view=value"])
        self.assertEqual([row["result"] for row in rows], ['"a"', None])

    def test_a_child_is_used_for_several_batches(self):
        self.codes(["a"])
        first = self.normalizer.child.pid
        self.codes(["b"])
        self.assertEqual(self.normalizer.child.pid, first)

    def test_batches_and_answers_may_be_larger_than_the_pipes(self):
        contents = ["x" * 3_000_000, "y" * 100, "z" * 5_000_000] * 4 + ["w" * 1000] * 5000
        rows, parts = self.normalize(contents)
        self.assertEqual(len(rows), len(contents))
        self.assertGreater(parts, 1)
        self.assertLess(len(self.normalizer.child.buffer), 16 << 20)

    def test_a_batch_may_be_empty(self):
        self.assertEqual(self.normalize([])[0], [])

    def test_after_the_death_of_a_child_every_row_has_its_answer(self):
        contents = [f"row {number}" for number in range(2000)]
        contents[700] = f"#die {self.folder}/once"
        rows, _ = self.normalize(contents)
        self.assertEqual([row["code"] for row in rows], [None] * 2000)
        self.assertTrue(os.path.exists(f"{self.folder}/once"))

    def test_a_child_that_was_killed_between_batches_is_replaced(self):
        self.codes(["a"])
        os.kill(self.normalizer.child.pid, signal.SIGKILL)
        self.assertEqual(self.codes(["b", "c"]), [None, None])

    def test_only_a_row_that_ends_the_child_twice_becomes_a_problem(self):
        contents = ["a"] * 300 + ["#die"] + ["b"] * 300 + ["#die", "#die", "c"]
        rows, _ = self.normalize(contents)
        ended = [number for number, row in enumerate(rows) if row["code"]]
        self.assertEqual(ended, [300, 601, 602])
        self.assertEqual({rows[number]["code"] for number in ended}, {"batch.process_ended"})
        self.assertIn("the response ended the program 2 times: it was ended by signal 9", rows[300]["problem"])

    def test_a_child_that_dies_after_an_answer_costs_no_row(self):
        self.assertEqual(self.codes(["#die-after-answers"] * 5), [None] * 5)

    def test_a_batch_of_nothing_but_rows_that_end_the_child_ends(self):
        self.assertEqual(self.codes(["#die"] * 4), ["batch.process_ended"] * 4)

    def test_a_child_without_progress_is_ended(self):
        # The probe must be answered in this time, too.
        contents = ["a", f"#hang {self.folder}/once", "b"]
        self.assertEqual(self.codes(contents, stall_seconds=15), [None] * 3)

    def test_a_program_that_does_not_work_is_an_error_with_its_standard_error(self):
        script = "echo 'Error: Unknown option' >&2; exit 2"
        with self.assertRaisesRegex(ProgramError, "exited with status 2; its standard error: Error: Unknown option"):
            self.normalize(["a"], child=["sh", "-c", script])

    def test_a_missing_program_is_an_error_that_names_the_host_and_the_path(self):
        with self.assertRaisesRegex(ProgramError, "'no-such-program' cannot be started on .*PATH"):
            self.normalize(["a"], child=["no-such-program"])

    def test_a_program_that_is_not_decant_is_an_error(self):
        for script in ("cat", "head -c 10 >/dev/null; yes", "printf '%0100d' 0"):
            with self.subTest(script), self.assertRaisesRegex(ProgramError, "the program wrote"):
                self.normalizer = None
                self.normalize(["a"], child=["sh", "-c", script])

    def test_closing_the_iterator_ends_the_child(self):
        normalizer = Normalizer(CHILD, STALL_SECONDS)
        batch = pa.RecordBatch.from_pydict({"content": ["x" * 20_000_000] * 3})
        parts = tables._normalized(batch, {"content": 0}, {}, normalizer)
        next(parts)
        child = normalizer.child.pid
        parts.close()
        self.assertIsNone(normalizer.child)
        self.assertFalse(os.path.exists(f"/proc/{child}"))

    def test_the_child_has_default_signals_and_no_other_descriptors(self):
        ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        try:
            self.codes(["a"])
        finally:
            signal.signal(signal.SIGHUP, ignored)
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        child = self.normalizer.child.pid
        lines = pathlib.Path(f"/proc/{child}/status").read_text().splitlines()
        status = dict(line.split(":\t", 1) for line in lines)
        self.assertEqual(int(status["SigBlk"], 16), 0)
        self.assertFalse(int(status["SigIgn"], 16) & 1 << (signal.SIGHUP - 1))
        self.assertEqual(sorted(os.listdir(f"/proc/{child}/fd")), ["0", "1", "2"])
        self.assertEqual(os.getpgid(child), child)

    def test_the_child_ends_when_its_parent_has_ended(self):
        read_end, write_end = os.pipe()
        worker = os.fork()
        if worker == 0:
            # Like a Python worker, which is killed, or leaves without cleaning up.
            normalizer = Normalizer(CHILD, STALL_SECONDS)
            list(tables._normalized(pa.RecordBatch.from_pydict({"content": ["a"]}), {"content": 0}, {}, normalizer))
            os.write(write_end, str(normalizer.child.pid).encode())
            os._exit(0)
        os.close(write_end)
        child = int(os.read(read_end, 100))
        os.close(read_end)
        os.waitpid(worker, 0)
        watch = None
        try:
            watch = os.pidfd_open(child)
            self.assertTrue(select.select([watch], [], [], 60)[0])
        except ProcessLookupError:
            # It has ended, and was reaped.
            pass
        finally:
            if watch is not None:
                os.close(watch)

    def test_a_forked_process_does_not_use_the_child_of_its_parent(self):
        first = tables._normalizer(CHILD, STALL_SECONDS)
        self.addCleanup(setattr, tables, "_current", None)
        self.addCleanup(first.end)
        list(tables._normalized(pa.RecordBatch.from_pydict({"content": ["a"]}), {"content": 0}, {}, first))
        worker = os.fork()
        if worker == 0:
            os._exit(0 if tables._normalizer(CHILD, STALL_SECONDS) is not first else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]), 0)
        first.end()

    def test_other_options_end_the_child(self):
        first = tables._normalizer(CHILD, STALL_SECONDS)
        self.addCleanup(setattr, tables, "_current", None)
        list(tables._normalized(pa.RecordBatch.from_pydict({"content": ["a"]}), {"content": 0}, {}, first))
        child = first.child.pid
        self.assertIs(tables._normalizer(CHILD, STALL_SECONDS), first)
        self.assertIsNot(tables._normalizer([*CHILD, "--x"], STALL_SECONDS), first)
        self.assertFalse(os.path.exists(f"/proc/{child}"))


class CommandTests(unittest.TestCase):
    def test_options_become_arguments(self):
        options = {"nulls": "keep", "hints": True, "lenient": ["comments", "trailing-commas"], "max-depth": 3}
        self.assertEqual(
            command("decant", "frames", options | {"thumbnail": ["64x64", "32x32,fit=cover"]}),
            ["decant", "batch", "--format=frames", "--jobs=1", "--nulls=keep", "--hints=true"]
            + ["--lenient=comments,trailing-commas", "--max-depth=3"]
            + ["--thumbnail=64x64", "--thumbnail=32x32,fit=cover"],
        )

    def test_options_that_would_change_the_protocol_are_rejected(self):
        for options in ({"format": "ndjson"}, {"jobs": 4}, {"output": "x"}, {"-x": 1}, {"a=b": 1}, {"nulls": "\0"}):
            with self.subTest(options), self.assertRaises(ValueError):
                command("decant", "frames", options)


if __name__ == "__main__":
    unittest.main()
