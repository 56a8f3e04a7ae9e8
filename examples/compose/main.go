// Compose wires the six packages by hand in one file. It does what persona/social does, except crash recovery, mutes and
// canceling a turn after a new or recalled message. With the same seed and events both make the same decisions.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/tmc/langchaingo/llms"
	"golang.org/x/sync/errgroup"
)

func main() { program.Main("compose", start) }

var help = program.Help{
	About: lang.T("compose 把六个包亲手接成一个机器人，用离线的规则回答。\ntoken 放在环境变量 ONEBOT_TOKEN 里。\n",
		"compose wires the six packages to a bot by hand. It answers by offline rules.\nThe token is ONEBOT_TOKEN in the environment.\n"),
	Examples: []program.Example{{Command: "compose -onebot ws://127.0.0.1:3001", Meaning: lang.T("连上正在运行的 NapCat、LLBot（正向 WS）", "connect to a NapCat or LLBot that runs (forward WebSocket)")}},
	Chinese:  func(string) string { return "OneBot v11 实现的地址（正向 WS）" },
}

// start connects and runs the bot until ctx ends.
func start(ctx context.Context, args []string, _ io.Reader, _, diagnostics io.Writer) error {
	f := flag.NewFlagSet("compose", flag.ContinueOnError)
	url := f.String("onebot", "ws://127.0.0.1:3001", "`URL` of a OneBot implementation (forward WebSocket)")
	if err := program.Parse(f, help, args, diagnostics); err != nil {
		return err
	}
	if err := errors.Join(program.NoArguments(f), program.CheckWS("-onebot", *url)); err != nil {
		return err
	}
	client, err := onebot.NewClient(*url, onebot.Options{Token: os.Getenv("ONEBOT_TOKEN"), Logger: slog.Default()})
	if err != nil {
		return err
	}
	me := persona.Profile{Name: "小炉", About: "爱坐在炉边听大家聊天，说话简短。"}
	trace := func(t heartflow.Trace) { log.Println(t) }
	b, err := newBot(me, offline.Model{}, client, 0, trace)
	if err != nil {
		return err
	}
	return b.run(ctx)
}

// A bot has one part of each package.
type bot struct {
	profile   persona.Profile
	model     llms.Model
	budget    *heartflow.Budget
	link      *onebot.Client
	pace      *onebot.Limiter
	runner    *buffer.Runner[persona.Chat, persona.Message]
	attention *heartflow.Attention[persona.Chat]
	memory    *memory.Memory
	tools     nit.Registry
	mu        sync.Mutex
	ownIDs    map[uint32]bool // ids of the bot's messages
	starts    map[persona.Chat]historyStart
}

// A historyStart is the time of the first message in the last prompt of a chat, which had so many turns.
type historyStart struct {
	at    time.Time
	turns int
}

func newBot(me persona.Profile, model llms.Model, link *onebot.Client, seed uint64, trace func(heartflow.Trace)) (*bot, error) {
	mem, err := memory.New(memory.NewMemStore(), memory.Options{})
	if err != nil {
		return nil, err
	}
	budget, err := heartflow.NewBudget(heartflow.BudgetOptions{})
	if err != nil {
		return nil, err
	}
	attention, err := heartflow.New[persona.Chat](heartflow.Options{Names: append([]string{me.Name}, me.Aliases...), Budget: budget, Seed: seed, OnTrace: trace})
	if err != nil {
		return nil, err
	}
	b := &bot{
		profile: me, link: link, ownIDs: map[uint32]bool{}, starts: map[persona.Chat]historyStart{}, pace: onebot.NewLimiter(onebot.LimiterOptions{}), memory: mem,
		attention: attention, model: model, budget: budget,
	}
	b.runner = buffer.NewRunner(b.handleBatch, buffer.Options{})
	return b, nil
}

func (b *bot) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.runner.Run(ctx) })
	g.Go(func() error { return b.link.Run(ctx, b.handleEvent) })
	return g.Wait()
}

// handleEvent stores a message and adds it to the buffer. A message that addresses the bot is urgent.
func (b *bot) handleEvent(ctx context.Context, _ *onebot.Bot, e onebot.Event) {
	m, ok := b.message(e)
	if !ok || m.Own {
		return
	}
	if err := b.memory.Put(ctx, record(m)); err != nil {
		log.Print(err)
		return
	}
	if b.attention.Observe(time.Now(), m.Chat, heartflow.Message{
		ID: m.ID, From: m.From, Text: m.Text, At: m.At, Addressees: m.Mentions, AtMe: m.AtMe,
		ReplyToMe: m.Quote != nil, Private: m.Chat.Kind == persona.Private,
	}).Addressed {
		b.runner.AddUrgent(m.Chat, m)
	} else {
		b.runner.Add(m.Chat, m)
	}
}

