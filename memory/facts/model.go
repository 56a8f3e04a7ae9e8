package facts

import (
	_ "embed" // model.bin
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/memory/facts/internal/statement"
)

// modelFile is what TestModel learns.
//
//go:embed model.bin
var modelFile string

// A model is what reads messages. It must not change.
type model struct {
	*statement.Model
	forms []form // of its kinds
}

// theModel returns the model of modelFile.
var theModel = sync.OnceValue(func() *model {
	m, err := newModel(modelFile)
	if err != nil {
		panic(err) // the file is a part of the program
	}
	return m
})

func newModel(data string) (*model, error) {
	parsed, err := statement.Parse(data)
	if err != nil {
		return nil, err
	}
	m := &model{Model: parsed}
	for _, kind := range parsed.Kinds() {
		m.forms = append(m.forms, formOf(kind))
	}
	return m, nil
}

// index returns the index of a form, or -1.
func (m *model) index(f form) int { return slices.Index(m.forms, f) }
