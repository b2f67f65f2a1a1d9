internal import CFaults
internal import Glibc
internal import Serialization
internal import Workers

/// A worker that fails on command, for tests of the pool. It is not part of the service.
///
/// Its arguments may begin with a fault and a file. While the file does not exist, the fault occurs at the start:
/// - `hang` never becomes ready.
/// - `exit` ends immediately.
/// - `garbage` sends an invalid message, and `early` sends a message other than `ready` first.
/// - `unsandboxed` becomes ready without seccomp.
@main enum FaultyWorker {
    static func main() {
        var texts = Array(CommandLine.arguments.dropFirst())
        if texts.count == 9 {
            let (fault, gate) = (texts.removeFirst(), texts.removeFirst())
            if unsafe access(gate, F_OK) != 0 { fail(fault, &texts) }
        }
        guard let arguments = WorkerArguments(parsing: texts) else { exit(1) }
        WorkerLoop.run(arguments, answer: { content, orders in FaultyReader(content, orders).answer })
    }

    private static func fail(_ fault: String, _ texts: inout [String]) {
        let seccomp: UInt32 = 32
        switch fault {
        case "hang": waitForever()
        case "garbage": sendAndWait([0xFF])
        case "early":
            // An answer without a job.
            sendAndWait([3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        case "unsandboxed": texts[4] = String((UInt32(texts[4]) ?? 0) & ~seccomp)
        default: exit(1)
        }
    }

    private static func sendAndWait(_ bytes: [UInt8]) -> Never {
        _ = unsafe send(3, bytes, bytes.count, 0)
        waitForever()
    }

    /// Waits until the worker is killed, or until its parent has ended.
    private static func waitForever() -> Never {
        while getppid() != 1 { sleep(1) }
        exit(1)
    }
}

/// Executes the command in the first word of the content, after the signature of a GIF and a line break if it has one:
/// - `draw`: each requested thumbnail. Its content is the first bytes of a JPEG, followed by the rest of the command.
/// - `spin N`: the same after N milliseconds of work.
/// - `lie NAME`: an answer that no worker of the service would send.
/// - `huge`: more than the capacity for the answer; `allocate`: more memory than the process may have.
/// - `corrupt`: the error of corrupt content.
/// - anything else: a fault of `CFaults`. If the process survives it, the error contains its result.
private struct FaultyReader {
    private let text: String
    private let orders: [ImageOrder]

    init(_ content: Span<UInt8>, _ orders: [ImageOrder]) {
        let content = unsafe content.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        text = content.hasPrefix("GIF89a\n") ? String(content.dropFirst(7)) : content
        self.orders = orders
    }

    /// The bytes of the answer.
    var answer: [UInt8] {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case nil: return rejection(ImageError(.unsupportedPixels(feature: "nothing")))
        case "draw": return WorkerAnswer(records).wire
        case "spin":
            let end = milliseconds() + (words.count > 1 ? Int(words[1].prefix { $0 != " " }) ?? 0 : 0)
            while milliseconds() < end {}
            return WorkerAnswer(records).wire
        case "lie": return lie(words.count > 1 ? words[1] : "")
        case "huge": return record { $0.thumbnails[0].content += [UInt8](repeating: 0xFF, count: 64 << 20) }
        case "allocate":
            let memory = [UInt8](repeating: 1, count: 2 << 30)
            return rejection(ImageError(.unsupportedPixels(feature: "memory of \(memory.count) bytes")))
        case "corrupt":
            var findings = ImageFindings()
            findings.isSuspect = true
            return rejection(ImageError(.corrupt(part: "IDAT"), at: 3), findings)
        case let word?:
            let result = cfaults_try(word)
            return rejection(ImageError(.unsupportedPixels(feature: "\(word) gave \(result), errno \(errno)")))
        }
    }

    private func lie(_ name: String) -> [UInt8] {
        let wire = WorkerAnswer(records).wire
        switch name {
        case "short": return Array(wire.dropLast())
        case "trailing": return wire + [0]
        case "empty": return []
        case "less": return WorkerAnswer(Array(records.dropLast())).wire
        case "more": return WorkerAnswer(records + records).wire
        case "no json": return record { $0.json = Array("{]".utf8) }
        case "two values": return record { $0.json += $0.json }
        case "an array": return record { $0.json = Array("[\(json)]".utf8) }
        case "duplicate members": return record { $0.json.insert(contentsOf: Array(#""a":1,"a":2,"#.utf8), at: 1) }
        case "too deep":
            let depth = 1_000
            let array = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return record { $0.json.insert(contentsOf: Array(#""a":\#(array),"#.utf8), at: 1) }
        case "space": return record { $0.json.append(0x20) }
        case "not UTF-8":
            return record { $0.json.insert(contentsOf: Array(#""a":""#.utf8) + [0xFF, 0x22, 0x2C], at: 1) }
        case "no insertion": return record { $0.insertions = [] }
        case "an insertion at the start": return record { $0.insertions = [0] }
        case "an insertion outside": return record { $0.insertions = [$0.json.count + 1] }
        case "a negative insertion": return record { $0.insertions = [-1] }
        case "many thumbnails":
            return record {
                $0.thumbnails += $0.thumbnails
                $0.insertions += $0.insertions
            }
        case "a large thumbnail": return record { $0.thumbnails[0].width += 1 }
        case "a wrong signature": return record { $0.thumbnails[0].content = Array("<script>".utf8)[...] }
        case "a wrong format": return record { $0.findings.format = .png }
        case "a warning outside": return record { $0.findings.warnings = [ImageWarning(.profile, at: 1 << 30)] }
        case "an unknown warning":
            return record { $0.findings.warnings = [ImageWarning(.withoutPixels(.decoderCrashed))] }
        case "many warnings":
            return record { $0.findings.warnings = Array(repeating: ImageWarning(.profile), count: 1_000) }
        case "an error outside": return rejection(ImageError(.truncated, at: 1 << 30))
        case "an error of the service": return rejection(ImageError(.noDecoder))
        default: return rejection(ImageError(.unsupportedPixels(feature: "an unknown lie")))
        }
    }

    private func rejection(_ error: ImageError, _ findings: ImageFindings = ImageFindings()) -> [UInt8] {
        WorkerAnswer(orders.map { _ in .failure(ImageRejection(error, findings)) }).wire
    }

    /// The answer with a change of the first record.
    private func record(_ change: (inout ImageRecord) -> Void) -> [UInt8] {
        var all = records
        if case .success(var record)? = all.first {
            change(&record)
            all[0] = .success(record)
        }
        return WorkerAnswer(all).wire
    }

    private let json = #"{"base64":""}"#

    private var records: [WorkerAnswer.Result] {
        orders.map { order in
            let requests = order.decode == .header ? [] : order.thumbnails ?? [.byDefault]
            let json = #"{"thumbnails":["# + requests.map { _ in self.json }.joined(separator: ",") + "]}"
            var record = ImageRecord(ImageFindings(), json: Array(json.utf8))
            record.thumbnails = requests.map { request in
                ImageRecord.Thumbnail(
                    width: request.width,
                    height: request.height,
                    format: .jpeg,
                    content: [0xFF, 0xD8, 0xFF] + text.utf8
                )
            }
            guard order.form == .value else { return .success(record) }
            record.insertions = requests.indices.map { 15 + 11 + $0 * (self.json.utf8.count + 1) }
            return .success(record)
        }
    }

    private func milliseconds() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
