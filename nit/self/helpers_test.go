package self_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory/patch"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

var t0 = time.Date(2026, 4, 10, 9, 0, 0, 0, time.UTC)

// state is a nit.State in memory that can fail.
type state struct {
	mu   sync.Mutex
	rows map[string][]byte
	fail error
}

func (s *state) Load(_ context.Context, prefix string) (map[string][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := map[string][]byte{}
	for k, v := range s.rows {
		if strings.HasPrefix(k, prefix) {
			rows[k] = v
		}
	}
	return rows, s.fail
}

func (s *state) Apply(_ context.Context, rows map[string][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	if s.rows == nil {
		s.rows = map[string][]byte{}
	}
	maps.Copy(s.rows, rows)
	return nil
}

// breaks makes all calls return err; nil ends this.
func (s *state) breaks(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

// A host implements all interfaces of the tools and records the calls.
type host struct {
	t       testing.TB
	r       nit.Registry
	did     []string
	tasks   []schedule.Task
	timers  []schedule.Timer
	by      []nit.Principal // the turns that created them
	notes   map[string][]self.Note
	doc     string
	reports *self.Reports
}

func newHost(t testing.TB) *host {
	t.Helper()
	h := &host{t: t, notes: map[string][]self.Note{}, doc: "## 自己\n爱看番\n"}
	h.r.Limits.Calls = -1
	var err error
	h.reports, err = self.NewReports(t.Context(), nil, func(context.Context, self.Report) error { return nil }, self.ReportOptions{})
	require.NoError(t, err)
	tools, err := self.Tools(h.options())
	require.NoError(t, err)
	require.NoError(t, h.r.Add(tools...))
	return h
}

func (h *host) options() self.Options {
	return self.Options{
		Reports: h.reports, Character: character{h: h}, Schedule: fakeTasks{h: h}, Timers: timers{h: h}, Notes: notes{h: h}, Documents: documents{h: h}, Heartbeat: &heartbeat{h: h}, Location: time.UTC,
		Notify: func(_ context.Context, title, text string) error {
			h.did = append(h.did, "notice "+title+": "+text)
			return nil
		},
	}
}

type character struct{ h *host }

func (c character) Change(_ context.Context, ch self.Change) error {
	c.h.did = append(c.h.did, fmt.Sprintf("%+v", ch))
	return nil
}

// maker records the turn of a call and returns its origin.
func (h *host) maker(ctx context.Context) schedule.Origin {
	p, _ := nit.PrincipalFrom(ctx)
	h.by = append(h.by, p)
	return makerOf(p)
}

func makerOf(p nit.Principal) schedule.Origin {
	if p.Mode == nit.ModeAgent || p.Session == persona.OwnerSession {
		return schedule.Origin{Mode: persona.Agent}
	}
	m := schedule.Origin{Person: persona.Account{Platform: p.Platform, ID: p.Person}}
	if group, ok := strings.CutPrefix(p.Session, "group_"); ok {
		m.Chat = persona.Chat{Platform: p.Platform, Kind: persona.Group, ID: group}
	}
	return m
}

type fakeTasks struct{ h *host }

func (s fakeTasks) Add(ctx context.Context, t schedule.Task, _ []string) (schedule.Task, error) {
	t.ID, t.Origin = fmt.Sprint("task", len(s.h.tasks)+1), s.h.maker(ctx)
	s.h.tasks = append(s.h.tasks, t)
	return t, nil
}
func (s fakeTasks) List(context.Context) ([]schedule.Task, error) { return s.h.tasks, nil }
func (s fakeTasks) Cancel(_ context.Context, id string) error {
	s.h.did = append(s.h.did, "delete "+id)
	return nil
}

func (s fakeTasks) Reschedule(ctx context.Context, id string, at, outdatedAt time.Time) (schedule.Task, error) {
	if id != "task1" {
		return schedule.Task{}, schedule.ErrNotFound
	}
	return s.Add(ctx, schedule.Task{Title: s.h.tasks[0].Title, ScheduledAt: at, OutdatedAt: outdatedAt}, nil)
}

type heartbeat struct {
	h   *host
	now self.HeartbeatSetting
}

func (b *heartbeat) Heartbeat() self.HeartbeatSetting { return b.now }
func (b *heartbeat) SetHeartbeat(_ context.Context, s self.HeartbeatSetting) error {
	b.now = s
	b.h.did = append(b.h.did, fmt.Sprint("heartbeat ", s.Interval, " ", s.Off))
	return nil
}

type timers struct{ h *host }

func (s timers) Set(ctx context.Context, spec, payload string, _ []string) (schedule.Timer, error) {
	if spec == "bad" {
		return schedule.Timer{}, fmt.Errorf("cron says zq7secret: %w", schedule.ErrTimerSpec)
	}
	t := schedule.Timer{ID: fmt.Sprint("timer", len(s.h.timers)+1), Spec: spec, Payload: payload, Origin: s.h.maker(ctx), Next: t0}
	s.h.timers = append(s.h.timers, t)
	return t, nil
}
func (s timers) List(context.Context) ([]schedule.Timer, error) { return s.h.timers, nil }
func (s timers) Cancel(_ context.Context, id string) error {
	s.h.did = append(s.h.did, "cancel "+id)
	return nil
}

type notes struct{ h *host }

func (n notes) key(ctx context.Context, k self.NoteKind) string {
	p, _ := nit.PrincipalFrom(ctx)
	return p.Platform + p.Session + string(k)
}
func (n notes) Read(ctx context.Context, k self.NoteKind) ([]self.Note, error) {
	return n.h.notes[n.key(ctx, k)], nil
}
func (n notes) Write(ctx context.Context, k self.NoteKind, note self.Note) error {
	if note.Name == "full" {
		return errors.Join(nit.ModelError("记满了"), errors.New("zq7secret"))
	}
	n.h.notes[n.key(ctx, k)] = append(n.h.notes[n.key(ctx, k)], note)
	return nil
}

type documents struct{ h *host }

func (d documents) Patch(_ context.Context, document, text string) error {
	next, err := patch.Apply(d.h.doc, text)
	if err == nil {
		d.h.doc = next
		d.h.did = append(d.h.did, "patched "+document)
	}
	return err
}

// do calls a tool and returns the result for the model.
func (h *host) do(p nit.Principal, name string, args any) string {
	h.t.Helper()
	return call(h.t, h.r.View(p), name, args)
}

func call(t testing.TB, v *nit.View, name string, args any) string {
	t.Helper()
	raw := []byte("{}")
	if args != nil {
		var err error
		raw, err = json.Marshal(args)
		require.NoError(t, err)
	}
	return v.Call(t.Context(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: name, Arguments: string(raw)}}).Content
}

var (
	agent      = nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3, Platform: "app", Person: "owner", Session: "session_master", Turn: "a"}
	background = nit.Principal{Mode: self.ModeBackground, Tiers: nit.L1 | nit.L2, Turn: "b"}
	group1     = nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Person: "7", Session: "group_1", Turn: "p"}
	group2     = nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Person: "7", Session: "group_2", Turn: "q"}
	life1      = nit.Principal{Mode: self.ModeAutonomous, Tiers: nit.L1 | nit.L2, Platform: "qq", Person: "7", Session: "group_1", Turn: "l"}
	lifeHome   = nit.Principal{Mode: self.ModeAutonomous, Tiers: nit.L1 | nit.L2, Platform: "app", Session: "session_master", Turn: "m"}
)

type object = map[string]any
