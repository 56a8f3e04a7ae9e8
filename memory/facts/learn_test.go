package facts

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/facts/internal/statement"
	"github.com/hearth-bot/hearth/memory/internal/groupchat"
)

var (
	learnModel = flag.Bool("learn", false, "TestModel learns model.bin from the phrasings, which takes some minutes")
	without    = flag.String("without", "", "TestModel learns without these `sets`, by commas, and measures with them")
	showWrong  = flag.Bool("wrong", false, "TestModel shows the messages that are read wrongly")
)

// TestModel learns a model, or checks that model.bin is that of the phrasings.
//
//	go test ./memory/facts -run TestModel -learn                    # model.bin
//	go test ./memory/facts -run TestModel -without tuning8 -v      # phrasings of an author that the model has not seen
func TestModel(t *testing.T) {
	left := strings.Split(*without, ",")
	var taught, unseen []*groupchat.Phrasings
	for _, set := range append(groupchat.Tuning(), groupchat.Learned()...) {
		if slices.Contains(left, set.Name) {
			unseen = append(unseen, set)
		} else {
			taught = append(taught, set)
		}
	}
	switch {
	case *learnModel:
		require.NoError(t, os.WriteFile("model.bin", learn(t, taught), 0o644))
	case *without != "":
		m, err := newModel(string(learn(t, taught)))
		require.NoError(t, err)
		for _, set := range unseen {
			measureSet(t, m, set, false)
			measureSet(t, m, set, true)
		}
	default:
		assert.Equal(t, fingerprint(t), theModel().Note(), "phrasings or features have changed: go test ./memory/facts -run TestModel -learn")
	}
}

// fingerprint returns a hash of what a model is learned from.
func fingerprint(t *testing.T) string {
	h := sha256.New()
	for _, pattern := range [...]string{
		"examples_test.go", "learn_test.go", "testdata/*.txt", "../internal/groupchat/testdata/tuning*.txt", "../internal/groupchat/testdata/learned/*.txt",
		"internal/statement/features.go", "internal/statement/tokens.go", "internal/statement/train.go",
	} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names, pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			fmt.Fprintf(h, "%s %d\n%s", filepath.Base(name), len(text), text)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// linesOf returns the lines of a file without comments.
func linesOf(t *testing.T, name string) (all []string) {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all = append(all, line)
		}
	}
	return all
}

// quietWeight is the weight of an everyday message. They are most of the messages of a chat, and few of the examples.
const quietWeight = 3

// quietLines is the number of everyday messages that count as one source.
const quietLines = 100

// learn learns a model from sets of phrasings and from everyday messages.
func learn(t *testing.T, sets []*groupchat.Phrasings) []byte {
	l := &learner{rng: rand.New(rand.NewPCG(7, 7)), last: map[string]string{}}
	l.quiet = [2][]string{linesOf(t, "testdata/nothing.txt"), append(linesOf(t, "testdata/nothing_en.txt"), linesOf(t, "testdata/nothing_irc.txt")...)}
	for i, set := range sets {
		l.source = i
		for _, english := range [...]bool{false, true} {
			if l.english = english; set.Speaks(english) {
				l.teach(set)
			}
		}
	}
	for i, lines := range l.quiet {
		l.english = i == index(true)
		for i, text := range lines {
			l.source = len(sets) + i/quietLines
			l.add(text, nil, "", form{}, nil).Weight = quietWeight
			for range 1 + l.rng.IntN(3) { // long ones, too
				text += pick(l.rng, l.marks()) + pick(l.rng, lines)
			}
			l.add(text, nil, "", form{}, nil)
			name := pick(l.rng, l.people) // to somebody, or with a name in it
			l.add(pick(l.rng, []string{name + " ", name + ", ", "@" + name + " ", name + "，", "", ""})+text+pick(l.rng, []string{"", "", " " + name, "，" + name}), &l.names, "", form{}, nil)
		}
	}
	data := statement.Train(l.examples, statement.TrainOptions{Note: fingerprint(t)})
	t.Log(len(l.examples), "examples,", len(data), "bytes")
	return data
}

// measureSet logs the shares of single messages of a set that are read rightly, and of those that say nothing and are believed.
func measureSet(t *testing.T, m *model, set *groupchat.Phrasings, english bool) {
	samples, people := groupchat.Samples(groupchat.Options{Seed: 99, Phrasings: set, English: english, People: 20}, 3)
	var names Names
	for id, name := range people {
		names.Learn(id, name)
	}
	right, total := map[string]int{}, map[string]int{}
	for i := range samples {
		s := &samples[i]
		claims, _ := newReading(Message{Text: s.Record.Text, Person: s.Record.Person}, &names).claims(m)
		kind := s.Kind
		ok := len(claims) == 0
		if s.Subject != "" {
			relation, _, _ := strings.Cut(strings.TrimPrefix(kind, "en."), ".")
			ok = len(claims) == 1 && claims[0].Subject == s.Subject && claims[0].Relation == relationOf[relation] && claims[0].Ends == s.Ends &&
				(len(s.Values) == 0 || claims[0].Value == "" || slices.Contains(s.Values, claims[0].Value))
		}
		for _, k := range [...]string{kind, map[bool]string{true: "all that say nothing", false: "all statements"}[s.Subject == ""]} {
			if total[k]++; ok {
				right[k]++
			}
		}
		if !ok && *showWrong {
			t.Logf("%s: %s: %+v", kind, s.Record.Text, claims)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%s %-22s %.3f of %d", set.Name, k, float64(right[k])/float64(total[k]), total[k])
	}
}
