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

var room1 = persona.Chat{Platform: "x", Kind: persona.Group, ID: "1"}

func TestSupersedingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), modeltest.Always(modeltest.Say("答").After(10*time.Second))
		_, stop := liveOn(t, f, model, memory.NewMemStore(), nil)
		f.in <- heard("0", "a", "小炉 问")
		after(3 * time.Second)
		for i := range 40 {
			f.in <- heard(fmt.Sprint(i+1), "a", "还有")
			after(5 * time.Second)
		}
		after(2 * time.Minute)
		stop()
		assert.NotEmpty(t, f.said, "the call is answered")
		assert.LessOrEqual(t, len(model.Prompts()), 6)
	})
}

func TestRestartHearsOnce(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprint("kill=", kill), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s, model := fake(), &state{MemStore: memory.NewMemStore()}, counted()
				_, stop := liveOn(t, f, model, s, nil)
				f.in <- heard("1", "a", "小炉 问题")
				f.in <- heard("2", "a", "嗯")
				after(time.Second)
				if kill {
					after(3 * time.Second) // answered; the attention row is of the moment of the call
					s.dead.Store(true)
				}
				stop()
				s.dead.Store(false)
				_, stop = liveOn(t, f, model, s, nil)
				after(10 * time.Second)
				f.in <- heard("3", "b", "今天好冷")
				after(time.Minute)
				stop()
				assert.Len(t, f.said, 1, "one call, one answer")
			})
		})
	}
}

func TestUnclearIsToldOrSettled(t *testing.T) {
	unclear := func(context.Context) error { return social.ErrUnclear }
	run := func(name string, link func(*fakeLink) social.Link, say func(context.Context) error, restart bool) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, store, told := fake(), memory.NewMemStore(), []string{}
				f.say = say
				l := link(f)
				_, stop := liveOn(t, l, counted(), store, &told)
				f.in <- heard("1", "a", "小炉 问题")
				after(5 * time.Second)
				if restart {
					stop()
					f.pastErr = nil
					_, stop = liveOn(t, l, counted(), store, &told)
				}
				f.in <- persona.Connected{}
				after(time.Minute)
				stop()
				assert.NotEmpty(t, told)
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

func TestSettledByItsOwnMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, told := fake(), []string{}
		_, stop := liveOn(t, pastLink{fakeLink: f}, modeltest.Always(modeltest.Say("好的")), memory.NewMemStore(), &told)
		f.in <- heard("1", "a", "小炉 一")
		after(10 * time.Second)
		f.past[room1] = []persona.Message{{ID: "old", Chat: room1, Own: true, Text: "好的", At: time.Now()}}
		f.say = func(context.Context) error { return social.ErrUnclear }
		f.in <- heard("2", "a", "小炉 二")
		after(time.Minute)
		stop()
		assert.NotEmpty(t, told, "an equal text of before is not this one")
	})
}

// TestOwnWordsFromElsewhere: what the account says by another device wakes nothing, and is history once, marked as its own.
func TestOwnWordsFromElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), modeltest.New(modeltest.Say("在"))
		_, stop := liveOn(t, f, model, memory.NewMemStore(), nil)
		own := heard("1", "bot", "小炉 这是手机上说的")
		own.Own, own.AtMe = true, true
		f.in <- own
		f.in <- own // the echo
		after(10 * time.Minute)
		assert.Empty(t, model.Prompts())
		f.in <- heard("2", "a", "小炉 在吗")
		after(time.Minute)
		stop()
		require.Len(t, model.Prompts(), 1)
		text := model.Prompts()[0].Human()
		assert.Equal(t, 1, strings.Count(text, "这是手机上说的"))
		assert.Regexp(t, `<msg [^>]*self="true"[^>]*>小炉 这是手机上说的<`, text)
		assert.Equal(t, []string{"在"}, f.said)
	})
}

func TestEffectOnceWhenSupersededInCommit(t *testing.T) {
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
		_, stop := liveOn(t, f, model, &state{MemStore: memory.NewMemStore(), slow: 10 * time.Millisecond}, nil, func(o *social.Options) { o.Tools.Registry = reg })
		f.in <- heard("1", "a", "小炉 付钱")
		after(2*time.Second + 15*time.Millisecond) // the errand is being committed
		f.in <- heard("2", "a", "快点")
		after(time.Minute)
		stop()
		assert.Equal(t, 1, ran)
	})
}

func TestStopInCommitRunsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := fake(), &state{MemStore: memory.NewMemStore(), slow: time.Second, obey: true}
		_, stop := liveOn(t, f, counted(), s, nil)
		f.in <- heard("1", "a", "小炉在吗")
		after(3500 * time.Millisecond) // taken; being committed
		stop()
		s.slow = 0
		_, stop = liveOn(t, f, counted(), s, nil)
		after(time.Minute)
		stop()
		assert.Len(t, f.said, 1)
	})
}

func TestNotKeptIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := fake(), &state{MemStore: memory.NewMemStore()}
		_, stop := liveOn(t, pastLink{fakeLink: f}, counted(), s, nil)
		f.in <- heard("0", "a", "x")
		synctest.Wait()
		s.dead.Store(true)
		m := heard("1", "a", "小炉在吗")
		f.in <- m
		synctest.Wait()
		s.dead.Store(false)
		f.past[room1] = []persona.Message{m}
		f.in <- persona.Connected{}
		after(time.Minute)
		stop()
		assert.Len(t, f.said, 1)
	})
}

