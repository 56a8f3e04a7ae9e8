package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/tmc/langchaingo/llms"
)

// A show prints the chat, and a line for each decision.
type show struct {
	mu     sync.Mutex
	out    io.Writer
	name   string
	trace  bool
	called map[string][]heartflow.Code // why the last verdict of each chat was as it was
	titles map[string]string           // how each chat is called
}

func newShow(out io.Writer, o options) *show {
	return &show{out: out, name: o.name, trace: o.trace, called: map[string][]heartflow.Code{}, titles: map[string]string{}}
}

func (s *show) banner(o options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case o.link.Listen != "":
		fmt.Fprintf(s.out, "%s 在 ws://%s 等候 OneBot 连接（反向 WS）\n", o.name, o.link.Listen)
	case !o.simulated:
		fmt.Fprintf(s.out, "%s 连接 %s（正向 WS）\n", o.name, o.link.Forward)
	default:
		fmt.Fprintf(s.out, "%s 住在模拟的 QQ 里（%s）。打一行字，就是在群里说话；「@%s 你好」会叫到它。\n", o.name, o.link.Forward, o.name)
	}
	if o.speed != 1 {
		fmt.Fprintf(s.out, "等待时间缩短为 1/%g（-speed %g）。\n", o.speed, o.speed)
	}
	if o.model.Offline() {
		fmt.Fprintln(s.out, "离线模型：按规则回答，不是语言模型。要换成真的：-model openai -model-name … 或 -model ollama。")
	}
}

// heard prints what people say.
func (s *show) heard(e onebot.Event) {
	switch e := e.(type) {
	case *onebot.GroupMessage:
		title := cmp.Or(e.GroupName, fmt.Sprint("群 ", e.GroupID))
		s.entitle(fmt.Sprintf("qq:group:%d", e.GroupID), title)
		if !e.Own() {
			s.line("[%s] %s: %s", title, e.Sender.Name(), outside.Text(e, s.name))
		}
	case *onebot.PrivateMessage:
		if !e.Own() {
			s.entitle(fmt.Sprintf("qq:private:%d", e.UserID), "私聊 "+e.Sender.Name())
			s.line("[私聊 %s] %s: %s", e.Sender.Name(), e.Sender.Name(), e.Message.Text())
		}
	case *onebot.Dropped:
		s.line("（%s 有 %d 条消息没赶上处理）", e.Conversation, e.Count)
	}
}

// decided prints what the bot decided, and why.
func (s *show) decided(t heartflow.Trace) {
	if s.trace {
		s.line("        %v", t)
	}
	switch {
	case t.Kind == heartflow.KindSpeak && t.Do == heartflow.Speak:
		s.line("    spoke: [%s] %s: %s%s", s.title(t.Chat), s.name, t.Text, s.because(t))
	case t.Kind == heartflow.KindSpeak, t.Kind == heartflow.KindSkip, t.Kind == heartflow.KindJudge && t.Do == heartflow.Silent:
		s.line("    silent: [%s]%s", s.title(t.Chat), s.because(t))
	}
	if t.Kind == heartflow.KindJudge {
		s.mu.Lock()
		s.called[t.Chat] = t.Why
		s.mu.Unlock()
	}
}

// because says why: what the verdict said, and what came of it since.
func (s *show) because(t heartflow.Trace) string {
	why := t.Why
	if t.Kind != heartflow.KindJudge {
		s.mu.Lock()
		why = append(slices.Clone(s.called[t.Chat]), why...)
		s.mu.Unlock()
	}
	return " （" + reasons(why) + "）"
}

func reasons(codes []heartflow.Code) string {
	var s []string
	for _, c := range codes {
		s = append(s, string(c)+" "+hfc.Text(c, "zh"))
	}
	return strings.Join(s, "；")
}

// A noting model shows what is made in the background.
type noting struct {
	llms.Model
	show *show
}

// GenerateContent is the model's.
func (n noting) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	resp, err := n.Model.GenerateContent(ctx, messages, options...)
	if err == nil && len(resp.Choices) > 0 && !strings.HasSuffix(resp.Choices[0].Content, ":[]}") { // nothing worth noting
		n.show.line("    noted: %s", resp.Choices[0].Content)
	}
	return resp, err
}

func (s *show) line(format string, args ...any) {
	text := program.Line(fmt.Sprintf(format, args...), '⏎')
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.out, text)
}

// entitle notes how a chat is called.
func (s *show) entitle(chat, title string) {
	s.mu.Lock()
	s.titles[chat] = title
	s.mu.Unlock()
}

func (s *show) title(chat string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.titles[chat], chat)
}
