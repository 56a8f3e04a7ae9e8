package preset_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/preset"
)

// A room is a chat platform in which one message arrives.
type room struct {
	text string
	said chan string
}

func (r *room) Run(ctx context.Context, receive func(context.Context, persona.Event)) error {
	receive(ctx, persona.Message{
		ID: "1", Chat: persona.Chat{Platform: "room", Kind: persona.Group, ID: "1"}, From: "7", Name: "小明", At: time.Now(), Text: r.text,
	})
	<-ctx.Done()
	return nil
}

func (r *room) Send(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
	r.said <- out.Text
	return "a", nil
}

// answer answers the prompts of a thought, a plan and a text.
func answer(_ context.Context, p modeltest.Prompt) modeltest.Step {
	switch {
	case strings.Contains(p.Human(), "## 现在：想\n"):
		return modeltest.Say("小明在叫我。")
	case strings.Contains(p.Human(), "## 现在：决定\n"):
		return modeltest.Say(`{"action": "text_reply", "reasoning": "他在等我"}`)
	case strings.Contains(p.Human(), "## 现在：写\n"):
		return modeltest.Say("在，炉边可暖和了")
	}
	return modeltest.Say("[skip]")
}

// A bot in groups with everything on. It thinks, plans and writes; here with scripted answers, and a hundred times faster.
func Example() {
	r := &room{text: "小炉，你在吗", said: make(chan string, 1)}
	ctx, stop := context.WithCancel(context.Background())
	o, err := preset.Group(ctx, social.Options{
		Profile: persona.Profile{Name: "小炉", About: "爱看番的大学生，说话简短。"},
		Model:   modeltest.Func(answer),
		Link:    r,
	})
	if err != nil {
		log.Fatal(err)
	}
	o.Background.Digest = nil // what a preset sets can be changed
	bot, err := social.New(preset.Scale(o, 100))
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	fmt.Println(<-r.said)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 在，炉边可暖和了
	// <nil>
}

// A companion talks to its owner in the host's app.
func ExampleCompanion() {
	r := &room{text: "大家好", said: make(chan string, 1)}
	ctx, stop := context.WithCancel(context.Background())
	o, err := preset.Companion(ctx, social.Options{
		Profile: persona.Profile{Name: "小炉", About: "惦记着主人。"},
		Model:   modeltest.Func(func(context.Context, modeltest.Prompt) modeltest.Step { return modeltest.Say("早，今天也加油") }),
		Link:    r,
	})
	if err != nil {
		log.Fatal(err)
	}
	bot, err := social.New(o)
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()
	fmt.Println(bot.OwnerMessage(ctx, "早"))
	stop()
	fmt.Println(<-ended)
	// Output:
	// 早，今天也加油 <nil>
	// <nil>
}
