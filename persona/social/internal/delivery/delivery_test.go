package delivery

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
)

var group = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

// A platform is a link that records sent messages. It refuses messages with the text of refuse.
type platform struct {
	sent   []persona.Outgoing
	at     []time.Time
	refuse string
	typed  time.Duration
}

var errRefused = errors.New("refused")

func (p *platform) Run(ctx context.Context, _ func(context.Context, persona.Event)) error {
	<-ctx.Done()
	return nil
}

func (p *platform) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	if p.refuse != "" && out.Text == p.refuse {
		return "", errRefused
	}
	p.sent, p.at = append(p.sent, out), append(p.at, time.Now())
	return "", nil
}

func (p *platform) texts() (texts []string) {
	for _, out := range p.sent {
		texts = append(texts, out.Text+out.Image)
	}
	return texts
}

func (p *platform) typing(ctx context.Context, _ persona.Chat) error {
	began := time.Now()
	<-ctx.Done()
	p.typed += time.Since(began)
	return nil
}

// withDelivery runs a test with a Delivery in a synctest bubble.
func withDelivery(t *testing.T, p *platform, o Options, test func(t *testing.T, d *Delivery)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e, err := engine.New(engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: p, Attention: heartflow.Options{Seed: 1},
			Features: engine.Features{
				Typing:      p.typing,
				EncodeImage: func(picture []byte) (string, error) { return string(picture), nil },
			},
		})
		require.NoError(t, err)
		d := New(e, o)
		e.Delivery = d
		test(t, d)
	})
}

// turn runs a turn that calls deliver.
func (d *Delivery) turn(t *testing.T, deliver func(ctx context.Context, u *engine.Utterance) error) (said int, err error) {
	t.Helper()
	c, err := d.engine.Chat(t.Context(), group)
	require.NoError(t, err)
	now := time.Now()
	j := &engine.Job{Job: jobs.Job{ID: "batch/1", Kind: "batch", Chat: group, At: now, ExpiresAt: now.Add(time.Minute)}, Chat: c, OwnerOrder: true}
	j.Ask = func(context.Context, *engine.Turn) (engine.Answer, error) { return engine.Answer{}, nil }
	j.Deliver = func(ctx context.Context, turn *engine.Turn, _ *engine.Answer, _ error) (string, error) {
		u := &engine.Utterance{Turn: turn, Chat: group}
		err := deliver(ctx, u)
		said = u.SentCount
		return "", err
	}
	r, err := d.engine.Do(t.Context(), j)
	return said, errors.Join(r.Err, err)
}

// answer sends an answer in a turn.
func (d *Delivery) answer(t *testing.T, w engine.Answer) (said int, err error) {
	t.Helper()
	return d.turn(t, func(ctx context.Context, u *engine.Utterance) error {
		u.Answer = w
		return d.engine.Delivery.Deliver(ctx, u, 0)
	})
}

func text(s string) engine.Answer { return engine.Answer{Outgoing: persona.Outgoing{Text: s}} }

const items = "<item>早</item><item>[skip]</item><item>吃了吗</item>"

// slowTyping takes two seconds a part.
var slowTyping = Options{Speech: Speech{Pace: speech.Pace{Min: 2 * time.Second, Max: 2 * time.Second}}}

func TestDelivery_TypesEachPart(t *testing.T) {
	p := &platform{}
	withDelivery(t, p, slowTyping, func(t *testing.T, d *Delivery) {
		began := time.Now()
		w := text(items)
		w.Mentions = []string{"1001"}
		said, err := d.answer(t, w)
		require.NoError(t, err)
		assert.Equal(t, 2, said)
		assert.Equal(t, []persona.Outgoing{{Text: "早", Mentions: []string{"1001"}}, {Text: "吃了吗"}}, p.sent)
		assert.Equal(t, []time.Time{began.Add(2 * time.Second), began.Add(4 * time.Second)}, p.at)
		assert.Equal(t, 4*time.Second, p.typed, "the typing indicator was shown")
	})
}

func TestDelivery_SplitsBySeed(t *testing.T) {
	const long = "今天的雨下得真是大啊！你出门的时候记得带伞！路上小心一点慢慢地走呀！到了告诉我一声好不好呀！"
	var runs [2][]string
	for i := range runs {
		p := &platform{}
		withDelivery(t, p, Options{Speech: Speech{Split: speech.SplitOptions{SplitChance: .5}}}, func(t *testing.T, d *Delivery) {
			_, err := d.answer(t, text(long))
			require.NoError(t, err)
		})
		runs[i] = p.texts()
	}
	assert.Equal(t, runs[0], runs[1])
	assert.Greater(t, len(runs[0]), 1)
	assert.Equal(t, long, strings.Join(runs[0], ""))
}

