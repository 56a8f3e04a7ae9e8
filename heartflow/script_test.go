package heartflow

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/script"
)

var update = flag.Bool("update", false, "rewrite the expected lines in testdata")

// TestAttention_Scripts plays testdata/*.txt. The traces and results of each step are below it.
func TestAttention_Scripts(t *testing.T) {
	script.Files(t, "testdata/*.txt", *update, func(t *testing.T) script.Step { return newPlayer(t, false).step })
}

// TestAttention_ScriptsWithRestarts restarts before every step, without any effect on the results. Scripts with sleep or due
// are skipped, because a restart ends sleep and resets Due.
func TestAttention_ScriptsWithRestarts(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			if strings.Contains(string(want), " sleep") || strings.Contains(string(want), " due") {
				t.Skip("sleeps, or asks Due")
			}
			require.Equal(t, script.Play(string(want), newPlayer(t, false).step), script.Play(string(want), newPlayer(t, true).step))
		})
	}
}

// newAttention returns a new Attention and panics on invalid options.
func newAttention[K comparable](o Options) *Attention[K] {
	a, err := New[K](o)
	if err != nil {
		panic(err)
	}
	return a
}

// newBudget returns a new Budget and panics on invalid options.
func newBudget(o BudgetOptions) *Budget {
	b, err := NewBudget(o)
	if err != nil {
		panic(err)
	}
	return b
}

type player struct {
	t        *testing.T
	opts     Options
	a        *Attention[string]
	sets     map[string]Settings
	restarts bool // restart before every step
	out      []string
}

func newPlayer(t *testing.T, restarts bool) *player {
	p := &player{t: t, opts: Options{Seed: 1}, restarts: restarts}
	p.opts.OnTrace = func(tr Trace) { p.say(tr.String()) }
	return p
}

func (p *player) say(s string) { p.out = append(p.out, s) }

func (p *player) clock(s string) time.Time { return script.Clock(p.t, s) }

func (p *player) restart() {
	b, err := p.a.Snapshot()
	require.NoError(p.t, err)
	p.a = newAttention[string](p.opts)
	for chat, s := range p.sets {
		require.NoError(p.t, p.a.Configure(chat, s))
	}
	require.NoError(p.t, p.a.Restore(b))
}

// step plays "options key=value…" or "15:04:05 verb chat rest".
func (p *player) step(line string) []string {
	if p.out = nil; p.restarts && p.a != nil {
		p.restart()
	}
	p.play(line)
	return p.out
}

