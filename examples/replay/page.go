package main

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/internal/texts"
)

//go:embed page.html page.css
var files embed.FS

//go:embed texts.txt
var textFile string

var text = texts.Of(textFile)

// mostRows bounds a page: larger ones open slowly, and nobody reads them.
const mostRows = 20_000

// A page shows a log and what the bot would have done. Nothing in it runs, and it asks for nothing: its content
// security policy allows its own style and no more.
type page struct {
	Lang    string
	Log     string // the file's name
	As      string // empty: the bot listened
	Columns []column
	Chats   []*section
	Rows    int
	Flows   bool // one of them is Heart Flow Chat

	decisions int
}

// A column is one of the policies.
type column struct {
	Name string
	Mark string    // "a" or "b": its colour
	Sums []reading // what it came to
}

// A reading is a number with its name.
type reading struct{ Name, Value string }

// A section is one chat.
type section struct {
	ID    string
	Title string
	Rows  []*row
	Lanes []lane
	Ticks []string // times below the lanes

	states [][]change // by column
}

// A change is when a chat came to be perceived so.
type change struct {
	at    time.Time
	state string
}

// Blocks cuts the rows into pieces that a browser need not draw while they are out of sight.
func (s *section) Blocks() iter.Seq[[]*row] { return slices.Chunk(s.Rows, 50) }

// A row is a message, and what was decided at it.
type row struct {
	ID         string
	at         time.Time
	Day        string // where another one begins
	Time       string
	Name, Text string
	Own        bool
	Answered   bool   // the speaker that the bot plays has answered it
	Marks      []mark // by column; nil: nothing is decided here
}

// A mark is a decision.
type mark struct {
	Column  column
	Shown   bool   // else another column decided here
	Outcome string // speak, silent, refused
	Wrong   string // missed or extra, where the speaker did otherwise; empty: not, or not known
	Score   string // in short
	Exact   string
	score   float64
	level   float64
	Bar     int // of the score, 0 to 100
	Limit   int // of the bar, from which it passes; 0: the policy has none
	limit   float64
	Batch   int    // how many messages were judged together
	Level   string // of interest; empty: there is none
	State   string
	At      string // when it was decided
	Spoke   string // when it was said
	Why     []reading
	Gates   []reading
	Next    string
}

// Class sorts a row for the page's filters.
func (r *row) Class() string {
	var c []string
	speaks, silent := false, false
	for _, m := range r.Marks {
		switch {
		case !m.Shown:
			continue
		case m.Outcome == "speak":
			speaks = true
		default:
			silent = true
		}
		if m.Wrong != "" {
			c = append(c, "wrong")
		}
	}
	if speaks || silent {
		c = append(c, "decided")
	}
	if speaks {
		c = append(c, "speaks")
	}
	if speaks && (silent || len(r.Marks) > 1 && !(r.Marks[0].Shown && r.Marks[1].Shown)) {
		c = append(c, "differs")
	}
	if r.Own {
		c = append(c, "own")
	}
	return strings.Join(c, " ")
}

// writePage writes the page to the file of -html, and says so.
func writePage(o options, p *page, out io.Writer) error {
	if p.Rows > mostRows {
		return fmt.Errorf("-html: %d messages are too many for one page, %d are the most: pick a chat by -chat", p.Rows, mostRows)
	}
	html, err := program.Draw(files, "", template.FuncMap{"text": func(key string) string { return text(key, p.Lang) }}, p)
	if err == nil {
		err = os.WriteFile(o.html, html, 0o666)
	}
	if err == nil {
		_, err = fmt.Fprintf(out, "%s: %d messages, %d decisions\n", o.html, p.Rows, p.decisions)
	}
	return err
}

func newPage(o options) *page {
	p := &page{Lang: o.lang, Log: filepath.Base(o.file), As: o.as}
	for i, v := range o.variants {
		p.Columns = append(p.Columns, column{Name: v.name, Mark: string(rune('a' + i))})
		p.Flows = p.Flows || v.flow != nil
	}
	return p
}
