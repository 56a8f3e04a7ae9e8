package hfc

import (
	"encoding/json"
	"errors"
)

// load replaces state by the decoded JSON if it is valid.
func load[T any](b []byte, state *T, valid func(*T) bool) error {
	var s T
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if !valid(&s) {
		return errors.New("hfc: invalid state")
	}
	*state = s
	return nil
}
