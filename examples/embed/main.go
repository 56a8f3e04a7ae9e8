// Embed adds attention and buffering to an existing bot, here one in the style of ZeroBot. It uses two packages of hearth,
// and neither has dependencies.
//
// Without arguments it plays a short group chat and prints the replies:
//
//	go run ./examples/embed
package main

import (
	"context"
	"fmt"
	"log"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
)

// A Ctx is the event of your framework, such as *zero.Ctx.
type Ctx struct {
	GroupID, UserID, MessageID int64
	Text                       string
	ToMe                       bool
	Send                       func(string)
}

// listen returns the message handler for your framework. model is the function that answers in your bot. Run the runner as
// long as the bot runs.
func listen(o buffer.Options, model func(context.Context, []*Ctx) string) (handle func(*Ctx), gather *buffer.Runner[int64, *Ctx], err error) {
	attention, err := heartflow.New[int64](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		return nil, nil, err
	}
	gather = buffer.NewRunner(func(ctx context.Context, b buffer.Batch[int64, *Ctx]) error {
		last := b.Items[len(b.Items)-1]
		if attention.JudgeUpTo(time.Now(), b.Key, id(last)).Do == heartflow.Silent {
			return nil
		}
		reply := model(ctx, b.Items)
		if reply == "" {
			attention.SkipTurn(time.Now(), b.Key, heartflow.WhyModelSilent)
			return nil
		}
		if err := attention.Speak(time.Now(), b.Key, reply); err != nil { // stale, muted or over a limit
			return err
		}
		last.Send(reply)
		return nil
	}, o)
	handle = func(c *Ctx) {
		called := attention.Observe(time.Now(), c.GroupID, heartflow.Message{
			ID: id(c), From: strconv.FormatInt(c.UserID, 10), Text: c.Text, AtMe: c.ToMe,
		}).Addressed
		if called {
			gather.AddUrgent(c.GroupID, c)
		} else {
			gather.Add(c.GroupID, c)
		}
	}
	return handle, gather, nil
}

func id(c *Ctx) string { return strconv.FormatInt(c.MessageID, 10) }

func main() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute) // ends after the reply
	defer stop()
	o := buffer.Options{Debounce: time.Second, UrgentDelay: 200 * time.Millisecond} // short for the demo
	handle, gather, err := listen(o, func(_ context.Context, batch []*Ctx) string {
		return fmt.Sprintf("你们说了 %d 句，我都听见了。", len(batch))
	})
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for i, text := range []string{"今晚吃什么", "火锅？", "小炉你说呢", "快说"} {
			fmt.Println("群友:", text)
			handle(&Ctx{GroupID: 1, UserID: 7, MessageID: int64(i + 1), Text: text, Send: func(s string) { fmt.Println("小炉:", s); stop() }})
			time.Sleep(50 * time.Millisecond)
		}
	}()
	if err := gather.Run(ctx); err != nil {
		fmt.Println(err)
	}
}
