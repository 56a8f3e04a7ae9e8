package social_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var group1 = persona.Chat{Platform: "x", Kind: persona.Group, ID: "1"}

func TestBot_SupersedingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), modeltest.Always(modeltest.Say("答").After(10*time.Second))
		_, stop := startBot(t, f, model, memory.NewMemStore(), nil, mentionOnly)
		f.events <- newMessage("0", "a", "小炉 问")
		advance(3 * time.Second)
		for i := range 40 {
			f.events <- newMessage(fmt.Sprint(i+1), "a", "还有")
			advance(5 * time.Second)
		}
		advance(2 * time.Minute)
		stop()
		assert.NotEmpty(t, f.sent, "the message is answered")
		assert.LessOrEqual(t, len(model.Prompts()), 6)
	})
}

func TestRestart_HandlesOnce(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprint("kill=", kill), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s, model := fake(), &slowStore{MemStore: memory.NewMemStore()}, numbered()
				_, stop := startBot(t, f, model, s, nil)
				f.events <- newMessage("1", "a", "小炉 问题")
				f.events <- newMessage("2", "a", "嗯")
				advance(time.Second)
				if kill {
					advance(3 * time.Second) // answered; the attention row is as of the call
					s.failing.Store(true)
				}
				stop()
				s.failing.Store(false)
				_, stop = startBot(t, f, model, s, nil)
				advance(10 * time.Second)
				f.events <- newMessage("3", "b", "今天好冷")
				advance(time.Minute)
				stop()
				assert.Len(t, f.sent, 1, "one answer")
			})
		})
	}
}

func TestUnclear_SettledOrReported(t *testing.T) {
	unclear := func(context.Context) error { return social.ErrUnclear }
	run := func(name string, link func(*fakeLink) social.Link, say func(context.Context) error, restart bool) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, store, notices := fake(), memory.NewMemStore(), []string{}
				f.onSend = say
				l := link(f)
				_, stop := startBot(t, l, numbered(), store, &notices)
				f.events <- newMessage("1", "a", "小炉 问题")
				advance(5 * time.Second)
				if restart {
					stop()
					f.pastErr = nil
					_, stop = startBot(t, l, numbered(), store, &notices)
				}
				f.events <- persona.Connected{}
				advance(time.Minute)
				stop()
				assert.NotEmpty(t, notices)
			})
		})
	}
	bare := func(f *fakeLink) social.Link { return f }
	past := func(f *fakeLink) social.Link { return pastLink{fakeLink: f} }
	broken := func(f *fakeLink) social.Link { f.pastErr = errors.New("no such action"); return pastLink{fakeLink: f} }
	run("no history", bare, unclear, false)
	run("history fails", broken, unclear, false)
	run("stopped while sending", past, func(ctx context.Context) error { <-ctx.Done(); return social.ErrUnclear }, true)
	run("stopped before it was settled", broken, unclear, true)
}

func TestUnclear_SettledByOwnMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, notices := fake(), []string{}
		_, stop := startBot(t, pastLink{fakeLink: f}, modeltest.Always(modeltest.Say("好的")), memory.NewMemStore(), &notices)
		f.events <- newMessage("1", "a", "小炉 一")
		advance(10 * time.Second)
		f.past[group1] = []persona.Message{{ID: "old", Chat: group1, Own: true, Text: "好的", At: time.Now()}}
		f.onSend = func(context.Context) error { return social.ErrUnclear }
		f.events <- newMessage("2", "a", "小炉 二")
		advance(time.Minute)
		stop()
		assert.NotEmpty(t, notices, "an older message with the same text does not count")
	})
}

// A message that the account sends from another device triggers nothing. It is in the history once, marked as the bot's
// own.
func TestOwnMessages_FromOtherDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), modeltest.New(modeltest.Say("在"))
		_, stop := startBot(t, f, model, memory.NewMemStore(), nil)
		own := newMessage("1", "bot", "小炉 这是手机上说的")
		own.Own, own.AtMe = true, true
		f.events <- own
		f.events <- own // the echo
		advance(10 * time.Minute)
		assert.Empty(t, model.Prompts())
		f.events <- newMessage("2", "a", "小炉 在吗")
		advance(time.Minute)
		stop()
		require.Len(t, model.Prompts(), 1)
		text := model.Prompts()[0].Human()
		assert.Equal(t, 1, strings.Count(text, "这是手机上说的"))
		assert.Regexp(t, `<msg [^>]*self="true"[^>]*>小炉 这是手机上说的<`, text)
		assert.Equal(t, []string{"在"}, f.sent)
	})
}

