"""The children that read web archives, without Spark: shell scripts write the lines."""

import io
import json
import os
import tempfile
import unittest

from decant_spark import ProgramError, archives

ITEMS = [
    r'{"index":0,"id":"urn:uuid:\"1\"","file":"a\\.warc","byte":0,"result":{"value":"a,\"byte\":9"}}',
    '{"index":1,"file":"a.warc","byte":12,"problem":{"code":"json.bad","status":422}}',
    '{"index":2,"id":7,"byte":3000000000,"result":null}',
]
ROWS = [
    (0, 0, 'urn:uuid:"1"', False, rb'{"value":"a,\"byte\":9"}'),
    (12, 1, None, True, b'{"code":"json.bad","status":422}'),
    (3000000000, 2, "7", False, b"null"),
]
COMPLETE = '{"summary":{"items":3,"failed":1,"skipped":{},"complete":true}}'
INCOMPLETE = '{"summary":{"items":3,"failed":1,"complete":false,"problem":{"code":"batch.unreadable_input"}}}'


class ArchiveTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tearDown(self):
        with self.assertRaises(ChildProcessError, msg="a child was not waited for"):
            os.waitpid(-1, os.WNOHANG)

    def items(self, script, *lines, path="a.warc", open=None):
        """The items of a program that executes a script, in which $lines is a file with lines."""
        text = f"{self.folder}/lines"
        with io.open(text, "w") as file:
            file.writelines(line + "\n" for line in lines)
        child = ["sh", "-c", f"lines={text}; folder={self.folder}; {script}", "sh"]
        return archives._items(path, child, open)

    def test_items_are_rows_with_the_text_of_the_program(self):
        self.assertEqual(list(self.items("cat $lines", *ITEMS, COMPLETE)), ROWS)

    def test_the_path_is_an_operand(self):
        lines = ['{"index":0,"byte":0,"result":{}}', COMPLETE]
        self.assertEqual(len(list(self.items('test "$*" = "-- a.warc" && cat $lines', *lines))), 1)

    def test_a_path_as_spark_writes_it_is_a_local_path(self):
        lines = ['{"index":0,"byte":0,"result":{}}', COMPLETE]
        io.open(f"{self.folder}/a%20b", "w").close()
        for path, operand in (
            ("file:/nothing/é://c", "/nothing/é://c"),
            ("file:/nothing/a%20%C3%A9", "/nothing/a é"),
            ("file:///nothing/a%20é%23?", "/nothing/a é#?"),
            (f"file:{self.folder}/a%20b", f"{self.folder}/a%20b"),
            ("file:a", "file:a"),
            ("./file:/a", "./file:/a"),
        ):
            rows = list(self.items(f"test \"$*\" = '-- {operand}' && cat $lines", *lines, path=path))
            self.assertEqual(len(rows), 1, path)
        # A function receives the path as it is.
        paths = []
        list(self.items("cat $lines", *lines, path="file:/a", open=lambda path: paths.append(path) or io.BytesIO()))
        self.assertEqual(paths, ["file:/a"])

    def test_long_lines_are_read(self):
        text = json.dumps("x" * 3_000_000)
        line = f'{{"index":0,"byte":0,"result":{text}}}'
        self.assertEqual(list(self.items("cat $lines", line, COMPLETE)), [(0, 0, None, False, text.encode())])

    def test_a_file_that_cannot_be_read_to_its_end_has_a_last_row(self):
        rows = list(self.items("cat $lines; exit 2", *ITEMS, INCOMPLETE))
        self.assertEqual(rows, ROWS + [(None, None, None, True, b'{"code":"batch.unreadable_input"}')])

    def test_after_the_death_of_a_program_each_item_is_one_row(self):
        script = "if test -e $folder/once; then cat $lines; else touch $folder/once; head -n 2 $lines; kill -9 $$; fi"
        self.assertEqual(list(self.items(script, *ITEMS, COMPLETE)), ROWS)

    def test_a_file_that_ends_the_program_twice_has_a_last_row(self):
        rows = list(self.items("head -n 2 $lines; kill -9 $$", *ITEMS, COMPLETE))
        self.assertEqual(rows[:-1], ROWS[:2])
        problem = json.loads(rows[-1][-1])
        self.assertEqual((rows[-1][:4], problem["code"]), ((None, None, None, True), "batch.process_ended"))
        self.assertIn("2 times before the end of the file, after 2 responses", problem["detail"])
        self.assertIn("ended by signal 9", problem["detail"])

    def test_wrong_options_are_an_error_with_the_standard_error(self):
        with self.assertRaisesRegex(ProgramError, "exited with status 2; its standard error: Error: no"):
            list(self.items("echo 'Error: no' >&2; exit 2"))

    def test_a_program_that_is_not_decant_is_an_error(self):
        with self.assertRaisesRegex(ProgramError, "a line that is not an item: b'hello'"):
            list(self.items("echo hello; exec cat"))

    def test_a_file_object_is_copied_to_standard_input(self):
        lines = "".join(line + "\n" for line in [*ITEMS, COMPLETE]).encode()
        self.assertEqual(list(self.items("test $# = 0 && exec cat", open=lambda path: io.BytesIO(lines))), ROWS)

    def test_a_file_object_that_is_not_read_to_its_end_is_closed(self):
        source = io.BytesIO(bytes(10_000_000))
        self.assertEqual(list(self.items("cat $lines", *ITEMS, COMPLETE, open=lambda path: source)), ROWS)
        self.assertTrue(source.closed)

    def test_a_file_that_cannot_be_opened_is_a_row(self):
        def fail(path):
            raise PermissionError(13, "no access", path)

        for open, path, text in ((fail, "a.warc", "no access"), (None, "nothing://x/y", "nothing")):
            rows = list(archives._items(path, ["sh", "-c", "cat"], open))
            problem = json.loads(rows[0][-1])
            self.assertEqual((len(rows), rows[0][:4]), (1, (None, None, None, True)))
            self.assertEqual(problem["code"], "batch.unreadable_input")
            self.assertIn(text, problem["detail"])

    def test_a_path_that_cannot_be_opened_by_any_program_is_a_row(self):
        for path, file, text in (
            (None, None, "the path is null"),
            (5, "5", "5: a path must be text; it is int"),
            ("file:/a%00b", "file:/a%00b", "the path contains NUL"),
            ("a\0b", "a\0b", "a\0b: the path contains NUL"),
            ("x" * 200_000, "x" * 200_000, "File name too long"),
            ("a\ud800", "a?", "surrogates not allowed"),
        ):
            batch, *others = archives._record_batches(path, ["sh", "-c", "exit 2"], None)
            (row,) = batch.to_pylist()
            self.assertEqual((others, row["file"], row["index"], row["result"]), ([], file, None, None))
            self.assertEqual(row["code"], "batch.unreadable_input")
            self.assertIn(text, json.loads(row["problem"])["detail"])
        # No function is called with what is not a path.
        (row,) = archives._items(None, ["sh"], lambda path: self.fail("it was called"))
        self.assertEqual(json.loads(row[-1])["detail"], "the path is null")

    def test_a_path_may_contain_bytes_that_are_not_text(self):
        path = os.fsdecode(self.folder.encode() + b"/\xff")
        with io.open(path, "w") as file:
            file.writelines(line + "\n" for line in [*ITEMS, COMPLETE])
        (batch,) = archives._record_batches(path, ["sh", "-c", 'cat "$2"', "sh"], None)
        self.assertEqual({row["file"] for row in batch.to_pylist()}, {f"{self.folder}/?"})
        self.assertEqual(batch.num_rows, 3)

    def test_a_file_object_that_is_none_is_a_row(self):
        (row,) = self.items("cat; echo '%s'" % COMPLETE, open=lambda path: None)
        self.assertEqual(json.loads(row[-1])["code"], "batch.unreadable_input")

    def test_a_file_object_that_fails_has_a_last_row(self):
        class Failing(io.BytesIO):
            def read(self, *arguments):
                if data := super().read(10):
                    return data
                raise OSError("connection lost")

        lines = "".join(line + "\n" for line in [*ITEMS, COMPLETE]).encode()
        rows = list(self.items("cat", open=lambda path: Failing(lines)))
        self.assertEqual(rows[:-1], ROWS)
        self.assertIn("connection lost", json.loads(rows[-1][-1])["detail"])

    def test_closing_the_iterator_ends_the_program(self):
        for open in (None, lambda path: io.BytesIO(bytes(10_000_000))):
            # A descendant holds the pipe to which the file object is copied.
            items = self.items("exec 3<&0; sleep 1000 <&3 & cat $lines; wait", *ITEMS, open=open)
            next(items)
            items.close()


if __name__ == "__main__":
    unittest.main()
