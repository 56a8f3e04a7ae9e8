package social_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	netUpdate = flag.Bool("update", false, "rewrite the goldens of the recorded worlds")
	netDump   = flag.String("net-dump", "", "write the transcripts of the recorded worlds into this directory")
)

const (
	netWorlds = 40
	// netLives is how often a world is lived until it is as recorded. Two goroutines that want one lock at the same virtual
	// instant may get it in either order, rarely: a change of behaviour differs each time.
	netLives = 6
	netDir   = "testdata/net"
)

// TestRecordedWorlds lives 40 worlds, and compares what the being asked of its models, of the platform and of its store with
// what it did when the golden was recorded. A change of structure alone changes none of it, byte for byte. See
// testdata/net/README.md.
func TestRecordedWorlds(t *testing.T) {
	names := netNames(t)
	path := filepath.Join(netDir, "worlds.txt")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	golden := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, golden, netWorlds)
	root := gallery(t, "开心,大笑.png", "开心_2.png", "无语.png")
	all := make([]*netRecord, netWorlds)
	t.Run("world", func(t *testing.T) {
		for seed := range uint64(netWorlds) {
			if testing.Short() && seed%5 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				t.Parallel()
				for range netLives {
					synctest.Test(t, func(t *testing.T) {
						w := newNetWorld(t, netSeed(seed), names, root)
						w.run()
						all[seed] = w.rec
					})
					if *netUpdate || t.Failed() || all[seed].line(seed) == golden[seed] {
						return
					}
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	lines, whole := make([]string, netWorlds), true
	for seed, r := range all {
		if r == nil {
			whole = false
			continue
		}
		lines[seed] = r.line(uint64(seed))
		if *netDump != "" {
			r.dump(t, *netDump, uint64(seed))
		}
	}
	if *netUpdate {
		require.True(t, whole, "-update needs all worlds: run without -short, and all of TestRecordedWorlds")
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		golden = lines
	}
	for seed, line := range lines {
		if line != "" && line != golden[seed] {
			t.Errorf("what happens in world %d changed:\n was %s\n  is %s", seed, golden[seed], line)
		}
	}
	if t.Failed() {
		t.Log("To see what changed, run this test with -net-dump DIR before and after the change, and diff the two directories.\n" +
			"Where only names changed, put them into testdata/net/names.txt; where it was meant to change, run with -update.")
	}
	t.Run("coverage", func(t *testing.T) {
		if !whole {
			t.Skip("not all worlds were lived")
		}
		netCovered(t, all)
	})
	t.Run("names", func(t *testing.T) { netFrozen(t, all, whole) })
}

// netNames reads the map of names: old, tab, new. It leads back from the new ones.
func netNames(t *testing.T) *strings.Replacer {
	text, err := os.ReadFile(filepath.Join(netDir, "names.txt"))
	require.NoError(t, err)
	var pairs []string
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		was, is, ok := strings.Cut(line, "\t")
		require.True(t, ok && was != "" && is != "", "names.txt:%d: want old, tab, new", i+1)
		pairs = append(pairs, is, was)
	}
	return strings.NewReplacer(pairs...)
}

// netFeatures are what the worlds must have seen, each told by what a transcript says of it. Without them a golden would
// hold less than it seems to.
var netFeatures = []struct{ name, kind, pattern string }{
	{"single call", netModel, `^main: ""`}, {"think", netModel, `: "想"`}, {"plan", netModel, `: "决定"`}, {"write", netModel, `: "写"`},
	{"consider", netModel, `: "要不要看"`}, {"summary", netModel, `: "记"`}, {"dream", netModel, `: "梦"`}, {"people", netModel, `: "看人"`},
	{"judge a request", netModel, `: "判断申请"`}, {"greet", netModel, `: "打招呼"`}, {"timer", netModel, `: "想起来"`}, {"task", netModel, `: "做计划好的事"`},
	{"missed", netModel, `: "没赶上的事"`}, {"review", netModel, `: "回想"`}, {"plan ahead", netModel, `: "打算"`}, {"reflect", netModel, `: "体会"`},
	{"look back", netModel, `: "记下结果"`}, {"muse", netModel, `: "往大处想"`},
	{"layers' model", netModel, `^layers: `}, {"days' model", netModel, `^days: `}, {"stream", netModel, `streams true`},
	{"picture", netModel, `\] image/png`}, {"described picture", netModel, `<picture>一张`}, {"owner's memory", netModel, `<owner_memory_snapshot>`},
	{"masked", netModel, `\[略\]`}, {"background", netModel, `background="true"`}, {"people shown", netModel, `<people>`}, {"memory shown", netModel, `<social_memory>`},
	{"quote", netModel, `<quote|reply_to=`}, {"notes", netModel, `<notes>`}, {"mind", netModel, `<mind>`}, {"inner state", netModel, `<inner_state>`},
	{"mood", netModel, `<mood`}, {"activity", netModel, `<events>`}, {"document", netModel, `<document`}, {"past tasks", netModel, `<past_tasks>`},
	{"planned tasks", netModel, `<planned_tasks>`}, {"thought", netModel, `<current_thought>`}, {"deeds", netModel, `<recent_deeds>`},
	{"script", netModel, `<nit-TOKEN>`}, {"tool result", netModel, `\[tool\] result`},

	{"group message", netCall, `^send_group_msg 0`}, {"private message", netCall, `^send_private_msg 0`}, {"failed send", netCall, `^send_group_msg [1-9]`},
	{"sticker", netCall, `base64://`}, {"mention", netCall, `^send_group_msg.*"type":"at"`}, {"poke", netCall, `poke`},
	{"friend request answered", netCall, `^set_friend_add_request`}, {"group request answered", netCall, `^set_group_add_request`},
	{"group history", netCall, `^get_group_msg_history`}, {"friend history", netCall, `^get_friend_msg_history`}, {"recall by tool", netCall, `^delete_msg`},

	{"command: quiet", netCall, `安静到`}, {"command: quiet, English", netCall, `All right, quiet until`}, {"command: speak", netCall, `"好。"`},
	{"command: speak, English", netCall, `All right\.`}, {"command: sleep", netCall, `晚安`}, {"command: wake", netCall, `醒了`}, {"command: status", netCall, `在这里：`},
	{"command: status, English", netCall, `Since the start`}, {"command: forget", netCall, `确认忘记我`}, {"command: forgets", netCall, `都忘了`},

	{"errand", netRow, `errand/batch/`}, {"look", netRow, `errand/look/`}, {"request", netRow, `errand/request/`}, {"answer", netRow, `errand/answer/`},
	{"command", netRow, `errand/command/`}, {"owner", netRow, `errand/owner/`}, {"mute", netRow, `mute/`}, {"hush", netRow, `quiet/`}, {"sleep", netRow, `asleep`},
	{"unclear", netRow, `unclear`}, {"recalled", netRow, `recalled/`}, {"secret", netRow, `"Space":"qq:group:\d!"`}, {"banned kept", netRow, `违禁词`},
	{"delete", netRow, `^delete`}, {"failed write", netRow, `^\w+ \(`}, {"sticker used", netRow, `sticker/`}, {"attention kept", netRow, `^kept attention = {`},
	{"interrupted", netRow, `interrupted`}, {"vectors", netRow, `hearth-hashed`}, {"patched", netRow, `新的一行`}, {"slot", netRow, `张三不吃辣`},

	{"notice to the owner", netHost, `^notify `}, {"failed notice", netHost, `^notify failed`}, {"report", netHost, `^notify 【汇报】`}, {"turn that reports", netHost, `ReportTurns:[1-9]`}, {"said to the owner", netHost, `^say `},
	{"notification", netHost, `^notice `}, {"join request", netHost, `^joins `}, {"answered by the host", netHost, `^answer [^:]*: <nil>`}, {"talk", netHost, `^item `},
	{"owner's turn", netHost, `^owner [^:]*: ".+" <nil>`}, {"forget a person", netHost, `^forget person \d+: [1-9]\d* ?<nil>`}, {"forget a chat", netHost, `^forget chat .*: [1-9]\d* ?<nil>`},
	{"tool with an effect", netHost, `^pay `}, {"killed", netHost, `^killed`}, {"stopped", netHost, `^ended <nil>`}, {"day", netHost, `^day: `},
	{"interject", netHost, `trace .*judge ask: active_window`}, {"focus", netHost, `judge ask: focused`}, {"willing", netHost, `judge ask: willing`}, {"refused", netHost, `ReplyRejected:[1-9]`},
	{"capped", netHost, `!capped`}, {"muted", netHost, `!muted`}, {"model error", netHost, `model_error`}, {"taken back", netHost, `recalled`}, {"cut", netHost, `Truncated:[1-9]`},
	{"budget", netHost, `no_judge|!over_budget|mentions_only`}, {"off", netHost, `ChatOff:[1-9]`}, {"banned", netHost, `Banned:[1-9]`}, {"lost", netHost, `LinkOverflow:[1-9]`},
	{"old", netHost, `TooOld:[1-9]`}, {"seen twice", netHost, `Duplicates:[1-9]`}, {"forgotten", netHost, `Erased:[1-9]`}, {"unseen picture", netHost, `PicturesFailed:[1-9]`}, {"held", netHost, `RequestsEscalated:[1-9]`},
	{"timer fired", netHost, `lived .* timer `}, {"task done", netHost, `lived .* task `}, {"talk archived", netHost, `lived .* archive `},
}

// netSeed is the seed of a world. The last world is of a seed where a program dies between what it did and the end of its turn.
func netSeed(world uint64) uint64 {
	if world == netWorlds-1 {
		return 43
	}
	return world
}

// netCovered holds that the worlds together live all that there is.
func netCovered(t *testing.T, all []*netRecord) {
	for _, f := range netFeatures {
		is, n := regexp.MustCompile(f.pattern), 0
		for _, r := range all {
			if slices.ContainsFunc(r.events, func(e netEvent) bool { return e.kind == f.kind && is.MatchString(e.text) }) {
				n++
			}
		}
		assert.Positive(t, n, "no world has: %s", f.name)
	}
}

// What is told apart in the key of a row, or in a field of one, by what is said or by when.
var netForms = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`(qq|app):(group|private):[\w-]+`), "CHAT"}, {regexp.MustCompile(`[0-9a-f]{16,}`), "DIGEST"}, {regexp.MustCompile(`-?\d+`), "N"},
}

