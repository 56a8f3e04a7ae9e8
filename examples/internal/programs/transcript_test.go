package programs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// A transcript is the text of a golden file. It writes repeated text, such as the system prompt and tools, once.
type transcript struct {
	strings.Builder
	written []string
	n       int
}

func (w *transcript) title(s string) { fmt.Fprintf(w, "\n# %s\n", s) }

// line writes each line of a text after its kind.
func (w *transcript) line(kind, text string) {
	for l := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		fmt.Fprintf(w, "%s | %s", kind, l)
	}
}

// number returns the number of a text and whether it was written before.
func (w *transcript) number(text string) (n int, again bool) {
	if n = slices.Index(w.written, text); n >= 0 {
		return n + 1, true
	}
	w.written = append(w.written, text)
	return len(w.written), false
}

func (w *transcript) once(kind, text string) {
	n, again := w.number(text)
	if again {
		fmt.Fprintf(w, "%s | (text %d)\n", kind, n)
		return
	}
	fmt.Fprintf(w, "%s | (text %d:)\n", kind, n)
	w.line(kind, text)
}

func (w *transcript) request(r *request) error {
	var in struct {
		Messages []map[string]any
		Tools    []any
	}
	rest := map[string]any{}
	for _, v := range []any{&in, &rest} {
		if err := json.Unmarshal(r.body, v); err != nil {
			return err
		}
	}
	delete(rest, "messages")
	delete(rest, "tools")
	w.n++
	fmt.Fprintf(w, "\n## Request %d\n", w.n)
	w.line("options", compact(rest))
	for _, t := range in.Tools {
		w.once("tool", compact(t))
	}
	for _, m := range in.Messages {
		role := fmt.Sprint(m["role"])
		text := contentText(m["content"])
		delete(m, "role")
		delete(m, "content")
		if role == "system" {
			w.once(role, text)
		} else {
			w.line(role, text)
		}
		if len(m) > 0 {
			w.line(role, compact(m))
		}
	}
	for _, c := range r.answer.Calls {
		w.line("answer", c.FunctionCall.Name+" "+c.FunctionCall.Arguments)
	}
	if r.answer.Text != "" {
		w.line("answer", r.answer.Text)
	}
	return nil
}

// contentText returns the text of a content, which is a string or a list of parts.
func contentText(content any) (text string) {
	parts, ok := content.([]any)
	if !ok {
		text, _ = content.(string)
		return text
	}
	for _, p := range parts {
		if m, ok := p.(map[string]any); ok && m["type"] == "text" {
			text += fmt.Sprint(m["text"])
		} else {
			text += compact(p)
		}
	}
	return text
}

// calls writes the calls. It sorts those that only read, because the program may make them concurrently.
func (w *transcript) calls(calls []onebottest.Call) {
	var reads, others []string
	for _, c := range calls {
		var params any
		text := string(c.Params)
		if json.Unmarshal(c.Params, &params) == nil {
			text = compact(params)
		}
		text = fmt.Sprintf("%s %s → %d", c.Action, text, c.Retcode)
		if strings.HasPrefix(c.Action, "get_") {
			reads = append(reads, text)
		} else {
			others = append(others, text)
		}
	}
	slices.Sort(reads)
	for _, text := range append(reads, others...) {
		w.line("call", text)
	}
}

// replacements replace the parts of a transcript that differ from run to run: times, addresses and values that depend on
// time.
var replacements = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( 周.)?`), "DATE"},   // of a turn, a report or a timer
	{regexp.MustCompile(`打开 id [\w-]+`), "打开 id ID"},                          // of a stub
	{regexp.MustCompile(`(?m)^(printed \| )\d\d:\d\d(:\d\d)? `), "${1}TIME "}, // of a printed line
	{regexp.MustCompile(`\b(time|since|until|set)="[^"]*"`), `$1="TIME"`},     // of a message, a memory or a request
	{regexp.MustCompile(`(安静到) \d\d-\d\d \d\d:\d\d`), "$1 TIME"},              // the answer to a command
	{regexp.MustCompile(`(<fact>[^（]*（)\d+月\d+日`), "${1}DAY"},                 // when a fact was said
	{regexp.MustCompile(`\benergy="[\d.]+"`), `energy="ENERGY"`},              // of a bot
	{regexp.MustCompile(`调用模型 \d+ 次，约 \d+ token(（提示词 \d+% 走缓存）)?`), "调用模型 CALLS 次，约 TOKENS token"},
	{regexp.MustCompile(`按用途（次数/token）：[^。]*`), "按用途 USAGE"},
	{regexp.MustCompile(`连接：[^。]*。`), ""}, // of the same answer
	{regexp.MustCompile(`24 小时内 \d+ token`), "24 小时内 TOKENS token"},
	{regexp.MustCompile(`在这里：[^，]*，精力 \d+%`), "在这里：STATE，精力 ENERGY%"},             // the same in the answer to a command
	{regexp.MustCompile(`\b(ws|http)://127\.0\.0\.1:\d+`), "$1://127.0.0.1:PORT"}, // of a server of the test
}

// ids matches ids that the platform draws, of messages and of requests.
var ids = regexp.MustCompile(`<msg [^>]*\bid="([\d-]+)"|\\*"(?:message_id|flag)\\*":\\*"?(\d+)`)

// normalize applies the replacements, and replaces each id by its number in order of appearance.
func normalize(s string) string {
	for _, r := range replacements {
		s = r.what.ReplaceAllString(s, r.with)
	}
	var known []string
	for _, m := range ids.FindAllStringSubmatch(s, -1) {
		if id := m[1] + m[2]; !slices.Contains(known, id) {
			known = append(known, id)
			s = regexp.MustCompile(`\b`+id+`\b`).ReplaceAllString(s, fmt.Sprint("ID", len(known)))
		}
	}
	return s
}
