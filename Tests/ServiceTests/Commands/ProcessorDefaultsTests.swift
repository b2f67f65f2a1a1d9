import Foundation
import Testing

@testable import Service

@Suite struct ProcessorDefaultsTests {
    /// In a container with one of 64 processors, the service started 64 threads and 64 workers. taskset restricts the
    /// set of processors in the same way.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/taskset"), "taskset is not installed"))
    func `the default is one thread and one worker per processor that the process may use`() throws {
        // `pid 1's current affinity list: 0-3,6`
        let help = try DecantProcess(
            shell: #"first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/'); taskset -c "$first" "$0" serve --help"#
        ).finish()
        let text = help.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(text.contains("[1 to 256] (default: 1) --max-connections"), "--threads")
        #expect(text.contains("[0 to 256] (default: 1) --fact-workers"), "--workers")
    }
}
