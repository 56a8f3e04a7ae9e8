package hfc

import (
	"encoding/json"
	"errors"
)

// load replaces a state by what JSON holds, if that is valid.
func load[T any](b []byte, state *T, valid func(*T) bool) error {
	var s T
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if !valid(&s) {
		return errors.New("hfc: a state that cannot be")
	}
	*state = s
	return nil
}
