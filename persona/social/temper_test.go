package social_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var moodOf = regexp.MustCompile(`<mood[^>]*>([^<]*)</mood>`)

// TestMoodOfAChat: what it felt at what was said puts it in a mood, in that chat and no other; policies heed it, turns see
// it, time takes it away, and so does forgetting whoever it is from.
func TestMoodOfAChat(t *testing.T) {
	for feeling, want := range map[string]struct {
		text string
		good bool
	}{"happy": {"快活", true}, "angry": {"焦虑", false}} {
		p := ponders(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "` + feeling + `"}]}`})
		var moods []float64
		inBubble(t, p.model(), func(o *social.Options) {
			layered(onlyPeople)(o)
			o.When.Attention.Policy = moody{tell: func(m float64) { moods = append(moods, m) }}
		}, func(b *bubble) {
			shown := func() string {
				all := p.read("说")
				require.NotEmpty(t, all)
				if m := moodOf.FindStringSubmatch(all[len(all)-1]); m != nil {
					return m[1]
				}
				return ""
			}
			ask := func(text string) {
				b.group.Say(alice, at(bot, text))
				b.pass(time.Minute)
			}
			ask("在吗")
			assert.Empty(t, shown())
			assert.Zero(t, moods[len(moods)-1])
			ask("你真是的")
			assert.Equal(t, want.text, shown())
			last := moods[len(moods)-1]
			assert.Equal(t, want.good, last > 0)
			assert.NotZero(t, last)

			friend := b.qq.Friend(2001, "小满")
			friend.Say(say("在吗"))
			b.pass(time.Minute)
			assert.Empty(t, shown(), "another chat")
			assert.Zero(t, moods[len(moods)-1])

			b.pass(3 * time.Hour)
			ask("还在吗")
			assert.Empty(t, shown(), "it has passed")
			assert.InDelta(t, 0, moods[len(moods)-1], .01)

			ask("你真是的")
			require.NotEmpty(t, shown())
			_, err := b.being.ErasePerson(b.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
			require.NoError(t, err)
			b.pass(time.Minute)
			b.group.Say(bob, at(bot, "刚才谁在"))
			b.pass(time.Minute)
			assert.Empty(t, shown())
			assert.Zero(t, moods[len(moods)-1])
		})
	}
}

// TestAMoodOutlivesARestart, and is forgotten with the chat.
func TestAMoodOutlivesARestart(t *testing.T) {
	p := ponders(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "happy"}]}`})
	inBubble(t, p.model(), layered(onlyPeople), func(b *bubble) {
		ask := func() string {
			b.group.Say(alice, at(bot, "在吗"))
			b.pass(time.Minute)
			return p.last("说")
		}
		ask()
		b.stop()
		b.start(layered(onlyPeople))
		b.pass(time.Minute)
		assert.Regexp(t, moodOf, ask())
		_, err := b.being.EraseChat(b.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		rows, err := b.store.Load(b.Context(), "mood/")
		require.NoError(t, err)
		assert.Empty(t, rows)
	})
}

// A moody policy speaks when it is called, and tells of the mood.
type moody struct{ tell func(mood float64) }

func (m moody) Judge(now *heartflow.PolicyInput) heartflow.Verdict {
	m.tell(now.Mood)
	return heartflow.MentionOnly{}.Judge(now)
}

// TestExcitedItTypesFaster: the mood of the chat is in its pace.
func TestExcitedItTypesFaster(t *testing.T) {
	p := ponders(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "surprised"}]}`})
	inBubble(t, p.model(), func(o *social.Options) {
		layered(onlyPeople)(o)
		o.Reply.Speech = &social.Speech{}
	}, func(b *bubble) {
		took := func() time.Duration {
			began := time.Now()
			b.group.Say(alice, at(bot, "在吗"))
			b.pass(time.Minute)
			sent := b.qq.Sent()
			return sent[len(sent)-1].At.Sub(began)
		}
		calm, excited := took(), took()
		assert.Less(t, excited, calm)
		b.pass(3 * time.Hour)
		assert.InDelta(t, float64(calm), float64(took()), float64(5*time.Millisecond))
	})
}

// TestNoMoodOfWhatIsGone: what was taken back while it thought of it leaves no mood.
func TestNoMoodOfWhatIsGone(t *testing.T) {
	p := ponders(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "angry"}]}`})
	p.slow = 20 * time.Second
	inBubble(t, p.model(), layered(onlyPeople), func(b *bubble) {
		gone := b.group.Say(alice, at(bot, "笨蛋"))
		for len(p.read("看人")) == 0 {
			b.pass(time.Second)
		}
		b.qq.Recall(gone)
		b.pass(time.Minute)
		asked := len(p.read("说"))
		b.group.Say(alice, at(bot, "没什么"))
		b.pass(10 * time.Second)
		require.Greater(t, len(p.read("说")), asked)
		assert.NotRegexp(t, moodOf, p.last("说"))
	})
}
