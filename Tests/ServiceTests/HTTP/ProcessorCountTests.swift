import Foundation
import Testing

@testable import Service

@Suite struct ProcessorCountTests {
    @Test func `is one at least, and no more than the machine has`() {
        #expect(1...sysconf(Int32(_SC_NPROCESSORS_CONF)) ~= ProcessorCount.available)
    }

    /// In a container with one processor of 64 there were 64 threads and as many workers: its set is what taskset makes.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/taskset"), "taskset is not installed"))
    func `has only those that the process may run on`() throws {
        // `pid 1's current affinity list: 0-3,6`
        let help = try DecantProcess(
            shell: #"first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/'); taskset -c "$first" "$0" serve --help"#
        ).finish()
        let text = help.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(text.contains("DECANT_THREADS] (default: 1)"))
        #expect(text.contains("DECANT_WORKERS] (default: 1)"))
    }
}
