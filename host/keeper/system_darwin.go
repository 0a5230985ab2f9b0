package keeper

// namespaces: the sandbox of macOS needs none.
func namespaces() bool { return true }

// adopt: launchd buries orphans.
func adopt() error { return nil }
