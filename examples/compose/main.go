// Compose wires the six rooms by hand, in one file: what persona/social does, less what survives a crash, what gives up
// a turn (its author writes on, or takes the message back), and mutes. On the same seed and day both decide alike.
package main

import (
	"context"
	"flag"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/examples/internal/offline"
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

func main() {
	url := flag.String("onebot", "ws://127.0.0.1:3001", "`URL` of a OneBot implementation (forward WebSocket)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := onebot.NewClient(*url, onebot.Options{Token: os.Getenv("ONEBOT_TOKEN"), Logger: slog.Default()})
	if err != nil {
		log.Fatal(err)
	}
	me := persona.Profile{Name: "小炉", About: "爱坐在炉边听大家聊天，说话简短。"}
	trace := func(t heartflow.Trace) { log.Println(t) }
	b, err := newBot(me, offline.Model{}, client, 0, trace)
	if err != nil {
		log.Fatal(err)
	}
	if err := b.run(ctx); err != nil {
		log.Fatal(err)
	}
}

// A bot is one of each room.
type bot struct {
	me     persona.Profile
	model  llms.Model
	budget *heartflow.Budget
	link   *onebot.Client
	pace   *onebot.Limiter
	gather *buffer.Runner[persona.Chat, persona.Message]
	heart  *heartflow.Attention[persona.Chat]
	memory *memory.Memory
	tools  nit.Registry
	mu     sync.Mutex
	said   map[uint32]bool // ids of its own messages
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
	heart, err := heartflow.New[persona.Chat](heartflow.Options{Names: append([]string{me.Name}, me.Aliases...), Budget: budget, Seed: seed, OnTrace: trace})
	if err != nil {
		return nil, err
	}
	b := &bot{
		me: me, link: link, said: map[uint32]bool{}, pace: onebot.NewLimiter(onebot.LimiterOptions{}), memory: mem,
		heart: heart, model: model, budget: budget,
	}
	b.gather = buffer.NewRunner(b.answer, buffer.Options{})
	return b, nil
}

func (b *bot) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.gather.Run(ctx) })
	g.Go(func() error { return b.link.Run(ctx, b.hear) })
	return g.Wait()
}

// hear keeps a message, and lets it call or wait.
func (b *bot) hear(ctx context.Context, _ *onebot.Bot, e onebot.Event) {
	m, ok := b.message(e)
	if !ok || m.Own {
		return
	}
	if err := b.memory.Put(ctx, record(m)); err != nil {
		log.Print(err)
		return
	}
	if b.heart.Observe(time.Now(), m.Chat, heartflow.Message{
		ID: m.ID, From: m.From, Text: m.Text, At: m.At, Addressees: m.Mentions, AtMe: m.AtMe,
		ReplyToMe: m.Quote != nil, Private: m.Chat.Kind == persona.Private,
	}).Addressed {
		b.gather.AddUrgent(m.Chat, m)
	} else {
		b.gather.Add(m.Chat, m)
	}
}

