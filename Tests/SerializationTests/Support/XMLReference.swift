import CXMLReference
import Foundation

/// The results of libxml2 itself, with its own tree.
enum XMLReference {
    /// Returns whether it accepts the document, and whether there is no error against Namespaces in XML.
    static func accepts(_ text: [UInt8]) -> (document: Bool, namespaces: Bool) {
        text.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return (false, false) }
            let verdict = cxml_reference_judge(start, bytes.count)
            return (verdict.is_well_formed != 0, verdict.is_namespace_well_formed != 0)
        }
    }

    /// Returns the canonical form with comments (Canonical XML 1.0), or `nil` if there is none.
    static func canonical(_ text: [UInt8]) -> String? {
        text.withUnsafeBufferPointer { bytes in
            var count = 0
            guard let start = bytes.baseAddress,
                let canonical = cxml_reference_canonical(start, bytes.count, &count)
            else { return nil }
            defer { free(canonical) }
            return String(decoding: UnsafeBufferPointer(start: canonical, count: count), as: UTF8.self)
        }
    }
}
