import Foundation

/// The notation of content in a table of responses, on one line.
///
///     {"a":"ü"} >> latin1 >> gzip >> without 8
///
/// Text is UTF-8 with the escapes `\n`, `\r`, `\t`, `\\` and `\xHH`; `@png` is an image (``SampleImage``). The steps
/// after it are an encoding, a content coding, a mark (`bom`), a part of the bytes (`first N`, `without N`: all but the
/// last), or a repetition (`times N`). Codings are stored without compression, so that their bytes do not depend on a
/// library.
enum ResponseContentNotation {
    static func bytes(of notation: String) -> [UInt8] {
        var parts = notation.components(separatedBy: " >> ")
        let text = parts.removeFirst()
        var bytes = text.hasPrefix("@") ? SampleImage.content(named: String(text.dropFirst())) : unescaped(text)
        for part in parts { bytes = apply(part, to: bytes) }
        return bytes
    }

    private static func unescaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch kind {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "x"):
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            default: bytes.append(kind)
            }
        }
        return bytes
    }

    /// Applies a step, such as `first 8`.
    static func apply(_ step: String, to bytes: [UInt8]) -> [UInt8] {
        let words = step.split(separator: " ")
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        let text = String(decoding: bytes, as: UTF8.self)
        switch words[0] {
        case "bom": return [0xEF, 0xBB, 0xBF] + bytes
        case "latin1": return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        case "utf-16le": return text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case "utf-16be": return text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case "utf-32le": return text.unicodeScalars.flatMap { littleEndian($0.value) }
        case "utf-32be": return text.unicodeScalars.flatMap { littleEndian($0.value).reversed() }
        case "first": return Array(bytes.prefix(number))
        case "without": return Array(bytes.dropLast(number))
        case "times": return Array(repeatElement(bytes, count: number).joined())
        case "gzip":
            let trailer = littleEndian(crc32(bytes)) + littleEndian(UInt32(bytes.count))
            return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + stored(bytes) + trailer
        case "deflate": return [0x78, 0x01] + stored(bytes) + littleEndian(adler32(bytes)).reversed()
        case "raw-deflate": return stored(bytes)
        // One segment of a known size, and one raw block that is the last one (RFC 8878 §3.1.1).
        case "zstd":
            let block = littleEndian(UInt32(bytes.count << 3 | 1)).prefix(3)
            return [0x28, 0xB5, 0x2F, 0xFD, 0x20, UInt8(bytes.count)] + block + bytes
        default: preconditionFailure("there is no step '\(step)'")
        }
    }

    /// Returns one block that is stored and the last one (RFC 1951 §3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = littleEndian(UInt32(bytes.count)).prefix(2)
        return [1] + count + count.map { ~$0 } + bytes
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { (crc: UInt32, byte: UInt8) -> UInt32 in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
        }
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        let sums = bytes.reduce((1 as UInt32, 0 as UInt32)) { sums, byte in
            let first = (sums.0 + UInt32(byte)) % 65_521
            return (first, (sums.1 + first) % 65_521)
        }
        return sums.1 << 16 | sums.0
    }
}

/// A small valid image of 3 × 2 pixels, the upper left of which is blue and the others are red.
enum SampleImage: String, CaseIterable {
    case png = """
        iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAHElEQVR4nGNkYPh/Qs6WgYGB8YScDQMDAwMDAwAsVQNHy/bHFAAAAABJRU5E\
        rkJggg==
        """
    case gif = """
        R0lGODdhAwACAIEAAMgePAAA/wAAAAAAACwAAAAAAwACAAAIBwADABg4MCAAOw==
        """
    case bmp = """
        Qk1OAAAAAAAAADYAAAAoAAAAAwAAAAIAAAABABgAAAAAABgAAADEDgAAxA4AAAAAAAAAAAAAPB7IPB7IPB7IAAAA/wAAPB7IPB7IAAAA
        """
    case tiff = """
        SUkqAAgAAAAKAAABBAABAAAAAwAAAAEBBAABAAAAAgAAAAIBAwADAAAAhgAAAAMBAwABAAAAAQAAAAYBAwABAAAAAgAAABEBBAABAAAAjAAA\
        ABUBAwABAAAAAwAAABYBBAABAAAAAgAAABcBBAABAAAAEgAAABwBAwABAAAAAQAAAAAAAAAIAAgACAAAAP/IHjzIHjzIHjzIHjzIHjw=
        """
    case webp = """
        UklGRiIAAABXRUJQVlA4TBUAAAAvAkAAAA8wHoP8nv/5Dx7c4CCi/yEA
        """

    /// The picture with EXIF in the examples.
    static let photo = "photo"

    static func content(named name: String) -> [UInt8] {
        if name == photo {
            let file = Contract.root.appending(path: "examples/photo.jpg")
            return (try? [UInt8](Data(contentsOf: file))) ?? []
        }
        return allCases.first { "\($0)" == name }.flatMap { Data(base64Encoded: $0.rawValue) }.map { [UInt8]($0) } ?? []
    }
}
