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
	update  = flag.Bool("update", false, "rewrite the goldens of the recorded worlds")
	dumpDir = flag.String("dump", "", "write the transcripts of the recorded worlds into this directory")
)

const (
	worldCount = 40
	// maxTries limits the runs of a world until its record equals the golden. Rarely two goroutines that want one lock
	// at the same virtual instant get it in either order. A changed behaviour differs in every run.
	maxTries    = 6
	recordedDir = "testdata/recorded"
)

// TestRecordedWorlds runs 40 worlds and compares the bot's requests to models, platform and store with the golden, byte
// for byte. A change of structure only must not change them. See testdata/recorded/README.md.
func TestRecordedWorlds(t *testing.T) {
	names := readNames(t)
	path := filepath.Join(recordedDir, "worlds.txt")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	golden := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, golden, worldCount)
	root := stickerDir(t, "开心,大笑.png", "开心_2.png", "无语.png")
	all := make([]*transcript, worldCount)
	t.Run("world", func(t *testing.T) {
		for seed := range uint64(worldCount) {
			if testing.Short() && seed%5 != 0 || raceDetector && seed%20 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				t.Parallel()
				for range maxTries {
					synctest.Test(t, func(t *testing.T) {
						w := newRecordedWorld(t, recordedSeed(seed), names, root)
						w.run()
						all[seed] = w.rec
					})
					if *update || raceDetector || t.Failed() || all[seed].line(seed) == golden[seed] {
						return
					}
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	lines, whole := make([]string, worldCount), true
	for seed, r := range all {
		if r == nil {
			whole = false
			continue
		}
		lines[seed] = r.line(uint64(seed))
		if *dumpDir != "" {
			r.dump(t, *dumpDir, uint64(seed))
		}
	}
	if *update {
		require.True(t, whole, "-update needs all worlds: run without -short, and all of TestRecordedWorlds")
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		golden = lines
	}
	for seed, line := range lines {
		if raceDetector { // it makes the scheduler pick goroutines at random, which decides between writes of the same instant
			break
		}
		if line != "" && line != golden[seed] {
			t.Errorf("the events of world %d changed:\n was %s\n  is %s", seed, golden[seed], line)
		}
	}
	if t.Failed() {
		t.Log("To see what changed, run this test with -dump DIR before and after the change, and diff the two directories.\n" +
			"Where only names changed, put them into testdata/recorded/names.txt; where it was meant to change, run with -update.")
	}
	t.Run("coverage", func(t *testing.T) {
		if !whole {
			t.Skip("not all worlds were run")
		}
		checkFeatures(t, all)
	})
	t.Run("names", func(t *testing.T) { checkFrozenNames(t, all, whole) })
}

// readNames reads names.txt and returns a replacer from new to old names.
func readNames(t *testing.T) *strings.Replacer {
	text, err := os.ReadFile(filepath.Join(recordedDir, "names.txt"))
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

// recordedFeatures are patterns that at least one transcript must match. Without them the golden would cover less than
// it seems to.
var recordedFeatures = []struct{ name, kind, pattern string }{
	{"single call", eventModel, `^main: ""`}, {"think", eventModel, `: "想"`}, {"plan", eventModel, `: "决定"`}, {"write", eventModel, `: "写"`},
	{"consider", eventModel, `: "要不要看"`}, {"summary", eventModel, `: "记"`}, {"dream", eventModel, `: "梦"`}, {"people", eventModel, `: "看人"`},
	{"judge a request", eventModel, `: "判断申请"`}, {"greet", eventModel, `: "打招呼"`}, {"timer", eventModel, `: "想起来"`}, {"task", eventModel, `: "做计划好的事"`},
	{"missed", eventModel, `: "没赶上的事"`}, {"review", eventModel, `: "回想"`}, {"plan ahead", eventModel, `: "打算"`}, {"reflect", eventModel, `: "体会"`},
	{"look back", eventModel, `: "记下结果"`}, {"muse", eventModel, `: "往大处想"`},
	{"layers' model", eventModel, `^layers: `}, {"days' model", eventModel, `^days: `}, {"stream", eventModel, `streams true`},
	{"picture", eventModel, `\] image/png`}, {"described picture", eventModel, `\[图片：一张`}, {"owner's memory", eventModel, `<owner_memory_snapshot>`},
	{"masked", eventModel, `\[略\]`}, {"background", eventModel, `background="true"`}, {"people shown", eventModel, `<people>`}, {"memory shown", eventModel, `<social_memory>`},
	{"quote", eventModel, `<quote|reply_to=`}, {"notes", eventModel, `<notes>`}, {"mind", eventModel, `<mind>`}, {"inner state", eventModel, `<inner_state>`},
	{"mood", eventModel, `<mood`}, {"activity", eventModel, `<events>`}, {"document", eventModel, `<document`}, {"past tasks", eventModel, `<past_tasks>`},
	{"planned tasks", eventModel, `<planned_tasks>`}, {"thought", eventModel, `<current_thought>`}, {"deeds", eventModel, `<recent_deeds>`},
	{"script", eventModel, `<nit-TOKEN>`}, {"tool result", eventModel, `\[tool\] result`},

	{"group message", eventCall, `^send_group_msg 0`}, {"private message", eventCall, `^send_private_msg 0`}, {"failed send", eventCall, `^send_group_msg [1-9]`},
	{"sticker", eventCall, `base64://`}, {"mention", eventCall, `^send_group_msg.*"type":"at"`}, {"poke", eventCall, `poke`},
	{"friend request answered", eventCall, `^set_friend_add_request`}, {"group request answered", eventCall, `^set_group_add_request`},
	{"group history", eventCall, `^get_group_msg_history`}, {"friend history", eventCall, `^get_friend_msg_history`}, {"recall by tool", eventCall, `^delete_msg`},

	{"command: quiet", eventCall, `安静到`}, {"command: quiet, English", eventCall, `All right, quiet until`}, {"command: speak", eventCall, `"好。"`},
	{"command: speak, English", eventCall, `All right\.`}, {"command: sleep", eventCall, `晚安`}, {"command: wake", eventCall, `醒了`}, {"command: status", eventCall, `在这里：`},
	{"command: status, English", eventCall, `Since the start`}, {"command: forget", eventCall, `确认忘记我`}, {"command: forgets", eventCall, `都忘了`},

	{"errand", eventRow, `errand/batch/`}, {"look", eventRow, `errand/look/`}, {"request", eventRow, `errand/request/`}, {"answer", eventRow, `errand/answer/`},
	{"command", eventRow, `errand/command/`}, {"owner", eventRow, `errand/owner/`}, {"mute", eventRow, `mute/`}, {"hush", eventRow, `quiet/`}, {"sleep", eventRow, `asleep`},
	{"unclear", eventRow, `unclear`}, {"recalled", eventRow, `recalled/`}, {"secret", eventRow, `"Space":"qq:group:\d!"`}, {"banned kept", eventRow, `违禁词`},
	{"delete", eventRow, `^delete`}, {"failed write", eventRow, `^\w+ \(`}, {"sticker used", eventRow, `sticker/`}, {"attention kept", eventRow, `^kept attention = {`},
	{"interrupted", eventRow, `interrupted`}, {"vectors", eventRow, `hearth-hashed`}, {"patched", eventRow, `新的一行`}, {"slot", eventRow, `张三不吃辣`},

	{"notice to the owner", eventHost, `^notify `}, {"failed notice", eventHost, `^notify failed`}, {"report", eventHost, `^notify 【汇报】`}, {"turn that reports", eventHost, `ReportTurns:[1-9]`}, {"said to the owner", eventHost, `^say `},
	{"notification", eventHost, `^notice `}, {"join request", eventHost, `^joins `}, {"answered by the host", eventHost, `^answer [^:]*: <nil>`}, {"talk", eventHost, `^item `},
	{"owner's turn", eventHost, `^owner [^:]*: ".+" <nil>`}, {"forget a person", eventHost, `^forget person \d+: [1-9]\d* ?<nil>`}, {"forget a chat", eventHost, `^forget chat .*: [1-9]\d* ?<nil>`},
	{"tool with an effect", eventHost, `^pay `}, {"killed", eventHost, `^killed`}, {"stopped", eventHost, `^ended <nil>`}, {"day", eventHost, `^day: `},
	{"interject", eventHost, `trace .*judge ask: active_window`}, {"focus", eventHost, `judge ask: focused`}, {"willing", eventHost, `judge ask: willing`}, {"refused", eventHost, `ReplyRejected:[1-9]`},
	{"capped", eventHost, `!capped`}, {"muted", eventHost, `!muted`}, {"model error", eventHost, `model_error`}, {"taken back", eventHost, `recalled`}, {"cut", eventHost, `Truncated:[1-9]`},
	{"budget", eventHost, `no_judge|!over_budget|mentions_only`}, {"off", eventHost, `ChatOff:[1-9]`}, {"banned", eventHost, `Banned:[1-9]`}, {"lost", eventHost, `LinkOverflow:[1-9]`},
	{"old", eventHost, `TooOld:[1-9]`}, {"seen twice", eventHost, `Duplicates:[1-9]`}, {"forgotten", eventHost, `Erased:[1-9]`}, {"unseen picture", eventHost, `PicturesFailed:[1-9]`}, {"held", eventHost, `RequestsEscalated:[1-9]`},
	{"timer fired", eventHost, `lived .* timer `}, {"task done", eventHost, `lived .* task `}, {"talk archived", eventHost, `lived .* archive `},
}

// recordedSeed returns the seed of a world. The last worlds have seeds that bring what is rare: a crash between a side effect and
// the end of its turn, private data of the owner that is masked, stickers, and a chat in focus with new messages.
func recordedSeed(world uint64) uint64 {
	rare := []uint64{43, 215, 58, 71}
	if i := worldCount - 1 - world; i < uint64(len(rare)) {
		return rare[i]
	}
	return world
}

// checkCoverage checks that the worlds together have all recordedFeatures.
func checkFeatures(t *testing.T, all []*transcript) {
	for _, f := range recordedFeatures {
		is, n := regexp.MustCompile(f.pattern), 0
		for _, r := range all {
			if slices.ContainsFunc(r.events, func(e event) bool { return e.kind == f.kind && is.MatchString(e.text) }) {
				n++
			}
		}
		assert.Positive(t, n, "no world has: %s", f.name)
	}
}

// Variable parts of row keys and fields.
var variableParts = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`(qq|app):(group|private):[\w-]+`), "CHAT"}, {regexp.MustCompile(`[0-9a-f]{16,}`), "DIGEST"}, {regexp.MustCompile(`-?\d+`), "N"},
}

func normalize(s string) string {
	for _, f := range variableParts {
		s = f.is.ReplaceAllString(s, f.as)
	}
	return s
}

// fieldPaths reports the paths of a row's fields.
func fieldPaths(path string, v any, add func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			fieldPaths(path+"."+normalize(name), field, add)
		}
	case []any:
		for _, item := range v {
			fieldPaths(path+"[]", item, add)
		}
	default:
		add(path)
	}
}