// answer deals with a batch: judge, remember, think, speak.
func (b *bot) answer(ctx context.Context, batch buffer.Batch[persona.Chat, persona.Message]) error {
	now, chat, last := time.Now(), batch.Key, batch.Items[len(batch.Items)-1].ID
	v := b.heart.JudgeUpTo(now, chat, last)
	if v.Do == heartflow.Silent {
		return nil
	}
	past, err := b.memory.RecentTurns(ctx, space(chat), 150+100, 200+100) // with what came after the batch
	if err != nil {
		return err
	}
	scene := prompt.Scene{Chat: chat, State: v.State.String(), Recent: batch.Items}
	shown, topic := map[string]bool{}, ""
	for _, m := range batch.Items {
		topic, shown[m.ID] = topic+m.Text+"\n", true
	}
	var before []memory.Record
	for _, r := range past { // what was said up to the last message of the batch
		if !shown[r.ID] {
			before = append(before, r)
		}
		if r.ID == last {
			break
		}
	}
	latest := len(before) - min(len(memory.LastTurns(before, 50)), 100)
	begin := prompt.StableStart(latest-75, latest, func(i int) time.Time { return before[i].At }) // the next prompts begin alike
	scene.CachePrefix = latest - begin
	for _, r := range before[begin:] {
		scene.History = append(scene.History, persona.Message{ID: r.ID, Chat: chat, From: r.Person, Name: r.Name, Text: r.Text, At: r.At, Own: r.Own})
		shown[r.ID] = true
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
	reply, err := turn.Run(ctx, prompt.System(b.me, scene), prompt.Context(b.me, now, scene))
	switch {
	case err != nil:
		b.heart.SkipTurn(time.Now(), chat, heartflow.WhyModelError)
		return err
	case reply.Text == "":
		b.heart.SkipTurn(time.Now(), chat, heartflow.WhyModelSilent)
		return nil
	}
	if err := b.pace.Wait(ctx, chat.String()); err != nil {
		return err
	}
	if err := b.heart.Speak(time.Now(), chat, reply.Text); err != nil { // counts against the caps
		return err
	}
	return b.say(ctx, chat, reply.Text)
}

// say sends, and keeps what was said.
func (b *bot) say(ctx context.Context, chat persona.Chat, text string) error {
	peer, err := strconv.ParseInt(chat.ID, 10, 64)
	if err != nil {
		return err
	}
	send := map[string]func(context.Context, int64, onebot.Message) (int64, error){
		persona.Group: b.link.Bot().SendGroupMsg, persona.Private: b.link.Bot().SendPrivateMsg,
	}
	id, err := send[chat.Kind](ctx, peer, onebot.Message{onebot.Text(text)})
	if err != nil {
		return err // perhaps it was sent: it is not sent again
	}
	b.mu.Lock()
	b.said[onebot.MessageKey(id)] = true
	b.mu.Unlock()
	return b.memory.Put(ctx, record(persona.Message{ID: strconv.FormatInt(id, 10), Chat: chat, Name: b.me.Name, At: time.Now(), Text: text, Own: true}))
}

// message makes a neutral message of a OneBot one.
func (b *bot) message(e onebot.Event) (m persona.Message, ok bool) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		m = b.neutral(e.SelfID, e.MessageID, e.UserID, e.Message, e.Time)
		m.Chat = persona.Chat{Platform: "qq", Kind: persona.Group, ID: strconv.FormatInt(e.GroupID, 10)}
		m.Name, m.Own = e.Sender.Name(), e.Own()
	case *onebot.PrivateMessage:
		m = b.neutral(e.SelfID, e.MessageID, e.UserID, e.Message, e.Time)
		m.Chat = persona.Chat{Platform: "qq", Kind: persona.Private, ID: m.From}
		m.Name, m.Own = e.Sender.Name(), e.Own()
	default:
		return m, false
	}
	return m, true
}

func (b *bot) neutral(self, id, from int64, text onebot.Message, at time.Time) persona.Message {
	names := map[int64]string{self: b.me.Name}
	said := text.TextWithNames(func(id int64) string { return names[id] })
	m := persona.Message{ID: strconv.FormatInt(id, 10), From: strconv.FormatInt(from, 10), At: at, Text: said, AtMe: text.Mentions(self)}
	if quoted, ok := text.ReplyID(); ok {
		n, _ := strconv.ParseInt(quoted, 10, 64)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.said[onebot.MessageKey(n)] {
			m.ReplyTo, m.Quote = quoted, &persona.Quote{ID: quoted, Own: true}
		}
	}
	return m
}

func space(c persona.Chat) memory.Space { return memory.Space(c.String()) }

func record(m persona.Message) memory.Record {
	return memory.Record{ID: m.ID, Space: space(m.Chat), Kind: memory.KindMessage, Person: m.From, Name: m.Name, Text: m.Text, At: m.At, Own: m.Own}
}
