import Testing

@testable import Service

@Suite struct NormalizeCommandTests {
    @Test func `prints the answer to what it reads from standard input`() throws {
        let result = try DecantProcess.run("normalize", input: #"{"id": 9007199254740993, "name": null}"#)
        #expect(
            result.output == """
                {"outcome":"value","serializer":"json","value":{"id":9007199254740993},"nullsDropped":1,\
                "upstream":{"status":200,"statusAssumed":true,"charset":"utf-8","bytes":38}}

                """
        )
        #expect(result.errors.isEmpty)
        #expect(result.status == 0)
    }

    @Test func `takes the options of the HTTP contract and what is known of the upstream's head`() throws {
        let result = try DecantProcess.run(
            "normalize",
            "--view",
            "value",
            "--nulls",
            "drop-all",
            "--content-type",
            "application/json",
            "--status",
            "201",
            "-",
            input: "[1, null]"
        )
        #expect(result == .init(status: 0, output: "[1]\n", errors: ""))
    }

    @Test func `ends with 1 and the problem on standard output where the response is refused`() throws {
        let result = try DecantProcess.run("normalize", "--type", "application/json", input: #"{"a":tru}"#)
        #expect(result.status == 1)
        #expect(result.output.hasPrefix(#"{"type":"/problems/json.invalid_literal","#))
        #expect(result.errors.isEmpty)
    }

    @Test func `ends with 2 where the file cannot be read`() throws {
        let result = try DecantProcess.run("normalize", "/nowhere/at.all")
        #expect(
            result
                == .init(
                    status: 2,
                    output: "",
                    errors: "Error: cannot open /nowhere/at.all: No such file or directory\n"
                )
        )
    }

    @Test func `reads no more than the environment allows`() throws {
        let result = try DecantProcess.run(
            "normalize",
            environment: ["DECANT_MAX_CONTENT_BYTES": "4"],
            input: "[1,2]"
        )
        #expect(result.status == 1)
        #expect(result.output.hasPrefix(#"{"type":"/problems/request.content_too_large","#))
    }
}
