package nit

import (
	"errors"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// An ID is an argument with the id of a person, a chat or a message. Models write ids as numbers or strings. An ID
// accepts both and keeps every digit, unlike float64 above 2⁵³. The zero ID is empty: the argument was omitted or null.
type ID string

const maxID = 128

// UnmarshalJSON accepts a string of 1 to 128 bytes or a whole number without an exponent.
func (id *ID) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if text == "null" {
		return nil
	}
	p := parser{s: text}
	if p.i < len(text) && text[0] == '"' {
		s, err := p.string()
		if err != nil || p.i != len(text) || s == "" || len(s) > maxID {
			return errors.New("nit: an id is 1 to 128 bytes")
		}
		*id = ID(s)
		return nil
	}
	if p.take('-'); p.digits() == 0 || p.i != len(text) || len(text) > maxID {
		return errors.New("nit: an id is a whole number or a string")
	}
	*id = ID(text)
	return nil
}

// Int64 parses the id as a decimal number with an optional minus sign.
func (id ID) Int64() (int64, error) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || id[0] == '+' {
		return 0, errors.New("nit: not a numeric id")
	}
	return n, nil
}

// Models see only the first of the two types.
func idSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "integer"}, MinLength: new(1), MaxLength: new(maxID)}
}
