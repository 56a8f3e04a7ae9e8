package qqbotlink_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const childEnv = "HEARTH_QQBOTLINK_TEST_CHILD" // the JSON of a life

func TestMain(m *testing.M) {
	if config := os.Getenv(childEnv); config != "" {
		if err := live(config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A life says how a child process runs its bot.
type life struct {
	URL     string // of the platform
	DB      string
	Told    string // file of the owner's notices
	Webhook bool   // else the gateway
	Resend  bool
}

var numbered = regexp.MustCompile(`第 (\d+) 句`)

// live runs a bot until its input ends. It answers "第 1 句" by "答 1".
func live(config string) error {
	var l life
	if err := json.Unmarshal([]byte(config), &l); err != nil {
		return err
	}
	store, err := sqlite.Open(l.DB, sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	client, err := qqbot.New(killAppID, killSecret, qqbot.Options{BaseURL: l.URL, TokenURL: l.URL + "/app/getAppAccessToken", MinBackoff: 10 * time.Millisecond, MaxBackoff: 100 * time.Millisecond})
	if err != nil {
		return err
	}
	lo := qqbotlink.Options{ResendUnclear: l.Resend}
	if l.Webhook {
		hook := client.Webhook()
		lo.Source = hook
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fmt.Print(listener.Addr())
		server := &http.Server{Handler: hook}
		go func() { _ = server.Serve(listener) }()
		defer server.Close()
	}
	o := social.Options{
		Profile: persona.Profile{Name: "炉边"}, Model: modeltest.Func(answerLast), Link: qqbotlink.New(client, lo), Storage: social.Storage{Store: store},
		Access: social.Access{Owners: []persona.Account{{Platform: "qqbot", ID: "OWNER"}}},
		Hooks: social.Hooks{Notify: func(_ context.Context, text string) error {
			f, err := os.OpenFile(l.Told, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = fmt.Fprintln(f, text)
			return err
		}},
	}
	o.When.Buffer = buffer.Options{Debounce: 60 * time.Millisecond, UrgentDelay: 30 * time.Millisecond}
	o.When.Attention.Caps = heartflow.Caps{Replies: 1000, Interjections: 1000, RepliesPerPerson: 1000, Consecutive: 1 << 20}
	bot, err := social.New(o)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return bot.Run(ctx)
}

// answerLast answers the last sentence of its prompt, after a short time.
func answerLast(_ context.Context, p modeltest.Prompt) modeltest.Step {
	_, recent, _ := strings.Cut(p.Human(), "<recent_messages>")
	recent, _, _ = strings.Cut(recent, "</recent_messages>")
	found := numbered.FindAllStringSubmatch(recent, -1)
	if len(found) == 0 {
		return modeltest.Say("[skip]")
	}
	return modeltest.Say("答 " + found[len(found)-1][1]).After(time.Duration(rand.IntN(100)) * time.Millisecond)
}

const killAppID, killSecret = "102000001", "naOC0ocQE3shWLAfffVLB1rhYPG7"

// A bot is killed at random points: of events that come twice, of replays, and of sends with lost answers. It says nothing
// twice, its journal has no message twice, and each send with an unknown outcome is told to the owner.
func TestKilled(t *testing.T) {
	for name, l := range map[string]life{
		"gateway": {}, "gateway, resends": {Resend: true}, "webhook": {Webhook: true}, "webhook, resends": {Webhook: true, Resend: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kills := 40
			if testing.Short() {
				kills = 6
			}
			newMurder(t, l).play(kills)
		})
	}
}

// A murder is a platform whose bot is killed again and again.
type murder struct {
	*testing.T
	life
	s     *qqbottest.Server
	ann   *qqbottest.Member
	user  *qqbottest.User
	rng   *rand.Rand
	n     int // sentences so far
	calls int // of them, those that call the bot

	hook atomic.Pointer[address] // of the current life
}

// An address is what a life prints: where its webhook listens.
type address struct {
	text  string
	known chan struct{}
}

func (a *address) Write(b []byte) (int, error) {
	a.text = string(b)
	close(a.known)
	return len(b), nil
}

func newMurder(t *testing.T, l life) *murder {
	dir := t.TempDir()
	m := &murder{T: t, life: l, s: qqbottest.New(qqbottest.Options{AppID: killAppID, Secret: killSecret, RetryAfter: 50 * time.Millisecond}), rng: rand.New(rand.NewPCG(uint64(len(t.Name())), 1))}
	t.Cleanup(m.s.Close)
	m.URL, m.DB, m.Told = m.s.Start(), filepath.Join(dir, "bot.db"), filepath.Join(dir, "told")
	m.ann = m.s.Group("G1").SetMode(qqbottest.Both).AllowProactive(true).Member("M1", "Ann")
	m.user = m.s.User("U1")
	m.s.User("OWNER")
	m.s.ReplayDelivered(20)
	if l.Webhook {
		proxy := httptest.NewServer(http.HandlerFunc(m.forward))
		t.Cleanup(proxy.Close)
		m.s.Post(proxy.URL, nil)
	}
	return m
}

// forward passes an event to the bot, and loses every third answer. Then the platform sends the event again.
func (m *murder) forward(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	hook := m.hook.Load()
	if hook == nil {
		out.WriteHeader(http.StatusBadGateway)
		return
	}
	select {
	case <-hook.known:
	case <-r.Context().Done():
		return
	}
	again, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+hook.text, bytes.NewReader(body))
	if err != nil {
		return
	}
	again.Header = r.Header
	resp, err := http.DefaultClient.Do(again)
	if err != nil || rand.IntN(3) == 0 {
		if err == nil {
			resp.Body.Close()
		}
		out.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	out.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(out, resp.Body)
}

// start starts a bot. end ends its input.
func (m *murder) start() (cmd *exec.Cmd, end func()) {
	self, err := os.Executable()
	require.NoError(m, err)
	config, err := json.Marshal(m.life)
	require.NoError(m, err)
	cmd = exec.Command(self)
	hook := &address{known: make(chan struct{})}
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), childEnv+"="+string(config)), hook, os.Stderr
	m.hook.Store(hook)
	in, err := cmd.StdinPipe()
	require.NoError(m, err)
	require.NoError(m, cmd.Start())
	return cmd, func() { in.Close() }
}

// listening waits until the bot gets events.
func (m *murder) listening() {
	ctx, stop := context.WithTimeout(m.Context(), patience)
	defer stop()
	if !m.Webhook {
		require.NoError(m, m.s.WaitLink(ctx))
		return
	}
	select {
	case <-m.hook.Load().known:
	case <-ctx.Done():
		require.Fail(m, "the webhook does not listen")
	}
}

// patience is the timeout of a wait, much longer than any machine needs.
const patience = 2 * time.Minute

// talk lets people and the network be busy for a while.
func (m *murder) talk(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Duration(m.rng.IntN(120)) * time.Millisecond) {
		m.n++
		text := fmt.Sprintf("第 %d 句", m.n)
		switch m.rng.IntN(4) {
		case 0:
			m.ann.Say(text)
		case 1:
			m.calls++
			m.ann.At(text)
		default:
			m.calls++
			m.user.Say(text)
		}
		switch m.rng.IntN(8) {
		case 0:
			m.s.Cut(qqbottest.Messages, qqbottest.Before, 1)
		case 1:
			m.s.Cut(qqbottest.Messages, qqbottest.After, 1)
		case 2:
			m.s.Delay(qqbottest.Messages, time.Duration(m.rng.IntN(80))*time.Millisecond)
		case 3:
			m.s.DropLinks()
		}
	}
}

func (m *murder) play(kills int) {
	// More kills are only needed if the machine is so slow that the bot hardly spoke.
	for i := 0; i < kills || len(m.answers()) <= kills/2 || len(m.unclear()) == 0; i++ {
		require.Less(m, i, 20*kills, "the bot hardly speaks")
		cmd, _ := m.start()
		if i%3 > 0 { // every third is killed at any point
			m.listening()
		}
		m.talk(time.Duration(1+i/kills) * time.Duration(50+m.rng.IntN(700)) * time.Millisecond)
		require.NoError(m, cmd.Process.Kill())
		require.Error(m, cmd.Wait(), "killed")
		require.NoError(m, m.s.WaitGateway(m.Context(), func(st qqbottest.GatewayStats) bool { return st.Links == 0 }))
	}
	m.s.Cut(qqbottest.Messages, qqbottest.Never, 0)
	m.s.Delay(qqbottest.Messages, 0)
	cmd, end := m.start()
	m.listening()
	began := time.Now()
	for before := len(m.s.Sent()); len(m.s.Sent()) == before; { // it is well; until its webhook is ready, events are lost
		require.Less(m, time.Since(began), patience)
		m.n++
		m.user.Say(fmt.Sprintf("第 %d 句", m.n))
		time.Sleep(time.Second)
	}
	for before := -1; before != len(m.s.Sent()) || m.unfinished() > 0; time.Sleep(time.Second) { // until it does nothing more
		before = len(m.s.Sent())
	}
	end()
	require.NoError(m, cmd.Wait(), "asked to end, it ends well")
	m.check(kills)
}

// answers counts what people got, by chat.
func (m *murder) answers() map[string]int {
	times := map[string]int{}
	for _, sent := range m.s.Sent() {
		times[sent.Chat.String()+" "+sent.Text]++
	}
	return times
}

func (m *murder) unfinished() (n int) {
	for _, j := range m.jobs() {
		if j.Status != jobs.Done {
			n++
		}
	}
	return n
}

// unclear returns the texts to people whose outcome is unknown.
func (m *murder) unclear() (texts []string) {
	for _, j := range m.jobs() {
		for _, e := range j.Outbox {
			if (e.Status == jobs.Unclear || e.Status == jobs.Pending) && j.Status == jobs.Done && e.Chat.ID != "OWNER" {
				texts = append(texts, e.Text)
			}
		}
	}
	return texts
}

func (m *murder) jobs() (all []jobs.Job) {
	store, err := sqlite.Open(m.DB, sqlite.Options{ReadOnly: true})
	if err != nil {
		return nil // not written yet
	}
	defer store.Close()
	rows, err := store.Load(m.Context(), "errand/")
	require.NoError(m, err)
	for _, row := range rows {
		var j jobs.Job
		require.NoError(m, json.Unmarshal(row, &j))
		all = append(all, j)
	}
	return all
}

func (m *murder) check(kills int) {
	told, err := os.ReadFile(m.Told)
	if err != nil {
		require.ErrorIs(m, err, os.ErrNotExist)
	}
	for text, times := range m.answers() {
		assert.Equal(m, 1, times, text)
	}
	unclear := map[string]bool{}
	for _, j := range m.jobs() {
		assert.Equal(m, jobs.Done, j.Status, j.ID)
	}
	for _, text := range m.unclear() {
		unclear[text] = true
		assert.Contains(m, string(told), "「"+text+"」", "an unclear send is told")
	}
	store, err := sqlite.Open(m.DB, sqlite.Options{ReadOnly: true})
	require.NoError(m, err)
	defer store.Close()
	kept := map[string]int{}
	for _, space := range []memory.Space{"qqbot:group:G1", "qqbot:private:U1"} {
		for r, err := range store.Scan(m.Context(), space, 0) {
			require.NoError(m, err)
			if r.Kind == memory.KindMessage {
				kept[strings.TrimSpace(strings.TrimPrefix(r.Text, "@炉边"))]++
			}
		}
	}
	for text, times := range kept {
		assert.Equal(m, 1, times, "%s is in the journal", text)
	}
	for _, sent := range m.s.Sent() {
		if told := strings.Contains(string(told), "「"+sent.Text+"」"); sent.Chat.ID != "OWNER" && !told {
			assert.Equal(m, 1, kept[sent.Text], "%s was sent, is not in the journal, and nobody was told", sent.Text)
		}
	}
	repeated := 0
	for _, p := range m.s.Pushes() {
		if p.Attempt > 1 && p.Status == http.StatusOK {
			repeated++
		}
	}
	stats := m.s.GatewayStats()
	m.Logf("%d kills, %d sentences, %d calls, %d heard, %d sent, %d unclear, %d resumes, %d pushes again", kills, m.n, m.calls, len(kept), len(m.s.Sent()), len(unclear), stats.Resumes, repeated)
	assert.Positive(m, stats.Resumes+repeated, "events came again")
}