func TestCommit_SupersededDuringCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		pay, _ := nit.Define("pay", nit.L1, "x", func(context.Context, struct{}) (string, error) { ran++; return "ok", nil })
		reg := &nit.Registry{}
		require.NoError(t, reg.Add(pay))
		model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			if strings.Contains(p.Text(), "tool_result") {
				return modeltest.Say("好")
			}
			return modeltest.Call("pay", "{}")
		})
		f := fake()
		_, stop := startBot(t, f, model, &slowStore{MemStore: memory.NewMemStore(), delay: 10 * time.Millisecond}, nil, mentionOnly, func(o *social.Options) { o.Tools.Registry = reg })
		f.events <- newMessage("1", "a", "小炉 付钱")
		advance(2*time.Second + 15*time.Millisecond) // the job is being committed
		f.events <- newMessage("2", "a", "快点")
		advance(time.Minute)
		stop()
		assert.Equal(t, 1, ran)
	})
}

func TestCommit_ShutdownDuringCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := fake(), &slowStore{MemStore: memory.NewMemStore(), delay: time.Second, checkCtx: true}
		_, stop := startBot(t, f, numbered(), s, nil)
		f.events <- newMessage("1", "a", "小炉在吗")
		advance(3500 * time.Millisecond) // claimed and being committed
		stop()
		s.delay = 0
		_, stop = startBot(t, f, numbered(), s, nil)
		advance(time.Minute)
		stop()
		assert.Len(t, f.sent, 1)
	})
}

func TestJournal_FailedWriteIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := fake(), &slowStore{MemStore: memory.NewMemStore()}
		_, stop := startBot(t, pastLink{fakeLink: f}, numbered(), s, nil)
		f.events <- newMessage("0", "a", "x")
		synctest.Wait()
		s.failing.Store(true)
		m := newMessage("1", "a", "小炉在吗")
		f.events <- m
		synctest.Wait()
		s.failing.Store(false)
		f.past[group1] = []persona.Message{m}
		f.events <- persona.Connected{}
		advance(time.Minute)
		stop()
		assert.Len(t, f.sent, 1)
	})
}

// A message that waited during a shutdown is handled after the restart, and the limit of consecutive messages still
// holds.
func TestLimits_RestartKeepsConsecutive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			if n++; len(p.ToolResults()) < 3 {
				return modeltest.Call("say", fmt.Sprintf(`{"text":"话%d"}`, n)).After(5 * time.Second)
			}
			return modeltest.Say("[skip]").After(30 * time.Second)
		})
		f, s := &toolLink{fakeLink: fake()}, memory.NewMemStore()
		_, stop := startBot(t, f, model, s, nil)
		f.events <- newMessage("1", "a", "小炉 讲故事")
		advance(3 * time.Second)
		f.events <- newMessage("2", "b", "小炉 也跟我讲") // waits while the model runs and sends
		advance(20 * time.Second)
		require.Len(t, f.sent, 3)
		stop()
		_, stop = startBot(t, f, model, s, nil)
		advance(time.Minute)
		assert.Len(t, f.sent, 3, "3 consecutive messages")
		f.events <- newMessage("3", "b", "小炉？")
		advance(time.Minute)
		stop()
		assert.Len(t, f.sent, 6)
	})
}

// A toolLink provides a tool that sends a message.
type toolLink struct{ *fakeLink }

func (f *toolLink) Features() social.LinkFeatures { return social.LinkFeatures{Tools: f.tools} }

func (f *toolLink) tools(say social.SendFunc) ([]nit.Tool, error) {
	tool, err := nit.Define("say", nit.L1, "说", func(ctx context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return say(ctx, group1, persona.Outgoing{Text: in.Text})
	}, nit.SelfCommitting())
	return []nit.Tool{tool}, err
}

type noEmbedder struct{}

func (noEmbedder) EmbedDocuments(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("down")
}
func (noEmbedder) EmbedQuery(context.Context, string) ([]float32, error) {
	return nil, errors.New("down")
}

