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

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/internal/texts"
)

//go:embed page.html page.css
var files embed.FS

//go:embed texts.txt
var textFile string

var text = texts.Of(textFile)

// maxRows limits the rows of a page. Larger pages load slowly.
const maxRows = 20_000

// A page shows a log and the bot's decisions without scripts. Its content security policy allows only its own style.
type page struct {
	Lang    string
	Log     string // file name
	As      string // empty if the bot listened
	Columns []column
	Chats   []*section
	Rows    int
	Flows   bool // whether one of them is Heart Flow Chat

	decisions int
}

// A column is one of the policies.
type column struct {
	Name string
	Mark string    // "a" or "b", for the color
	Sums []reading // sums of its decisions
}

// Meaning is the key of the text that explains the policy.
func (c column) Meaning() string {
	name, _, _ := strings.Cut(c.Name, ":")
	return "policy " + name
}

// A reading is a number with its name.
type reading struct{ Name, Value string }

// A section is one chat.
type section struct {
	ID       string
	Title    string
	Rows     []*row
	Timeline []timelineRow
	Ticks    []string // times below the timeline

	states [][]change // by column
}

// A change is a change of a chat's state.
type change struct {
	at    time.Time
	state string
}

// Blocks splits the rows into blocks that a browser does not draw while they are off screen.
func (s *section) Blocks() iter.Seq[[]*row] { return slices.Chunk(s.Rows, 50) }

// A row is a message with the decisions about it.
type row struct {
	ID         string
	at         time.Time
	Day        string // only in the first row of a day
	Time       string
	Name, Text string
	Own        bool
	Act        bool   // what the speaker did
	Answered   bool   // whether the played speaker answered it
	Marks      []mark // by column; nil without a decision
}

// A mark is a decision.
type mark struct {
	Column  column
	Shown   bool   // false if only another column decided here
	Outcome string // speak, silent, refused
	Wrong   string // missed or extra if the speaker did otherwise; else empty
	Score   string // formatted
	Exact   string
	score   float64
	level   float64
	Bar     int // of the score, 0 to 100
	Limit   int // threshold on the bar; 0 means none
	limit   float64
	Batch   int    // number of messages in the batch
	Level   string // interest; empty without a Flow
	State   string
	At      string // time of the decision
	Spoke   string // time of the reply
	Why     []reading
	Gates   []reading
	Next    string
}

// Class returns the CSS classes for the filters of the page.
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

// writePage writes the page to the file of -html and prints the name.
func writePage(o options, p *page, out io.Writer) error {
	if p.Rows > maxRows {
		return lang.Errorf("-html：%d 条消息，一个网页最多 %d 条：用 -chat 选一个聊天", "-html: %d messages are too many for one page, %d are the most: pick a chat by -chat", p.Rows, maxRows)
	}
	html, err := program.Draw(files, template.FuncMap{"text": func(key string) string { return text(key, p.Lang) }}, p)
	if err == nil {
		err = os.WriteFile(o.html, html, 0o666)
	}
	if err == nil {
		_, err = fmt.Fprintln(out, lang.Language(o.lang).Sprintf("%s：%d 条消息，%d 个决定", "%s: %d messages, %d decisions", o.html, p.Rows, p.decisions))
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
