package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/nit"
)

// compressTimeout limits the time of a summary in a tool call.
const compressTimeout = summaryTimeout + 5*time.Second

// summarizeDue summarizes a chat if it is due: immediately by rule, or later by the model. If there are too many messages for the
// model, for example after a long interruption, the rule summarizes the oldest.
func (p *program) summarizeDue(r *chatState) {
	for p.model == nil || r.overfull() {
		f, ok := r.dueFold()
		if !ok {
			break
		}
		r.finishFold(f, summaryByRule(f.Items, p.zone), nil)
	}
	if p.model != nil {
		select {
		case p.summaryQueue <- r:
		default: // the next message tries again
		}
	}
}

// runSummaries makes the summaries of the queue with the model until ctx ends.
func (p *program) runSummaries(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-p.summaryQueue:
			for f, ok := r.dueFold(); ok; f, ok = r.dueFold() {
				p.summarize(ctx, r, f)
			}
		}
	}
}

var errRecalled = nit.ModelError("没有压缩成：压缩的时候有消息被撤回，或者补上了漏掉的。可以再试一次")

// summarize answers a fold. If the model fails the messages stay, unless there are too many.
func (p *program) summarize(ctx context.Context, r *chatState, f buffer.SummaryRequest[message]) (err error) {
	var summary string
	if p.model == nil {
		summary = summaryByRule(f.Items, p.zone)
	} else if summary, err = modelSummary(ctx, p.model, f.Items, p.zone); err != nil {
		p.log.Warn("the model made no summary", "chat", r.chat, "err", p.o.model.redact(err))
		if r.overfull() {
			summary, err = summaryByRule(f.Items, p.zone), nil
		}
	}
	if !r.finishFold(f, summary, err) && err == nil {
		return errRecalled
	}
	return err
}

const (
	maxRuleSummary = 400 // of a summary by rule
	maxRuleLine    = 40  // of a message in the summary
)

// summaryByRule returns one line with the time, the numbers of messages and people, and the longest messages.
func summaryByRule(all []message, zone *time.Location) string {
	people := map[int64]bool{}
	var texts []message
	for _, m := range all {
		people[m.sender] = true
		if strings.Trim(m.text, "[]图片表情回复 ") != "" {
			texts = append(texts, m)
		}
	}
	first, last := time.Unix(all[0].at, 0).In(zone), time.Unix(all[len(all)-1].at, 0).In(zone)
	until := "15:04"
	if first.Format(time.DateOnly) != last.Format(time.DateOnly) {
		until = "01-02 15:04"
	}
	head := fmt.Sprintf("【%s–%s，%d 人 %d 条】", first.Format("01-02 15:04"), last.Format(until), len(people), len(all))
	// The longest messages are the most informative. They stay in order.
	byLength := slices.Clone(texts)
	slices.SortStableFunc(byLength, func(a, b message) int {
		return cmp.Compare(utf8.RuneCountInString(b.text), utf8.RuneCountInString(a.text))
	})
	room := maxRuleSummary - utf8.RuneCountInString(head)
	chosen := map[uint32]string{}
	for _, m := range byLength {
		s := line(m.speaker(), 12) + "：" + line(m.text, maxRuleLine)
		s = strings.ReplaceAll(s, "；", "，") // prevents imitation of the separator
		if room -= utf8.RuneCountInString(s) + 1; room < 0 {
			break
		}
		chosen[m.key()] = s
	}
	var lines []string
	for _, m := range texts {
		if s, ok := chosen[m.key()]; ok {
			lines = append(lines, s)
			delete(chosen, m.key())
		}
	}
	return head + strings.Join(lines, "；")
}

type compressIn struct {
	chatTarget
	Keep *int `json:"keep,omitempty" jsonschema:"最近多少条不压缩"`
}

type compressOut struct {
	Target            string  `json:"target"`
	TargetType        string  `json:"target_type"`
	Compressed        int     `json:"compressed" jsonschema:"how many messages were summed up"`
	CompressedSummary *string `json:"compressed_summary"`
	MessageCount      int     `json:"message_count" jsonschema:"how many are left as they are"`
}

const defaultKeep = 20

func (p *program) compressTool() (nit.Tool, error) {
	return nit.Define("compress_context", nit.L1,
		"把一个聊天里较旧的消息压缩进摘要（compressed_summary），只留最近的几条原文。平时会自动压缩，话题换了的时候可以手动调用。",
		p.compressContext, nit.Timeout(compressTimeout), targetType(numberRange("keep", 0, 100, defaultKeep)))
}

func (p *program) compressContext(ctx context.Context, in compressIn) (compressOut, error) {
	r, err := p.findChat(in.chatTarget)
	if err != nil {
		return compressOut{}, err
	}
	keep := defaultKeep
	if in.Keep != nil {
		keep = *in.Keep
	}
	out := compressOut{Target: r.chat.target(), TargetType: r.chat.kind()}
	if f, ok := r.fold(keep); ok {
		if err := p.summarize(ctx, r, f); err != nil {
			if errors.Is(err, errRecalled) {
				return out, err
			}
			return out, nit.ModelError("没有压缩成：写摘要的模型没有回答。消息都还在")
		}
		out.Compressed = len(f.Items)
	}
	v := r.view()
	out.MessageCount, out.CompressedSummary = len(v.all), orNull(v.summary)
	return out, nil
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
