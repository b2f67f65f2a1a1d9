"""Both functions on a cluster of two executors, with the program of the variable DECANT."""

import base64
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import pyspark
from decant_spark import normalize, read_warc
from decant_spark.program import command
from pyspark.sql import SparkSession
from pyspark.sql.types import BinaryType, IntegerType, LongType, MapType, StringType, StructField, StructType

DECANT = os.environ["DECANT"]
SPARK_HOME = os.path.dirname(pyspark.__file__)
os.environ["SPARK_HOME"] = SPARK_HOME
os.environ["PYSPARK_PYTHON"] = sys.executable
CHILD = str(pathlib.Path(__file__).with_name("scripted_child.py"))
SCHEMA = StructType(
    [
        StructField("id", LongType(), False),
        StructField("url", StringType()),
        StructField("status", IntegerType()),
        StructField("headers", MapType(StringType(), StringType())),
        StructField("content", BinaryType()),
    ]
)
JSON = {"Content-Type": "application/json", "Date": "Thu, 26 Nov 2026 18:00:00 GMT"}
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def responses(count):
    """Responses of several kinds, a third of which are rejected."""
    kinds = [
        (200, JSON, lambda number: b'{"number": %d, "price": 1.50, "none": null}' % number),
        (200, JSON, lambda number: b'{"number": %d' % number),
        (404, JSON, lambda number: b'{"error": "no such item"}'),
        (200, {"Content-Type": "text/xml"}, lambda number: b"<a><b>%d</b></a>" % number),
        (200, {"Content-Type": "image/png"}, lambda number: PNG),
        (200, JSON | {"Content-Encoding": "gzip"}, lambda number: gzip.compress(b"[%d]" % number, mtime=0)),
    ]
    for number in range(count):
        status, headers, content = kinds[number % len(kinds)]
        yield number, f"https://example.com/{number}", status, headers, content(number)


def comparable(text):
    """The members of a result or a problem, without what depends on the table: the URN of a problem identifies its
    position in the input, and a map has no order."""
    members = json.loads(text)
    members.pop("instance", None)
    members["upstream"]["headers"].sort()
    return json.dumps(members)


