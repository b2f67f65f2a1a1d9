import Glibc

/// A figure of proc(5), `status`, in kilobytes, such as `VmRSS` and `VmHWM`; 0 if it cannot be read.
func residentKilobytes(_ name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text.hasPrefix(name) { return Int(text.split { !$0.isNumber }.first ?? "") ?? 0 }
    }
    return 0
}