func (p *player) play(line string) {
	f := strings.Fields(line)
	if f[0] == "options" {
		for _, kv := range f[1:] {
			p.option(kv)
		}
		return
	}
	if p.a == nil {
		p.a, p.sets = newAttention[string](p.opts), map[string]Settings{}
	}
	now, verb := p.clock(f[0]), f[1]
	f = append(f[2:], "", "", "")
	chat, rest := f[0], strings.TrimSpace(strings.Join(f[1:], " "))
	switch verb {
	case "observe":
		n := p.a.Observe(now, chat, parseMessage(rest))
		if n.Addressed {
			p.say("addressed")
		}
		if n.Supersedes {
			p.say("supersedes")
		}
	case "judge":
		p.a.Judge(now, chat)
	case "begin":
		p.a.BeginTurn(now, chat, Code(rest))
	case "speak":
		if err := p.a.Speak(now, chat, rest); err != nil {
			for name, s := range map[string]error{"ErrCapped": ErrCapped, "ErrStale": ErrStale, "ErrMuted": ErrMuted, "ErrOffline": ErrOffline, "ErrQuietHours": ErrQuietHours, "ErrRepeated": ErrRepeated} {
				if errors.Is(err, s) {
					p.say(name + ": " + err.Error())
				}
			}
		}
	case "skip":
		p.a.SkipTurn(now, chat, Code(rest))
	case "recall":
		p.a.Retract(now, chat, rest)
	case "mute":
		p.a.Mute(now, chat, p.until(rest))
	case "unmute":
		p.a.Unmute(now, chat)
	case "muteall":
		p.a.MuteAll(now, p.until(chat))
	case "unmuteall":
		p.a.UnmuteAll(now)
	case "sleep":
		p.a.Sleep(now, p.until(chat))
	case "wake":
		p.a.Wake(now)
	case "mood":
		mood, err := strconv.ParseFloat(chat, 64)
		require.NoError(p.t, err)
		if p.a.SetMood(mood); rest != "" {
			p.a.SetMood(0)
			p.a.SetChatMood(rest, mood)
		}
	case "energy":
		p.say(fmt.Sprintf("%.3f", p.a.Energy(now, chat)))
	case "spend":
		n, err := strconv.Atoi(chat)
		require.NoError(p.t, err)
		p.opts.Budget.AddTokens(now, n)
	case "state":
		p.say(p.a.State(now, chat).String())
	case "set":
		s := Settings{Off: rest == "off"}
		if spans, ok := strings.CutPrefix(rest, "quiet="); ok {
			s.QuietHours = p.quiet(spans)
		}
		if name, ok := strings.CutPrefix(rest, "name="); ok {
			s.Names = []string{name}
		}
		p.sets[chat] = s
		require.NoError(p.t, p.a.Configure(chat, s))
	case "due":
		for _, c := range p.a.Due(now) {
			p.say(fmt.Sprintf("change %q all=%v %v -> %v at %s", c.Chat, c.AllChats, c.From, c.To, c.At.Format("15:04:05")))
		}
		if next, ok := p.a.Next(); ok {
			p.say("next " + next.Format("15:04:05"))
		}
	default:
		p.t.Fatalf("no such verb: %s", line)
	}
}

func (p *player) until(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	return p.clock(s)
}

// quiet parses "12:30-13:00,ignore_addressed"; empty: no span.
func (p *player) quiet(s string) *QuietHours {
	q := &QuietHours{}
	for part := range strings.SplitSeq(s, ",") {
		if part == "ignore_addressed" {
			q.IgnoreAddressed = true
		} else if part != "" {
			var span Span
			require.NoError(p.t, span.UnmarshalText([]byte(part)))
			q.Spans = append(q.Spans, span)
		}
	}
	return q
}

func (p *player) option(kv string) {
	k, v, _ := strings.Cut(kv, "=")
	switch k {
	case "names":
		p.opts.Names = strings.Split(v, ",")
	case "wake":
		p.opts.WakeWords = strings.Split(v, ",")
	case "keywords":
		p.opts.Keywords = strings.Split(v, ",")
	case "policy":
		p.opts.Policy = map[string]Policy{"interject": Interject{}, "mention": MentionOnly{}, "eager": eager{}}[v]
	case "seed":
		p.opts.Seed, _ = strconv.ParseUint(v, 10, 64)
	case "budget":
		n, _ := strconv.Atoi(v)
		p.opts.Budget = newBudget(BudgetOptions{HourTokens: n})
	case "quiet":
		p.opts.QuietHours = *p.quiet(v)
	case "replies":
		p.opts.Caps.Replies, _ = strconv.Atoi(v)
	case "max_newer":
		p.opts.Staleness.MaxNewer, _ = strconv.Atoi(v)
	default:
		p.t.Fatalf("no such option: %s", kv)
	}
}

// parseMessage parses "from [at reply private bot own id=1 to=x]: text". The brackets are optional.
func parseMessage(s string) Message {
	head, text, _ := strings.Cut(s, ": ")
	from, flags, _ := strings.Cut(head, " [")
	m := Message{From: from, Text: text}
	for _, f := range strings.Fields(strings.TrimSuffix(flags, "]")) {
		k, v, _ := strings.Cut(f, "=")
		switch k {
		case "at":
			m.AtMe = true
		case "reply":
			m.ReplyToMe = true
		case "private":
			m.Private = true
		case "bot":
			m.FromBot = true
		case "own":
			m.Own = true
		case "id":
			m.ID = v
		case "to":
			m.Addressees = append(m.Addressees, v)
		}
	}
	return m
}
