package nit_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory/redact"
	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Text on the owner's screen: a prefix, a private value, and its kind.
var onScreen = []struct {
	before, secret string
	kind           redact.Kind
}{
	{"", "13800138000", redact.Mobile},
	{"手机 ", "138 0013 8000", redact.Mobile},
	{"", "0571-87654321", redact.Phone},
	{"身份证 ", "11010519491231002X", redact.IDCard},
	{"", "4111 1111 1111 1111", redact.BankCard},
	{"车停在楼下，", "浙A12345", redact.LicensePlate},
	{"税号 ", "91350100M000100Y43", redact.SocialCreditCode},
	{"", "alice@example.com", redact.Email},
	{"服务器 ", "47.98.12.34", redact.IPv4},
	{"住在", "杭州市西湖区文三路12号3幢501室", redact.Address},
	{"微信号：", "wxid_8f3k2j4h5g6d21", redact.WeChat},
	{"QQ：", "123456789", redact.QQ},
	{"验证码：", "482913", redact.VerificationCode},
	{"密码：", "hunter2", redact.Password},
	{"postgres 在 ", "postgres://root:hunter2@db.example.com/x", redact.DSN},
	{"", "sk-abc123def456ghi789jkl012mno345pqr678", redact.APIKey},
	{"", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", redact.APIKey},
	{"api_key=", "9fceb02d0ae598e95dc970b74767f193", redact.Secret},
	{"主人是", "林小满", redact.OwnWord},
}

// In persona mode the results of a host's screen_ocr pass the real redactor on every way to the model: as text, in
// struct fields with escaped line breaks, as raw JSON with \u escapes, in error texts, in replayed calls, and when
// truncated. The owner's agent reads them unmasked.
func TestView_RealRedactorMasksL2(t *testing.T) {
	hide, err := redact.New(redact.Options{Words: []string{"林小满"}})
	require.NoError(t, err)
	var text strings.Builder
	for _, s := range onScreen {
		text.WriteString(s.before + s.secret + "\n下一行\n")
	}
	screen := text.String()
	type page struct {
		Text  string            `json:"text"`
		Lines []string          `json:"lines"`
		Seen  map[string]string `json:"seen"`
	}
	shot := page{Text: screen, Lines: strings.Split(screen, "\n"), Seen: map[string]string{screen: screen}}
	ways := map[string]nit.Tool{
		"screen_text": host(t, "screen_text", func() (any, error) { return screen, nil }),
		"screen_page": host(t, "screen_page", func() (any, error) { return shot, nil }),
		"screen_nest": host(t, "screen_nest", func() (any, error) { return map[string]string{"inner": asJSON(t, shot)}, nil }),
		"screen_far":  host(t, "screen_far", func() (any, error) { return json.RawMessage(ascii(asJSON(t, shot))), nil }),
		"screen_tell": host(t, "screen_tell", func() (any, error) { return nil, nit.ModelError(screen) }),
	}
	r := nit.Registry{Limits: nit.Limits{Calls: -1, ResultChars: -1}, Redact: hide.RedactContext}
	short := nit.Registry{Limits: nit.Limits{Calls: -1, ResultChars: 64}, Redact: hide.RedactContext}
	for _, tool := range ways {
		add(t, &r, tool)
		add(t, &short, tool)
	}
	for name := range ways {
		v, cut := r.View(persona), short.View(persona)
		shown := v.Call(t.Context(), call(name, "")).Content
		all := []string{shown, v.Call(t.Context(), call(name, "")).Content, cut.Call(t.Context(), call(name, "")).Content}
		res, err := v.Do(t.Context(), name, "")
		all = append(all, res.Text)
		if err != nil {
			all = append(all, err.Error())
		}
		owner := r.View(agent).Call(t.Context(), call(name, "")).Content
		for _, s := range onScreen {
			assert.Contains(t, shown, "["+string(s.kind), "%s: %s", name, s.kind)
			for _, form := range []string{s.secret, ascii(s.secret)} {
				for _, text := range all {
					assert.NotContains(t, text, form, name)
				}
			}
			assert.True(t, strings.Contains(owner, s.secret) || strings.Contains(owner, ascii(s.secret)) || name == "screen_nest", "%s: the owner reads %s", name, s.secret)
		}
	}
}

// host makes an L2 tool of a host.
func host(t *testing.T, name string, f func() (any, error)) nit.Tool {
	t.Helper()
	tool, err := nit.Define(name, nit.L2, "reads the screen", func(context.Context, none) (any, error) { return f() }, nit.ReadOnly())
	require.NoError(t, err)
	return tool
}

// ascii writes JSON as Python does.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			b.WriteString(`\u`)
			b.WriteString(string("0123456789abcdef"[r>>12]) + string("0123456789abcdef"[r>>8&15]) + string("0123456789abcdef"[r>>4&15]) + string("0123456789abcdef"[r&15]))
		}
	}
	return b.String()
}
