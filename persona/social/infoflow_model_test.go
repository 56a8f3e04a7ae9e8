package social_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/tmc/langchaingo/llms"
)

// model copies its whole prompt into all its answers and tool calls. If there is not enough space, it keeps marks,
// those by others first. It reads first, then writes with every tool that can write.
func (s *flowSim) model() *modeltest.Model {
	return modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		s.mu.Lock()
		defer s.mu.Unlock()
		c := &echoedPrompt{flowSim: s, Prompt: p, Rand: s.dice(p), head: part(p), at: s.where(p), text: p.Text()}
		c.marks = marksIn(c.text)
		c.check()
		return c.step().After(time.Duration(1 + c.Int64N(int64(2*time.Second)))) // no two at the same time
	})
}

// step returns the model's next step.
func (c *echoedPrompt) step() modeltest.Step {
	switch c.head {
	case "梦":
		return c.dream()
	case "看人":
		return c.people()
	case "群里的说法":
		return c.explain()
	case "判断申请":
		return modeltest.Say(fmt.Sprintf(`{"decision": "approve", "reason": %q, "notify": true, "greeting": true}`, c.marksWithin(300)))
	}
	if calls := c.calls(); len(calls) > 0 {
		return modeltest.Calls(calls...)
	}
	if c.head == "决定" {
		return modeltest.Say(fmt.Sprintf(`{"action": "text_reply", "reasoning": %q}`, c.marksWithin(300)))
	}
	return modeltest.Say(c.all(word[c.head]))
}

// passedOn is the prefix of messages that the owner's turns send.
const passedOn = "代转 "

// word is the prefix of data made by each task, so that searches find it.
var word = map[string]string{"": "回答", "记": "摘要", "体会": "感受", "往大处想": "感想", "想起来": "想起", "做计划好的事": "做了", "回想": "回顾", "打算": "计划", "没赶上的事": "错过"}

// An echoedPrompt is a prompt to copy.
type echoedPrompt struct {
	*flowSim
	modeltest.Prompt
	*rand.Rand
	head  string
	at    int
	text  string
	marks []mark
}

// marksWithin returns as many marks as fit into a number of characters.
func (c *echoedPrompt) marksWithin(room int) string {
	var b strings.Builder
	for _, m := range c.marks {
		if b.Len()+len(m.text)+1 < room {
			b.WriteString(m.text + " ")
		}
	}
	return b.String()
}

// all returns every mark, and a part of the other text, sometimes all of it.
func (c *echoedPrompt) all(word string) string {
	rest := []rune(c.text)
	if c.IntN(20) > 0 {
		rest = rest[:min(200, len(rest))]
	}
	return word + " " + c.marksWithin(1500) + string(rest)
}

func (c *echoedPrompt) dream() modeltest.Step {
	answer := map[string]any{"insights": []map[string]any{{"text": "梦见 " + c.marksWithin(2000), "importance": .9}}}
	return c.json(answer)
}

func (c *echoedPrompt) people() modeltest.Step {
	var people, names []map[string]any
	for _, id := range []string{"900", "1001", "1002", "3001", "3002"} {
		people = append(people, map[string]any{"id": id, "feeling": "happy", "impression": "印象 " + c.marksWithin(1000)})
		names = append(names, map[string]any{"id": id, "name": c.marksWithin(20), "sure": true})
	}
	return c.json(map[string]any{"people": people, "names": names})
}

func (c *echoedPrompt) json(answer any) modeltest.Step {
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return modeltest.Say(string(text))
}

