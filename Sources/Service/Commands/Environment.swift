internal import Glibc

/// The environment of this process.
enum Environment {
    /// All variables by name; of several with one name the first, as `getenv` has it.
    static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        // A null pointer ends the list; nothing here ever changes it.
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if parts.count == 2, variables[String(parts[0])] == nil {
                variables[String(parts[0])] = String(parts[1])
            }
            unsafe entry += 1
        }
        return variables
    }
}
