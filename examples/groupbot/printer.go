package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/chatline"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/tmc/langchaingo/llms"
)

// A printer prints the chat and a line for each decision.
type printer struct {
	mu       sync.Mutex
	out      io.Writer
	lang     lang.Language
	name     string
	trace    bool
	verdicts map[string][]heartflow.Code // reasons of the last verdict of each chat
	plans    map[string]string           // of each chat: the reason of the last plan, in the model's words
	titles   map[string]string           // of each chat
	lines    *chatline.Writer
}

func newPrinter(out io.Writer, o options) *printer {
	return &printer{out: out, lang: o.lang(), name: o.name, trace: o.trace, verdicts: map[string][]heartflow.Code{}, plans: map[string]string{}, titles: map[string]string{}, lines: chatline.New(o.lang(), o.name)}
}

// banner prints where the bot lives. code is the code for the owner on the official platform, or "".
func (s *printer) banner(o options, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.qqbot.Enabled() {
		fmt.Fprintln(s.out, s.lang.Sprintf("%s 是 QQ 官方机器人 %s", "%s is the official bot %s", o.name, o.qqbot.AppID))
	}
	if code != "" {
		fmt.Fprintln(s.out, s.lang.Sprintf("还不认识主人：一小时内，在 QQ 里私聊它，只发 %s，就认下你。这句话不会给模型看。",
			"It does not know its owner: within an hour, send it %s in a private chat of QQ, and nothing else. No model sees that.", code))
	}
	switch {
	case o.qqbot.Enabled() && !o.link.Enabled():
	case o.link.Listen != "":
		fmt.Fprintln(s.out, s.lang.Sprintf("%s 在 ws://%s 等候 OneBot 连接（反向 WS）", "%s waits for OneBot at ws://%s (reverse WebSocket)", o.name, o.link.Listen))
	case !o.simulated:
		fmt.Fprintln(s.out, s.lang.Sprintf("%s 连接 %s（正向 WS）", "%s connects to %s (forward WebSocket)", o.name, outside.Host(o.link.Forward)))
	default:
		fmt.Fprintln(s.out, s.lang.Sprintf("%s 住在模拟的 QQ 里（%s）。打一行字，就是在群里说话；「@%[1]s 你好」会叫到它。",
			"%s lives in a simulated QQ (%s). A line that you type is said in the group; \"@%[1]s 你好\" addresses it.", o.name, o.link.Forward))
	}
	if o.speed != 1 {
		fmt.Fprintln(s.out, s.lang.Sprintf("等待时间缩短为 1/%g（-speed %[1]g）。", "Waiting times are divided by %g (-speed %[1]g).", o.speed))
	}
	if o.model.Offline() {
		fmt.Fprintln(s.out, s.lang.Text(outside.OfflineNote))
	}
}

// printEvent prints what a person says or does.
func (s *printer) printEvent(e persona.Event) {
	m, isMessage := e.(persona.Message)
	if isMessage {
		s.learnTitle(m)
	}
	if lost, ok := e.(persona.MessagesLost); ok {
		s.printLine("%s", s.lang.Sprintf("（%s 有 %d 条消息没赶上处理）", "(%s: %d messages came too fast and were dropped)", s.title(lost.Chat.String()), lost.Count))
	}
	if line, ok := s.lines.Event(e); ok && !m.Own {
		s.printLine("[%s] %v", s.title(line.Chat.String()), line)
	}
}

// learnTitle stores the title of the chat of a message.
func (s *printer) learnTitle(m persona.Message) {
	switch {
	case m.Chat.Kind == persona.Group:
		s.setTitle(m.Chat.String(), cmp.Or(m.ChatName, s.lang.Sprintf("群 %s", "group %s", m.Chat.ID)))
	case !m.Own:
		s.setTitle(m.Chat.String(), s.lang.Sprintf("私聊 %s", "private %s", cmp.Or(m.Name, m.From)))
	}
}

// printSent prints which message the bot quotes. Its text is printed with the decision.
func (s *printer) printSent(chat persona.Chat, id string, out persona.Outgoing) {
	if quote, ok := s.lines.Quote(chat, out.ReplyTo); ok {
		s.printLine("    quoted: [%s] %s", s.title(chat.String()), quote)
	}
	s.lines.Sent(chat, id, out)
}

// printDecision prints a decision and its reasons.
func (s *printer) printDecision(t heartflow.Trace) {
	if s.trace {
		s.printLine("        %v", t)
	}
	switch {
	case t.Kind == heartflow.KindSpeak && t.Do == heartflow.Speak:
		s.printLine("    spoke: [%s] %s: %s%s", s.title(t.Chat), s.name, t.Text, s.reasonsFor(t))
	case t.Kind == heartflow.KindPlan:
		s.printLine("    decided: [%s] %s%s", s.title(t.Chat), s.reasons(t.Why), s.lang.Sprintf("：%s", ": %s", cmp.Or(t.Text, s.lang.Sprintf("没说为什么", "no reason given"))))
	case t.Kind == heartflow.KindSpeak, t.Kind == heartflow.KindSkip, t.Kind == heartflow.KindJudge && t.Do == heartflow.Silent:
		s.printLine("    silent: [%s]%s", s.title(t.Chat), s.reasonsFor(t))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch t.Kind {
	case heartflow.KindJudge:
		s.verdicts[t.Chat] = t.Why
		delete(s.plans, t.Chat)
	case heartflow.KindPlan:
		if !slices.Contains(t.Why, hfc.WhyJudgedOut) { // an answer about another state of attention explains no reply
			s.plans[t.Chat] = t.Text
		}
	}
}

// reasonsFor returns the reasons of the last verdict, of the plan and of the decision after it.
func (s *printer) reasonsFor(t heartflow.Trace) string {
	if t.Kind == heartflow.KindJudge {
		return s.lang.Sprintf(" （%s）", " (%s)", s.reasons(t.Why))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	why := s.reasons(append(slices.Clone(s.verdicts[t.Chat]), t.Why...))
	if plan := s.plans[t.Chat]; plan != "" {
		why += s.lang.Sprintf("：", ": ") + plan
	}
	return s.lang.Sprintf(" （%s）", " (%s)", why)
}

func (s *printer) reasons(codes []heartflow.Code) string {
	var all []string
	for _, c := range codes {
		all = append(all, string(c)+" "+social.ReasonText(c, string(s.lang)))
	}
	return strings.Join(all, s.lang.Sprintf("；", "; "))
}

// A notePrinter is a model that prints its background answers.
type notePrinter struct {
	models.Retrier
	to *printer
}

// GenerateContent calls the model.
func (n notePrinter) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	resp, err := n.Retrier.GenerateContent(ctx, messages, options...)
	if err == nil && len(resp.Choices) > 0 && !strings.HasSuffix(resp.Choices[0].Content, ":[]}") { // an empty list
		n.to.printLine("    noted: %s", resp.Choices[0].Content)
	}
	return resp, err
}

// printReport prints a report to the owner. It is the bot's Hooks.Notify.
func (s *printer) printReport(_ context.Context, text string) error {
	s.printLine("    report: [%s] %s", s.lang.Sprintf("主人", "owner"), text)
	return nil
}

// printLine prints a line with the time of day.
func (s *printer) printLine(format string, args ...any) {
	text := program.Line(fmt.Sprintf(format, args...), '⏎')
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.out, time.Now().Format(time.TimeOnly), text)
}

// setTitle stores the title of a chat.
func (s *printer) setTitle(chat, title string) {
	s.mu.Lock()
	s.titles[chat] = title
	s.mu.Unlock()
}

func (s *printer) title(chat string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.titles[chat], chat)
}
