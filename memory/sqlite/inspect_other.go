//go:build !unix

package sqlite

import "os"

// isLocked cannot tell on this system.
func isLocked(*os.File) (bool, error) { return false, nil }
