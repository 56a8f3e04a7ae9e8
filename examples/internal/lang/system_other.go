//go:build !windows

package lang

// system returns the system's language, or "" if only the environment names one.
func system() string { return "" }
