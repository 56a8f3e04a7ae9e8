package social_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
)

// A taskModel answers background tasks and keeps their prompts. It answers turns with "嗯".
type taskModel struct {
	mu      sync.Mutex
	answers map[string]string // by task; other tasks fail
	reads   map[string][]string
	delay   time.Duration
}

func newTaskModel(answers map[string]string) *taskModel {
	return &taskModel{answers: answers, reads: map[string][]string{}}
}

func (p *taskModel) model() *modeltest.Model {
	n := 0
	return modeltest.Func(func(_ context.Context, asked modeltest.Prompt) modeltest.Step {
		p.mu.Lock()
		defer p.mu.Unlock()
		human := asked.Human()
		task := "说"
		for _, one := range []string{"记", "梦", "看人", "群里的说法"} {
			if strings.Contains(human, "## 现在："+one+"\n") {
				task = one
			}
		}
		p.reads[task] = append(p.reads[task], human)
		if task == "说" {
			n++
			return modeltest.Say(fmt.Sprint("嗯", n))
		}
		answer, ok := p.answers[task]
		if !ok {
			return modeltest.Fail(errModel).After(p.delay)
		}
		return modeltest.Say(answer).After(p.delay)
	})
}

// read returns the prompts of a task; last returns the last one.
func (p *taskModel) read(task string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.reads[task]...)
}

func (p *taskModel) last(task string) string {
	all := p.read(task)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

func (p *taskModel) answer(task, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers[task] = text; text == "" {
		delete(p.answers, task)
	}
}

func withDigest(change func(*social.Digest)) func(*social.Options) {
	return func(o *social.Options) {
		o.Background.Digest = &social.Digest{}
		if change != nil {
			change(o.Background.Digest)
		}
	}
}

func onlySummaries(l *social.Digest) { l.NoPeople, l.NoDream = true, true }
func onlyPeople(l *social.Digest)    { l.NoSummary, l.NoDream = true, true }
func onlyDreams(l *social.Digest)    { l.NoSummary, l.NoPeople = true, true }
