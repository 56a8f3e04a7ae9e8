package learned

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// Weights are own weights for the chats of one bot, made by [Train]. They correct the shipped weights and work only with those
// that they were trained with. They contain no words.
type Weights struct {
	Trained time.Time
	Source  []string // of TrainOptions
	People  []string // authors of the messages that the weights rest on, as in LogEntry.From, without the bot
	Chats   []string // chats of these messages
	Report  Report

	threshold float32
	own       *lookback.Adjustment
	revoked   atomic.Bool
}

// Revoke makes all policies with w use the shipped weights from now on, for example because somebody in People must be forgotten.
func (w *Weights) Revoke() { w.revoked.Store(true) }

// ErrOtherVersion means that own weights belong to other shipped weights, those of another version of this package.
var ErrOtherVersion = errors.New("learned: the weights were trained with another version of the shipped weights: train again")

// weightsFormat is the version of the file format. Change it with the fields of savedWeights and of Report.
const weightsFormat = 1

// maxWeightsFile limits a file in bytes.
const maxWeightsFile = 8 << 20

// savedWeights is the JSON form of Weights.
type savedWeights struct {
	Format    int                   `json:"format"`
	Model     string                `json:"model"` // of the shipped weights
	Trained   time.Time             `json:"trained"`
	Source    []string              `json:"source"`
	People    []string              `json:"people"`
	Chats     []string              `json:"chats"`
	Report    Report                `json:"report"`
	Threshold float32               `json:"threshold"`
	Columns   map[string][2]float32 `json:"columns"` // weight and mean
	Sum       string                `json:"sum"`     // SHA-256 of the file with this field empty
}

// modelVersion identifies the shipped weights and the features.
var modelVersion = sync.OnceValue(func() string {
	h := sha256.New()
	_, _ = io.WriteString(h, weights)
	_, _ = fmt.Fprint(h, lookback.ColumnNames())
	return hex.EncodeToString(h.Sum(nil)[:8])
})

// MarshalJSON implements [json.Marshaler]. [ParseWeights] parses its output.
func (w *Weights) MarshalJSON() ([]byte, error) {
	s := savedWeights{
		Format: weightsFormat, Model: modelVersion(), Trained: w.Trained, Source: w.Source, People: w.People, Chats: w.Chats, Report: w.Report,
		Threshold: w.threshold, Columns: map[string][2]float32{},
	}
	for i, name := range lookback.ColumnNames() {
		c := [2]float32{w.own.Weights[i]}
		if i < len(w.own.Mean) {
			c[1] = w.own.Mean[i]
		}
		if c[0] != 0 {
			s.Columns[name] = c
		}
	}
	var err error
	if s.Sum, err = s.sum(); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// sum returns the checksum.
func (s savedWeights) sum() (string, error) {
	s.Sum = ""
	b, err := json.Marshal(s)
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:]), err
}

// ParseWeights parses a file of own weights. It returns [ErrOtherVersion] for those that belong to other shipped weights, and an
// error for a damaged file.
func ParseWeights(file []byte) (*Weights, error) {
	damaged := func(why any) error {
		return fmt.Errorf("learned: the file of weights is damaged (%v): delete it and train again", why)
	}
	if len(file) > maxWeightsFile {
		return nil, damaged("it is too large")
	}
	var version struct{ Format *int }
	if err := json.Unmarshal(file, &version); err != nil {
		return nil, damaged(err)
	}
	if version.Format == nil || *version.Format != weightsFormat {
		return nil, fmt.Errorf("%w (format)", ErrOtherVersion)
	}
	var s savedWeights
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, damaged(err)
	}
	if sum, err := s.sum(); err != nil || sum != strings.ToLower(s.Sum) {
		return nil, damaged("its checksum is wrong")
	}
	if s.Model != modelVersion() {
		return nil, fmt.Errorf("%w (%q)", ErrOtherVersion, s.Model)
	}
	w := &Weights{Trained: s.Trained, Source: s.Source, People: s.People, Chats: s.Chats, Report: s.Report, threshold: s.Threshold, own: new(lookback.Adjustment)}
	if !(w.threshold > 0 && w.threshold < 1) {
		return nil, damaged("the threshold is not between 0 and 1")
	}
	known := map[string]int{}
	for i, name := range lookback.ColumnNames() {
		known[name] = i
	}
	for name, c := range s.Columns {
		i, ok := known[name]
		if !ok || math.Abs(float64(c[0])) > maxWeight || math.Abs(float64(c[1])) > maxWeight {
			return nil, damaged(fmt.Sprintf("column %.40q", name))
		}
		w.own.Weights[i] = c[0]
		if i < len(w.own.Mean) && c[0] != 0 {
			w.own.Mean[i] = c[1]
		}
	}
	return w, nil
}

// maxWeight keeps sums finite.
const maxWeight = 1e6

// LoadWeights reads a file of [Weights.Save].
func LoadWeights(path string) (*Weights, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxWeightsFile+1))
	if err != nil {
		return nil, err
	}
	w, err := ParseWeights(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// Save writes a file that only its user may read. It replaces an old one at once: a crash leaves the old file or the new one.
func (w *Weights) Save(path string) (err error) {
	b, err := json.Marshal(w)
	if err != nil {
		return err
	}
	part := path + ".tmp"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(part, path)
}
