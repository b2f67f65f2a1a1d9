internal import Glibc

/// The environment of this process.
enum Environment {
    /// Returns all variables by name. If a name occurs several times, the first one counts, as in `getenv`.
    static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        // The list is terminated by a null pointer. The program never changes it.
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