func TestEmbedder_Down(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake()
		_, stop := startBot(t, f, numbered(), memory.NewMemStore(), nil, func(o *social.Options) {
			o.Storage.Indexes, o.Storage.Embedder, o.Storage.EmbedderID = []memory.Index{chromem.New()}, noEmbedder{}, "e"
		})
		f.events <- newMessage("1", "a", "小炉在吗")
		advance(time.Minute)
		stop()
		assert.Len(t, f.sent, 1)
	})
}

func TestCursor_FollowsJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, model := fake(), memory.NewMemStore(), numbered()
		_, stop := startBot(t, pastLink{fakeLink: f}, model, store, nil)
		missed := newMessage("5", "a", "小炉 漏掉的问题")
		advance(10 * time.Second)
		f.events <- newMessage("9", "b", "小炉 活的")
		advance(5 * time.Second)
		f.past[group1] = []persona.Message{missed}
		f.events <- persona.MessagesLost{Chat: group1, Count: 1}
		advance(10 * time.Second)
		require.Len(t, f.sent, 2)
		stop()
		_, stop = startBot(t, f, model, store, nil)
		f.events <- newMessage("10", "b", "哈哈")
		advance(time.Minute)
		stop()
		assert.Len(t, f.sent, 2, "answered once")
	})
}

func TestRetract_BeforeBackfill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		_, stop := startBot(t, pastLink{fakeLink: f}, numbered(), store, nil)
		f.past[group1] = []persona.Message{newMessage("7", "a", "小炉 秘密四十二"), newMessage("8", "b", "今天好冷")}
		f.slow = time.Second
		f.events <- persona.MessagesLost{Chat: group1, Count: 1}
		synctest.Wait()
		f.events <- persona.Retracted{Chat: group1, MessageID: "7"}
		advance(time.Minute)
		stop()
		assert.Equal(t, []string{"今天好冷"}, stored(t, store), "the other message is stored")
	})
}

func TestBackfill_ManyChats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		f.slow = time.Second
		_, stop := startBot(t, pastLink{fakeLink: f}, numbered(), store, nil)
		for i := range 200 {
			c := persona.Chat{Platform: "x", Kind: persona.Group, ID: fmt.Sprint(1000 + i)}
			f.mu.Lock()
			f.past[c] = []persona.Message{{ID: "1", Chat: c, From: "a", At: time.Now(), Text: "missed"}}
			f.mu.Unlock()
			f.events <- persona.MessagesLost{Chat: c, Count: 1}
		}
		advance(time.Hour)
		stop()
		spaces, err := store.Spaces(t.Context())
		require.NoError(t, err)
		assert.Len(t, spaces, 200)
	})
}

func TestOwnMessages_InHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), modeltest.New(modeltest.Say("第一答").After(10*time.Second), modeltest.Say("第二答"))
		_, stop := startBot(t, f, model, memory.NewMemStore(), nil)
		f.events <- newMessage("1", "a", "小炉 Q1")
		advance(5 * time.Second)
		f.events <- newMessage("2", "b", "闲聊") // while the model runs
		advance(8 * time.Second)
		f.events <- newMessage("3", "b", "小炉 Q2")
		advance(time.Minute)
		stop()
		history, _, _ := strings.Cut(model.Prompts()[1].Human(), "</social_context>")
		assert.Contains(t, history, "第一答")
	})
}

// A gap larger than the fetched history is logged, even if other chats receive messages meanwhile.
func TestBackfill_LogsLargeGap(t *testing.T) {
	for _, reaches := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := fake()
			var log bytes.Buffer
			_, stop := startBot(t, pastLink{fakeLink: f}, numbered(), memory.NewMemStore(), nil, func(o *social.Options) {
				o.Hooks.Logger = slog.New(slog.NewTextHandler(&log, nil))
			})
			first := newMessage("0", "a", "x")
			f.events <- first
			advance(time.Second)
			var past []persona.Message
			if reaches {
				past = append(past, first)
			}
			for i := range 100 {
				past = append(past, newMessage(fmt.Sprint(i+1), "a", "y"))
			}
			f.past[group1] = past
			f.events <- persona.Connected{}
			advance(time.Minute)
			stop()
			assert.Equal(t, !reaches, strings.Contains(log.String(), "a gap is larger"))
		})
	}
}
