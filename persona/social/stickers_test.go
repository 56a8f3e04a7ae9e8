package social_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gallery is a directory of stickers of these names. What a file holds is its name, behind what makes it a PNG.
func gallery(t *testing.T, names ...string) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("\x89PNG\r\n\x1a\n"+name), 0o600))
		at := time.Date(2000, 1, 1, 0, 0, i, 0, time.UTC)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// stickersIn are those of a directory. The errors are for bad options only.
func stickersIn(root *os.Root, state speech.State) *speech.StickerPicker {
	dir, _ := speech.NewStickerDir(root, speech.StickerDirOptions{})
	stickers, _ := speech.NewStickerPicker(dir, speech.StickerOptions{State: state, Seed: 1})
	return stickers
}

// stuck has stickers, and every reply that may be followed by one is.
func stuck(root *os.Root, also ...func(*social.Options)) func(*social.Options) {
	return func(o *social.Options) {
		o.Reply.Speech = &social.Speech{
			Stickers:      stickersIn(root, o.Storage.Store),
			StickerChance: 1,
		}
		for _, f := range also {
			f(o)
		}
	}
}

// shown is what the bot said in a chat: its texts, and the names of its stickers in brackets.
func (b *bubble) shown(chat onebottest.Chat) (all []string) {
	b.Helper()
	for _, s := range b.qq.Sent() {
		if s.Chat != chat {
			continue
		}
		for _, seg := range s.Message {
			if seg.Type != "image" {
				all = append(all, s.Message.Text())
				break
			}
			data, ok := strings.CutPrefix(seg.Param("file"), "base64://")
			require.True(b, ok)
			picture, err := base64.StdEncoding.DecodeString(data)
			require.NoError(b, err)
			all = append(all, "["+strings.TrimPrefix(string(picture), "\x89PNG\r\n\x1a\n")+"]")
		}
	}
	return all
}

// A reply is followed by a sticker for what its plan feels like, the least used first, also over a restart.
func TestStickerBehindTheWords(t *testing.T) {
	root := gallery(t, "开心,大笑.png", "开心_2.png", "无语.png")
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人叫我", "emoji_query": "开心", "at_user": "1001"}`}
	change := stuck(root, inThree)
	inBubble(t, p.model(), change, func(b *bubble) {
		for range 2 {
			b.group.Say(alice, at(bot, "在吗"))
			b.pass(time.Minute)
			b.stop()
			b.start(change)
		}
		shown := b.shown(b.group.Chat())
		require.Len(t, shown, 4)
		assert.Equal(t, []string{"@1001 在的", "@1001 在的"}, []string{shown[0], shown[2]})
		assert.ElementsMatch(t, []string{"[开心,大笑.png]", "[开心_2.png]"}, []string{shown[1], shown[3]})
		assert.Len(t, b.decided(heartflow.KindSpeak), 2, "text and sticker count as one")
		assert.Contains(t, p.read("决定"), "emoji_reply")
		assert.Contains(t, b.journal(techSpace), "[图片]")
		gap := b.qq.Sent()[1].At.Sub(b.qq.Sent()[0].At)
		assert.Equal(t, time.Second, gap.Round(100*time.Millisecond), "a sticker takes a second to find")

		p.decide(`{"action": "text_reply", "emoji_query": "愤怒"}`)
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Len(t, b.shown(b.group.Chat()), 5, "none is like that: text only")
	})
}

// Without a plan there is a sticker by chance, for what the words feel like.
func TestStickerByChance(t *testing.T) {
	for _, chance := range []float64{1, -1} {
		root := gallery(t, "哈哈.png", "无语.png")
		inBubble(t, modeltest.Always(modeltest.Say("哈哈哈")), stuck(root, func(o *social.Options) { o.Reply.Speech.StickerChance = chance }), func(b *bubble) {
			b.group.Say(alice, at(bot, "好笑吗"))
			b.pass(time.Minute)
			want := []string{"哈哈哈"}
			if chance > 0 {
				want = append(want, "[哈哈.png]")
			}
			assert.Equal(t, want, b.shown(b.group.Chat()))
		})
	}
	root, followed := gallery(t, "哈哈.png"), 0
	inBubble(t, modeltest.Always(modeltest.Say("哈哈哈")), stuck(root, func(o *social.Options) { o.Reply.Speech.StickerChance = 0 }), func(b *bubble) {
		for range 40 {
			b.group.Say(alice, at(bot, "好笑吗"))
			b.pass(2 * time.Minute)
		}
		for _, said := range b.shown(b.group.Chat()) {
			if strings.HasPrefix(said, "[") {
				followed++
			}
		}
	})
	assert.InDelta(t, 8, followed, 6, "a fifth of 40, with this seed")
}