// What waited at a stop is heard anew, and does not let the bot say more in a row than without the stop.
func TestRestartResetsNoCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
			if n++; len(p.ToolResults()) < 3 {
				return modeltest.Call("say", fmt.Sprintf(`{"text":"话%d"}`, n)).After(5 * time.Second)
			}
			return modeltest.Say("[skip]").After(30 * time.Second)
		})
		f, s := &toolLink{fakeLink: fake()}, memory.NewMemStore()
		_, stop := liveOn(t, f, model, s, nil)
		f.in <- heard("1", "a", "小炉 讲故事")
		after(3 * time.Second)
		f.in <- heard("2", "b", "小炉 也跟我讲") // waits while it thinks and tells
		after(20 * time.Second)
		require.Len(t, f.said, 3)
		stop()
		_, stop = liveOn(t, f, model, s, nil)
		after(time.Minute)
		assert.Len(t, f.said, 3, "3 in a row")
		f.in <- heard("3", "b", "小炉？")
		after(time.Minute)
		stop()
		assert.Len(t, f.said, 6)
	})
}

// A toolLink brings a tool that says something.
type toolLink struct{ *fakeLink }

func (f *toolLink) Features() social.LinkFeatures { return social.LinkFeatures{Tools: f.tools} }

func (f *toolLink) tools(say social.SendFunc) ([]nit.Tool, error) {
	tool, err := nit.Define("say", nit.L1, "说", func(ctx context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return say(ctx, room1, persona.Outgoing{Text: in.Text})
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

func TestEmbedderDownIsNotDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake()
		_, stop := liveOn(t, f, counted(), memory.NewMemStore(), nil, func(o *social.Options) {
			o.Storage.Indexes, o.Storage.Embedder, o.Storage.EmbedderID = []memory.Index{chromem.New()}, noEmbedder{}, "e"
		})
		f.in <- heard("1", "a", "小炉在吗")
		after(time.Minute)
		stop()
		assert.Len(t, f.said, 1)
	})
}

func TestCursorFollowsTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, model := fake(), memory.NewMemStore(), counted()
		_, stop := liveOn(t, pastLink{fakeLink: f}, model, store, nil)
		missed := heard("5", "a", "小炉 漏掉的问题")
		after(10 * time.Second)
		f.in <- heard("9", "b", "小炉 活的")
		after(5 * time.Second)
		f.past[room1] = []persona.Message{missed}
		f.in <- persona.MessagesLost{Chat: room1, Count: 1}
		after(10 * time.Second)
		require.Len(t, f.said, 2)
		stop()
		_, stop = liveOn(t, f, model, store, nil)
		f.in <- heard("10", "b", "哈哈")
		after(time.Minute)
		stop()
		assert.Len(t, f.said, 2, "what was answered is not answered again")
	})
}

func TestRecallBeatsBackfill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		_, stop := liveOn(t, pastLink{fakeLink: f}, counted(), store, nil)
		f.past[room1] = []persona.Message{heard("7", "a", "小炉 秘密四十二"), heard("8", "b", "今天好冷")}
		f.slow = time.Second
		f.in <- persona.MessagesLost{Chat: room1, Count: 1}
		synctest.Wait()
		f.in <- persona.Retracted{Chat: room1, MessageID: "7"}
		after(time.Minute)
		stop()
		assert.Equal(t, []string{"今天好冷"}, kept(t, store), "what was not taken back is there")
	})
}

func TestManyGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store := fake(), memory.NewMemStore()
		f.slow = time.Second
		_, stop := liveOn(t, pastLink{fakeLink: f}, counted(), store, nil)
		for i := range 200 {
			c := persona.Chat{Platform: "x", Kind: persona.Group, ID: fmt.Sprint(1000 + i)}
			f.mu.Lock()
			f.past[c] = []persona.Message{{ID: "1", Chat: c, From: "a", At: time.Now(), Text: "missed"}}
			f.mu.Unlock()
			f.in <- persona.MessagesLost{Chat: c, Count: 1}
		}
		after(time.Hour)
		stop()
		spaces, err := store.Spaces(t.Context())
		require.NoError(t, err)
		assert.Len(t, spaces, 200)
	})
}

func TestOwnWordsAreInTheHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, model := fake(), modeltest.New(modeltest.Say("第一答").After(10*time.Second), modeltest.Say("第二答"))
		_, stop := liveOn(t, f, model, memory.NewMemStore(), nil)
		f.in <- heard("1", "a", "小炉 Q1")
		after(5 * time.Second)
		f.in <- heard("2", "b", "闲聊") // while it thinks
		after(8 * time.Second)
		f.in <- heard("3", "b", "小炉 Q2")
		after(time.Minute)
		stop()
		history, _, _ := strings.Cut(model.Prompts()[1].Human(), "</social_context>")
		assert.Contains(t, history, "第一答")
	})
}

// A gap that reaches further back than what is fetched is told to the log, whatever other chats hear meanwhile.
func TestLargeGapIsLogged(t *testing.T) {
	for _, reaches := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := fake()
			var log bytes.Buffer
			_, stop := liveOn(t, pastLink{fakeLink: f}, counted(), memory.NewMemStore(), nil, func(o *social.Options) {
				o.Hooks.Logger = slog.New(slog.NewTextHandler(&log, nil))
			})
			first := heard("0", "a", "x")
			f.in <- first
			after(time.Second)
			var past []persona.Message
			if reaches {
				past = append(past, first)
			}
			for i := range 100 {
				past = append(past, heard(fmt.Sprint(i+1), "a", "y"))
			}
			f.past[room1] = past
			f.in <- persona.Connected{}
			after(time.Minute)
			stop()
			assert.Equal(t, !reaches, strings.Contains(log.String(), "a gap is larger"))
		})
	}
}