func TestDelivery_LimitsParts(t *testing.T) {
	p := &platform{}
	withDelivery(t, p, Options{}, func(t *testing.T, d *Delivery) {
		said, err := d.answer(t, text(strings.Repeat("<item>嗯</item>", maxParts+2)))
		require.NoError(t, err)
		assert.Equal(t, maxParts, said)
		assert.Equal(t, "嗯\n嗯\n嗯", p.texts()[maxParts-1])
	})
}

func TestDelivery_LogsUnsentRest(t *testing.T) {
	for refuse, said := range map[string]int{"吃了吗": 1, "早": 0} {
		p := &platform{refuse: refuse}
		withDelivery(t, p, Options{}, func(t *testing.T, d *Delivery) {
			got, err := d.answer(t, text(items))
			assert.ErrorIs(t, err, errRefused)
			assert.Equal(t, said, got)
			assert.EqualValues(t, said, d.Cuts(), "a reply without a sent part is not counted")
		})
	}
}

func TestDelivery_ArousalSpeedsUpTyping(t *testing.T) {
	took := func(arousal float64) (d time.Duration) {
		withDelivery(t, &platform{}, Options{Arousal: func(time.Time, *engine.Chat) float64 { return arousal }}, func(t *testing.T, delivery *Delivery) {
			began := time.Now()
			_, err := delivery.answer(t, text("今天好吗"))
			require.NoError(t, err)
			d = time.Since(began)
		})
		return d
	}
	assert.Greater(t, took(-1), took(0))
	assert.Greater(t, took(0), took(1))
}

func TestDelivery_Silent(t *testing.T) {
	d := New(&engine.Engine{}, Options{})
	for text, want := range map[string]bool{"": true, "早": false, "<item>[skip]</item>": true, "<item>[skip]</item><item>早</item>": false} {
		assert.Equal(t, want, d.IsSilent(engine.Answer{Outgoing: persona.Outgoing{Text: text}}), text)
	}
	assert.False(t, d.IsSilent(engine.Answer{Outgoing: persona.Outgoing{Image: "x"}}))
}

// Without a Delivery a reply is one message.
func TestDelivery_NotConfigured(t *testing.T) {
	p := &platform{}
	withDelivery(t, p, slowTyping, func(t *testing.T, d *Delivery) {
		plain, err := engine.New(engine.Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: p})
		require.NoError(t, err)
		began := time.Now()
		said, err := New(plain, slowTyping).answer(t, text(items))
		require.NoError(t, err)
		assert.Equal(t, 1, said)
		assert.Equal(t, []string{items}, p.texts())
		assert.Equal(t, []time.Time{began}, p.at)
		assert.False(t, plain.Delivery.IsSilent(text("[skip]")))
		assert.True(t, plain.Delivery.IsSilent(text("")))
	})
}

func TestDelivery_StreamsItems(t *testing.T) {
	p := &platform{}
	o := slowTyping
	o.Stream = true
	withDelivery(t, p, o, func(t *testing.T, d *Delivery) {
		said, err := d.turn(t, func(ctx context.Context, u *engine.Utterance) error {
			out := d.Stream(ctx, u)
			_, err := llms.GenerateFromSinglePrompt(ctx, out.Model(modeltest.Always(modeltest.Say(items)), func() bool { return true }), "早")
			require.NoError(t, err)
			taken, err := out.Close(false)
			require.NoError(t, err)
			assert.Equal(t, 3, taken)
			assert.Equal(t, 2, u.SentCount)
			u.Answer = text(items + "再见")
			return d.Deliver(ctx, u, taken)
		})
		require.NoError(t, err)
		assert.Equal(t, 3, said)
		assert.Equal(t, []string{"早", "吃了吗", "再见"}, p.texts())
	})
	withDelivery(t, p, slowTyping, func(t *testing.T, d *Delivery) {
		assert.Nil(t, d.Stream(t.Context(), nil))
	})
}

// An item before a tool call was sent, and the answer after it is silence: nothing more is sent.
func TestDelivery_SilenceAfterItem(t *testing.T) {
	for answer, want := range map[string][]string{"": {"稍等"}, "[skip]": {"稍等"}, "好了": {"稍等", "好了"}} {
		p := &platform{}
		withDelivery(t, p, Options{Speech: Speech{Stream: true}}, func(t *testing.T, d *Delivery) {
			said, err := d.turn(t, func(ctx context.Context, u *engine.Utterance) error {
				out := d.Stream(ctx, u)
				_, err := llms.GenerateFromSinglePrompt(ctx, out.Model(modeltest.Always(modeltest.Say("<item>稍等</item>")), func() bool { return true }), "早")
				require.NoError(t, err)
				_, err = out.Close(false)
				require.NoError(t, err)
				u.Answer = text(answer)
				return d.Deliver(ctx, u, 0)
			})
			require.NoError(t, err)
			assert.Equal(t, len(want), said, answer)
			assert.Equal(t, want, p.texts(), answer)
		})
	}
}
