package social_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An apart is one of several beings in one process. All that is its own holds its canary: "vega-words-17" is something
// that was said in its world. What has to be alike, ids of people, groups, messages and records, is.
type apart struct {
	*testing.T
	canary string
	alien  *regexp.Regexp // the canaries of the others
	qq     *onebottest.Server
	groups []*onebottest.Group
	alice  *onebottest.Friend
	store  social.Store
	change func(*social.Options) // how it differs
	being  *social.Bot
	stop   func()
	log    logged

	mu      sync.Mutex
	n       int      // numbers given
	told    []string // to its owner
	traces  []string
	kinds   map[string]bool // of its canaries that its prompts held
	tasks   map[string]int  // what its model was asked for
	prompts int
	leaks   []string
	turns   int64  // of beings that have stopped
	kept    string // its store, whenever it was looked at
}

// logged is what a being logged, at every level.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newApart(t *testing.T, canary, others string, store social.Store, change func(*social.Options)) *apart {
	a := &apart{T: t, canary: canary, alien: regexp.MustCompile("(?i)" + others), store: store, change: change, kinds: map[string]bool{}, tasks: map[string]int{}}
	a.qq = onebottest.New(onebottest.Options{SelfID: bot, Nickname: a.word("name"), Seed: 1})
	for i := range int64(2) {
		g := a.qq.Group(1+i, a.word("group"))
		for who := alice; who < alice+3; who++ {
			g.Member(int64(who), a.word("nick")).WithCard(a.word("card"))
		}
		g.Member(master, a.word("master"))
		a.groups = append(a.groups, g)
	}
	a.alice = a.qq.Friend(alice, a.word("nick"))
	return a
}

// word is a canary of a kind; numbered is one that is never said twice.
func (a *apart) word(kind string) string { return a.canary + "-" + kind }

func (a *apart) numbered(kind string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	return fmt.Sprint(a.canary, "-", kind, "-", a.n)
}

// pure notes what holds a canary of another being.
func (a *apart) pure(where, text string) {
	if at := a.alien.FindStringIndex(text); at != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.leaks = append(a.leaks, fmt.Sprintf("%s holds …%q…", where, text[max(0, at[0]-60):min(len(text), at[1]+60)]))
	}
}

func (a *apart) start() {
	o := social.Options{
		Profile: persona.Profile{Name: a.word("name"), Aliases: []string{a.word("alias")}, About: a.word("about")},
		Reply:   social.Reply{Prompts: persona.Prompts{Rules: a.word("rules")}}, Model: modeltest.Func(a.answer), Storage: social.Storage{Store: a.store}, Tools: social.Tools{Registry: a.tools(), Builtin: &social.BuiltinTools{Notes: true}},
		Link: onebotlink.New(a.qq.Client(onebot.Options{}), onebotlink.Options{}), Location: time.UTC, Access: social.Access{
			Owners:   []persona.Account{{Platform: "qq", ID: fmt.Sprint(master)}},
			Commands: true,
			Redact:   func(_ context.Context, text string) (string, error) { return a.word("redacted") + " " + text, nil },
		}, Background: social.Background{
			Digest: &social.Digest{Summary: memory.SummaryOptions{Turns: 5}},
			Autonomy: &social.Autonomy{
				Character: "# " + a.word("character"), OnWake: func(l social.WakeResult) { a.traced(l) },
				Planner: schedule.PlannerOptions{IdleOrigin: schedule.Origin{Mode: persona.Agent}},
				RecentActivity: func(context.Context, time.Time) ([]social.OwnerActivity, error) {
					return []social.OwnerActivity{{App: a.numbered("activity")}}, nil
				},
			},
		},
		Hooks: social.Hooks{
			Notify: func(_ context.Context, text string) error {
				a.mu.Lock()
				defer a.mu.Unlock()
				a.told = append(a.told, text)
				return nil
			},
			Trace:  func(t heartflow.Trace) { a.traced(t) },
			Logger: slog.New(slog.NewTextHandler(&a.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		},
	}
	o.When.Attention.Seed = 1
	o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: -1, DayTokens: -1})
	if a.change != nil {
		a.change(&o)
	}
	being, err := social.New(o)
	require.NoError(a, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- being.Run(ctx) }()
	a.being = being
	a.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(a, <-ended)
		a.turns += being.Stats().Turns
		a.being = nil
	})
	synctest.Wait()
}

