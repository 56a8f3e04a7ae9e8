package programs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/require"
)

// A Recorder records the behavior of a program over real sockets: each request to its model, which the recorder serves, each
// call to its platform, and each printed line. A test compares the transcript with a golden file.
type Recorder struct {
	screen
	URL string // of the model, in OpenAI's format

	t          *testing.T
	platform   *onebottest.Server
	transcript transcript
	refused    []string // tasks that the model refuses and that are not recorded, because their time varies
	written    Effects

	asked    sync.Mutex // guards requests
	requests []*request
}

// A request is a request to the model.
type request struct {
	body   []byte
	answer modeltest.Step
}

// Effects are the numbers of model requests, platform calls and printed lines.
type Effects struct{ Requests, Calls, Lines int }

type requestKey struct{}

// record starts a recorder with a model that answers from script. Shortly before three o'clock, when programs dream, it
// waits until that time has passed.
func record(t *testing.T, platform *onebottest.Server, script Script) *Recorder {
	now := time.Now()
	if left := time.Date(now.Year(), now.Month(), now.Day(), 3, 0, 0, 0, time.Local).Sub(now); left > 0 && left < 2*time.Minute {
		time.Sleep(left + 10*time.Second)
	}
	r := &Recorder{t: t, platform: platform}
	model := modeltest.Func(func(ctx context.Context, p modeltest.Prompt) modeltest.Step {
		if task, _ := taskAndText(p.Human()); slices.Contains(r.refused, task) {
			return modeltest.HTTPError(http.StatusBadRequest, "not now")
		}
		step := script.Answer(p)
		r.asked.Lock()
		defer r.asked.Unlock()
		in := ctx.Value(requestKey{}).(*request)
		in.answer = step
		r.requests = append(r.requests, in)
		return step
	}).Handler()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, err := io.ReadAll(in.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		in = in.WithContext(context.WithValue(in.Context(), requestKey{}, &request{body: body}))
		in.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, in)
	}))
	t.Cleanup(api.Close)
	r.URL = api.URL
	return r
}

// Step runs do, waits for the expected effects of the program, and writes them under the title. If there are more effects
// than expected, the next steps are wrong.
func (r *Recorder) Step(title string, expected Effects, do func()) {
	r.t.Helper()
	until := Effects{r.written.Requests + expected.Requests, r.written.Calls + expected.Calls, r.written.Lines + expected.Lines}
	do()
	began := time.Now()
	for {
		there := r.there()
		if there.Requests >= until.Requests && there.Calls >= until.Calls && there.Lines >= until.Lines {
			break
		}
		if time.Since(began) > patience {
			r.write(title, there)
			require.Fail(r.t, "effects are missing", "%s: there are %+v, expected are %+v:\n%s", title, there, until, r.transcript.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.write(title, until)
}

func (r *Recorder) there() Effects {
	calls := len(r.calls())
	lines := strings.Count(r.Printed(), "\n")
	r.asked.Lock()
	defer r.asked.Unlock()
	return Effects{len(r.requests), calls, lines}
}

// timed are calls whose number depends on time: typing notifications, requests of the bot's own name, and history of chats
// that are known when the connection starts.
var timed = []string{"set_input_status", "get_login_info", "get_group_msg_history", "get_friend_msg_history"}

// calls returns the recorded calls to the platform.
func (r *Recorder) calls() []onebottest.Call {
	return slices.DeleteFunc(r.platform.Calls(), func(c onebottest.Call) bool { return slices.Contains(timed, c.Action) })
}

// write writes the effects up to a number.
func (r *Recorder) write(title string, until Effects) {
	calls, printed := r.calls(), r.Printed()
	r.asked.Lock()
	defer r.asked.Unlock()
	w := &r.transcript
	w.title(title)
	for _, in := range r.requests[r.written.Requests:until.Requests] {
		require.NoError(r.t, w.request(in))
	}
	w.calls(calls[r.written.Calls:until.Calls])
	for _, l := range strings.SplitAfter(printed, "\n")[r.written.Lines:until.Lines] {
		w.line("printed", l)
	}
	r.written = until
}

// Compare compares the transcript of a finished program with the golden file, or updates the file. [replacements] apply to
// both.
func (r *Recorder) Compare(file string, update bool) {
	r.t.Helper()
	r.write("After its end", r.there())
	got := normalize(r.transcript.String())
	if update {
		require.NoError(r.t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(r.t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(r.t, err)
	if got != string(want) {
		require.Fail(r.t, "the program behaves differently; where that is wanted, run the test with -update", firstDifference(string(want), got))
	}
}

// firstDifference returns the first difference of two texts, because they have thousands of lines.
func firstDifference(want, got string) string {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	part := func(lines []string) string { return strings.Join(lines[min(n, len(lines)):min(n+8, len(lines))], "") }
	return fmt.Sprintf("line %d, behind\n%swant\n%sgot\n%s", n+1, strings.Join(a[max(0, n-3):n], ""), part(a), part(b))
}

// waitKept waits until a row or a record of the program's database contains each text. Work in the background has no other visible
// effect.
func waitKept(t *testing.T, db string, texts ...string) {
	t.Helper()
	for began := time.Now(); !kept(t, db, texts); time.Sleep(20 * time.Millisecond) {
		require.Less(t, time.Since(began), patience, "%q are not kept", texts)
	}
}

func kept(t *testing.T, db string, texts []string) bool {
	store, err := sqlite.Open(db, sqlite.Options{ReadOnly: true})
	require.NoError(t, err)
	defer store.Close()
	rows, err := store.Load(t.Context(), "")
	require.NoError(t, err)
	var all strings.Builder
	for key, row := range rows {
		fmt.Fprintf(&all, "%s %s\n", key, row)
	}
	spaces, err := store.Spaces(t.Context())
	require.NoError(t, err)
	for _, s := range spaces {
		for rec, err := range store.Scan(t.Context(), s, 0) {
			require.NoError(t, err)
			fmt.Fprintf(&all, "%s %s\n", rec.Kind, rec.Text)
		}
	}
	return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(all.String(), text) })
}

// compact returns v as JSON on one line with sorted keys.
func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
