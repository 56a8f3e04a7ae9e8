package facts_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/memory/internal/groupchat"
)

var (
	phrasingsFile = flag.String("phrasings", "", "a `file` with a set of phrasings for TestSamples and TestGroupChat_Tuning; the tuning sets by default")
	showErrors    = flag.Bool("show", false, "TestSamples shows the messages that are read wrongly")
)

// A tally counts what was read in the samples of one kind.
type tally struct{ samples, right, missed, value, person, extra int }

func (s *tally) add(o tally) {
	s.samples += o.samples
	s.right += o.right
	s.missed += o.missed
	s.value += o.value
	s.person += o.person
	s.extra += o.extra
}

func (s *tally) share(n int) float64 { return float64(n) / float64(max(1, s.samples)) }

func (s *tally) String() string {
	return fmt.Sprintf("%4d samples: right %.3f, missed %.3f, wrong value %.3f, wrong person %.3f, false claims %.3f",
		s.samples, s.share(s.right), s.share(s.missed), s.share(s.value), s.share(s.person), s.share(s.extra))
}

// compare counts the claims of one sample.
func compare(s *groupchat.Sample, claims []facts.Claim) (one tally) {
	one.samples = 1
	relation, best := relations[s.Relation], 0
	if s.Relation == "alias" {
		relation = facts.Alias
	}
	for _, c := range claims {
		same := slices.Contains(s.Values, c.Value) || c.Ends && (len(s.Values) == 0 || c.Value == "" || slices.ContainsFunc(s.Values, func(v string) bool {
			return strings.Contains(c.Value, v) || len(c.Value) > 3 && strings.Contains(v, c.Value)
		}))
		dislike := s.Ends && relation == facts.Likes && c.Relation == facts.Dislikes && same // ends it, too
		switch {
		case s.Relation == "" || c.Relation != relation && !dislike || c.Ends != s.Ends && !dislike:
			if !c.Ends || c.Value == "" { // another end of what does not hold says nothing
				one.extra++
			}
		case c.Subject != s.Subject:
			best = max(best, 1)
		case !same:
			best = max(best, 2)
			one.extra++
		default:
			best = 3
		}
	}
	switch {
	case s.Relation == "":
		one.right = 1 - min(1, one.extra)
	case best == 0:
		one.missed = 1
	case best == 1:
		one.person = 1
	case best == 2:
		one.value = 1
	default:
		one.right = 1
	}
	return one
}

// tuningSets returns the sets to measure: that of the flag, or those for those who write rules.
func tuningSets(t *testing.T) []*groupchat.Phrasings {
	if *phrasingsFile == "" {
		return groupchat.Tuning()
	}
	text, err := os.ReadFile(*phrasingsFile)
	require.NoError(t, err)
	return []*groupchat.Phrasings{groupchat.Parse(filepath.Base(*phrasingsFile), string(text))}
}

// TestSamples reads one message after another, and counts what is read by kind of statement.
func TestSamples(t *testing.T) {
	for _, set := range tuningSets(t) {
		for _, english := range []bool{false, true} {
			kinds := readSamples(set, english)
			for _, kind := range slices.Sorted(maps.Keys(kinds)) {
				t.Logf("%s %-15s %s", set.Name, kind, kinds[kind])
			}
			if *phrasingsFile == "" {
				assert.Greater(t, kinds["all"].share(kinds["all"].right), .9, set.Name)
				assert.Less(t, kinds["noise"].share(kinds["noise"].extra), .01, set.Name)
			}
		}
	}
}

func readSamples(set *groupchat.Phrasings, english bool) map[string]*tally {
	samples, people := groupchat.Samples(groupchat.Options{Phrasings: set, English: english}, 6)
	var names facts.Names
	for id, name := range people {
		names.Learn(id, name)
	}
	kinds := map[string]*tally{"all": {}, "none": {}}
	for i := range samples {
		s := &samples[i]
		claims, takenBack := facts.Extract(facts.Message{ID: "m", Person: s.Record.Person, Text: s.Record.Text, At: s.Record.At}, &names)
		one := compare(s, claims)
		kind, all := strings.TrimPrefix(s.Kind, "en."), "all"
		if s.Relation == "" {
			all = "none"
		}
		if kind == "taken_back" && !takenBack {
			one.right, one.missed = 0, 1
		}
		if kinds[kind] == nil {
			kinds[kind] = &tally{}
		}
		kinds[kind].add(one)
		kinds[all].add(one)
		if *showErrors && (one.right == 0 || one.extra > 0) {
			showClaims(s, claims)
		}
	}
	return kinds
}

// showClaims prints what was read in a sample.
func showClaims(s *groupchat.Sample, claims []facts.Claim) {
	var got []string
	for _, c := range claims {
		who := map[bool]string{true: "", false: "of somebody else "}[c.Subject == s.Subject]
		got = append(got, fmt.Sprint(who, c.Relation, " ", c.Value, map[bool]string{true: " ends"}[c.Ends]))
	}
	fmt.Printf("  %s %q: %q wants %q, got %q\n", s.Kind, s.Phrasing, s.Record.Text, s.Values, got)
}
