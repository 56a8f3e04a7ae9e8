package owner

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/jackc/pgx/v5"
)

// A hint of another process: that it has released a being, or with "" that it has joined or left; or that it wants the being.
type hint struct {
	want  bool
	being string
}

const (
	wantPrefix = "want "
	freePrefix = "free "
)

func (h hint) String() string {
	if h.want {
		return wantPrefix + h.being
	}
	return freePrefix + h.being
}

func parseHint(payload string) hint {
	if being, ok := strings.CutPrefix(payload, wantPrefix); ok {
		return hint{true, being}
	}
	return hint{being: strings.TrimPrefix(payload, freePrefix)}
}

// channel returns the channel of NOTIFY by which the processes of a group give each other hints.
func (d *database) channel() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q", d.o.Database.Schema, d.o.Group)
	return fmt.Sprintf("hearth_owner_%016x", h.Sum64())
}

// notify gives a hint. The tables are the truth, so a lost one is no error.
func (d *database) notify(ctx context.Context, h hint) {
	_, _ = d.o.Database.Pool.Exec(ctx, "SELECT pg_notify($1, $2)", d.channel(), h.String())
}

func (d *database) want(ctx context.Context, being string) { d.notify(ctx, hint{true, being}) }

// listen passes hints on until ctx ends. It has a connection of its own, so that it takes none of a small pool, and opens it again
// after a while if it is lost.
func (d *database) listen(ctx context.Context, retry time.Duration, hints chan<- hint, report func(string, error)) {
	for ctx.Err() == nil {
		if err := d.listenOnce(ctx, hints); ctx.Err() == nil {
			report("", fmt.Errorf("owner: no hints of other processes: %w", err))
		}
		_ = loop.Sleep(ctx, retry)
	}
}

func (d *database) listenOnce(ctx context.Context, hints chan<- hint) error {
	config := d.o.Database.Pool.Config()
	if config.BeforeConnect != nil {
		if err := config.BeforeConnect(ctx, config.ConnConfig); err != nil {
			return err
		}
	}
	c, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	if _, err := c.Exec(ctx, "LISTEN "+d.channel()); err != nil {
		return err
	}
	for h := (hint{}); ; { // at first members may have changed meanwhile
		select {
		case hints <- h:
		case <-ctx.Done():
			return ctx.Err()
		}
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		h = parseHint(n.Payload)
	}
}
