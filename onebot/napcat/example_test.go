package napcat_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/napcat"
)

// NapCat and a bot start together and stop together.
func Example() {
	token := rand.Text() // nobody else needs it
	supervisor, err := napcat.NewSupervisor(napcat.Options{
		Command: "xvfb-run",
		Args:    []string{"-a", "qq", "--no-sandbox", "-q", "10001"},
		Config: napcat.Config{
			Dir:     "/opt/QQ/resources/app/app_launcher/napcat/config",
			Account: 10001, WSPort: 3001, Token: token,
		},
		Logger: slog.Default(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := onebot.NewClient("ws://127.0.0.1:3001", onebot.Options{Token: token})
	if err != nil {
		fmt.Println(err)
		return
	}

	start := func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ended := make(chan error)
		go func() {
			err := supervisor.Run(ctx)
			cancel()
			ended <- err
		}()
		err := client.Run(ctx, func(ctx context.Context, bot *onebot.Bot, e onebot.Event) {
			// reply
		})
		cancel()
		return errors.Join(err, <-ended)
	}
	_ = start // in main: start(ctx)

	fmt.Println(supervisor.State().Phase)
	// Output: stopped
}

func ExampleSupervisor_Wait() {
	supervisor, err := napcat.NewSupervisor(napcat.Options{
		Command: "sleep", Args: []string{"60"},
		Ping: func(context.Context) error { return nil }, // any running child is ready
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	ended := make(chan error)
	go func() { ended <- supervisor.Run(ctx) }()

	state, err := supervisor.Wait(ctx, napcat.State.Ready)
	fmt.Println(state.Phase, state.Restarts, err)
	cancel()
	fmt.Println(<-ended, supervisor.State().Phase)
	// Output:
	// ready 0 <nil>
	// <nil> stopped
}

func ExampleConfig_Check() {
	dir, err := os.MkdirTemp("", "napcat")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := `{"network": {"websocketServers": [{"name": "ws", "enable": true, "host": "0.0.0.0", "port": 3001, "token": "t0ken"}]}}`
	if err := os.WriteFile(filepath.Join(dir, "onebot11_10001.json"), []byte(file), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	conf := napcat.Config{Dir: dir, Account: 10001, WSPort: 3001, Token: "t0ken"}
	var wrong *napcat.ConfigError
	if errors.As(conf.Check(), &wrong) {
		fmt.Println(wrong.Problems[0])
	}
	written, err := conf.Apply()
	fmt.Println(written, err, conf.Check())
	// Output:
	// network.websocketServers[0].host is "0.0.0.0", want "127.0.0.1"
	// true <nil> <nil>
}