// In focus a plan may choose a sticker alone. It is an emoji_reply of the cycle: the time that silence has waited begins
// anew, and how often it was silent does not.
func TestEmojiReply(t *testing.T) {
	no, emoji := `{"action": "no_reply"}`, `{"action": "emoji_reply", "emoji_query": "开心"}`
	for name, c := range map[string]struct {
		plans []string
		asked int // plans until the focus is over
		shown []string
	}{
		"three silences end it":            {[]string{no, no, no}, 3, nil},
		"a sticker makes it wait for more": {[]string{no, no, emoji, no, no, no}, 5, []string{"[开心.png]"}},
		"what there is not is a silence":   {[]string{no, no, `{"action": "emoji_reply", "emoji_query": "愤怒"}`, no}, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			plans, n := c.plans, 0
			model := modeltest.Func(answering(func(p modeltest.Prompt) string {
				if !strings.Contains(p.Human(), "## 现在：决定\n") {
					return "想想"
				}
				plan := plans[min(n, len(plans)-1)]
				n++
				return plan
			}))
			inBubble(t, model, stuck(gallery(t, "开心.png"), withHFC(inThree)), func(b *bubble) {
				friend := b.qq.Friend(alice, "张三")
				friend.Say(say("在吗"))
				b.pass(time.Hour)
				assert.Equal(t, c.asked, n)
				assert.Equal(t, c.shown, b.shown(friend.Chat()))
			})
		})
	}
}

// TestSticker_OfAPlanIsDrawnOnce: in focus the cycle draws whether a reply keeps the sticker of its plan. StickerChance is for others.
func TestSticker_OfAPlanIsDrawnOnce(t *testing.T) {
	for kept, want := range map[float64][]string{1: {"在的", "[开心.png]"}, -1: {"在的"}} {
		p := &planner{plan: `{"action": "text_reply", "emoji_query": "开心"}`}
		inBubble(t, p.model(), stuck(gallery(t, "开心.png"), withHFC(inThree), func(o *social.Options) {
			o.When.HFC.Cycle.StickerChance, o.Reply.Speech.StickerChance = kept, -kept
		}), func(b *bubble) {
			friend := b.qq.Friend(alice, "张三")
			friend.Say(say("在吗"))
			for len(p.asked()) < 3 {
				b.pass(100 * time.Millisecond)
			}
			p.decide(`{"action": "exit_focus_mode"}`)
			b.pass(time.Minute)
			assert.Equal(t, want, b.shown(friend.Chat()))
		})
	}
}

// Without pictures on disk emoji_reply is not offered; a directory that is filled later is looked at.
func TestNoStickersYet(t *testing.T) {
	root := gallery(t)
	p := &planner{plan: `{"action": "emoji_reply", "emoji_query": "开心"}`}
	inBubble(t, p.model(), stuck(root, inThree), func(b *bubble) {
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.NotContains(t, p.read("决定"), "emoji_reply")
		assert.Empty(t, b.shown(b.group.Chat()))
		f, err := root.Create("开心.png")
		require.NoError(t, err)
		_, err = f.WriteString("\x89PNG\r\n\x1a\n开心.png")
		require.NoError(t, err)
		require.NoError(t, f.Close())
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Equal(t, []string{"[开心.png]"}, b.shown(b.group.Chat()))
		assert.Len(t, b.errand("batch/").Outbox, 1)
	})
}

// A picture that cannot be had leaves the words as they are.
func TestBrokenGallery(t *testing.T) {
	inBubble(t, modeltest.Always(modeltest.Say("哈哈哈")), func(o *social.Options) {
		stickers, _ := speech.NewStickerPicker(brokenGallery{}, speech.StickerOptions{})
		o.Reply.Speech = &social.Speech{Stickers: stickers, StickerChance: 1}
	}, func(b *bubble) {
		b.group.Say(alice, at(bot, "好笑吗"))
		b.pass(time.Minute)
		assert.Equal(t, []string{"哈哈哈"}, b.shown(b.group.Chat()))
		assert.Equal(t, "spoke", b.errand("batch/").Outcome)
	})
}

type brokenGallery struct{}

func (brokenGallery) Stickers(context.Context) ([]speech.Sticker, error) {
	return []speech.Sticker{{ID: "1", Tags: []string{"哈哈哈"}}}, nil
}

func (brokenGallery) Picture(context.Context, string) ([]byte, error) { return nil, os.ErrNotExist }
