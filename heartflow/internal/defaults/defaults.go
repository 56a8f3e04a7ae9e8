// Package defaults fills up options.
package defaults

import "reflect"

// Fill returns a struct whose fields that are zero in own are those of otherwise.
func Fill[T any](own, otherwise T) T {
	v, from := reflect.ValueOf(&own).Elem(), reflect.ValueOf(&otherwise).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.IsZero() {
			f.Set(from.Field(i))
		}
	}
	return own
}
