import Glibc
import Platform
import Synchronization
import Testing

@Suite struct ThreadTests {
    @Test(arguments: [(Int32(0), Int32(0)), (3, 3), (100, 19)])
    func `a thread lowers only its own priority, down to the lowest`(steps: Int32, expected: Int32) throws {
        let before = Self.niceValue(of: getpid())
        let change = Mutex<Int32?>(nil)
        let thread = try Thread {
            let own = Self.niceValue(of: 0)
            guard Thread.lowerPriority(by: steps) else { return }
            change.withLock { $0 = Self.niceValue(of: 0) - own }
        }
        thread.join()
        #expect(change.withLock { $0 } == min(expected, 19 - before))
        #expect(Self.niceValue(of: getpid()) == before)
    }

    /// - Parameter thread: the identifier of a thread; that of the first thread equals the process ID. 0 is the calling
    ///   thread.
    private static func niceValue(of thread: pid_t) -> Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(thread))
    }
}
