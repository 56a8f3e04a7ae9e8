package program

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/examples/internal/lang"
)

// NewLog returns a logger that writes lines for people in a language:
//
//	11-23 20:31:05 警告 模型没回答：model: not authorized (401)；密钥不对：检查 OPENAI_API_KEY 或 -key-file chat=qq:group:1
//
// The attributes err, error, reason and why stand behind the message, and advice behind them. A message or an advice without a
// Chinese text stays English. Errors of package lang are in the language. Each record is one line without control characters.
func NewLog(w io.Writer, l lang.Language, level slog.Level) *slog.Logger {
	return slog.New(&logHandler{out: &output{w: w}, lang: l, level: level})
}

// output is shared by the handlers of one log.
type output struct {
	mu sync.Mutex
	w  io.Writer
}

type logHandler struct {
	out   *output
	lang  lang.Language
	level slog.Level
	attrs []slog.Attr
	group string
}

// always are the messages of level Info that are always written.
var always = map[string]bool{
	"onebot: link is up": true, "stopped": true, "models: the model answers again": true, "models: the model is loaded": true,
	"asleep since before the start": true, "asleep since before the start, until it is woken": true, "no longer a member of a chat": true,
	"muted in a chat since before the start": true, "asked to be quiet in a chat since before the start": true,
}

// Enabled implements slog.Handler.
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= min(h.level, slog.LevelInfo)
}

// Handle implements slog.Handler.
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	if r.Level < h.level && !always[r.Message] {
		return nil
	}
	var b, cause strings.Builder
	b.WriteString(r.Time.Format("01-02 15:04:05 "))
	b.WriteString(levelText(h.lang, r.Level))
	b.WriteString(" ")
	b.WriteString(h.translate(r.Message))
	attrs := slices.Clone(h.attrs)
	r.Attrs(func(a slog.Attr) bool { attrs = append(attrs, h.named(a)); return true })
	var rest strings.Builder
	for _, a := range attrs {
		value := a.Value.Resolve()
		err, isErr := value.Any().(error)
		if isErr {
			value = slog.StringValue(h.lang.Error(err))
		}
		if a.Key == "reason" && r.Message == "onebot: connection refused" && !isErr && (value.String() == "no token" || value.String() == "the token differs") {
			continue // the hint says more
		}
		if slices.Contains([]string{"err", "error", "reason", "why"}, a.Key) {
			cause.WriteString(h.lang.Sprintf("：", ": ") + value.String())
			continue
		}
		if a.Key == "advice" {
			if value.String() != "" {
				cause.WriteString(h.lang.Sprintf("；", "; ") + h.translate(value.String()))
			}
			continue
		}
		rest.WriteString(" " + a.Key + "=" + quoted(value.String()))
	}
	if text, ok := hints[r.Message+" "+valueOf(attrs, "status")]; ok && cause.Len() == 0 {
		cause.WriteString(h.lang.Sprintf("：", ": ") + h.lang.Text(text))
	}
	line := Line(b.String()+cause.String()+rest.String(), '⏎') + "\n"
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	_, err := io.WriteString(h.out.w, line)
	return err
}

// translate returns the Chinese text for an English one, if that is the language and there is one.
func (h *logHandler) translate(english string) string {
	if text := logTexts[english]; text != "" && h.lang == lang.Chinese {
		return text
	}
	return english
}

// hints say what to do, by message and HTTP status.
var hints = map[string]lang.Text{
	"onebot: connection refused 401": lang.T("对方没带 token：在那边填上和 -token 一样的 access token", "it sent no token: set the value of -token as the access token there"),
	"onebot: connection refused 403": lang.T("对方的 token 不一样：那边的 access token 要和 -token（或 ONEBOT_TOKEN）一样", "its token differs: the access token there must be the value of -token or ONEBOT_TOKEN"),
}

func valueOf(attrs []slog.Attr, key string) string {
	for _, a := range attrs {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " =\"\n") {
		return strconv.Quote(s)
	}
	return s
}

func levelText(l lang.Language, level slog.Level) string {
	if l == lang.English {
		return level.String()
	}
	switch {
	case level >= slog.LevelError:
		return "错误"
	case level >= slog.LevelWarn:
		return "警告"
	case level >= slog.LevelInfo:
		return "信息"
	}
	return "调试"
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	next.attrs = slices.Clone(h.attrs)
	for _, a := range attrs {
		next.attrs = append(next.attrs, h.named(a))
	}
	return &next
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(name string) slog.Handler {
	next := *h
	next.group += name + "."
	return &next
}

func (h *logHandler) named(a slog.Attr) slog.Attr {
	a.Key = h.group + a.Key
	return a
}