func netForm(s string) string {
	for _, f := range netForms {
		s = f.is.ReplaceAllString(s, f.as)
	}
	return s
}

// netFields gives the names of the fields of a row, as paths.
func netFields(path string, v any, add func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			netFields(path+"."+netForm(name), field, add)
		}
	case []any:
		for _, item := range v {
			netFields(path+"[]", item, add)
		}
	default:
		add(path)
	}
}

// netFrozen compares the names that are in stores of today, and so must not change, with the golden.
func netFrozen(t *testing.T, all []*netRecord, whole bool) {
	names := map[string]bool{}
	codes := regexp.MustCompile(`trace .*?(?:judge|speak|skip|state)[^:]*: ([a-z_ ]+)`)
	for _, r := range all {
		if r == nil {
			continue
		}
		for kind := range r.kinds {
			names["record kind "+kind] = true
		}
		for key, row := range r.rows {
			key, _, _ = strings.Cut(key, "\x00")
			key = netForm(r.plain(key))
			names["row "+key] = true
			var v any
			if json.Unmarshal(row, &v) != nil {
				continue
			}
			netFields(key, v, func(path string) { names["field "+r.plain(path)] = true })
			if e, ok := v.(map[string]any); ok && strings.HasPrefix(key, "errand/") {
				names[fmt.Sprintf("errand kind %v, id %s", e["kind"], netForm(fmt.Sprint(e["id"])))] = true
			}
		}
		for _, e := range r.events {
			for _, tag := range netTags.FindAllStringSubmatch(e.text, -1) {
				for _, one := range strings.Split(tag[1], ",") {
					names["record tag "+netForm(strings.Trim(one, `"`))] = true
				}
			}
			if why := codes.FindStringSubmatch(e.text); why != nil && e.kind == netHost {
				for _, code := range strings.Fields(strings.TrimSuffix(why[1], " next ")) {
					names["reason "+code] = true
				}
			}
		}
	}
	path := filepath.Join(netDir, "frozen.txt")
	is := slices.Sorted(mapKeys(names))
	if *netUpdate && whole {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(is, "\n")+"\n"), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	golden := strings.Split(strings.TrimSpace(string(text)), "\n")
	if whole {
		assert.Equal(t, golden, is)
		return
	}
	assert.Subset(t, golden, is)
}

var netTags = regexp.MustCompile(`"Tags":\[([^\]]*)\]`)
