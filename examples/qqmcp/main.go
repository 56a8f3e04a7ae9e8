// Qqmcp is an MCP server for QQ. A model in any MCP client can read groups and private chats and write to them.
//
// To try it in a client with a simulated QQ:
//
//	qqmcp --demo
//
// With a running OneBot v11 implementation, or with a NapCat that qqmcp starts:
//
//	qqmcp --qq 10001 --onebot-ws ws://127.0.0.1:3001 --groups 123456 --friends 555666
//	qqmcp --qq 10001 --napcat-path /opt/napcat/napcat.sh --groups 123456
//
// README.md has configurations of common clients.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	shared "github.com/hearth-bot/hearth/examples/internal/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// If the reader of the log closes it, writes fail and do not end the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "qqmcp:", lang.Print(err, os.Args[1:]))
		os.Exit(1)
	}
}

// run is main without the process. It ends when ctx or the input ends.
func run(ctx context.Context, args []string, in io.Reader, out, diagnostics io.Writer) error {
	o, err := parse(args, diagnostics)
	if err != nil {
		return err
	}
	p, err := newProgram(o, shared.NewLog(diagnostics, o.lang, o.level))
	if err != nil {
		return err
	}
	return p.run(ctx, in, out)
}
