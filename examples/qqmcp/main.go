// Qqmcp brings QQ into an MCP client: groups and private chats are read, and written to, by whatever model the client has.
//
// To try it in a client, with a simulated QQ:
//
//	qqmcp --demo
//
// With an implementation of OneBot v11 that runs already, or with a NapCat that it starts itself:
//
//	qqmcp --qq 10001 --onebot-ws ws://127.0.0.1:3001 --groups 123456 --friends 555666
//	qqmcp --qq 10001 --napcat-path /opt/napcat/napcat.sh --groups 123456
//
// README.md has the configuration of common clients.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Somebody closes our log and goes on reading: the write fails then, and does not end the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "qqmcp:", err)
		os.Exit(1)
	}
}

// run is main without the process: it ends when ctx does, or when in does.
func run(ctx context.Context, args []string, in io.Reader, out, diagnostics io.Writer) error {
	o, err := parse(args, diagnostics)
	if err != nil {
		return err
	}
	p, err := newProgram(o, newLog(o.level, diagnostics))
	if err != nil {
		return err
	}
	return p.run(ctx, in, out)
}
