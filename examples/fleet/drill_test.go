package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/internal/pgserver"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inProcess is set in the environment of a process that is one of the fleet.
const inProcess = "HEARTH_FLEET_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(inProcess) != "" {
		program.Main("fleet", run)
		return
	}
	os.Exit(m.Run())
}

// patience is the limit of each wait. It only ends a test that fails.
const patience = 2 * time.Minute

// A drill is a fleet to which things happen.
type drill struct {
	*fleet
	t    *testing.T
	rng  *rand.Rand
	talk func() // ends the talk of people
	did  map[kind]int
}

// newDrill starts a fleet of which each bot is connected and knows its groups, and lets people talk.
func newDrill(t *testing.T, args ...string) *drill {
	o, err := parse(append(args, "-db", "", "-lang", "en"), os.Stderr)
	require.NoError(t, err)
	logs := &testLog{t: t}
	o.environment = []string{inProcess + "=1"}
	s, err := startFleet(t.Context(), o, logs)
	if err != nil && strings.Contains(err.Error(), "apt-get") && os.Getenv("HEARTH_POSTGRES") != "required" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(s.close)
	d := &drill{fleet: s, t: t, rng: rand.New(rand.NewPCG(o.seed, 3)), did: map[kind]int{}}
	d.until("all are connected", d.settled)
	d.audit()
	d.chatter.greet()
	d.until("each bot knows its groups", func() bool { return len(d.unremembered()) == 0 })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); d.chatter.run(ctx) }()
	d.talk = func() { cancel(); <-ended }
	t.Cleanup(func() { d.talk() })
	return d
}

// until waits for a condition.
func (d *drill) until(what string, is func() bool) {
	d.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			for _, a := range d.platform.accounts {
				a.mu.Lock()
				if !a.online {
					d.t.Logf("%s is not connected since %v; its last process was %s", a.being, a.lost.Format(time.TimeOnly), a.holder)
				}
				a.mu.Unlock()
			}
			problems := d.unremembered()
			d.t.Logf("%d wait for a takeover; %d problems: %q", d.takeovers.waiting(), len(problems), problems[:min(20, len(problems))])
			d.t.Fatalf("%v, and not: %s", patience, what)
		}
	}
}

// settled reports whether each account is connected and nothing is to be taken over.
func (d *drill) settled() bool {
	for _, a := range d.platform.accounts {
		a.mu.Lock()
		online := a.online
		a.mu.Unlock()
		if !online {
			return false
		}
	}
	return d.takeovers.waiting() == 0
}

// shared reports whether each account is connected to the process that should have it.
func (d *drill) shared() bool {
	members := d.ids(running)
	for _, a := range d.platform.accounts {
		a.mu.Lock()
		holder := a.holder
		a.mu.Unlock()
		if d.o.reverse {
			holder = d.ownerOf(d.t.Context(), a)
		}
		if holder != owner.Prefer(a.being, members) {
			return false
		}
	}
	return true
}

// unremembered returns what the checks find at present.
func (d *drill) unremembered() (problems []string) {
	all, err := d.records(d.t.Context())
	if err != nil {
		return []string{err.Error()}
	}
	for _, r := range all {
		problems = append(problems, r.problems()...)
	}
	return problems
}

// one returns a process that runs.
func (d *drill) one() string {
	ids := d.ids(running)
	return ids[d.rng.IntN(len(ids))]
}

// kill kills a process, starts another one, and waits until its bots are taken over.
func (d *drill) kill() {
	d.t.Helper()
	id := d.one()
	require.NoError(d.t, d.fleet.kill(id))
	d.until(id+" has ended", func() bool { return d.isGone(id) })
	d.did[killed]++
	_, err := d.add()
	require.NoError(d.t, err)
	d.until("others have the bots of "+id+", which was killed", d.settled)
}

// pause pauses a process until its bots are taken over and during has returned.
func (d *drill) pause(during func()) {
	d.t.Helper()
	id := d.one()
	require.NoError(d.t, d.fleet.pause(id))
	d.did[paused]++
	d.until("others have the bots of "+id+", which is paused", d.settled)
	during()
	require.NoError(d.t, d.resume(id))
}

// deploy replaces each process by a new one, one after the other.
func (d *drill) deploy() {
	d.t.Helper()
	for _, id := range d.ids(running) {
		d.replace(id)
	}
}

