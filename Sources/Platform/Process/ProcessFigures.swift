internal import Glibc

/// The resources that this process uses. A figure that the system does not report is `nil`.
package struct ProcessFigures: Equatable, Sendable {
    /// The processor time of all threads, in user and in system mode, in nanoseconds.
    package var processorNanoseconds: UInt64?

    package var memory: ProcessMemory?

    /// The number of open file descriptors.
    package var openFiles: Int?

    /// The maximum number of open file descriptors (the soft `RLIMIT_NOFILE`); `Int.max` if it is unlimited.
    package var maxOpenFiles: Int?

    /// The time at which the process started, in nanoseconds since 1970-01-01 (UTC). It does not change.
    package var startNanoseconds: UInt64?

    package init() {}

    package static func current() -> ProcessFigures {
        var figures = ProcessFigures()
        figures.processorNanoseconds = time(of: CLOCK_PROCESS_CPUTIME_ID)
        figures.memory = ProcessMemory(of: getpid())
        figures.openFiles = openFiles()
        figures.maxOpenFiles = OpenFileLimit.current
        figures.startNanoseconds = start
        return figures
    }

    // MARK: Open files

    private static func openFiles() -> Int? {
        var status = stat()
        // The call writes one `stat`, which outlives it. Since Linux 6.2, the size of the directory is the number of
        // its entries (proc(5)); before, it was 0.
        guard unsafe stat("/proc/self/fd", &status) == 0 else { return nil }
        return status.st_size > 0 ? Int(status.st_size) : countOpenFiles()
    }

    /// Returns the number of entries of `/proc/self/fd`.
    private static func countOpenFiles() -> Int? {
        guard let directory = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(directory) }
        // The entries `.` and `..` and the descriptor of the directory itself are not counted.
        var count = -3
        while unsafe readdir(directory) != nil { count += 1 }
        return max(count, 0)
    }

    // MARK: Start

    /// The start time. It is computed once, because the difference of the two clocks varies.
    private static let start: UInt64? = {
        guard let text = FileDescriptor.text(ofSmallFile: "/proc/self/stat"),
            let ticks = startTicks(inStat: text),
            let uptime = time(of: CLOCK_BOOTTIME),
            let now = time(of: CLOCK_REALTIME)
        else { return nil }
        let (ticksPerSecond, boot) = (UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 1)), now &- uptime)
        let (nanoseconds, overflow) = ticks.multipliedReportingOverflow(by: 1_000_000_000 / ticksPerSecond)
        return overflow || uptime > now ? nil : boot &+ nanoseconds
    }()

    /// Returns the field `starttime` of `/proc/self/stat`: the time from the start of the system to that of the
    /// process, in ticks.
    package static func startTicks(inStat text: String) -> UInt64? {
        // The name of the program is in parentheses and can contain spaces and parentheses. The fields after it are
        // numbers (proc(5)).
        guard let nameEnd = text.lastIndex(of: ")") else { return nil }
        let fields = text[nameEnd...].dropFirst().split { $0 == " " || $0 == "\n" }
        // `starttime` is field 22; the first of these is field 3.
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    private static func time(of clock: clockid_t) -> UInt64? {
        var time = timespec()
        // The call writes one `timespec`, which outlives it.
        guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The memory of a process (`/proc/PID/statm`, proc(5)), in bytes.
package struct ProcessMemory: Equatable, Sendable {
    /// The size of the address space.
    package var virtualBytes: Int

    /// The memory that is resident in RAM, including pages that are shared with other processes.
    package var residentBytes: Int

    package init(virtualBytes: Int, residentBytes: Int) {
        self.virtualBytes = virtualBytes
        self.residentBytes = residentBytes
    }

    /// Reads the memory of `process`; returns `nil` if the process has ended.
    package init?(of process: Int32) {
        guard let text = FileDescriptor.text(ofSmallFile: "/proc/\(process)/statm") else { return nil }
        self.init(statm: text, pageBytes: sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Parses the content of `statm`, in pages: `5021 1894 …`. Returns `nil` for a zombie, which has no memory: `0 0
    /// …`.
    package init?(statm text: String, pageBytes: Int) {
        let pages = text.split { $0 == " " || $0 == "\n" }.prefix(2).compactMap { Int($0) }
        guard pages.count == 2 else { return nil }
        let (virtual, resident) = (
            pages[0].multipliedReportingOverflow(by: pageBytes), pages[1].multipliedReportingOverflow(by: pageBytes)
        )
        guard !virtual.overflow, !resident.overflow else { return nil }
        self.init(virtualBytes: virtual.partialValue, residentBytes: resident.partialValue)
    }
}
