package outside

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/models"
)

// CheckStart reports whether the OneBot implementation is reachable and accepts the token, or whether the address for it
// is free.
func (l *Connection) CheckStart(ctx context.Context, r *check.Report) {
	switch {
	case l.Listen != "":
		r.Address(lang.T("OneBot（反向 WS）listen", "listen (reverse WebSocket)"), l.Listen)
	case l.Forward != "":
		account, err := l.login(ctx)
		r.Part(lang.T("OneBot（正向 WS）onebot", "onebot (forward WebSocket)"), lang.T("%s，账号 %d %s", "%s, account %d %s", Host(l.Forward), account.UserID, account.Nickname), err)
	default:
		r.Part(lang.T("OneBot", "OneBot"), lang.T("没有：用模拟的 QQ", "none: a simulated QQ"), nil)
	}
}

// login connects and asks for the account.
func (l *Connection) login(ctx context.Context) (account onebot.LoginInfo, err error) {
	client, err := onebot.NewClient(l.Forward, onebot.Options{Token: l.Token, HTTPClient: l.HTTPClient, MinBackoff: 200 * time.Millisecond, MaxBackoff: time.Second})
	if err != nil {
		return account, err
	}
	ctx, stop := context.WithTimeout(ctx, check.Timeout)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		err := client.Run(ctx, func(context.Context, *onebot.Bot, onebot.Event) {})
		stop()
		ended <- err
	}()
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		if account, err = client.Bot().GetLoginInfo(ctx); err == nil || ctx.Err() != nil {
			tick.Stop()
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	stop()
	refused := <-ended
	switch {
	case err == nil:
		return account, nil
	case errors.Is(refused, onebot.ErrAuth):
		return account, tokenError(l.Forward, refused)
	case client.Stats().Links > 0:
		return account, lang.Errorf("%s 连上了，但是不回答 get_login_info：%v", "%s does not answer get_login_info: %v", Host(l.Forward), err)
	}
	if err := l.reach(); err != nil {
		return account, lang.Errorf("连不上 %s：%v", "%s is not reachable: %v", Host(l.Forward), err)
	}
	return account, lang.Errorf("%s 不是 OneBot 的 WebSocket，或者路径不对", "%s is no OneBot WebSocket, or its path is another", Host(l.Forward))
}

// reach dials the host of the URL.
func (l *Connection) reach() error {
	u, err := url.Parse(l.Forward)
	if err != nil || l.HTTPClient != nil {
		return err
	}
	port := cmp.Or(u.Port(), map[string]string{"ws": "80", "wss": "443"}[u.Scheme])
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(u.Hostname(), port), check.Timeout)
	if err == nil {
		conn.Close()
	}
	return err
}

