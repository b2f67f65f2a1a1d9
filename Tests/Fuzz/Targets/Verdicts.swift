import Glibc
import Serialization

/// Reads documents from standard input, each preceded by its length, and writes the strict reader's result for each:
/// one byte (1 accepted, 0 rejected), a length, and the output or the offset of the error. Lengths and offsets are 32
/// bits, little-endian.
@main struct Verdicts {
    static func main() {
        var options = JSONReader.Options()
        options.nulls = .keep
        options.prefixes = .reject
        options.limits.maxNestingDepth = Limits.hardMaxNestingDepth

        let input = readAll()
        var output: [UInt8] = []
        var offset = 0
        while offset + 4 <= input.count {
            let length = input[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            let content = Array(input[offset + 4..<offset + 4 + length])
            offset += 4 + length
            var writer = JSONWriter()
            var warnings = WarningList(max: 0)
            do throws(JSONError) {
                _ = try JSONReader.read(
                    content.span,
                    options: options,
                    memory: .unlimited,
                    into: &writer,
                    warnings: &warnings
                )
                output += [1] + bytes(of: writer.buffer.count) + [UInt8](writer.buffer)
            } catch {
                output += [0] + bytes(of: error.location.byte)
            }
        }
        writeAll(output)
    }

    private static func bytes(of number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(STDIN_FILENO, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return bytes
    }

    private static func writeAll(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }
}
