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

// An isolatedBot is one of several bots in one process. All its own data contains its canary: "vega-words-17" is a
// message from its platform. Ids of people, groups, messages and records are the same for all bots.
type isolatedBot struct {
	*testing.T
	canary  string
	foreign *regexp.Regexp // canaries of the other bots
	qq      *onebottest.Server
	groups  []*onebottest.Group
	alice   *onebottest.Friend
	store   social.Store
	change  func(*social.Options) // its individual options
	bot     *social.Bot
	stop    func()
	log     logBuffer

	mu      sync.Mutex
	n       int      // counter for canaries
	notices []string // notices to its owner
	traces  []string
	kinds   map[string]bool // kinds of its canaries in its prompts
	tasks   map[string]int  // tasks of its model
	prompts int
	leaks   []string
	turns   int64  // turns of earlier runs
	dumps   string // dumps of its store
}

// A logBuffer records a bot's log at every level.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newIsolatedBot(t *testing.T, canary, others string, store social.Store, change func(*social.Options)) *isolatedBot {
	a := &isolatedBot{T: t, canary: canary, foreign: regexp.MustCompile("(?i)" + others), store: store, change: change, kinds: map[string]bool{}, tasks: map[string]int{}}
	a.qq = onebottest.New(onebottest.Options{SelfID: botID, Nickname: a.word("name"), Seed: 1})
	for i := range int64(2) {
		g := a.qq.Group(1+i, a.word("group"))
		for who := alice; who < alice+3; who++ {
			g.Member(int64(who), a.word("nick")).WithCard(a.word("card"))
		}
		g.Member(ownerID, a.word("master"))
		a.groups = append(a.groups, g)
	}
	a.alice = a.qq.Friend(alice, a.word("nick"))
	return a
}

// word returns the canary of a kind; numbered adds a number that is used once.
func (a *isolatedBot) word(kind string) string { return a.canary + "-" + kind }

func (a *isolatedBot) numbered(kind string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	return fmt.Sprint(a.canary, "-", kind, "-", a.n)
}

// checkClean reports canaries of other bots in a text.
func (a *isolatedBot) checkClean(where, text string) {
	if at := a.foreign.FindStringIndex(text); at != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.leaks = append(a.leaks, fmt.Sprintf("%s holds …%q…", where, text[max(0, at[0]-60):min(len(text), at[1]+60)]))
	}
}

func (a *isolatedBot) start() {
	o := social.Options{
		Profile: persona.Profile{Name: a.word("name"), Aliases: []string{a.word("alias")}, About: a.word("about")},
		Reply:   social.Reply{Prompts: persona.Prompts{Rules: a.word("rules")}}, Model: modeltest.Func(a.answer), Storage: social.Storage{Store: a.store}, Tools: social.Tools{Registry: a.tools(), Builtin: &social.BuiltinTools{Notes: true}},
		Link: onebotlink.New(a.qq.Client(onebot.Options{}), onebotlink.Options{}), Location: time.UTC, Access: social.Access{
			Owners:   []persona.Account{{Platform: "qq", ID: fmt.Sprint(ownerID)}},
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
				a.notices = append(a.notices, text)
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
	bot, err := social.New(o)
	require.NoError(a, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	a.bot = bot
	a.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(a, <-ended)
		a.turns += bot.Stats().Turns
		a.bot = nil
	})
	synctest.Wait()
}

func (a *isolatedBot) traced(what any) {
	text := fmt.Sprintf("%+v", what)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.traces = append(a.traces, text)
}

// tools returns a tool of the host with the bot's own description and result.
func (a *isolatedBot) tools() *nit.Registry {
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

// answer is the worst model possible: it sends, notes and passes to tools everything that it reads.
func (a *isolatedBot) answer(_ context.Context, p modeltest.Prompt) modeltest.Step {
	tools, err := json.Marshal(p.Options.Tools)
	if err != nil {
		return modeltest.Fail(err)
	}
	read := p.Text() + string(tools)
	a.checkClean("a prompt", read)
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

// do returns the n-th answer to a task. a.mu must be held.
func (a *isolatedBot) do(task string, n int, parrot string, p modeltest.Prompt) modeltest.Step {
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

// playRound plays one round of events on its platform.
func (a *isolatedBot) playRound(round int) {
	words := func() onebot.Message { return say(a.numbered("words")) }
	g := a.groups[round%2]
	g.Say(bob, append(words(), onebot.At(alice), onebot.Text(" "+a.word("calls"))))
	last := g.Say(alice, append(words(), onebot.At(botID)))
	a.alice.Say(words())
	switch round % 10 {
	case 3:
		g.Say(alice+2, onebot.Message{onebot.Reply(last), onebot.Text(a.numbered("quoting"))})
	case 4:
		a.qq.Recall(g.Say(bob, words()))
	case 5:
		g.Say(ownerID, at(botID, "状态"))
	case 6:
		reply, err := a.bot.OwnerMessage(a.Context(), a.numbered("owner"))
		require.NoError(a, err)
		a.checkClean("what its owner is answered", reply)
	case 7:
		a.qq.FriendRequest(int64(3000+round), a.word("stranger"), a.numbered("comment"))
	}
}

func (a *isolatedBot) asked() int64 {
	if a.bot == nil {
		return a.turns
	}
	return a.turns + a.bot.Stats().Turns
}

// spoke counts its messages in its first group.
func (a *isolatedBot) spoke() (n int) {
	for _, s := range a.qq.Sent() {
		if s.Chat == a.groups[0].Chat() {
			n++
		}
	}
	return n
}

// requirePrompted checks that the test has an effect: the bot's prompts had its own canaries of these kinds.
func (a *isolatedBot) requirePrompted(kinds ...string) {
	for _, kind := range kinds {
		assert.True(a, a.kinds[kind], "no prompt of %s had its %s", a.canary, kind)
	}
}

// requireStored checks that its store has its own canaries of these kinds.
func (a *isolatedBot) requireStored(kinds ...string) {
	for _, kind := range kinds {
		assert.True(a, strings.Contains(a.dumps, a.word(kind)), "the store of %s had no %s", a.canary, kind)
	}
}

// check searches all output and data of the bot for canaries of others.
func (a *isolatedBot) check() {
	for _, s := range a.qq.Sent() {
		a.checkClean("what it said", fmt.Sprintf("%+v", s))
	}
	for _, c := range a.qq.Calls() {
		a.checkClean("what its link was asked", fmt.Sprintf("%+v", c))
	}
	a.checkClean("its log", a.log.String())
	a.checkClean("a notice to its owner", strings.Join(a.notices, "\n"))
	a.checkClean("its traces", strings.Join(a.traces, "\n"))
	kept := dump(a.T, a.store)
	a.checkClean("its store", kept)
	a.dumps += kept
}

// dump returns the whole content of a store.
func dump(t *testing.T, s social.Store) string {
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
