// Replay plays a chat log to a simulated bot on virtual time and prints the bot's decisions.
//
// A log is a file of JSON lines and may be compressed with gzip. It contains messages of chats with a reply graph (chat, id,
// time, sender, text, reply_to, labeled), or OneBot events in the format of groupbot's -record or of the protocol.
//
// With -as the bot plays a speaker of the log. It gets the messages of the others and decides at each one. The output has a
// line for each labelled message of another speaker:
//
//	go run ./examples/replay -as ann chat.jsonl.gz
//	{"chat":"a","as":"ann","id":"2","speak":true,"score":1,"why":["named"]}
//
// The bot also gets the speaker's messages, but not as its own decisions. The policy interject depends on its own replies. It
// therefore decides like mention here, and prints a note.
//
// -as '*' plays every speaker with at least -min labelled messages, and -score counts how often bot and speaker agree:
//
//	go run ./examples/replay -as '*' -score -policy learned,mention chat.jsonl.gz
//
// Without -as the bot is an additional member with the names of -name, or the account of the recorded events. Buffer, attention
// and history work as in a live bot, with a fake model that always answers:
//
//	go run ./examples/groupbot -record events.jsonl
//	go run ./examples/replay events.jsonl
//
// With two policies the output ends with the decisions in which they differ, and what the recorded bot said there with its
// rating ([github.com/hearth-bot/hearth/heartflow/feedback]).
//
// The simulated bot does not know the messages that groupbot sent and recorded. -html FILE writes a page with them, all other
// messages, and the decisions of one or two policies side by side.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hearth-bot/hearth/examples/internal/lang"
)

func main() {
	switch err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "replay:", lang.Print(err, os.Args[1:]))
		os.Exit(1)
	}
}

// run is main without the process.
func run(args []string, in io.Reader, out, diagnostics io.Writer) error {
	o, err := parse(args, diagnostics)
	if err != nil {
		return err
	}
	l, err := open(o.file, in, o.names[0], lang.Language(o.lang))
	if err != nil {
		return err
	}
	if err := l.filter(o.chat); err != nil {
		return err
	}
	if o.as != "" {
		if slices.ContainsFunc(o.variants, variant.needsOwnReplies) {
			fmt.Fprintln(diagnostics, "replay:", lang.Language(o.lang).Sprintf("有 -as 的时候它自己不说话，所以 interject 和 mention 的决定一样",
				"with -as the bot says nothing itself, so interject decides as mention does"))
		}
		return playAs(o, l, out)
	}
	return replayListening(o, l, out)
}
