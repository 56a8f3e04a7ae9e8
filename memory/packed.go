package memory

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// packed is a Record as JSON.
type packed struct {
	ID         string    `json:"id"`
	Space      Space     `json:"space"`
	Kind       string    `json:"kind,omitzero"`
	Text       string    `json:"text,omitzero"`
	Person     string    `json:"person,omitzero"`
	Name       string    `json:"name,omitzero"`
	ReplyTo    string    `json:"reply_to,omitzero"`
	Own        bool      `json:"own,omitzero"`
	Tags       []string  `json:"tags,omitzero"`
	Importance float64   `json:"importance,omitzero"`
	At         time.Time `json:"at,omitzero"`
	Sources    []string  `json:"sources,omitzero"`
	Vector     []byte    `json:"vector,omitzero"` // float32, little endian
	Embedder   string    `json:"embedder,omitzero"`
	Seq        uint64    `json:"seq,omitzero"` // where it was; only in exports
}

func pack(r *Record) packed {
	p := packed{r.ID, r.Space, r.Kind, r.Text, r.Person, r.Name, r.ReplyTo, r.Own, r.Tags, r.Importance, r.At.UTC(), r.Sources, nil, r.Embedder, 0}
	for _, x := range r.Vector {
		p.Vector = binary.LittleEndian.AppendUint32(p.Vector, math.Float32bits(x))
	}
	return p
}

func (p *packed) unpack() (Record, error) {
	r := Record{ID: p.ID, Space: p.Space, Kind: p.Kind, Text: p.Text, Person: p.Person, Name: p.Name, ReplyTo: p.ReplyTo, Own: p.Own, Tags: p.Tags,
		Importance: p.Importance, At: p.At, Sources: p.Sources, Embedder: p.Embedder}
	if len(p.Vector)%4 != 0 {
		return r, fmt.Errorf("memory: vector of record %q: %w", p.ID, ErrVector)
	}
	for b := p.Vector; len(b) > 0; b = b[4:] {
		r.Vector = append(r.Vector, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return r, nil
}
