// Package fill fills up options.
package fill

import "reflect"

// Zero returns a struct whose fields that are zero in own are those of otherwise.
func Zero[T any](own, otherwise T) T {
	v, from := reflect.ValueOf(&own).Elem(), reflect.ValueOf(&otherwise).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.IsZero() {
			f.Set(from.Field(i))
		}
	}
	return own
}
