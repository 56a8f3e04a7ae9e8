// Package enum writes and reads small numbers by name.
package enum

import (
	"fmt"
	"slices"
)

// Name is the i-th of the names, or "status 7" where there is none.
func Name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("status %d", i)
}

// Parse sets n to the index of a name that [Name] has written, and to 0 with an error for any other text.
func Parse[N ~uint8](n *N, names []string, text []byte) error {
	i := slices.Index(names, string(text))
	if *n = N(max(i, 0)); i < 0 {
		return fmt.Errorf("persona: %q is none of %q", text, names)
	}
	return nil
}
