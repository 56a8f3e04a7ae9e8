// Fleet runs many bots on many processes over one PostgreSQL database. Package memory/postgres/owner says which process runs which
// bot, and moves the bots when a process comes, goes or fails.
//
//	go run ./examples/fleet
//
// This starts a database, a simulated chat platform with 50 accounts, three processes and a page. On the page you can kill, pause,
// stop and add processes, and see how the others take their bots over. It needs the programs of PostgreSQL (Debian: apt-get
// install postgresql), or a database of yours: -db postgres://USER@HOST/DATABASE.
//
// On several machines start the same command on each, as often as you like, with the same list of bots:
//
//	fleet -worker -db postgres://hearth@db/hearth -beings beings.txt -model openai -model-name …
//
// Each line of beings.txt has the name of a bot and the address of its OneBot implementation: "xiaolu ws://10.0.0.7:3001". The
// password of the database is in PGPASSWORD or ~/.pgpass, and the token of OneBot in ONEBOT_TOKEN. SIGTERM hands the bots over to
// the other machines. To change the list, restart the processes one after the other.
//
// Bots with reverse WebSockets ("xiaolu 10001" and -gateway) sleep when they are idle for -sleep: then a row of the database is all that
// they cost, besides the connection.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
)

func main() { program.Main("fleet", run) }

// run is main without the process.
func run(ctx context.Context, args []string, in io.Reader, out, diagnostics io.Writer) error {
	o, err := parse(args, diagnostics)
	if err != nil {
		return err
	}
	if o.worker {
		return work(ctx, o, in, diagnostics)
	}
	s, err := startFleet(ctx, o, diagnostics)
	if err != nil {
		return err
	}
	defer s.close()
	return s.servePage(ctx, out)
}

// parse reads the flags.
func parse(args []string, diagnostics io.Writer) (options, error) {
	o := options{lang: lang.Of(args)}
	f := flag.NewFlagSet("fleet", flag.ContinueOnError)
	o.flags(f)
	if err := program.Parse(f, help, args, diagnostics); err != nil {
		return o, err
	}
	if err := program.NoArguments(f); err != nil {
		return o, err
	}
	return o, o.check()
}

// banner prints where the page is.
func (s *fleet) banner(out io.Writer, address string) {
	fmt.Fprintln(out, s.o.lang.Sprintf("%d 个机器人，%d 个进程，一个数据库。打开 http://%s/ 看看，Ctrl-C 结束。",
		"%d bots, %d processes, one database. Open http://%s/, end by Ctrl-C.", s.o.accounts, s.o.processes, address))
}
