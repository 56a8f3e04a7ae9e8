// Package enum writes small numbers by their names.
package enum

import "fmt"

// Name is the name of v, or as in "State(7)" where it has none.
func Name[T ~uint8](v T, kind string, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(v))
}
