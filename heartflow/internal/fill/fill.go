// Package fill completes options with defaults.
package fill

import "reflect"

// Zero returns own, with each zero field replaced by that of otherwise.
func Zero[T any](own, otherwise T) T {
	v, from := reflect.ValueOf(&own).Elem(), reflect.ValueOf(&otherwise).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.IsZero() {
			f.Set(from.Field(i))
		}
	}
	return own
}
