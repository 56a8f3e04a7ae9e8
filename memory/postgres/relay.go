package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/relay"
)

// RelayOptions configure a [Relay]. ID, Being and Database.Pool are required.
type RelayOptions struct {
	ID       string  // of this process, unique among those that run, such as the name of the host
	Database Options // with the Pool of this process; its Being and Fence are not used

	// Being returns the bot of an account. If ok is false, there is none, and the account cannot be attached.
	Being func(account string) (being string, ok bool)

	Valid time.Duration // an attachment of a process that died ends after this time; 0 means 15 s
	Poll  time.Duration // time between two looks at the tables if no notification arrives; 0 means 2 s
}

// A Relay is a [relay.Gateway] over the database, and makes a [relay.Owner] for each bot of this process. The tables inbox and outbox
// have all events and calls. Each change is announced by NOTIFY. That only makes it faster: if notifications do not arrive, such as
// through a connection pooler, the tables are looked at after RelayOptions.Poll. An event and a new connection wake a bot that sleeps:
// see [DB.Sleep].
//
// All methods may be called concurrently.
type Relay struct {
	o     RelayOptions
	hints *hints
	q     queries // the same for all handles, because a gateway has one for each of its accounts

	mu      sync.Mutex
	handles map[string]*DB // by being
}

var _ relay.Gateway = (*Relay)(nil)

// OpenRelay creates or upgrades the tables. Call Run to get notifications.
func OpenRelay(ctx context.Context, o RelayOptions) (*Relay, error) {
	if o.ID == "" || o.Being == nil || o.Database.Pool == nil {
		return nil, errors.New("postgres: open relay: set RelayOptions.ID, RelayOptions.Being and RelayOptions.Database.Pool")
	}
	if o.Valid == 0 {
		o.Valid = 15 * time.Second
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.Valid < time.Second || o.Poll <= 0 {
		return nil, fmt.Errorf("postgres: open relay: RelayOptions.Valid is %v and Poll is %v: at least 1s and more than 0 are needed", o.Valid, o.Poll)
	}
	o.Database.Fence, o.Database.Being = nil, o.ID
	db, err := connect(ctx, o.Database)
	if err == nil {
		o.Database = db.o
		err = db.prepareRelay(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("postgres: open relay: %w", withSentinel(err))
	}
	return &Relay{o: o, q: db.q, hints: newHints(o.Database.Schema), handles: map[string]*DB{}}, nil
}

// prepareRelay checks the server and the role, and upgrades the tables.
func (db *DB) prepareRelay(ctx context.Context) error {
	if err := db.check(ctx); err != nil {
		return err
	}
	if err := storePart.migrate(ctx, db.pool, db.o.Schema); err != nil {
		return err
	}
	return relayPart.migrate(ctx, db.pool, db.o.Schema)
}

// Run receives notifications until ctx ends. It uses one connection of the pool. It returns nil.
func (r *Relay) Run(ctx context.Context) error {
	r.hints.run(ctx, r.o.Database.Pool, r.o.Poll)
	return nil
}

// handle returns the DB of an account's bot.
func (r *Relay) handle(account string) (*DB, error) {
	being, ok := r.o.Being(account)
	if !ok {
		return nil, fmt.Errorf("postgres: relay: account %q has no bot: RelayOptions.Being must know it", account)
	}
	if memory.ValidateKey(account) != nil {
		return nil, fmt.Errorf("postgres: relay: account %q: %w", account, memory.ErrInvalid)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if db := r.handles[being]; db != nil {
		return db, nil
	}
	o := r.o.Database
	o.Being = being
	db, err := connect(context.Background(), o) // connects to nothing: the pool is there
	if err == nil {
		db.q = r.q
		r.handles[being] = db
	}
	return db, err
}

// Owner returns the owner's side of an account. db is the handle with the fence of the bot, such as package owner gives to Act, and
// must be the store of the bot's memory: a message is removed from the inbox in the transaction that stores it there.
func (r *Relay) Owner(db *DB, account string) relay.Owner {
	return &relayOwner{r: r, db: db, account: account}
}

// Publish implements [relay.Gateway].
func (r *Relay) Publish(ctx context.Context, account string, e relay.Event) error {
	db, err := r.handle(account)
	if err != nil {
		return err
	}
	if len(e.Body) > relay.MaxEvent {
		return fmt.Errorf("postgres: %w: an event has %d bytes, at most %d", relay.ErrTooLarge, len(e.Body), relay.MaxEvent)
	}
	if memory.ValidateKey(e.Key) != nil || !isAddress(e.Chat) {
		return fmt.Errorf("postgres: publish event %q of chat %q: %w", e.Key, e.Chat, memory.ErrInvalid)
	}
	body := e.Body
	if body == nil {
		body = []byte{}
	}
	return db.relayExec(ctx, r.hints.topic(hintInbox, db.o.Being, account), step{publishSQL, []any{db.o.Being, account, e.Key, e.Chat, e.Message, body}, nil})
}
