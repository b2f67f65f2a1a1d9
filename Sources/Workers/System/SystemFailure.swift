internal import Glibc

/// A system call that failed, and why.
package struct SystemFailure: Error, Equatable, CustomStringConvertible {
    /// The call: `memfd_create`.
    package var call: String

    /// The value of `errno`.
    package var code: Int32

    /// Takes `errno` as the failed call left it.
    package init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    package var description: String {
        // The text is the thread's own (glibc since 2.32, strerror(3)), and copied at once.
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return "\(call) failed: \(reason)"
    }
}
