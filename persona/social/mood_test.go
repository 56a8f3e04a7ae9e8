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

// The bot's feelings about messages change its mood in that chat only. Policies use it, turns see it, and it ends with
// time or when its cause is erased.
func TestMood_OfChat(t *testing.T) {
	for feeling, want := range map[string]struct {
		text string
		good bool
	}{"happy": {"快活", true}, "angry": {"焦虑", false}} {
		p := newTaskModel(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "` + feeling + `"}]}`})
		var moods []float64
		withFixture(t, p.model(), func(o *social.Options) {
			withDigest(onlyPeople)(o)
			o.When.Attention.Policy = moodPolicy{report: func(m float64) { moods = append(moods, m) }}
		}, func(f *fixture) {
			shown := func() string {
				all := p.read("说")
				require.NotEmpty(t, all)
				if m := moodOf.FindStringSubmatch(all[len(all)-1]); m != nil {
					return m[1]
				}
				return ""
			}
			ask := func(text string) {
				f.group.Say(alice, at(botID, text))
				f.advance(time.Minute)
			}
			ask("在吗")
			assert.Empty(t, shown())
			assert.Zero(t, moods[len(moods)-1])
			ask("你真是的")
			assert.Equal(t, want.text, shown())
			last := moods[len(moods)-1]
			assert.Equal(t, want.good, last > 0)
			assert.NotZero(t, last)

			friend := f.qq.Friend(2001, "小满")
			friend.Say(say("在吗"))
			f.advance(time.Minute)
			assert.Empty(t, shown(), "another chat")
			assert.Zero(t, moods[len(moods)-1])

			f.advance(3 * time.Hour)
			ask("还在吗")
			assert.Empty(t, shown(), "the mood has decayed")
			assert.InDelta(t, 0, moods[len(moods)-1], .01)

			ask("你真是的")
			require.NotEmpty(t, shown())
			_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
			require.NoError(t, err)
			f.advance(time.Minute)
			f.group.Say(bob, at(botID, "刚才谁在"))
			f.advance(time.Minute)
			assert.Empty(t, shown())
			assert.Zero(t, moods[len(moods)-1])
		})
	}
}

// A mood survives a restart and is erased with the chat.
func TestMood_SurvivesRestart(t *testing.T) {
	p := newTaskModel(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "happy"}]}`})
	withFixture(t, p.model(), withDigest(onlyPeople), func(f *fixture) {
		ask := func() string {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			return p.last("说")
		}
		ask()
		f.stop()
		f.start(withDigest(onlyPeople))
		f.advance(time.Minute)
		assert.Regexp(t, moodOf, ask())
		_, err := f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, nil)
		require.NoError(t, err)
		rows, err := f.store.Load(f.Context(), "mood/")
		require.NoError(t, err)
		assert.Empty(t, rows)
	})
}

// A moodPolicy always speaks and reports the mood.
type moodPolicy struct{ report func(mood float64) }

func (m moodPolicy) Judge(now *heartflow.PolicyInput) heartflow.Verdict {
	m.report(now.Mood)
	return heartflow.MentionOnly{}.Judge(now)
}

// The chat's mood changes the typing speed.
func TestMood_ChangesTypingSpeed(t *testing.T) {
	p := newTaskModel(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "surprised"}]}`})
	withFixture(t, p.model(), func(o *social.Options) {
		withDigest(onlyPeople)(o)
		o.Reply.Speech = &social.Speech{}
	}, func(f *fixture) {
		took := func() time.Duration {
			began := time.Now()
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			sent := f.qq.Sent()
			return sent[len(sent)-1].At.Sub(began)
		}
		calm, excited := took(), took()
		assert.Less(t, excited, calm)
		f.advance(3 * time.Hour)
		assert.InDelta(t, float64(calm), float64(took()), float64(5*time.Millisecond))
	})
}

// Messages retracted during the model call leave no mood.
func TestMood_RetractedMessage(t *testing.T) {
	p := newTaskModel(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "angry"}]}`})
	p.delay = 20 * time.Second
	withFixture(t, p.model(), withDigest(onlyPeople), func(f *fixture) {
		gone := f.group.Say(alice, at(botID, "笨蛋"))
		for len(p.read("看人")) == 0 {
			f.advance(time.Second)
		}
		f.qq.Recall(gone)
		f.advance(time.Minute)
		asked := len(p.read("说"))
		f.group.Say(alice, at(botID, "没什么"))
		f.advance(10 * time.Second)
		require.Greater(t, len(p.read("说")), asked)
		assert.NotRegexp(t, moodOf, p.last("说"))
	})
}
