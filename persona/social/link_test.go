package social_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A recordingLink records all messages sent through the link that it wraps, and keeps its features.
type recordingLink struct {
	social.Link
	sent *[]string
}

func (l recordingLink) Features() social.LinkFeatures { return social.FeaturesOf(l.Link) }

func (l recordingLink) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	*l.sent = append(*l.sent, out.Text)
	return l.Link.Send(ctx, chat, out)
}

// A link that wraps another one has its tools if it forwards Features. Messages of tools go through the wrapper.
func TestLink_Wrapped(t *testing.T) {
	for name, tt := range map[string]struct {
		features    bool
		tools, sent []string
	}{
		"with Features":    {true, []string{"say"}, []string{"甲"}},
		"without Features": {false, nil, []string{"乙"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, model := &toolLink{fakeLink: fake()}, modeltest.New(modeltest.Call("say", `{"text":"甲"}`), modeltest.Say("乙"))
				var sent []string
				var link social.Link = recordingLink{Link: f, sent: &sent}
				if !tt.features {
					link = plainLink{Link: link}
				}
				_, stop := startBot(t, link, model, memory.NewMemStore(), nil)
				f.events <- newMessage("1", "a", "小炉在吗")
				advance(time.Minute)
				stop()
				require.NotEmpty(t, model.Prompts())
				assert.Equal(t, tt.tools, model.Prompts()[0].ToolNames())
				assert.Equal(t, tt.sent, sent)
			})
		})
	}
}