def batch(text, *arguments):
    """The lines of `decant batch`, without the summary."""
    done = subprocess.run([DECANT, "batch", "--jobs=1", *arguments], input=text, capture_output=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines and "summary" in lines[-1], done.stderr
    return lines[:-1]


def session(master, **configuration):
    builder = SparkSession.builder.master(master).appName("decant-spark").config("spark.ui.enabled", "false")
    builder.config("spark.executorEnv.SCRIPTED_PROGRAM", DECANT)
    builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    # A test must pass on a machine whose cores are all busy.
    builder.config("spark.network.timeout", "1200s").config("spark.worker.timeout", "1200")
    # Processes that run for a minute start faster without the optimizing compiler.
    for process in ("driver", "executor"):
        builder.config(f"spark.{process}.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    builder.config("spark.sql.shuffle.partitions", "4").config("spark.sql.codegen.wholeStage", "false")
    for name, value in configuration.items():
        builder.config(f"spark.{name.replace('_', '.')}", value)
    return builder.getOrCreate()


class ClusterTests(unittest.TestCase):
    """Tests with a session, of which there is one at a time."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def table(self, rows, partitions=4):
        return self.spark.createDataFrame(rows, SCHEMA).repartition(partitions)

    def assert_written_once(self, df, count):
        """Writes the table as Parquet, and returns its rows by id."""
        path = f"{self.folder}/table.parquet"
        df.write.parquet(path)
        rows = self.spark.read.parquet(path).collect()
        self.assertEqual(sorted(row.id for row in rows), list(range(count)))
        return {row.id: row for row in rows}


class SparkTests(ClusterTests):
    @classmethod
    def setUpClass(cls):
        cls.spark = session("local-cluster[2,1,1024]")

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()

    def test_results_equal_those_of_the_program(self):
        rows = list(responses(300))
        envelopes = [
            {"id": number, "url": url, "status": status, "headers": headers}
            | {"body": {"base64": base64.b64encode(content).decode()}}
            for number, url, status, headers, content in rows
        ]
        options = {"nulls": "keep", "thumbnail": ["16x16", "8x8"]}
        lines = batch(
            b"".join(json.dumps(envelope).encode() + b"\n" for envelope in envelopes),
            *("--format=ndjson", "--nulls=keep", "--thumbnail=16x16", "--thumbnail=8x8"),
        )
        expected = {line["id"]: line for line in lines}
        found = self.assert_written_once(normalize(self.table(rows), options=options, program=DECANT), 300)
        for number, line in expected.items():
            row = found[number]
            self.assertEqual(row.content, rows[number][-1])
            if "result" in line:
                self.assertEqual(comparable(row.result), comparable(json.dumps(line["result"])))
                self.assertEqual((row.code, row.problem), (None, None))
            else:
                self.assertEqual(comparable(row.problem), comparable(json.dumps(line["problem"])))
                self.assertEqual((row.result, row.code), (None, line["problem"]["code"]))
        self.assertGreater(sum(row.code is not None for row in found.values()), 50)
        self.assertIn('"price":1.50', found[0].result)

    def test_columns_may_have_other_names_and_types_and_be_missing(self):
        df = self.spark.sql("""
            select 'x' as extra, '{"a":1}' as body, timestamp '2026-11-26 18:00:00' as time, 200L as code_of_status,
            array(named_struct('name', 'Content-Type', 'value', 'text/json')) as fields, map('a', array(1, 2)) as nested
            """)
        found = normalize(df, content="body", headers="fields", status="code_of_status", program=DECANT)
        self.assertEqual(found.columns, df.columns + ["result", "code", "problem"])
        row = found.collect()[0]
        self.assertEqual([row.extra, row.time, row.nested], [*df.select("extra", "time", "nested").collect()[0]])
        self.assertEqual(json.loads(row.result)["value"], {"a": 1})
        # The content is not copied back.
        found = normalize(df, content="body", headers=None, program=DECANT, keep=["extra"])
        self.assertEqual(found.columns, ["extra", "result", "code", "problem"])
        self.assertEqual(json.loads(found.collect()[0].result)["value"], {"a": 1})

    def test_columns_of_the_type_void_are_null(self):
        df = self.spark.sql("select cast('[1]' as binary) as content, 'x' as text")
        (expected,) = normalize(df, program=DECANT, keep=[]).collect()
        fields = "array(named_struct('name', {}, 'value', {}))"
        for headers in (
            *("null", "map('A', null)", "cast(array() as array<void>)", "cast(map() as map<void,void>)"),
            *(fields.format("'A'", "null"), fields.format("null", "'a'"), fields.format("null", "null")),
        ):
            void = df.selectExpr("*", "null as status", "null as url", f"{headers} as headers")
            # Arrow has no map whose keys are void.
            keep = void.columns[:-1] if headers.endswith("map<void,void>)") else None
            (row,) = normalize(void, program=DECANT, keep=keep).collect()
            self.assertEqual((row.text, row.status, row.url), ("x", None, None))
            self.assertEqual((row.result, row.code, row.problem), tuple(expected), headers)
        empty = df.selectExpr("cast(null as binary) as content", "null as void")
        (expected,) = normalize(empty, program=DECANT, keep=[]).collect()
        (row,) = normalize(empty, content="void", program=DECANT, keep=["void"]).collect()
        self.assertEqual(tuple(row), (None, *expected))

    def test_columns_may_have_any_names(self):
        names = ["my.content", "a`b", "", "é f", "_1", "x.y", "`q`", "_0", "x.Y.z", "content"]
        df = self.spark.createDataFrame(
            [(b"[1]", *range(400, 408), "unused")],
            "c binary, " + ", ".join(f"i{number} int" for number in range(8)) + ", u string",
        ).toDF(*names)
        found = normalize(df, content="my.content", status="x.y", program=DECANT)
        self.assertEqual(found.columns, names + ["result", "code", "problem"])
        self.assertEqual(tuple(found.collect()[0])[:-3], tuple(df.collect()[0]))
        row = normalize(df, content="my.content", status="x.y", program=DECANT, keep=["x.Y.z", "", "a`b"]).collect()[0]
        self.assertEqual(row.__fields__, ["x.Y.z", "", "a`b", "result", "code", "problem"])
        self.assertEqual((row[:3], json.loads(row.problem)["upstream"]["status"]), ((407, 401, 400), 404))
        # Names that occur twice are permitted if they are not used.
        df = df.toDF("content", "x.y", "x.y", "code", "Result", "problem", "a", "b", "c", "d")
        row = normalize(df, program=DECANT, keep=["a"]).collect()[0]
        self.assertEqual((row.a, json.loads(row.result)["value"], row.code), (405, [1], None))

    def test_columns_that_cannot_be_used_are_errors_before_the_job(self):
        df = self.table(responses(1)).selectExpr("*", "array(named_struct('name', 'A', 'x', null)) as pairs")
        for arguments, error, text in (
            ({"content": "body"}, ValueError, "no column 'body'; the columns are id, url"),
            ({"content": "headers"}, TypeError, "'headers' must be binary or string; it is map"),
            ({"status": "url"}, TypeError, "'url' must be an integer"),
            ({"headers": "status"}, TypeError, "must be a map"),
            ({"headers": "pairs"}, TypeError, "must be a map"),
            ({"keep": ["nothing"]}, ValueError, "no column 'nothing'"),
            ({"options": {"jobs": 2}}, ValueError, "'jobs' is not an option"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(error, text):
                normalize(df, **arguments)
        for name in ("code", "Problem", "RESULT"):
            with self.assertRaisesRegex(ValueError, f"several columns '{name.lower()}'"):
                normalize(df.withColumn(name, df.url))
        with self.assertRaisesRegex(ValueError, "several columns 'x.y'"):
            normalize(df.toDF("x.y", "X.Y", "status", "headers", "content", "pairs"))
        with self.assertRaisesRegex(ValueError, "more than one column 'x.y'"):
            normalize(df.toDF("x.y", "x.y", "status", "headers", "content", "pairs"), keep=["x.y"])

    def test_wrong_options_end_the_job_with_the_message_of_the_program(self):
        with self.assertRaisesRegex(Exception, "nulls"):
            normalize(self.table(responses(1)), options={"nulls": "perhaps"}, program=DECANT).collect()

    def test_a_killed_child_costs_no_row(self):
        rows = list(responses(300))
        rows[150] = (150, None, None, None, f"#die {self.folder}/once".encode())
        found = self.assert_written_once(normalize(self.table(rows), program=CHILD), 300)
        self.assertTrue(os.path.exists(f"{self.folder}/once"))
        self.assertNotIn("batch.process_ended", {row.code for row in found.values()})

    def test_a_poison_record_becomes_a_problem_and_all_others_have_their_results(self):
        rows = list(responses(300))
        expected = {row.id: row.result for row in normalize(self.table(rows), program=DECANT).collect()}
        rows[200] = (200, None, None, None, b"#die")
        found = self.assert_written_once(normalize(self.table(rows), program=CHILD), 300)
        self.assertEqual([row.id for row in found.values() if row.code == "batch.process_ended"], [200])
        del expected[200]
        self.assertEqual({number: row.result for number, row in found.items() if number != 200}, expected)

    def test_a_killed_executor_costs_no_row(self):
        rows = list(responses(300))
        rows[10] = (10, None, None, None, f"#end-executor {self.folder}/once".encode())
        found = self.assert_written_once(normalize(self.table(rows), program=CHILD), 300)
        self.assertTrue(os.path.exists(f"{self.folder}/once"))
        self.assertNotIn("batch.process_ended", {row.code for row in found.values()})

    def warc(self, name, count, compressed):
        """Writes a web archive, and returns its path."""
        path = f"{self.folder}/{name}"
        with open(path, "wb") as file:
            for number, url, status, headers, content in responses(count):
                head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
                block = f"HTTP/1.1 {status} X\r\n{head}Content-Length: {len(content)}\r\n\r\n".encode() + content
                record = (
                    (
                        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
                        "WARC-Date: 2026-11-26T18:00:00Z\r\n"
                        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
                        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
                    ).encode()
                    + block
                    + b"\r\n\r\n"
                )
                file.write(gzip.compress(record) if compressed else record)
        return path

    def test_web_archives_are_read_as_the_program_reads_them(self):
        paths = [self.warc("a.warc", 300, False), self.warc("b.warc.gz", 1500, True)]
        broken = f"{self.folder}/c.warc"
        pathlib.Path(broken).write_bytes(pathlib.Path(paths[0]).read_bytes()[:20_000])
        paths += [broken, f"{self.folder}/missing.warc"]
        options = {"nulls": "keep"}
        df = read_warc(self.spark, paths, options=options, program=DECANT)
        self.assertEqual(df.rdd.getNumPartitions(), len(paths))
        rows = df.collect()
        for path in paths[:3]:
            lines = batch(b"", "--format=warc", "--nulls=keep", path)
            found = [row for row in rows if row.file == path and row["index"] is not None]
            self.assertEqual([row["index"] for row in found], list(range(len(lines))))
            for row, line in zip(found, lines):
                self.assertEqual((row.byte, row.id), (line["byte"], line["id"]))
                self.assertEqual(json.loads(row.result or row.problem), line.get("result") or line.get("problem"))
                self.assertEqual(row.code, line["problem"]["code"] if "problem" in line else None)
        ends = {row.file: row.code for row in rows if row["index"] is None}
        self.assertEqual(ends, {path: "batch.unreadable_input" for path in paths[2:]})

    def test_paths_may_be_a_table_or_uris(self):
        path = self.warc("a.warc.gz", 12, True)
        expected = [(row["index"], row.result) for row in read_warc(self.spark, path, program=DECANT).collect()]
        self.assertEqual(len(expected), 12)
        # pyarrow opens a URI with a fourth slash. It needs no network.
        table = self.spark.createDataFrame([(f"file:///{path}", 1)], "path string, size int")
        self.assertEqual(
            [(row["index"], row.result) for row in read_warc(self.spark, table, program=DECANT).collect()], expected
        )
        self.assertEqual(read_warc(self.spark, [], program=DECANT).collect(), [])

    def test_paths_may_be_those_that_spark_writes(self):
        names = ["a b.warc", "c%20d.warc", "é#?+.warc"]
        for count, name in enumerate(names, 3):
            self.warc(name, count, False)
        files = self.spark.read.format("binaryFile").load(self.folder)
        for column in ("path", "_metadata.file_path", "input_file_name()"):
            table = files.selectExpr(f"{column} as path", "element_at(split(path, '/'), -1) as name")
            found = {row.path: row.name for row in table.collect()}
            self.assertTrue(all(path.startswith("file:/") for path in found), found)
            rows = read_warc(self.spark, table, program=DECANT).collect()
            self.assertEqual({row.code for row in rows if row["index"] is None}, set())
            counts = collections.Counter(found[row.file] for row in rows)
            self.assertEqual(counts, {name: count for count, name in enumerate(names, 3)})

    def test_a_path_that_is_null_or_not_text_is_a_row(self):
        path = self.warc("a.warc", 6, False)
        expected = [(path, number) for number in range(6)]
        table = self.spark.createDataFrame([(None,), (path,), (None,)], "p string")
        for paths, files in ((table, [None, None]), ([5, pathlib.Path(path), None, "a\0"], ["5", None, "a\0"])):
            df = read_warc(self.spark, paths, program=DECANT)
            # The table can be written.
            df.write.mode("overwrite").parquet(f"{self.folder}/table.parquet")
            rows = self.spark.read.parquet(f"{self.folder}/table.parquet").orderBy("index").collect()
            self.assertEqual([(row.file, row["index"]) for row in rows if row.result or row.file == path], expected)
            ends = [(row.file, row.code) for row in df.collect() if row["index"] is None]
            self.assertEqual(ends, [(file, "batch.unreadable_input") for file in files])
        table = self.spark.sql("select 7 as p union all select 8")
        rows = read_warc(self.spark, table, program=DECANT).collect()
        self.assertEqual({(row.file, row.code) for row in rows}, {(file, "batch.unreadable_input") for file in "78"})


class SpeculationTests(ClusterTests):
    """Spark starts a second attempt of a task only on another host, and a local cluster has one host."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        options, line = ("--host", "127.0.0.1", "--port", "0"), r"Starting Spark master at (\S+)"
        master = cls.start(folder.name, "master", *options, line=line)
        for host in ("127.0.0.2", "127.0.0.3"):
            worker = ["--host", host, "--cores", "1", "--memory", "1g", "--work-dir", f"{folder.name}/{host}"]
            cls.start(folder.name, "worker", *worker, master, line="Successfully registered with master")
        cls.spark = session(
            master,
            speculation="true",
            speculation_interval="100ms",
            speculation_minTaskRuntime="100ms",
            speculation_quantile="0.5",
            executor_memory="512m",
        )
        cls.addClassCleanup(cls.spark.stop)

    @classmethod
    def start(cls, folder, kind, *arguments, line):
        """Starts a master or a worker, and waits for a line of its log. Returns the first group in the line."""
        log = f"{folder}/{kind}-{len(os.listdir(folder))}.log"
        program = f"org.apache.spark.deploy.{kind}.{kind.title()}"
        configuration = pathlib.Path(folder, "configuration")
        configuration.mkdir(exist_ok=True)
        levels = "rootLogger.level=info\nrootLogger.appenderRef.a.ref=a\nappender.a.type=Console\nappender.a.name=a\n"
        layout = "appender.a.target=SYSTEM_ERR\nappender.a.layout.type=PatternLayout\nappender.a.layout.pattern=%m%n\n"
        (configuration / "log4j2.properties").write_text(levels + layout)
        with open(log, "wb") as output:
            process = subprocess.Popen(
                [f"{SPARK_HOME}/bin/spark-class", program, "--webui-port", "0", *arguments],
                env=os.environ | {"SPARK_CONF_DIR": str(configuration)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.terminate)
        deadline = time.monotonic() + 300
        while not (found := re.search(f"{line}()", pathlib.Path(log).read_text())):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the {kind} did not start: {pathlib.Path(log).read_text()[-2000:]}")
            time.sleep(0.1)
        return found[1]

    def test_the_second_attempt_of_a_task_is_written_once(self):
        rows = list(responses(300))
        # The first attempt never ends: only a second one ends the job.
        rows[10] = (10, None, None, None, f"#hang {self.folder}/once".encode())
        found = self.assert_written_once(normalize(self.table(rows), program=CHILD), 300)
        self.assertTrue(os.path.exists(f"{self.folder}/once"))
        self.assertNotIn("batch.process_ended", {row.code for row in found.values()})


if __name__ == "__main__":
    unittest.main()