// checkFrozenNames compares names in stored data, which must not change, with the golden.
func checkFrozenNames(t *testing.T, all []*transcript, whole bool) {
	names := map[string]bool{}
	codes := regexp.MustCompile(`trace [\d:]+ (?:\S+:\S+ )?(?:judge|speak|skip|state)[^:]*: ([a-z_ ]+)`)
	for _, r := range all {
		if r == nil {
			continue
		}
		for kind := range r.kinds {
			names["record kind "+kind] = true
		}
		for key, row := range r.rows {
			key, _, _ = strings.Cut(key, "\x00")
			key = normalize(r.plain(key))
			names["row "+key] = true
			var v any
			if json.Unmarshal(row, &v) != nil {
				continue
			}
			fieldPaths(key, v, func(path string) { names["field "+r.plain(path)] = true })
			if e, ok := v.(map[string]any); ok && strings.HasPrefix(key, "errand/") {
				names[fmt.Sprintf("errand kind %v, id %s", e["kind"], normalize(fmt.Sprint(e["id"])))] = true
			}
		}
		for _, e := range r.events {
			for _, tag := range tagsPattern.FindAllStringSubmatch(e.text, -1) {
				for _, one := range strings.Split(tag[1], ",") {
					tag := strings.Trim(one, `"`)
					if strings.HasPrefix(tag, "out:") { // the rest is what people typed
						tag = "out:"
					}
					names["record tag "+normalize(tag)] = true
				}
			}
			if why := codes.FindStringSubmatch(e.text); why != nil && e.kind == eventHost {
				for _, code := range strings.Fields(strings.TrimSuffix(why[1], " next ")) {
					names["reason "+code] = true
				}
			}
		}
	}
	path := filepath.Join(recordedDir, "frozen.txt")
	is := slices.Sorted(mapKeys(names))
	if *update && whole {
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

var tagsPattern = regexp.MustCompile(`"Tags":\[([^\]]*)\]`)
