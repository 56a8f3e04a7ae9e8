package lookback

import (
	"bytes"
	"encoding/binary"
	"errors"
)

type header struct {
	Count  int64
	Own    Habits
	Rate   float32
	RateAt int64
	Lines  uint32
	People uint32
}

// Save encodes the chat.
func (c *Chat) Save() []byte {
	h := header{c.Count, c.Own, c.Rate, c.RateAt, uint32(len(c.Lines)), uint32(len(c.People))}
	b, _ := binary.Append(nil, binary.LittleEndian, h) // never fails for a fixed size
	b, _ = binary.Append(b, binary.LittleEndian, c.Lines)
	b, _ = binary.Append(b, binary.LittleEndian, c.People)
	return b
}

var errInvalid = errors.New("invalid lines")

// Load replaces the chat by the output of Save.
func (c *Chat) Load(saved []byte) error {
	r := bytes.NewReader(saved)
	var h header
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil || h.Lines > maxLines || h.People > maxPeople {
		return errInvalid
	}
	n := Chat{Count: h.Count, Own: h.Own, Rate: h.Rate, RateAt: h.RateAt, Lines: make([]Line, h.Lines), People: make([]Person, h.People)}
	if binary.Read(r, binary.LittleEndian, n.Lines) != nil || binary.Read(r, binary.LittleEndian, n.People) != nil || r.Len() > 0 || !n.valid() {
		return errInvalid
	}
	for i := n.first(); i < n.Count; i++ {
		n.mark(i)
	}
	*c = n
	return nil
}

func (c *Chat) valid() bool {
	if int64(len(c.Lines)) != min(c.Count, maxLines) || len(c.Lines) > 0 && (len(c.People) == 0 || c.People[0].Hash != bot) || c.Own.Last >= max(c.Count, 1) {
		return false
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		if int(l.Slot) >= len(c.People) || l.Names > maxTo || l.Words.N > maxWords || l.Class >= classes {
			return false
		}
	}
	for i := range c.People {
		if p := &c.People[i]; p.Last >= c.Count || p.FromMe >= c.Count {
			return false
		}
	}
	return true
}

// SaveAll encodes a list of values of a fixed size.
func SaveAll[T any](list []T) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, list)
	return b
}

// LoadAll decodes the output of SaveAll.
func LoadAll[T any](saved []byte) ([]T, error) {
	var one T
	size := binary.Size(one)
	if size <= 0 || len(saved)%size != 0 || len(saved)/size > maxLines {
		return nil, errInvalid
	}
	list := make([]T, len(saved)/size)
	if err := binary.Read(bytes.NewReader(saved), binary.LittleEndian, list); err != nil {
		return nil, errInvalid
	}
	return list, nil
}
