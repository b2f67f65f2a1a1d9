@testable import HTTP
@testable import Service

/// An expectation that fails describes every object that it can reach, and terminates the process if it finds an
/// optional value that cannot be copied. Servers contain such values, and clients refer to servers.
extension HTTPServer: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension RawClient: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}