// Host returns a URL without what may be secret.
func Host(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return "the URL"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// CheckStart reports whether the model's service is reachable, accepts the key, and serves the models.
func (m *Model) CheckStart(ctx context.Context, r *check.Report) {
	candidate{Model: *m}.checkStart(ctx, r, defaultPurpose)
}

// checkStart is CheckStart for a model of one purpose.
func (m candidate) checkStart(ctx context.Context, r *check.Report, purpose string) {
	model, apiKey := lang.T("模型 model", "model"), lang.T("密钥 key", "key")
	if m.Offline() {
		r.Part(model, lang.T("离线的：按规则回答，不是语言模型", "the offline one: rules, no language model"), nil)
		return
	}
	key, err := m.key()
	if err != nil {
		r.Part(apiKey, lang.Text{}, err)
		return
	}
	s := service{base: strings.TrimRight(cmp.Or(m.BaseURL, map[string]string{"openai": models.OpenAIURL, "ollama": models.OllamaURL}[m.Kind]), "/"), key: key}
	r.Part(apiKey, map[bool]lang.Text{true: lang.T("有", "present"), false: lang.T("没有，自己的服务不一定要", "none; a service of your own may need none")}[key != ""], nil)
	names, err := s.names(ctx)
	if err != nil {
		r.Part(model, lang.Text{}, err)
		return
	}
	if m.Name == "" {
		r.Part(model, lang.Text{}, s.noName(names))
		return
	}
	ask, err := m.probe(purpose)
	if err != nil {
		r.Part(model, lang.Text{}, err)
		return
	}
	found, err := s.serves(ctx, m.Name, names, ask)
	r.Part(model, found, err)
	if m.Embed != "" {
		found, err := s.serves(ctx, m.Embed, names, jsonProbe("/embeddings", map[string]any{"model": m.Embed, "input": "hi"}))
		r.Part(lang.T("嵌入模型 embed-name", "embed-name"), found, err)
	}
}

// A service is the API of a model.
type service struct{ base, key string }

// names returns the models that the service lists, or nil if it has no list.
func (s service) names(ctx context.Context) ([]string, error) {
	body, status, err := s.do(ctx, http.MethodGet, probe{path: "/models"})
	if err != nil {
		return nil, err
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return nil, lang.Errorf("%s 不接受这个密钥：HTTP 状态 %d", "%s rejects the key: HTTP status %d", Host(s.base), status)
	}
	if status == http.StatusServiceUnavailable && isLoading(body) {
		return nil, errLoading(s.base)
	}
	var list struct {
		Data []struct{ ID string }
	}
	if status != http.StatusOK || json.Unmarshal(body, &list) != nil {
		return nil, nil
	}
	var names []string
	for _, d := range list.Data {
		names = append(names, d.ID)
	}
	return names, nil
}

// serves reports whether the service has a model. A model that is not in its list is asked.
func (s service) serves(ctx context.Context, name string, names []string, ask probe) (found lang.Text, err error) {
	if slices.Contains(names, name) || slices.Contains(names, name+":latest") {
		return lang.T("%s，在 %s", "%s at %s", name, Host(s.base)), nil
	}
	body, status, err := s.do(ctx, http.MethodPost, ask)
	switch {
	case err != nil:
		return found, err
	case status == http.StatusOK:
		return lang.T("%s，在 %s，能回答", "%s at %s answers", name, Host(s.base)), nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return found, lang.Errorf("%s 不接受这个密钥：HTTP 状态 %d", "%s rejects the key: HTTP status %d", Host(s.base), status)
	case status == http.StatusServiceUnavailable && isLoading(body):
		return found, errLoading(s.base)
	case status == http.StatusTooManyRequests || status >= 500:
		return found, lang.Errorf("%s 太忙了，或者额度用完了：HTTP 状态 %d", "%s is overloaded or out of quota: HTTP status %d", Host(s.base), status)
	case len(names) > 0:
		return found, lang.Errorf("%s 没有 %q 这个模型%s", "%s does not serve %q%s", Host(s.base), name, orListed(name, names))
	}
	return found, lang.Errorf("%s 用不了 %q：HTTP 状态 %d；地址对不对，是不是少了 /v1？", "%s does not answer as %q: HTTP status %d; is the URL right, with /v1 perhaps?", Host(s.base), name, status)
}

// noName returns the error of a start without -model-name, with the names that the service lists.
func (s service) noName(names []string) error {
	if len(names) == 0 {
		return lang.Errorf("还没写 -model-name，%s 也没有列出它的模型：看它的文档", "-model-name is missing, and %s lists no models: see its documentation", Host(s.base))
	}
	return lang.Errorf("还没写 -model-name；%s 现在有：%s", "-model-name is missing; %s serves: %s", Host(s.base), listed(names))
}

// maxListed limits the names in a line.
const maxListed = 12

func listed(names []string) string {
	more := ""
	if len(names) > maxListed {
		names, more = names[:maxListed], ", …"
	}
	return strings.Join(names, ", ") + more
}

// orListed returns a hint with the nearest name, and with the names of the same family, or with all if there are none.
func orListed(name string, names []string) lang.Text {
	family, _, _ := strings.Cut(strings.ToLower(name), "-")
	near := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.Contains(strings.ToLower(n), family) })
	if len(near) == 0 {
		near = names
	}
	return lang.T("%s；那里现在有：%s", "%s; it serves: %s", lang.DidYouMean(name, names), listed(near))
}

// isLoading reports whether a body says that the server loads its model, as llama.cpp does.
func isLoading(body []byte) bool { return bytes.Contains(bytes.ToLower(body), []byte("loading model")) }

func errLoading(base string) error {
	return lang.Errorf("%s 还在加载模型：过一会儿再检查；机器人会等它", "%s still loads its model: check again later; the bot waits for it", Host(base))
}

func (s service) do(ctx context.Context, method string, ask probe) ([]byte, int, error) {
	ctx, stop := context.WithTimeout(ctx, check.Timeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, method, s.base+ask.path, bytes.NewReader(ask.body))
	if err != nil || req.URL.Host == "" || req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return nil, 0, program.CheckURL("-base-url", cmp.Or(s.base, "?"))
	}
	req.Header.Set("Content-Type", cmp.Or(ask.contentType, "application/json"))
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err
		}
		return nil, 0, lang.Errorf("连不上 %s：%v", "%s is not reachable: %v", Host(s.base), err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	return text, resp.StatusCode, err
}
