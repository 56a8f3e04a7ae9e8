package social_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona/modeltest"
)

var (
	msgIDs    = regexp.MustCompile(`<msg [^>]*? id="(-?\d+)"`)
	memoryIDs = regexp.MustCompile(`<memory [^>]*?id="([^"]+)"`)
	taskIDs   = regexp.MustCompile(`<task [^>]*?id="([^"]+)"`)
)

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// answer returns the models' answer. It depends on the request only.
func (w *recordedWorld) answer(p modeltest.Prompt, r *rand.Rand) modeltest.Step {
	switch r.IntN(40) {
	case 0:
		return modeltest.Fail(errModel)
	case 1:
		return modeltest.HTTPError(503, "busy")
	case 2:
		return modeltest.Say(w.words(r)).After(time.Duration(20+r.IntN(60)) * time.Second)
	}
	human := p.Human()
	switch head := part(p); head {
	case "想":
		return modeltest.Say(pick(r, "他们在聊天气，我也想说一句。", "张三好像有点累，要不要问问？", "没我什么事，听着就好。"))
	case "决定":
		return modeltest.Say(pick(r,
			`{"action": "text_reply", "reasoning": "想说"}`, `{"action": "text_reply", "emoji_query": "开心", "at_user": "1001"}`,
			`{"action": "text_reply", "reasoning": "逗逗他", "poke_user": "1002"}`, `{"action": "emoji_reply", "emoji_query": "无语"}`,
			`{"action": "no_reply"}`, `{"action": "exit_focus_mode"}`, "嗯……"))
	case "写":
		return modeltest.Say(w.words(r))
	case "要不要看":
		return modeltest.Say(pick(r, `{"decision": true, "reason": "有意思"}`, `{"decision": true}`, `{"decision": false}`, "不好说"))
	case "记":
		return modeltest.Say(fmt.Sprintf("张三和李四在聊天气（%d）。\n约好周末去爬山。", r.IntN(100)))
	case "梦":
		return modeltest.Say(mustJSON(map[string]any{"insights": w.insights(human, r)}))
	case "看人":
		return modeltest.Say(mustJSON(map[string]any{
			"people": []map[string]any{
				{"id": "1001", "feeling": pick(r, "happy", "calm", "angry", ""), "stance": r.IntN(3) - 1, "impression": pick(r, "", "爱聊天气的人", "总是很晚睡")},
				{"id": "1002", "feeling": pick(r, "sad", "surprised", "shy"), "impression": fmt.Sprint("见过 ", r.IntN(9), " 次")},
			},
			"names": []map[string]any{{"id": "1001", "name": pick(r, "三哥", "老张"), "by": "1002", "sure": r.IntN(3) > 0}, {"id": "1002", "name": "小四", "sure": true}},
		}))
	case "判断申请":
		return modeltest.Say(pick(r,
			`{"decision": "approve", "reason": "认识", "notify": true, "greeting": true}`, `{"decision": "approve", "greeting": true}`,
			`{"decision": "reject", "reason": "不认识", "notify": true}`, `{"decision": "hold", "reason": "拿不准"}`, "嗯"))
	case "打招呼":
		return modeltest.Say(pick(r, "你好呀，以后多聊！", "嗨", "[skip]"))
	case "体会":
		return modeltest.Say(fmt.Sprintf("今天心里很静，第 %d 次这样想。", r.IntN(100)))
	case "记下结果":
		return modeltest.Say(pick(r, "他很高兴。", "看不出结果。"))
	case "往大处想":
		return modeltest.Say(pick(r, "最近大家都忙，我想多陪陪他们。", "日子平静，挺好。"))
	default:
		return w.turn(head, p, r)
	}
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (w *recordedWorld) insights(human string, r *rand.Rand) (all []map[string]any) {
	ids := msgIDs.FindAllStringSubmatch(human, -1)
	old := memoryIDs.FindAllStringSubmatch(human, -1)
	for i := range 1 + r.IntN(3) {
		in := map[string]any{"text": fmt.Sprintf("张三喜欢爬山，想好了第 %d 条路。", r.IntN(50)+i), "about": pick(r, "1001", "1002", ""), "importance": float64(r.IntN(10)) / 10}
		if len(ids) > 0 {
			in["from"] = []string{ids[r.IntN(len(ids))][1]}
		}
		if len(old) > 0 && r.IntN(2) == 0 {
			in["replaces"] = []string{old[r.IntN(len(old))][1]}
		}
		all = append(all, in)
	}
	return all
}

// words returns a reply. Replies differ, because a repeated reply is refused.
func (w *recordedWorld) words(r *rand.Rand) string {
	n := r.IntN(10_000)
	return pick(r,
		fmt.Sprintf("好的，我知道了，编号 %d。", n), fmt.Sprintf("第 %d 回说起这个了！真有意思啊！下次一起去看看吧！", n),
		fmt.Sprintf("<item>哈哈 %d</item><item>我也这么想</item>", n), fmt.Sprintf("嗯 %d", n), fmt.Sprintf("@张三 你说的是 %d 吗？", n), "[skip]", "")
}

// turn answers a task that may call tools: a reply to people or an autonomous turn.
func (w *recordedWorld) turn(head string, p modeltest.Prompt, r *rand.Rand) modeltest.Step {
	again := len(p.ToolResults()) > 0 || strings.Contains(p.Text(), "<tool_response name=")
	if token := tokenOf(p); token != "" && !again && r.IntN(2) == 0 {
		return modeltest.Say(fmt.Sprintf("我看看。\n<nit-%[1]s>\n$who = qq_get_stranger_info(user_id=\"1001\")\nqq_poke(user_id=\"1001\")\nqq_send_text(content=\"%[2]d\")\n</nit-%[1]s>", token, r.IntN(10_000)))
	}
	if len(p.ToolNames()) == 0 || len(p.ToolResults()) > 3 || r.IntN(3) == 0 || head == "" && r.IntN(2) == 0 {
		return modeltest.Say(w.words(r))
	}
	var step modeltest.Step
	for range pick(r, 1, 1, 1, 2, 10) {
		name := pick(r, p.ToolNames()...)
		if r.IntN(3) == 0 { // tools with many consequences
			wanted := []string{"set_timer", "add_schedule", "set_slot", "qq_send_text", "memory_edit", "character_ops", "apply_patch_to_character_state", "apply_patch_to_history_tasks", "notify_master"}
			if some := slices.DeleteFunc(wanted, func(name string) bool { return !slices.Contains(p.ToolNames(), name) }); len(some) > 0 {
				name = pick(r, some...)
			}
		}
		args, ok := w.arguments(name, p, r)
		if !ok {
			continue
		}
		step.Calls = append(step.Calls, modeltest.ToolCall(name, args))
	}
	if len(step.Calls) == 0 {
		return modeltest.Say(w.words(r))
	}
	return step
}

// arguments returns arguments for a tool; ok is false for unknown tools.
func (w *recordedWorld) arguments(name string, p modeltest.Prompt, r *rand.Rand) (args map[string]any, ok bool) {
	human, results := p.Human(), p.ToolResults()
	n := r.IntN(1000)
	message := func() string {
		if ids := msgIDs.FindAllStringSubmatch(human, -1); len(ids) > 0 {
			return ids[r.IntN(len(ids))][1]
		}
		return "1"
	}
	fromResults := func(field string) string { // a value from tool results
		found := regexp.MustCompile(`"`+field+`": ?"([^"]+)"`).FindAllStringSubmatch(fmt.Sprint(results), -1)
		if len(found) == 0 {
			return "none"
		}
		return found[r.IntN(len(found))][1]
	}
	switch name {
	case "set_timer":
		return map[string]any{"when": pick(r, "90s", "3min", "2h", "once:2000-01-01 08:0"+fmt.Sprint(n%10), fmt.Sprintf("cron:%d %d * * *", n%60, n%24)), "content": fmt.Sprint("问问张三 ", n)}, true
	case "add_schedule":
		args = map[string]any{"delay_seconds": 120 + n, "content": map[string]any{"title": fmt.Sprint("问候 ", n), "motivation": "想他了", "plan": "说一句早", "expected_outcome": "他会高兴"}}
		if r.IntN(2) == 0 {
			args["outdated_seconds"] = 125 + n + r.IntN(2)*3000
		}
		return args, true
	case "delete_schedule":
		if ids := taskIDs.FindAllStringSubmatch(human, -1); len(ids) > 0 {
			return map[string]any{"id": ids[r.IntN(len(ids))][1]}, true
		}
		return map[string]any{"id": fromResults("id")}, true
	case "cancel_timer":
		return map[string]any{"id": fromResults("id")}, true
	case "set_slot", "set_scratch":
		return map[string]any{"name": fmt.Sprint("记", n%3), "text": pick(r, "", fmt.Sprint("张三不吃辣 ", n))}, true
	case "set_inner_state":
		return map[string]any{"text": fmt.Sprint("有点想念大家 ", n)}, true
	case "character_ops":
		args = map[string]any{"mood": pick(r, "开心", "困")}
		if strings.Contains(human, "睡一会") {
			args["sleep_minutes"] = 3
		}
		return args, true
	case "memory_edit":
		switch r.IntN(4) {
		case 0:
			return map[string]any{"op": pick(r, "forget", "hide", "reveal"), "ids": []string{fromResults("id")}}, true
		case 1:
			return map[string]any{"op": "correct", "ids": []string{fromResults("id")}, "text": fmt.Sprint("主人其实喜欢茶 ", n)}, true
		}
		return map[string]any{"op": "write", "text": fmt.Sprintf("主人的电话是 1380013%04d", n), "secret": r.IntN(2) == 0}, true
	case "memory_ops", "read_owner_memory", "read_social_memory":
		return map[string]any{"query": pick(r, "天气", "电话", "爬山")}, true
	case "notify_master":
		return map[string]any{"content": fmt.Sprint("张三找你 ", n)}, true
	case "add_notification":
		return map[string]any{"title": "提醒", "content": fmt.Sprint("喝水 ", n)}, true
	case "apply_patch_to_character_state", "apply_patch_to_history_tasks":
		heading := map[string]string{"apply_patch_to_character_state": "## 用户画像推测", "apply_patch_to_history_tasks": "## 做过的"}[name]
		return map[string]any{"patch": fmt.Sprintf("*** Begin Patch\n@@ %s\n+- 新的一行 %d\n*** End Patch", heading, n)}, true
	case "qq_send_text":
		args = map[string]any{"content": fmt.Sprint("捎一句话 ", n)}
		if strings.Contains(p.System(), "主人自己的设备") {
			args["target_id"] = pick(r, "group_1", "user_1001", "技术群", "张三")
		}
		return args, true
	case "qq_poke", "qq_get_stranger_info":
		return map[string]any{"user_id": pick(r, "1001", "1002")}, true
	case "qq_delete_message":
		return map[string]any{"message_id": message()}, true
	case "qq_get_group_history":
		return map[string]any{"group_id": "1"}, true
	case "qq_get_group_member_list":
		return map[string]any{"group_id": "1"}, true
	case "qq_find_target":
		return map[string]any{"name": "张"}, true
	case "qq_group_ban":
		return map[string]any{"group_id": "1", "user_id": "1002", "duration": 60}, true
	case "qq_group_card":
		return map[string]any{"group_id": "1", "user_id": "1002", "card": fmt.Sprint("小四", n%10)}, true
	case "qq_group_kick", "qq_delete_friend", "qq_handle_friend_request", "qq_handle_group_invite", "nit_script":
		return nil, false
	case "pay":
		return map[string]any{"conv": n}, true
	}
	return map[string]any{}, true
}
