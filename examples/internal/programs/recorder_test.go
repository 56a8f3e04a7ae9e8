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

// A Recorder records how a program behaves over real sockets: each request to its model, which it serves, each call to
// its platform, and each line that it prints. A test compares the transcript with a golden file.
type Recorder struct {
	screen
	URL string // of the model, in OpenAI's format

	t          *testing.T
	platform   *onebottest.Server
	transcript transcript
	written    Effects

	asked    sync.Mutex // guards requests
	requests []*request
}

// A request is one that the model got.
type request struct {
	body   []byte
	answer modeltest.Step
}

// Effects are how many requests to the model, calls to the platform and printed lines there are.
type Effects struct{ Requests, Calls, Lines int }

type requestKey struct{}

// record starts a recorder. Its model answers as the script says. Shortly before three, when a program dreams, it waits until
// that is past.
func record(t *testing.T, platform *onebottest.Server, script Script) *Recorder {
	now := time.Now()
	if left := time.Date(now.Year(), now.Month(), now.Day(), 3, 0, 0, 0, time.Local).Sub(now); left > 0 && left < 2*time.Minute {
		time.Sleep(left + 10*time.Second)
	}
	r := &Recorder{t: t, platform: platform}
	model := modeltest.Func(func(ctx context.Context, p modeltest.Prompt) modeltest.Step {
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

// Step does something to the program, waits until that had all its effects, and writes them down under the title.
// Where there are more effects than expected, the next steps are wrong.
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

// timed are the calls whose number depends on how much time passed: whether it is shown that the program types, how
// often its own name is asked for, and which chats were known when the link came up.
var timed = []string{"set_input_status", "get_login_info", "get_group_msg_history", "get_friend_msg_history"}

// calls are those to the platform that are recorded.
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

// Compare holds that the transcript of a program that is over is that of the golden file, or writes that anew. [rules]
// say what is replaced in both.
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

// firstDifference shows where two texts part: both whole would be thousands of lines.
func firstDifference(want, got string) string {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	part := func(lines []string) string { return strings.Join(lines[min(n, len(lines)):min(n+8, len(lines))], "") }
	return fmt.Sprintf("line %d, behind\n%swant\n%sgot\n%s", n+1, strings.Join(a[max(0, n-3):n], ""), part(a), part(b))
}

// waitKept waits until the program has each text in a row of its database, by key or by value: what the model answers in
// the background has no other effect that a next prompt could be waited for by.
func waitKept(t *testing.T, db string, texts ...string) {
	t.Helper()
	for began := time.Now(); !kept(t, db, texts); time.Sleep(20 * time.Millisecond) {
		require.Less(t, time.Since(began), patience, "%q are not kept", texts)
	}
}

func kept(t *testing.T, db string, texts []string) bool {
	store, err := sqlite.Open(db, sqlite.Options{})
	require.NoError(t, err)
	defer store.Close()
	rows, err := store.Load(t.Context(), "")
	require.NoError(t, err)
	var all strings.Builder
	for key, row := range rows {
		fmt.Fprintf(&all, "%s %s\n", key, row)
	}
	return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(all.String(), text) })
}

// compact is JSON in one line, with sorted keys.
func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
