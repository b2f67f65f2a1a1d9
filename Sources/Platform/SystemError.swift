internal import Glibc

/// A system call that failed, and the reason.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What the program tried to do, as it follows "cannot": `open data.json`.
    package var action: String

    /// The value of `errno`.
    package var code: Int32

    /// - Parameter code: by default `errno` as the failed call left it.
    package init(_ action: String, code: Int32 = errno) {
        self.action = action
        self.code = code
    }

    /// `cannot open data.json: No such file or directory`.
    package var description: String {
        "cannot \(action): \(Self.reason(code))"
    }

    /// The C library's text for a value of `errno` (strerror(3)).
    package static func reason(_ code: Int32) -> String {
        // The text belongs to the calling thread (since glibc 2.32), and is copied immediately.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