// calls returns the next tool calls. Two of three turns of the owner read first; then every turn writes.
func (c *echoedPrompt) calls() []llms.ToolCall {
	tools, done := c.ToolNames(), len(c.ToolResults())
	if len(tools) == 0 || done > 4 || c.at > 0 && c.IntN(4) == 0 {
		return nil
	}
	reads := slices.Concat(
		slices.Repeat([]string{"read_social_memory", "memory_ops"}, 3), // more often than others
		[]string{
			"memory_ops", "read_owner_memory", "read_notes", "read_feed", "weather__forecast", "look_at_screen", "list_timers", "qq_get_group_member_list",
			"qq_get_group_history", "qq_get_friend_list",
		})
	writes := []string{
		"set_slot", "set_scratch", "set_inner_state", "character_ops", "set_timer", "add_schedule", "notify_master", "memory_edit", "shell_exec",
		"apply_patch_to_character_state", "apply_patch_to_history_tasks", "qq_send_text", "add_notification",
	}
	has := func(name string) bool { return slices.Contains(tools, name) }
	reads, writes = slices.DeleteFunc(reads, func(n string) bool { return !has(n) }), slices.DeleteFunc(writes, func(n string) bool { return !has(n) })
	if done == 0 && c.at < 0 && has("memory_ops") {
		reads = []string{"memory_ops"} // the tool that returns something to the persona outside of chats
	}
	if done == 0 && len(reads) > 0 && c.IntN(3) > 0 {
		return []llms.ToolCall{c.call(reads[c.IntN(len(reads))])}
	}
	if ids := idOf.FindAllStringSubmatch(strings.ReplaceAll(c.text, "&#34;", `"`), 3); done == 1 && len(ids) > 0 && has("memory_ops") && c.IntN(2) == 0 {
		open := []string{ids[len(ids)-1][1]}
		return []llms.ToolCall{modeltest.ToolCall("memory_ops", map[string]any{"ids": open})}
	}
	if done > 2 || len(writes) == 0 {
		return nil
	}
	if c.head != "" { // otherwise it would never end
		few := 4
		if c.head == "回想" {
			few = 2
		}
		writes = slices.DeleteFunc(writes, func(n string) bool { return (n == "set_timer" || n == "add_schedule") && c.IntN(few) > 0 })
	}
	var calls []llms.ToolCall
	c.Shuffle(len(writes), func(i, j int) { writes[i], writes[j] = writes[j], writes[i] })
	for i, name := range writes {
		if i < 4 || name == "set_inner_state" || name == "shell_exec" { // tools that few turns have
			calls = append(calls, c.call(name))
		}
	}
	return calls
}

var idOf = regexp.MustCompile(`"id":"([^"]+)"`)

// call returns a call of a tool with as much text as it takes.
func (c *echoedPrompt) call(name string) llms.ToolCall {
	c.toolCalls[name]++
	args := map[string]any{}
	one := func(of ...string) string { return of[c.IntN(len(of))] }
	switch name {
	case "read_social_memory":
		args["query"], args["limit"] = one("知道", "知道", "回答", "回答", "梦见", ""), 1
		args["filter"] = one("", "group_1", "group_2", "user_1001", "user_900", "user_900", "user_900")
	case "memory_ops":
		args["query"], args["limit"] = one("回答", "错过", "错过", "错过", "想起", "梦见"), 3
	case "read_owner_memory":
		args["query"], args["limit"] = one("回答", "记住", "梦见", "记得"), 1+c.IntN(5)
	case "weather__forecast":
		args["city"] = fmt.Sprint(max(c.at, 0))
	case "qq_get_group_member_list", "qq_get_group_history":
		args["group_id"] = 1 + c.IntN(2)
	case "set_slot":
		args["name"], args["text"] = "记"+fmt.Sprint(c.IntN(3)), c.marksWithin(1900)
	case "set_scratch":
		args["name"], args["text"] = "稿"+fmt.Sprint(c.IntN(3)), c.marksWithin(1900)
	case "set_inner_state":
		args["text"] = c.marksWithin(1900)
	case "character_ops":
		args["mood"], args["tone"] = c.marksWithin(55), c.marksWithin(110)
	case "set_timer":
		args["when"], args["content"] = one("3min", "2h"), c.marksWithin(450)+"."
	case "add_schedule":
		delay := []int{240, 5000}[c.IntN(2)]
		args["delay_seconds"] = delay
		if c.head == "回想" || c.IntN(2) == 0 {
			args["outdated_seconds"] = delay + 1
		}
		args["content"] = map[string]any{"title": c.marksWithin(200) + ".", "motivation": c.marksWithin(450), "plan": c.marksWithin(450), "expected_outcome": c.marksWithin(450)}
	case "notify_master", "add_notification":
		args["content"] = c.marksWithin(400) + "."
	case "memory_edit":
		args["op"], args["text"] = "write", "记得 "+c.marksWithin(1900)
	case "shell_exec":
		args["text"] = c.marksWithin(1900)
	case "apply_patch_to_character_state", "apply_patch_to_history_tasks":
		args["patch"] = "*** Begin Patch\n@@\n+" + c.marksWithin(100) + "\n*** End Patch"
	case "qq_send_text":
		args["content"] = c.marksWithin(1000) + "."
		if c.at == 0 {
			args["target_id"], args["content"] = "group_1", passedOn+c.marksWithin(1000)+"."
		}
	}
	return modeltest.ToolCall(name, args)
}

// askedWord finds the words in a question about the words of a group.
var askedWord = regexp.MustCompile(`“([^”]+)”，例如：`)

// explain copies marks into the meanings of words.
func (c *echoedPrompt) explain() modeltest.Step {
	words := []map[string]any{}
	for _, w := range askedWord.FindAllStringSubmatch(c.text, -1) {
		words = append(words, map[string]any{"word": w[1], "meaning": c.marksWithin(50), "kind": "jargon"})
	}
	text, _ := json.Marshal(map[string]any{"words": words})
	return modeltest.Say(string(text))
}
