package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/memory"
)

// A row is a line of a file.
type row struct {
	Kind     string    `json:"kind"`
	Conv     string    `json:"conv"`
	ID       string    `json:"id"`
	Speaker  string    `json:"speaker"`
	Text     string    `json:"text"`
	Time     time.Time `json:"time"`
	Evidence []string  `json:"evidence"`
}

func (r *row) space() memory.Space { return memory.Space(r.Conv) }

func (r *row) record() memory.Record {
	return memory.Record{ID: r.ID, Space: r.space(), Kind: memory.KindMessage, Person: r.Speaker, Name: r.Speaker, Text: r.Text, At: r.Time}
}

// rows yields the lines of one kind. It skips the others without decoding them.
func rows(file, kind string) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		f, err := os.Open(file)
		if err != nil {
			yield(row{}, err)
			return
		}
		defer f.Close()
		in, err := program.Unpack(f)
		if err != nil {
			yield(row{}, err)
			return
		}
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, 2*memory.MaxText)
		for n := 1; lines.Scan(); n++ {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			var what struct {
				Kind string `json:"kind"`
			}
			var r row
			err := json.Unmarshal(lines.Bytes(), &what)
			if err == nil && what.Kind != kind {
				continue
			}
			if err == nil {
				err = json.Unmarshal(lines.Bytes(), &r)
			}
			if err != nil {
				err = fmt.Errorf("line %d: %w", n, cmp.Or(lines.Err(), err)) // a truncated file ends in an incomplete line
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(row{}, err)
		}
	}
}
