import Foundation

/// The machine on which the benchmark runs.
enum Machine {
    static var description: String {
        let cpu = field("model name", in: "/proc/cpuinfo") ?? "unknown processor"
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first
        let date = Date().formatted(.iso8601.year().month().day())
        return "\(date), \(ProcessInfo.processInfo.processorCount) × \(cpu), load \(load ?? "unknown") before"
    }

    private static func field(_ name: String, in path: String) -> String? {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    }
}