// handleBatch decides about a batch, recalls memories, calls the model and sends the reply.
func (b *bot) handleBatch(ctx context.Context, batch buffer.Batch[persona.Chat, persona.Message]) error {
	now, chat, last := time.Now(), batch.Key, batch.Items[len(batch.Items)-1].ID
	v := b.attention.JudgeUpTo(now, chat, last)
	if v.Do == heartflow.Silent {
		return nil
	}
	past, err := b.memory.RecentTurns(ctx, space(chat), 150+100, 200+100) // with messages after the batch
	if err != nil {
		return err
	}
	scene := prompt.Scene{Chat: chat, State: v.State.String(), Recent: batch.Items}
	shown, topic := map[string]bool{}, ""
	for _, m := range batch.Items {
		topic, shown[m.ID] = topic+m.Text+"\n", true
	}
	var before []memory.Record
	for _, r := range past { // up to the last message of the batch
		if !shown[r.ID] {
			before = append(before, r)
		}
		if r.ID == last {
			break
		}
	}
	turns := 50
	if b.attention.Level(now, chat) >= heartflow.LevelSaving { // shorter prompts while the budget runs low
		turns, scene.Budget = 25, 14000
	}
	least := min(len(memory.LastTurns(before, turns)), 2*turns)
	for _, r := range before[max(len(before)-least-3*turns/2, 0):] {
		scene.History = append(scene.History, persona.Message{ID: r.ID, Chat: chat, From: r.Person, Name: r.Name, Text: r.Text, At: r.At, Own: r.Own})
	}
	b.mu.Lock()
	start := b.starts[chat]
	if start.turns != turns {
		start = historyStart{turns: turns}
	}
	scene.History = scene.History[prompt.HistoryStart(scene.History, start.at, least, scene.Budget):] // a stable start, for the provider's prompt cache
	if scene.CachePrefix = max(len(scene.History)-least, 0); len(scene.History) > 0 {
		start.at = scene.History[0].At
	}
	b.starts[chat] = start
	b.mu.Unlock()
	for _, m := range scene.History {
		shown[m.ID] = true
	}
	hits, err := b.memory.Reader(space(chat)).Recall(ctx, now, memory.Query{Text: topic, Limit: 5 + len(scene.History)})
	if err != nil {
		return err
	}
	for _, h := range hits {
		if !shown[h.ID] && len(scene.Memories) < 5 {
			scene.Memories = append(scene.Memories, prompt.Memory{Text: h.Text, Person: h.Name, At: h.At})
		}
	}

	metered := models.Meter(b.model, func(_ context.Context, u models.Usage) { b.budget.AddCall(time.Now(), chat.String(), u.Total()) })
	turn := prompt.Turn{Model: metered, Toolbox: b.tools.View(nit.Principal{Tiers: nit.L1, Session: chat.SourceID()})}
	reply, err := turn.Run(ctx, prompt.System(b.profile, scene), prompt.Context(b.profile, now, scene))
	switch {
	case err != nil:
		b.attention.SkipTurn(time.Now(), chat, heartflow.WhyModelError)
		return err
	case reply.Text == "":
		b.attention.SkipTurn(time.Now(), chat, heartflow.WhyModelSilent)
		return nil
	}
	if err := b.pace.Wait(ctx, chat.String()); err != nil {
		return err
	}
	if err := b.attention.Speak(time.Now(), chat, reply.Text); err != nil { // counts against the limits
		return err
	}
	return b.send(ctx, chat, reply.Text)
}

// send sends a text and stores it.
func (b *bot) send(ctx context.Context, chat persona.Chat, text string) error {
	peer, err := strconv.ParseInt(chat.ID, 10, 64)
	if err != nil {
		return err
	}
	sender := map[string]func(context.Context, int64, onebot.Message) (int64, error){
		persona.Group: b.link.Bot().SendGroupMsg, persona.Private: b.link.Bot().SendPrivateMsg,
	}
	id, err := sender[chat.Kind](ctx, peer, onebot.Message{onebot.Text(text)})
	if err != nil {
		return err // no retry, because it may have been sent
	}
	b.mu.Lock()
	b.ownIDs[onebot.MessageKey(id)] = true
	b.mu.Unlock()
	return b.memory.Put(ctx, record(persona.Message{ID: strconv.FormatInt(id, 10), Chat: chat, Name: b.profile.Name, At: time.Now(), Text: text, Own: true}))
}

// message converts a OneBot event to a persona.Message.
func (b *bot) message(e onebot.Event) (m persona.Message, ok bool) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		m = b.convert(e.SelfID, e.MessageID, e.UserID, e.Message, e.Time)
		m.Chat = persona.Chat{Platform: "qq", Kind: persona.Group, ID: strconv.FormatInt(e.GroupID, 10)}
		m.Name, m.Own = e.Sender.Name(), e.Own()
	case *onebot.PrivateMessage:
		m = b.convert(e.SelfID, e.MessageID, e.UserID, e.Message, e.Time)
		m.Chat = persona.Chat{Platform: "qq", Kind: persona.Private, ID: m.From}
		m.Name, m.Own = e.Sender.Name(), e.Own()
	default:
		return m, false
	}
	return m, true
}

func (b *bot) convert(self, id, from int64, text onebot.Message, at time.Time) persona.Message {
	names := map[int64]string{self: b.profile.Name}
	said := text.TextWithNames(func(id int64) string { return names[id] })
	m := persona.Message{ID: strconv.FormatInt(id, 10), From: strconv.FormatInt(from, 10), At: at, Text: said, AtMe: text.Mentions(self)}
	if quoted, ok := text.ReplyID(); ok {
		n, _ := strconv.ParseInt(quoted, 10, 64)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.ownIDs[onebot.MessageKey(n)] {
			m.ReplyTo, m.Quote = quoted, &persona.Quote{ID: quoted, Own: true}
		}
	}
	return m
}

func space(c persona.Chat) memory.Space { return memory.Space(c.String()) }

func record(m persona.Message) memory.Record {
	return memory.Record{ID: m.ID, Space: space(m.Chat), Kind: memory.KindMessage, Person: m.From, Name: m.Name, Text: m.Text, At: m.At, Own: m.Own}
}