// ids returns the processes in a state.
func (d *drill) ids(in state) (ids []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.processes {
		if p.state == in {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// replace starts a process, waits until it has its share of the bots, and lets another one hand its bots over and end.
func (d *drill) replace(id string) {
	d.t.Helper()
	added, err := d.add()
	require.NoError(d.t, err)
	d.until(added+" has its bots", func() bool { return d.shared() && d.settled() })
	require.NoError(d.t, d.fleet.stop(id))
	d.did[stopped]++
	d.until("others have the bots of "+id+", which ends", d.settled)
	d.until(id+" has ended", func() bool { return d.isGone(id) })
}

func (d *drill) isGone(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.processes, func(p *process) bool { return p.id == id && p.state == gone })
}

// audit lets the database note for each record who wrote it, and who had the lease in the same transaction.
func (d *drill) audit() {
	require.NoError(d.t, d.server.Exec(pgserver.Role,
		`CREATE TABLE audit (being text, writer text, owner text, epoch bigint)`,
		`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
			INSERT INTO public.audit SELECT NEW.being, current_setting('application_name'), l.owner, l.epoch FROM hearth.leases l WHERE l.being = NEW.being AND l.name = '';
			RETURN NEW; END $$`,
		`CREATE TRIGGER note AFTER INSERT ON hearth.records FOR EACH ROW EXECUTE FUNCTION note()`,
		`GRANT SELECT ON audit TO `+pgserver.Role))
}

// foreign returns the number of records that a process wrote without the lease, and of all.
func (d *drill) foreign() (foreign, all, epochs int) {
	require.NoError(d.t, d.pool.QueryRow(d.t.Context(), `SELECT count(*) FILTER (WHERE writer <> owner), count(*), count(DISTINCT (being, epoch)) FROM audit`).Scan(&foreign, &all, &epochs))
	return foreign, all, epochs
}

// finish ends the talk, waits until the bots remember everything, and checks it all again after their end. It returns the number of
// messages that are remembered behind a newer one.
func (d *drill) finish() (late int) {
	d.t.Helper()
	d.talk()
	d.until("all are connected", d.settled)
	end := time.Now().Add(patience)
	for problems := d.unremembered(); len(problems) > 0; problems = d.unremembered() {
		if time.Now().After(end) {
			assert.Empty(d.t, problems)
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	d.mu.Lock()
	for _, p := range d.processes {
		if p.state == running {
			stopProcess(p.cmd.Process)
		}
	}
	d.mu.Unlock()
	d.running.Wait()
	assert.Empty(d.t, d.unremembered())
	foreign, all, epochs := d.foreign()
	assert.Zero(d.t, foreign, "records of a process that had lost its lease")
	assert.Greater(d.t, epochs, len(d.platform.accounts), "control: the bots moved")
	a := d.platform.accounts[0]
	require.NoError(d.t, d.beings[a.being].Put(d.t.Context(), memory.Record{ID: "control", Space: space(1), Text: "control"}))
	foreign, _, _ = d.foreign()
	assert.Equal(d.t, 1, foreign, "control: a record of another process is found")
	said, sent := 0, 0
	for _, a := range d.platform.accounts {
		said, sent = said+a.marks, sent+len(a.qq.Sent())
	}
	assert.Greater(d.t, said, len(d.platform.accounts), "control: people talked")
	assert.Positive(d.t, sent, "control: the bots answered")
	records, err := d.records(d.t.Context())
	require.NoError(d.t, err)
	for _, r := range records {
		late += r.late()
	}
	d.t.Logf("%d of the messages of people are remembered behind a newer one", late)
	d.t.Logf("%d accounts, %d kills, %d pauses, %d stops; people said %d, bots said %d; %d records under %d epochs", len(d.platform.accounts), d.did[killed], d.did[paused], d.did[stopped], said, sent, all, epochs)
	d.report()
	return late
}

// report prints how long takeovers took.
func (d *drill) report() {
	for _, k := range []kind{killed, paused, stopped} {
		took := d.takeovers.durations(k, func(t takeover) time.Duration { return t.Took })
		gap := d.takeovers.durations(k, func(t takeover) time.Duration { return t.Gap })
		if len(took) > 0 {
			d.t.Logf("%-5s %4d takeovers: from then to the connection p50 %v, p99 %v, max %v; offline p50 %v, p99 %v, max %v", k, len(took), quantile(took, .5), quantile(took, .99), quantile(took, 1),
				quantile(gap, .5), quantile(gap, .99), quantile(gap, 1))
		}
	}
}

// testLog shows what the processes print.
type testLog struct{ t *testing.T }

func (l *testLog) Write(p []byte) (int, error) {
	if testing.Verbose() {
		fmt.Fprint(os.Stderr, string(p))
	}
	return len(p), nil
}
