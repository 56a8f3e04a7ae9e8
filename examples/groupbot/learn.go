package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/eventlog"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/persona"
)

// weightsFile returns the file of own weights beside that of -db, or "" if -db is no file.
func (o options) weightsFile() string {
	if o.db == "" || check.IsPostgres(o.db) {
		return ""
	}
	return o.db + ".weights"
}

// useWeights loads own weights, if there are some, and lets the policies use them. It returns nil if there are none. Unusable ones
// are logged.
func (o *options) useWeights(log *slog.Logger) (*learned.Weights, error) {
	if o.weights != "own" || o.weightsFile() == "" {
		return nil, nil
	}
	w, err := learned.LoadWeights(o.weightsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		log.Warn("groupbot: the own weights of -learn are not used", "err", err)
		return nil, nil
	}
	if o.attention == "learned" {
		if o.policy, err = learned.New(learned.Options{Speed: o.speed, Weights: w}); err != nil {
			return nil, err
		}
	}
	o.policies = maps.Clone(o.policies) // the terminal reads the one of the flags
	o.policies["learned"], err = learned.New(learned.Options{Weights: w})
	return w, err
}

// checkWeights reports the weights of -attention learned.
func (o options) checkWeights(r *check.Report) {
	what, file := lang.T("权重 weights", "weights"), o.weightsFile()
	w, err := (*learned.Weights)(nil), error(fs.ErrNotExist)
	if file != "" {
		w, err = learned.LoadWeights(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Part(what, lang.T("自带的；-learn 可以从自己的记录里学", "shipped; -learn learns from your own log"), nil)
	case err != nil:
		r.Part(what, lang.Text{}, err)
	case o.weights == "shipped":
		r.Part(what, lang.T("自带的（-weights shipped）；%s 里有自己的", "shipped (-weights shipped); there are own ones in %s", file), nil)
	default:
		unused := lang.Text{}
		if o.attention != "learned" {
			unused = lang.T("；-attention learned 才用它", "; only -attention learned uses it")
		}
		r.Part(what, lang.T("自己的：%s，%s 学的，F1 从 %.3f 到 %.3f%s", "own: %s, learned at %s, F1 %.3f to %.3f%s",
			file, w.Trained.Format(time.DateTime), w.Report.Test.Before.F1, w.Report.Test.After.F1, unused), nil)
	}
}

// learn trains own weights from recordings, prints how good they are, and keeps them if they are better.
func learn(ctx context.Context, o options, out io.Writer) error {
	l := o.lang()
	file := o.weightsFile()
	files, err := recordings(o.learn)
	if err != nil {
		return err
	}
	if _, err := os.Stat(o.db); !errors.Is(err, fs.ErrNotExist) { // a file that is missing stays so
		if err := o.useCharacter(ctx); err != nil {
			return err
		}
	}
	log, err := readLog(ctx, files, o.name)
	if err != nil {
		return err
	}
	tenth := 0
	report, w, err := learned.Train(ctx, log, learned.TrainOptions{
		Names: append([]string{o.name}, o.aliases...), Now: time.Now(), Source: files,
		Progress: func(done, total int) {
			if now := 10 * done / total; now > tenth {
				tenth = now
				fmt.Fprintln(out, l.Sprintf("已经看了 %d%%", "%d%% read", 10*now))
			}
		},
	})
	var little *learned.TooLittleError
	if errors.As(err, &little) {
		return lang.Errorf("-learn：记录太少：%d 天里有 %d 次回答，最后几天里 %d 次；至少要 %d 天、%d 次、%d 次。再录一阵（-record）",
			"-learn: the log is too small: %d days with %d answers, %d of them on the last days; it needs %d, %d and %d. Record more with -record",
			little.Days, little.Answers, little.Apart, little.NeedDays, little.NeedAnswers, little.NeedApart)
	}
	if err != nil {
		return err
	}
	printLearned(out, l, report)
	if report.Verdict != learned.Better {
		fmt.Fprintln(out, l.Sprintf("没有存：还是用原来的。", "Not kept: the weights stay as they were."))
		return nil
	}
	if err := w.Save(file); err != nil {
		return lang.Errorf("-learn 存不下：%v", "-learn: %v", err)
	}
	fmt.Fprintln(out, l.Sprintf("存在 %s，下次启动 -attention learned 就用它；-weights shipped 换回自带的。",
		"Kept in %s. The next start with -attention learned uses it; -weights shipped switches back.", file))
	return nil
}

// recordings returns a recording, or those in a directory, by absolute paths.
func recordings(path string) (files []string, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, lang.Errorf("-learn 读不了：%v", "-learn: %v", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	for _, pattern := range []string{"*.jsonl", "*.jsonl.gz"} {
		found, err := filepath.Glob(filepath.Join(escapeGlob(path), pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, lang.Errorf("-learn：%s 里没有记录（*.jsonl）", "-learn: %s has no recordings (*.jsonl)", path)
	}
	slices.Sort(files)
	return files, nil
}

// escapeGlob quotes the special characters of a path for filepath.Glob.
func escapeGlob(path string) string {
	if os.PathSeparator == '\\' {
		return path // a path on Windows cannot be quoted, and has none of them, as a rule
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// readLog reads the groups of recordings. name is the bot's.
func readLog(ctx context.Context, files []string, name string) ([]learned.LogChat, error) {
	r := logReader{chats: map[string]*learned.LogChat{}, seen: map[[2]string]bool{}}
	for _, file := range files {
		if err := r.read(ctx, file, name); err != nil {
			return nil, lang.Errorf("-learn：%s：%v", "-learn: %s: %v", file, err)
		}
	}
	var log []learned.LogChat
	for _, id := range r.order {
		c := *r.chats[id]
		slices.SortStableFunc(c.Entries, func(a, b learned.LogEntry) int { return a.At.Compare(b.At) })
		log = append(log, c)
	}
	return log, nil
}

// A logReader collects the entries of groups.
type logReader struct {
	chats map[string]*learned.LogChat
	order []string
	seen  map[[2]string]bool // chat and ID of each message, which a recording has twice after a reconnect
	key   func(string) string
}

func (r *logReader) read(ctx context.Context, file, name string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := program.Unpack(f)
	if err != nil {
		return err
	}
	events := eventlog.New(bufio.NewReader(in), name)
	r.key = events.Key
	return events.Run(ctx, r.add)
}

// add adds an event of a group.
func (r *logReader) add(at time.Time, _ bool, e persona.Event) {
	var chat persona.Chat
	entry := learned.LogEntry{}
	switch e := e.(type) {
	case persona.Message:
		chat = e.Chat
		id := [2]string{chat.String(), r.key(e.ID)}
		if r.seen[id] {
			return
		}
		r.seen[id] = true
		entry.Name = e.Name
		entry.Message = heartflow.Message{
			ID: id[1], From: e.From, Text: eventlog.OwnWords(e), Addressees: e.Mentions, FromBot: e.Bot, Own: e.Own, AtMe: e.AtMe, QuoteID: r.key(e.ReplyTo),
		}
	case persona.Retracted:
		chat, entry.Deleted, entry.By = e.Chat, r.key(e.MessageID), e.By
	case persona.BotMuted:
		chat, entry.Muted = e.Chat, !e.Until.IsZero()
		if !entry.Muted {
			return
		}
	}
	if chat.Kind != persona.Group {
		return
	}
	entry.At = at
	c := r.chats[chat.String()]
	if c == nil {
		c = &learned.LogChat{ID: chat.String()}
		r.chats[c.ID], r.order = c, append(r.order, c.ID)
	}
	c.Entries = append(c.Entries, entry)
}

// verdicts are the texts of the verdicts.
var verdicts = map[learned.Verdict]lang.Text{
	learned.Better:    lang.T("学到的更好。", "The own weights are better."),
	learned.NoGain:    lang.T("学到的没有好多少。", "The own weights are hardly better."),
	learned.Uncertain: lang.T("学到的也许只是碰巧好一点：再多录一阵。", "The own weights may be better by chance: record more."),
	learned.OnlyRate:  lang.T("只学到了大家多久回一次，没学到回什么。", "The own weights only know how often people answer, and not what."),
	learned.AlwaysOne: lang.T("还不如每条都回。", "An answer to every message would be as good."),
}

// printLearned prints a report.
func printLearned(out io.Writer, l lang.Language, r *learned.Report) {
	print := func(chinese, english string, args ...any) { fmt.Fprintln(out, l.Sprintf(chinese, english, args...)) }
	print("%d 个群，%d 条消息，%d 个人，%s 到 %s。", "Groups: %d, messages: %d, people: %d, from %s to %s.",
		r.Chats, r.Messages, r.People, r.From.Format(time.DateOnly), r.To.Format(time.DateOnly))
	print("从 %s 起的 %d 天没有拿来学，用来比较：%d 次该不该说，其中 %d 次有人说了。", "Days kept apart: %[2]d, from %[1]s on; decisions there: %[3]d, of them with an answer: %[4]d.",
		r.Apart.Format(time.DateOnly), r.Test.Days, r.Test.Cases, r.Test.Answers)
	b, a := r.Test.Before, r.Test.After
	print("  自带的  学到的", "  shipped  own")
	for _, row := range []struct {
		before, after float64
		name          lang.Text
	}{
		{b.F1, a.F1, lang.T("F1", "F1")},
		{b.Precision, a.Precision, lang.T("说了的里面，该说的（precision）", "precision: of what it would say, what people said")},
		{b.Recall, a.Recall, lang.T("该说的里面，说了的（recall）", "recall: of what people said, what it would say")},
		{b.LogLoss, a.LogLoss, lang.T("log loss，越小越好", "log loss, the less the better")},
		{b.Speaks, a.Speaks, lang.T("说话的比例", "share of the decisions to speak")},
	} {
		fmt.Fprintf(out, "  %.3f    %.3f    %s\n", row.before, row.after, l.Text(row.name))
	}
	if r.Bot.Cases > 0 {
		print("其中它自己说过、有人反应的 %d 次：F1 %.3f → %.3f", "of them when it spoke itself and people reacted: %d, F1 %.3f → %.3f", r.Bot.Cases, r.Bot.Before.F1, r.Bot.After.F1)
	}
	for i, f := range r.Folds {
		print("交叉验证 %d（%d 天，%d 次）：F1 %.3f → %.3f", "fold %d (days: %d, decisions: %d): F1 %.3f → %.3f", i+1, f.Days, f.Cases, f.Before.F1, f.After.F1)
	}
	fmt.Fprintln(out, l.Text(verdicts[r.Verdict]))
}
