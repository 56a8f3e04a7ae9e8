package relay_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/persona/relay"
)

// A gateway and an owner in one process, as in a test.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	mem := relay.NewMemory()

	// the process with the connection of the account
	attachment, err := mem.Attach(ctx, "10001")
	if err != nil {
		log.Fatal(err)
	}
	served := make(chan error)
	go func() {
		served <- attachment.Serve(ctx, func(_ context.Context, call []byte) []byte {
			fmt.Printf("the platform is asked to %s\n", call)
			return []byte("ok")
		})
	}()
	if err := mem.Publish(ctx, "10001", relay.Event{Key: "1", Chat: "group", Body: []byte("hello")}); err != nil {
		log.Fatal(err)
	}

	// the process that runs the bot
	owner := mem.Owner("10001")
	err = owner.Run(ctx, relay.Handler{Event: func(ctx context.Context, e relay.Event) error {
		fmt.Printf("the bot gets %s\n", e.Body)
		inTime, done := context.WithTimeout(ctx, time.Minute)
		defer done()
		answer, err := owner.Call(inTime, []byte("say hello"))
		fmt.Printf("the answer is %s\n", answer)
		cancel()
		return err
	}})
	if err := <-served; err != nil {
		log.Fatal(err)
	}
	fmt.Println(err)
	// Output:
	// the bot gets hello
	// the platform is asked to say hello
	// the answer is ok
	// <nil>
}
