package social_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory/redact"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The result of a host's screen_ocr is masked before the persona's model reads it, so the original is in no prompt,
// chat or journal. Without a redactor the call fails.
func TestTools_ScreenIsDeclassified(t *testing.T) {
	canaries := []string{"13800138000", "0571-87654321", "alice@example.com", "hunter2", "林小满", "文三路12号"}
	type screen struct {
		Text string `json:"text"`
	}
	look, err := nit.Define("screen_ocr", nit.L2, "看一眼屏幕", func(context.Context, struct{}) (screen, error) {
		return screen{"收件人 林小满\n13800138000\n0571-87654321\nalice@example.com\n杭州市西湖区文三路12号\n密码：hunter2\n番剧更新了"}, nil
	}, nit.ReadOnly())
	require.NoError(t, err)
	hide, err := redact.New(redact.Options{Words: []string{"林小满"}})
	require.NoError(t, err)
	for name, with := range map[string]bool{"with a redactor": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			model := modeltest.New(modeltest.Call("screen_ocr", nil), modeltest.Say("在看番呢"))
			change := func(o *social.Options) {
				o.Tools.Registry = &nit.Registry{}
				require.NoError(t, o.Tools.Registry.Add(look))
				if with {
					o.Access.Redact = hide.RedactContext
				}
			}
			withFixture(t, model, change, func(f *fixture) {
				f.group.Say(alice, at(botID, "你主人在干嘛"))
				f.advance(time.Minute)
				prompts := model.Prompts()
				require.Len(t, prompts, 2)
				results := prompts[1].ToolResults()
				require.Len(t, results, 1)
				assert.Equal(t, with, len(results[0].Content) > 100)
				if with {
					assert.Contains(t, results[0].Content, "番剧更新了")
				} else {
					assert.Contains(t, results[0].Content, "not allowed now")
				}
				shown, err := json.Marshal(prompts[1])
				require.NoError(t, err)
				for _, c := range canaries {
					assert.NotContains(t, string(shown), c)
					assert.NotContains(t, results[0].Content, c)
					assert.NotContains(t, f.journal(techSpace), c)
				}
				assert.Equal(t, []string{"在看番呢"}, f.sent(f.group.Chat()))
			})
		})
	}
}