func (a *apart) traced(what any) {
	text := fmt.Sprintf("%+v", what)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.traces = append(a.traces, text)
}

// tools is one of the host's, whose description and result are its being's own.
func (a *apart) tools() *nit.Registry {
	look, err := nit.Define("look_around", nit.L1, a.word("described"), func(context.Context, struct{}) (string, error) {
		return a.numbered("found"), nil
	}, nit.ReadOnly())
	require.NoError(a, err)
	r := &nit.Registry{}
	require.NoError(a, r.Add(look))
	return r
}

var (
	canaries = regexp.MustCompile(`(?:vega|orion)-[a-z]+(?:-\d+)?`)
	taskOf   = regexp.MustCompile(`## 现在：(\S+)`)
)

// answer is the worst of models: whatever it reads it says, calls, notes down, and thinks of people.
func (a *apart) answer(_ context.Context, p modeltest.Prompt) modeltest.Step {
	tools, err := json.Marshal(p.Options.Tools)
	if err != nil {
		return modeltest.Fail(err)
	}
	read := p.Text() + string(tools)
	a.pure("a prompt", read)
	seen := canaries.FindAllString(read, -1)
	slices.Sort(seen)
	seen = slices.Compact(seen)
	parrot := a.numbered("said") + " " + strings.Join(seen[max(0, len(seen)-12):], " ")
	task := "说"
	if m := taskOf.FindStringSubmatch(p.Human()); m != nil {
		task = m[1]
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prompts++
	n := a.tasks[task]
	a.tasks[task]++
	for _, one := range seen {
		kind, _, _ := strings.Cut(strings.TrimPrefix(one, a.canary+"-"), "-")
		a.kinds[kind] = true
	}
	return a.do(task, n, parrot, p).After(time.Duration(1+n%3) * time.Second)
}

// do is the n-th answer to a task. a.mu is held.
func (a *apart) do(task string, n int, parrot string, p modeltest.Prompt) modeltest.Step {
	answer := func(v any) modeltest.Step {
		text, err := json.Marshal(v)
		if err != nil {
			return modeltest.Fail(err)
		}
		return modeltest.Say(string(text))
	}
	switch task {
	case "记":
		return modeltest.Say(a.word("sum") + " " + parrot)
	case "梦":
		return answer(map[string]any{"insights": []map[string]any{{"text": a.word("fact") + " " + parrot, "about": "1001", "importance": .9}}})
	case "看人":
		return answer(map[string]any{
			"people": []map[string]any{{"id": "1001", "feeling": "happy", "impression": a.word("thinks") + " " + parrot}},
			"names":  []map[string]any{{"id": "1001", "name": a.word("calls"), "sure": true}},
		})
	case "判断申请":
		return modeltest.Say(approve)
	case "决定":
		return answer(map[string]any{"action": "text_reply", "reasoning": a.word("why") + " " + parrot})
	case "体会":
		return modeltest.Say(a.word("inner") + " " + parrot)
	case "想":
		return modeltest.Say(a.word("thought") + " " + parrot)
	}
	calls := []modeltest.Step{
		modeltest.Call("look_around", nil), modeltest.Call("set_slot", map[string]string{"name": a.word("slot"), "text": parrot}), modeltest.Call("read_notes", nil),
		modeltest.Call("notify_master", map[string]string{"content": parrot, "urgency": "low"}), modeltest.Call("qq_send_text", map[string]string{"content": parrot}),
		modeltest.Call("read_owner_memory", map[string]string{"query": "words"}), modeltest.Call("read_social_memory", map[string]string{"query": "words"}),
		modeltest.Call("memory_ops", map[string]string{"query": "words"}),
		modeltest.Call("set_timer", map[string]string{"when": "20min", "content": a.word("timer") + " " + parrot}),
		modeltest.Call("add_schedule", map[string]any{"delay_seconds": 600, "content": map[string]string{"title": a.word("plan"), "motivation": parrot}}),
		modeltest.Call("apply_patch_to_character_state", map[string]string{"patch": "*** Begin Patch\n@@ # " + a.word("character") + "\n+" + a.word("patched") + "\n*** End Patch"}),
	}
	if call := calls[n%len(calls)]; len(p.ToolResults()) == 0 && slices.Contains(p.ToolNames(), call.Calls[0].FunctionCall.Name) {
		return call
	}
	return modeltest.Say(parrot)
}

// happens is a round of what goes on in its world.
func (a *apart) happens(round int) {
	words := func() onebot.Message { return say(a.numbered("words")) }
	g := a.groups[round%2]
	g.Say(bob, append(words(), onebot.At(alice), onebot.Text(" "+a.word("calls"))))
	last := g.Say(alice, append(words(), onebot.At(bot)))
	a.alice.Say(words())
	switch round % 10 {
	case 3:
		g.Say(alice+2, onebot.Message{onebot.Reply(last), onebot.Text(a.numbered("quoting"))})
	case 4:
		a.qq.Recall(g.Say(bob, words()))
	case 5:
		g.Say(master, at(bot, "状态"))
	case 6:
		reply, err := a.being.OwnerMessage(a.Context(), a.numbered("owner"))
		require.NoError(a, err)
		a.pure("what its owner is answered", reply)
	case 7:
		a.qq.FriendRequest(int64(3000+round), a.word("stranger"), a.numbered("comment"))
	}
}

func (a *apart) asked() int64 {
	if a.being == nil {
		return a.turns
	}
	return a.turns + a.being.Stats().Turns
}

// spoke is how often it has spoken in its first group.
func (a *apart) spoke() (n int) {
	for _, s := range a.qq.Sent() {
		if s.Chat == a.groups[0].Chat() {
			n++
		}
	}
	return n
}

// showed holds that the test means something: its own canaries of these kinds were in its prompts.
func (a *apart) showed(kinds ...string) {
	for _, kind := range kinds {
		assert.True(a, a.kinds[kind], "no prompt of %s had its %s", a.canary, kind)
	}
}

// keeps holds that they are in its store.
func (a *apart) keeps(kinds ...string) {
	for _, kind := range kinds {
		assert.True(a, strings.Contains(a.kept, a.word(kind)), "the store of %s had no %s", a.canary, kind)
	}
}

// hold looks at all that is left of it.
func (a *apart) hold() {
	for _, s := range a.qq.Sent() {
		a.pure("what it said", fmt.Sprintf("%+v", s))
	}
	for _, c := range a.qq.Calls() {
		a.pure("what its link was asked", fmt.Sprintf("%+v", c))
	}
	a.pure("its log", a.log.String())
	a.pure("what its owner was told", strings.Join(a.told, "\n"))
	a.pure("its traces", strings.Join(a.traces, "\n"))
	kept := dumped(a.T, a.store)
	a.pure("its store", kept)
	a.kept += kept
}

// dumped is all that a store has.
func dumped(t *testing.T, s social.Store) string {
	var all strings.Builder
	rows, err := s.Load(t.Context(), "")
	require.NoError(t, err)
	for key, row := range rows {
		fmt.Fprintf(&all, "%s = %s\n", key, row)
	}
	spaces, err := s.Spaces(t.Context())
	require.NoError(t, err)
	for _, space := range spaces {
		for r, err := range s.Scan(t.Context(), space, 0) {
			require.NoError(t, err)
			r.Vector = nil
			fmt.Fprintf(&all, "%s: %+v\n", space, r)
		}
	}
	return all.String()
}
