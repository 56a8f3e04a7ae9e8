// Replay plays a chat log through a bot's rooms on virtual time, and says what the bot would have done.
//
// A log is a file of JSON lines, perhaps packed by gzip: either messages of chats with a reply graph (chat, id, time,
// sender, text, reply_to, labeled), or OneBot events as groupbot's -record writes them, or as they come off the wire.
//
// With -as the bot is one speaker of the log after another, hears what the others say, and decides at each message.
// A line is printed for every labelled message of somebody else:
//
//	go run ./examples/replay -as ann chat.jsonl.gz
//	{"chat":"a","as":"ann","id":"2","speak":true,"score":1,"why":["named"]}
//
// What the speaker said is told to the bot as it comes, and is not its own decision: interject, which lives by what it
// said itself, then decides as mention does, and says so.
//
// -as '*' plays everybody who has -min labelled messages, and -score counts how often bot and speaker agree:
//
//	go run ./examples/replay -as '*' -score -policy learned,mention chat.jsonl.gz
//
// Without -as the bot listens by its -name, or as the account whose events they are. Buffer, attention and history work
// as in a live bot, and a model that always has something to say stands for the real one:
//
//	go run ./examples/groupbot -record events.jsonl
//	go run ./examples/replay events.jsonl
//
// -html FILE writes a page that shows it all, for one or two policies side by side.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	switch err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

// run is main without the process.
func run(args []string, in io.Reader, out, diagnostics io.Writer) error {
	o, err := parse(args, diagnostics)
	if err != nil {
		return err
	}
	l, err := open(o.file, in, o.names[0])
	if err != nil {
		return err
	}
	if err := l.only(o.chat); err != nil {
		return err
	}
	if o.as != "" {
		if slices.ContainsFunc(o.variants, variant.livesByItself) {
			fmt.Fprintln(diagnostics, "replay: with -as the bot says nothing itself, so interject decides as mention does")
		}
		return playAs(o, l, out)
	}
	return listen(o, l, out)
}
