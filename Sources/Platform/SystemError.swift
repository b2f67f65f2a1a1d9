internal import Glibc

/// A failed system call, and the reason for its failure.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The action that failed, as it follows "cannot" in a message: `open data.json`.
    package var action: String

    /// The value of `errno`.
    package var code: Int32

    /// - Parameter code: by default, the value of `errno` that the failed call set.
    package init(_ action: String, code: Int32 = errno) {
        self.action = action
        self.code = code
    }

    /// The message: `cannot open data.json: No such file or directory`.
    package var description: String { "cannot \(action): \(Self.reason(code))" }

    /// Returns the C library's description of a value of `errno` (strerror(3)).
    package static func reason(_ code: Int32) -> String {
        // The text belongs to the calling thread (since glibc 2.32), and is copied immediately.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
