package feedback_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/hearth-bot/hearth/internal/whentospeak"
	"github.com/stretchr/testify/require"
)

var logFile = flag.String("log", "", "`file` of real chats with marked answers, in the format of internal/whentospeak")

// With -log FILE -v the test compares reactions with marked answers in real chats: each speaker with 15 labelled messages plays the bot
// once. It reports and asserts nothing, because the file is no part of the repository.
func TestTracker_MarkedAnswers(t *testing.T) {
	if *logFile == "" {
		t.Skip("needs -log FILE")
	}
	logs, err := whentospeak.ReadFile(*logFile)
	require.NoError(t, err)
	var hit, reacted, marked, all int
	for _, l := range logs {
		for _, who := range l.Speakers(15) {
			names := map[string]bool{}
			answered := map[string]bool{} // ids of the speaker's messages that somebody answers
			for _, line := range l.Lines {
				names[strings.ToLower(line.Sender)] = true
				if line.Sender != who {
					for _, id := range line.ReplyTo {
						answered[id] = true
					}
				}
			}
			f, err := feedback.New[string](feedback.Options{})
			require.NoError(t, err)
			labelled, utterance := map[string]bool{}, map[string]bool{} // by the first id of an utterance
			last, own := "", false
			sender := map[string]string{}
			for _, line := range l.Lines {
				sender[line.ID] = line.Sender
				if line.Sender == who {
					to := ""
					for _, id := range line.ReplyTo {
						to = sender[id]
					}
					if !own {
						last, own = line.ID, true
						labelled[last] = line.Labeled
					}
					utterance[last] = utterance[last] || answered[line.ID]
					f.Said(line.Time, l.Chat, feedback.Said{ID: line.ID, To: to})
					continue
				}
				own = false
				head, _, ok := strings.Cut(line.Text, " ")
				head = strings.ToLower(strings.TrimRight(head, ":,"))
				m := feedback.Message{From: line.Sender, Text: line.Text}
				if ok && names[head] {
					m.ToMe, m.ToOthers = head == strings.ToLower(who), head != strings.ToLower(who)
				}
				f.Observe(line.Time, l.Chat, m)
			}
			for _, r := range f.Due(l.Lines[len(l.Lines)-1].Time.Add(24 * 3600e9)) {
				if !labelled[r.ID] {
					continue
				}
				all++
				good := r.Score > 0
				switch {
				case good && utterance[r.ID]:
					hit++
				}
				if good {
					reacted++
				}
				if utterance[r.ID] {
					marked++
				}
			}
		}
	}
	p, r := float64(hit)/float64(reacted), float64(hit)/float64(marked)
	t.Logf("%d utterances, %d answered, %d with a reaction: precision %.3f, recall %.3f, F1 %.3f, agreement %.3f", all, marked, reacted, p, r, 2*p*r/(p+r), float64(all-reacted-marked+2*hit)/float64(all))
}
