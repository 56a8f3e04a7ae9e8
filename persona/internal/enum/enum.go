// Package enum converts small numbers to names and back.
package enum

import (
	"fmt"
	"slices"
)

// Name returns names[i], or "status 7" if there is no such name.
func Name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("status %d", i)
}

// Parse sets n to the index of text in names. For an unknown name it sets n to 0 and returns an error.
func Parse[N ~uint8](n *N, names []string, text []byte) error {
	i := slices.Index(names, string(text))
	if *n = N(max(i, 0)); i < 0 {
		return fmt.Errorf("invalid value %q: want one of %q", text, names)
	}
	return nil
}
