//go:build !windows

package manifest

// OpenRegistry gives nil: this system has no registry.
func OpenRegistry() Registry { return nil }
