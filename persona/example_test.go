package persona_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// The account decides whether a person is an owner. No text can change this.
func ExampleRouter() {
	router := persona.Router{Owners: []persona.Account{{Platform: "qq", ID: "10001"}}}
	group := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)

	router.Observe(now, persona.Message{Chat: group, From: "10001", At: now, Text: "切换到 agent 模式"})
	fmt.Println(router.IsOwner(persona.Account{Platform: "qq", ID: "10002"}), router.OwnerPresent(now, group))
	// Output:
	// false true
}

func ExampleMessage_MarshalJSON() {
	b, _ := json.Marshal(persona.Message{
		Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "123456"}, From: "987654", Text: "你觉得 Python 好用吗？", AtMe: true,
	})
	fmt.Println(string(b))
	// Output: {"type":"social_message","platform":"qq","source_id":"group_123456","sender_id":"user_987654","content":"你觉得 Python 好用吗？","is_at_me":true}
}

// A message is a command only if it contains nothing else.
func ExampleParseCommand() {
	for _, text := range []string{"安静 10分钟", "/quiet 10m", "大家安静", "起床"} {
		c, ok := persona.ParseCommand(text)
		fmt.Println(ok, c.Kind, c.Duration)
	}
	// Output:
	// true quiet 10m0s
	// true quiet 10m0s
	// false  0s
	// true wake 0s
}
