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

// foldTime is how long tools wait for a summary.
const foldTime = summaryTime + 5*time.Second

// compress sums up what is due in a room: by rule at once, by a model when it has time.
func (p *program) compress(r *room) {
	if p.model != nil {
		select {
		case p.due <- r:
		default: // it comes with the next message
		}
		return
	}
	for f, ok := r.dueFold(); ok; f, ok = r.dueFold() {
		r.folded(f, summaryByRule(f.Items, p.zone), nil)
	}
}

// digest asks the model for the summaries that are due, until ctx ends.
func (p *program) digest(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-p.due:
			for f, ok := r.dueFold(); ok; f, ok = r.dueFold() {
				p.sumUp(ctx, r, f)
			}
		}
	}
}

var errRecalled = nit.ModelError("没有压缩成：压缩的时候有消息被撤回，或者补上了漏掉的。可以再试一次")

// sumUp answers a fold. When the model fails the messages stay, unless they have become too many.
func (p *program) sumUp(ctx context.Context, r *room, f buffer.SummaryRequest[message]) (err error) {
	var summary string
	if p.model == nil {
		summary = summaryByRule(f.Items, p.zone)
	} else if summary, err = summaryBy(ctx, p.model, f.Items, p.zone); err != nil {
		p.log.Warn("the model did not sum up", "chat", r.chat, "err", p.o.model.hide(err))
		if r.overfull() {
			summary, err = summaryByRule(f.Items, p.zone), nil
		}
	}
	if !r.folded(f, summary, err) && err == nil {
		return errRecalled
	}
	return err
}

const (
	ruleRunes = 400 // of a summary by rule
	ruleLine  = 40  // of a message in it
)

// summaryByRule says when, how many, who, and the longest of what was said, in one line.
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
	// The longest say most; they stay in their order.
	byLength := slices.Clone(texts)
	slices.SortStableFunc(byLength, func(a, b message) int {
		return cmp.Compare(utf8.RuneCountInString(b.text), utf8.RuneCountInString(a.text))
	})
	room := ruleRunes - utf8.RuneCountInString(head)
	chosen := map[uint32]string{}
	for _, m := range byLength {
		s := line(m.speaker(), 12) + "：" + line(m.text, ruleLine)
		s = strings.ReplaceAll(s, "；", "，") // nobody puts words into another's mouth
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
	aim
	Keep *int `json:"keep,omitempty" jsonschema:"最近多少条不压缩"`
}

type compressOut struct {
	Target            string  `json:"target"`
	TargetType        string  `json:"target_type"`
	Compressed        int     `json:"compressed" jsonschema:"how many messages were summed up"`
	CompressedSummary *string `json:"compressed_summary"`
	MessageCount      int     `json:"message_count" jsonschema:"how many are left as they are"`
}

const usualKeep = 20

func (p *program) compressTool() (nit.Tool, error) {
	return nit.Define("compress_context", nit.L1,
		"把一个聊天里较旧的消息压缩进摘要（compressed_summary），只留最近的几条原文。平时会自动压缩，话题换了的时候可以手动调用。",
		p.compressNow, nit.Timeout(foldTime), targetType(bounded("keep", 0, 100, usualKeep)))
}

func (p *program) compressNow(ctx context.Context, in compressIn) (compressOut, error) {
	r, err := p.find(in.aim)
	if err != nil {
		return compressOut{}, err
	}
	keep := usualKeep
	if in.Keep != nil {
		keep = *in.Keep
	}
	out := compressOut{Target: r.chat.target(), TargetType: r.chat.kind()}
	if f, ok := r.fold(keep); ok {
		if err := p.sumUp(ctx, r, f); err != nil {
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
