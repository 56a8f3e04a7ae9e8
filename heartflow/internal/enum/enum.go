// Package enum formats small numbers by their names.
package enum

import "fmt"

// Name returns the name of v, or a text like "State(7)" if it has none.
func Name[T ~uint8](v T, kind string, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(v))
}
